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

    policy = Policy.STANDARD.preserving(Kind.ENCODED_SLASH).accepting(LATIN, names=["q"])
    app = NormalizeMiddleware(Starlette(), policy=policy, enforce=False)


def piece_8() -> None:
    from postel import Kind

    for kind in Kind:
        for component, (_, standard, _) in kind.check.presets.items():
            print(f"{kind.slug:24} {component.value:12} {standard.value:10} {kind.check.summary}")


def piece_9() -> None:
    from postel import Policy

    policy = Policy.parse("standard encoded-slash=preserve malformed-escape@query[q]=reject limit.pairs=100")
    assert Policy.parse(str(policy)) == policy


def piece_10() -> None:
    from starlette.applications import Starlette

    from postel import Kind, Policy, Sample
    from postel.asgi import NormalizeMiddleware

    app = NormalizeMiddleware(
        Starlette(),
        routes={"/packages": Policy.STANDARD.preserving(Kind.ENCODED_SLASH)},  # nowhere else
        sample=Sample(0.1, by_client=True),  # a tenth of the clients; the others are only observed
        prefix="",  # mounted at the root: a forged SCRIPT_NAME or root_path is refused
        redirect=False,  # refuse `/a//b` always; by default GET and HEAD are sent to `/a/b` with a 308
        statuses={Kind.DOT_SEGMENT: 404},
    )


def piece_11() -> None:
    import hashlib
    import hmac

    from postel import report_of


    def is_signed(request: object, key: bytes, signature: str) -> bool:
        report = report_of(request)
        expected = hmac.new(key, report.received_target, hashlib.sha256).hexdigest()
        return report.verbatim and hmac.compare_digest(expected, signature)


def piece_12() -> None:
    from starlette.applications import Starlette

    from postel import Action, Component, Forms, Kind, Policy
    from postel.asgi import NormalizeMiddleware

    app = NormalizeMiddleware(
        Starlette(),
        policy=Policy.STANDARD.limiting(value=100_000).dropping_pairs(
            Kind.NUL, on=Component.FORM, names=["note"]
        ),
        forms=Forms(limit=500_000),  # or forms=True: 1 MiB
        hosts=["example.com", "*.example.com"],
        headers={"cookie": Action.DROP_PAIR, "referer": Action.DROP},
    )


def piece_13() -> None:
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


def piece_14() -> None:
    from postel import Accepted, Normalizer, Policy, Target

    outcome = Normalizer(Policy.STANDARD).normalize(Target(path=b"/caf%c3%a9", query=b"q=50%+off"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.path == b"/caf%C3%A9"
    assert outcome.target.pairs == (("q", "50% off"),)


def piece_15() -> None:
    from postel.uri import build_query, clean, is_local, pretty

    assert clean("http://[2001:db8::7348]/a b?name=Helen Ødegård") == (
        "http://[2001:db8::7348]/a%20b?name=Helen%20%C3%98deg%C3%A5rd"
    )
    assert pretty("/caf%C3%A9/a%2Fb") == "/café/a%2Fb"
    assert build_query([("q", "C++ & more")]) == "q=C%2B%2B%20%26%20more"
    assert is_local("/cart?x=1") and not is_local("/\\evil.example")  # is it safe to redirect there?
