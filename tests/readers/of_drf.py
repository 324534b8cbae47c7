"""Django REST framework: what a view reads from a request."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from django.core.wsgi import get_wsgi_application
from django.urls import re_path

from readers.asking import Reader
from readers.of_django import Deployed, answered, configured
from readers.of_django import read as read_by_django
from readers.places import BODIES, METHODS, Places, flattened, told


@cache
def urls() -> Any:
    """Create the view after Django has settings, because Django REST framework reads them at import."""
    from rest_framework.parsers import FormParser, JSONParser, MultiPartParser  # noqa: PLC0415
    from rest_framework.reverse import reverse  # noqa: PLC0415
    from rest_framework.views import APIView  # noqa: PLC0415

    def data(request: Any) -> Places:
        found = request.data
        form = flattened(found.lists()) if hasattr(found, "lists") else []
        return {"form": form, "json": None if hasattr(found, "lists") else found}

    class Show(APIView):
        authentication_classes = ()
        permission_classes = ()
        parser_classes = (FormParser, MultiPartParser, JSONParser)

        def show(self, request: Any, rest: str) -> Any:
            of_django = read_by_django(request._request, "show", rest=rest)
            places = {"data": lambda: data(request)} if request.method in BODIES else {}
            found = told(
                {
                    "url_for, external": lambda: reverse("show", request=request, kwargs={"rest": rest}),
                    **places,
                }
            )
            read = found.pop("data", {})
            found |= {"form": read, "json": read} if "raised" in read else read
            return answered(**{**of_django, **found})

    for method in METHODS:
        setattr(Show, method.lower(), Show.show)

    class Urls:
        urlpatterns: Final = [re_path(r"^(?P<rest>[\s\S]*)\Z", Show.as_view(), name="show")]

    return Urls()


@contextlib.contextmanager
def configured_for_rest() -> Iterator[None]:
    with configured(), configured(ROOT_URLCONF=urls()):
        yield


def everything() -> Any:
    return Deployed(get_wsgi_application, configured_for_rest)


READERS = [Reader("Django REST framework", "wsgi", "djangorestframework", everything, entered=configured)]
