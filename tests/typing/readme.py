# The code of README.md, for type checkers. Made by "make pages", not edited by hand.


def piece_0() -> None:
    from fastapi import FastAPI

    from postel.asgi import NormalizeMiddleware

    app = FastAPI()
    app.add_middleware(NormalizeMiddleware)  # call it last: the last one added is the outermost


def piece_1() -> None:
    from flask import Flask

    from postel.wsgi import NormalizeMiddleware

    app = Flask(__name__)
    app.wsgi_app = NormalizeMiddleware(app.wsgi_app)  # type: ignore[method-assign]  # as Flask documents it


def piece_3() -> None:
    from starlette.applications import Starlette
    from starlette.middleware import Middleware

    from postel.asgi import NormalizeMiddleware

    app = Starlette(middleware=[Middleware(NormalizeMiddleware)])  # the first one listed is the outermost


def piece_4() -> None:
    from starlette.applications import Starlette

    from postel import Kind, Policy
    from postel.asgi import NormalizeMiddleware

    policy = Policy.STANDARD.allowing(Kind.ILL_FORMED_UTF8, names=["legacy"])
    app = NormalizeMiddleware(
        Starlette(),
        policy=policy,
        # Views below /packages read the path with %2F undecoded, and each percent sign as %25.
        routes={"/packages": policy.preserving(Kind.ENCODED_SLASH)},
        forms=True,
        hosts=["example.com", "*.example.com"],
    )


def piece_5() -> None:
    from postel.uri import build_query, clean, is_local, pretty

    assert clean("http://[2001:db8::7348]/a b?name=Helen Ødegård") == (
        "http://[2001:db8::7348]/a%20b?name=Helen%20%C3%98deg%C3%A5rd"
    )
    assert pretty("/caf%C3%A9/a%2Fb") == "/café/a%2Fb"
    assert build_query([("q", "C++ & more")]) == "q=C%2B%2B%20%26%20more"
    assert is_local("/cart?x=1") and not is_local("/\\evil.example")  # is it safe to redirect there?
