# The code of README.md, for type checkers. Made by "python tests/readme.py", not edited by hand.
# ruff: noqa
# fmt: off


def piece_0() -> None:
    from starlette.applications import Starlette
    from starlette.middleware import Middleware

    from postel.asgi import NormalizeMiddleware

    app = Starlette(middleware=[Middleware(NormalizeMiddleware)])


def piece_1() -> None:
    from fastapi import FastAPI

    from postel.asgi import NormalizeMiddleware

    app = FastAPI()
    app.add_middleware(NormalizeMiddleware)  # after all others: what is added last is outermost


def piece_2() -> None:
    from wsgiref.types import WSGIApplication

    from flask import Flask

    from postel.wsgi import NormalizeMiddleware

    flask_app = Flask(__name__)
    app: WSGIApplication = NormalizeMiddleware(flask_app.wsgi_app)


def piece_3() -> None:
    from flask import Flask

    from postel.wsgi import NormalizeMiddleware

    app = Flask(__name__)
    app.wsgi_app = NormalizeMiddleware(app.wsgi_app)  # type: ignore[method-assign]


def piece_6() -> None:
    from werkzeug import Request, Response

    from postel.wsgi import NormalizeMiddleware


    @Request.application
    def application(request: Request) -> Response:
        return Response(f"{request.path} {request.args}")


    app = NormalizeMiddleware(application)


def piece_7() -> None:
    from starlette.applications import Starlette

    from postel import LATIN, Kind, Policy
    from postel.asgi import NormalizeMiddleware

    policy = (
        Policy.STANDARD
        .preserving(Kind.ENCODED_SLASH)
        .accepting(LATIN, names=["q"])
    )
    app = NormalizeMiddleware(Starlette(), policy=policy, enforce=False)


def piece_8() -> None:
    from postel import Kind, Policy

    for kind in Kind:
        for component in kind.check.components:
            action = Policy.STANDARD.action(kind, component)
            print(f"{kind.slug:24} {component.value:6} {action.value:10} {kind.check.summary}")


def piece_9() -> None:
    import hashlib
    import hmac

    from postel import report_of


    def is_signed(request: object, key: bytes, signature: str) -> bool:
        report = report_of(request)
        expected = hmac.new(key, report.received_target, hashlib.sha256).hexdigest()
        return report.verbatim and hmac.compare_digest(expected, signature)


def piece_10() -> None:
    from collections import Counter

    from starlette.applications import Starlette
    from starlette.responses import JSONResponse

    from postel import Kind, Report
    from postel.asgi import NormalizeMiddleware

    found: Counter[Kind] = Counter()


    def count(report: Report) -> None:
        found.update(finding.kind for finding in report.findings)


    refusal = JSONResponse({"error": "This link is broken."}, status_code=400)
    app = NormalizeMiddleware(Starlette(), refusal=refusal, observer=count)


def piece_11() -> None:
    from postel import Accepted, Normalizer, Policy, Target

    outcome = Normalizer(Policy.STANDARD).normalize(Target(path=b"/caf%c3%a9", query=b"q=50%+off"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.path == b"/caf%C3%A9"
    assert outcome.target.pairs == (("q", "50% off"),)
