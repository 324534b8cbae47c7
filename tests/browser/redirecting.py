"""An application for the servers, with and without postel: its login redirects to ``next``."""

from __future__ import annotations

from typing import Any, Final

import flask

import postel.wsgi
from postel import Policy, Report

bare: Final = flask.Flask("redirecting", static_folder=None)


@bare.get("/login")
def login() -> Any:
    return flask.redirect(flask.request.args["next"])


@bare.get("/cart")
def cart() -> Any:
    return flask.jsonify(list(flask.request.args.items(multi=True)))


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


behind: Final = postel.wsgi.NormalizeMiddleware(bare, Policy.STANDARD.local(names=["next"]), observer=ignore)
