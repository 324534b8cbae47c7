"""Flask behind postel."""

from flask_bare import app as bare

from postel.wsgi import NormalizeMiddleware

app = NormalizeMiddleware(bare.wsgi_app)
