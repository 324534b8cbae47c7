"""Django behind postel."""

from django_bare import app as bare

from postel.wsgi import NormalizeMiddleware

app = NormalizeMiddleware(bare)
