"""Measure what judging a body costs, and what reading the same body costs the application.

    python bench/body_costs.py [--rounds N] [--write FILE]

The middleware is measured on WSGI: it reads the body, spools it if it is long, judges it and hands it on.
With ``--write`` the table becomes the section "Bodies" of FILE.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from werkzeug.formparser import parse_form_data

from postel import Json
from postel.wsgi import NormalizeMiddleware

TITLE: Final = "## Bodies"
INTRODUCTION: Final = """\
What the middleware adds for a body, on WSGI: it reads the body, spools an upload, judges it and hands
it on. The column *the application* shows what reading the same body costs there, with `json.loads` or
Werkzeug's form parser."""
HEAD: Final = "| body | the application, µs | postel, µs | ratio |\n|---|---:|---:|---:|"
KIB: Final = 1024
_BOUNDARY: Final = b"----WebKitFormBoundary7MA4YWxkTrZu0gW"
_OCTETS: Final = bytes(range(256))


def objects(octets: int, number: int) -> bytes:
    """Return JSON with many small objects, such as the answer of an API."""
    one = {"id": 12345, "name": "François", "tags": ["a", "b"], "price": 19.99, "active": True}
    many = max(1, octets // len(json.dumps(one)))
    return json.dumps([*[one] * many, number]).encode()


def fields(_: int, number: int) -> bytes:
    """Return a form of ten fields, as a browser sends it."""
    return _parts([(b'name="field%d"' % each, b"some text %d" % number) for each in range(10)])


def file(octets: int, number: int) -> bytes:
    """Return a form with one file."""
    head = b'name="f"; filename="f%d.bin"\r\nContent-Type: application/octet-stream' % number
    return _parts([(head, _OCTETS * (octets // len(_OCTETS)))])


def _parts(parts: list[tuple[bytes, bytes]]) -> bytes:
    heads = [b"Content-Disposition: form-data; " + head + b"\r\n\r\n" for head, _ in parts]
    pieces = [head + content for head, (_, content) in zip(heads, parts, strict=True)]
    lines = b"".join(b"--" + _BOUNDARY + b"\r\n" + piece + b"\r\n" for piece in pieces)
    return lines + b"--" + _BOUNDARY + b"--\r\n"


_JSON: Final = "application/json"
_FORM: Final = f"multipart/form-data; boundary={_BOUNDARY.decode()}"
BODIES: Final[dict[str, tuple[Callable[[int, int], bytes], int, str]]] = {
    "JSON, 1 KiB": (objects, KIB, _JSON),
    "JSON, 64 KiB": (objects, 64 * KIB, _JSON),
    "JSON, 1 MiB": (objects, KIB * KIB, _JSON),
    "multipart, ten fields": (fields, 0, _FORM),
    "multipart, a file of 10 MB": (file, 10_000_000, _FORM),
}


def _nothing(_: dict[str, Any], start_response: Any) -> list[bytes]:
    start_response("200 OK", [])
    return []


def _environ(octets: bytes, content_type: str) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/a",
        "QUERY_STRING": "",
        "RAW_URI": "/a",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "example.com",
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(octets)),
        "wsgi.input": io.BytesIO(octets),
    }


def _ask(app: Any, environ: dict[str, Any]) -> str:
    statuses: list[str] = []
    answer: Any = app(environ, lambda status, _: statuses.append(status))
    b"".join(answer)
    getattr(answer, "close", int)()
    return statuses[-1]


def measure(rounds: int) -> Iterator[tuple[str, float, float]]:
    """Yield, for each body, its name and the median seconds of the application and of postel."""
    behind = NormalizeMiddleware(_nothing, forms=True, json=Json(limit=2 * KIB * KIB))
    for name, (make, octets, content_type) in BODIES.items():
        theirs: list[float] = []
        ours: list[float] = []
        for number in range(max(5, rounds // (1 + octets // (64 * KIB)))):
            body = make(octets, number)
            begin = time.process_time()
            if content_type == _JSON:
                json.loads(body)
            else:
                parse_form_data(_environ(body, content_type))
            between = time.process_time()
            status = _ask(behind, _environ(body, content_type))
            ours.append(time.process_time() - between)
            theirs.append(between - begin)
            if status != "200 OK":
                raise RuntimeError(f"{name}: {status}")
        yield name, statistics.median(theirs), statistics.median(ours)


def section(rounds: int) -> str:
    """Return the section of the page."""
    rows = [
        f"| {name} | {theirs * 1e6:.0f} | {ours * 1e6:.0f} | {ours / theirs:.2f} |"
        for name, theirs, ours in measure(rounds)
    ]
    return "\n".join([TITLE, "", INTRODUCTION, "", HEAD, *rows]) + "\n\n"


def main() -> None:
    """Print the section, or write it into a page, in front of the most expensive inputs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=201)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    written = section(options.rounds)
    if options.write is None:
        sys.stdout.write(written)
        return
    page = re.sub(
        rf"^{TITLE}\n.*?(?=^## )", "", options.write.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    place = page.index("## The most expensive inputs")
    options.write.write_text(page[:place] + written + page[place:], "utf-8")


if __name__ == "__main__":
    main()
