"""An application for the servers to run, bare and behind postel: its login goes where ``next`` says."""

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
    """An observer that does not look: what is refused here is refused on purpose."""


behind: Final = postel.wsgi.NormalizeMiddleware(bare, Policy.STANDARD.local(names=["next"]), observer=ignore)
