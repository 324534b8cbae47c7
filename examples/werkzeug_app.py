"""A small library on Werkzeug alone, behind postel. Each page says what it has read.

``gunicorn --chdir examples werkzeug_app:app``
"""

import json
from pathlib import Path

from werkzeug import Request, Response
from werkzeug.exceptions import Forbidden, HTTPException
from werkzeug.routing import Map, Rule

from postel.wsgi import NormalizeMiddleware

INDEX = Path(__file__).with_name("index.html").read_bytes()
ROUTES = Map(
    [
        Rule("/", endpoint="index"),
        Rule("/search", endpoint="search"),
        Rule("/books/<title>", endpoint="book"),
        Rule("/admin", endpoint="admin"),
        Rule("/admin/panel", endpoint="admin"),
    ]
)


@Request.application
def library(request: Request) -> Response | HTTPException:
    """Say what was read: the path, its parameters, the query."""
    if request.path.split("/")[1] == "admin":
        return Forbidden()
    try:
        view, parameters = ROUTES.bind_to_environ(request.environ).match()
    except HTTPException as error:
        return error
    if view == "index":
        return Response(INDEX, mimetype="text/html")
    read = {
        "view": view,
        "path": request.path,
        "parameters": parameters,
        "query": list(request.args.items(multi=True)),
    }
    return Response(json.dumps(read), mimetype="application/json")


app = NormalizeMiddleware(library)
