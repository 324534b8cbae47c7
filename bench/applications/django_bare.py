"""Django without postel."""

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="none", MIDDLEWARE=[])  # noqa: S106


def comments(request: HttpRequest, article: str) -> HttpResponse:
    """Read path and query, as an application does."""
    return HttpResponse(f"{article} {request.GET['page']}")


urlpatterns = [path("articles/<article>/comments", comments)]
app = get_wsgi_application()
