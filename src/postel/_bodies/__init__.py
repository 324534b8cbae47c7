"""Bodies: read forms and JSON on ASGI and WSGI, judge them, and hand them on."""
