"""Write the section of docs/bodies.md that shows what frameworks read from hostile bodies.

python tools/body_tables.py
"""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import platform
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

import json_readers
import multipart_readers
from _bodies.hostile import Hostile
from _bodies.test_json_frameworks import ONE_FIELD_SHOWN, READ_DIFFERENTLY, bodies
from _bodies.test_multipart import DISPOSITION, FILE, TYPE, body, named, part
from _bodies.test_multipart_frameworks import plain
from adapters import WSGI
from bodies import FORM, post
from json_readers import Framework, Reading
from postel import Policy
from tables import head, line

PAGE: Final = Path(__file__).parents[1] / "docs" / "bodies.md"
TITLE: Final = "## What frameworks read"
PACKAGES: Final = (
    *(
        "Flask",
        "Quart",
        "Django",
        "djangorestframework",
        "Starlette",
        "FastAPI",
        "Litestar",
        "Falcon",
        "Bottle",
    ),
    *("Pyramid", "WebOb"),
)
GENERATED: Final = 200
_JSON: Final = "application/json"
_LONGEST: Final = 44
_TYPED: Final = DISPOSITION + b"\r\nContent-Type: "


class Body(NamedTuple):
    """A hostile body, and the fields of its Content-Type."""

    name: str
    octets: bytes
    types: list[bytes]


def _form(name: str, octets: bytes, content_type: str = TYPE) -> Body:
    return Body(name, octets, [content_type.encode()])


def _json(name: str, octets: bytes, content_type: str = _JSON) -> Body:
    return Body(name, octets, [content_type.encode()])


FORMS: Final = [
    _form("two boundaries in the type", body(part()), TYPE + "; boundary=y"),
    _form("line feeds for line ends", body(part()).replace(b"\r\n", b"\n")),
    _form("`1`, a line feed, a boundary", body(part(content=b"1\n--zz\r\n" + part(content=b"2")))),
    _form("a part behind the last boundary", body(part()) + body(part(content=b"2"))),
    _form("the last boundary is missing", body(part(), end=b"\r\n")),
    _form("a blank in front of a colon", body(part(DISPOSITION.replace(b":", b" :")))),
    _form("two Content-Dispositions, one of a file", body(part(DISPOSITION + b"\r\n" + FILE))),
    _form("the file name on a folded line", body(part(DISPOSITION + b';\r\n filename="b"'))),
    _form(
        "`filename=\"a.txt\"; filename*=utf-8''b.php`",
        named(b"name=\"a\"; filename=\"a.txt\"; filename*=utf-8''b.php"),
    ),
    _form("`name=\"a\"; name*=utf-8''b`", named(b"name=\"a\"; name*=utf-8''b")),
    _form("`name=a b`", named(b"name=a b")),
    _form("a quote that is not closed", named(b'name="a')),
    _form("a backslash in a file name", named(b'name="a"; filename="C:\\dir\\x.txt"')),
    _form("`filename=\"../x\"`", named(b'name="a"; filename="../x"')),
    _form("`filename=\"\"` with content", body(part(DISPOSITION + b'; filename=""'))),
    _form("`name=\"a%0D%0Ab\"`", named(b'name="a%0D%0Ab"')),
    _form("NUL in a name", named(b'name="a\0b"')),
    _form("a name in Latin-1", named(b'name="\xe9"')),
    _form("a text in Latin-1", body(part(content=b"\xe9"))),
    _form("`charset=utf-7` of a part", body(part(_TYPED + b"text/plain; charset=utf-7", b"+ADw-"))),
    _form("base64", body(part(DISPOSITION + b"\r\nContent-Transfer-Encoding: base64", b"QQ=="))),
    _form("a part of parts", body(part(_TYPED + b"multipart/mixed; boundary=y", b"--y--"))),
    _form("1,100 octets of header fields", body(part(DISPOSITION + b"\r\nX: " + b"y" * 1100))),
]  # fmt: skip
JSONS: Final = [
    _json("`{\"a\":1,\"a\":2}`", b'{"a":1,"a":2}'),
    _json("`\"\\ud800\"`", b'"\\ud800"'),
    _json("a surrogate in UTF-8", b'"\xed\xa0\xbd\xed\xb8\x80"'),
    _json("Latin-1", b'"\xe9"'),
    _json("UTF-16", '"a"'.encode("utf-16")),
    _json("a byte order mark", b'\xef\xbb\xbf"a"'),
    _json("`\"+ADw-\"`, `charset=utf-7`", b'"+ADw-"', _JSON + "; charset=utf-7"),
    _json("`\"\\u0000\"`", b'"\\u0000"'),
    _json("`NaN`", b"NaN"),
    _json("`1e999`", b"1e999"),
    _json("an integer of 5,000 digits", b"1" * 5000),
    _json("1,100 levels", b"[" * 1100 + b"]" * 1100),
    _json("nothing at all", b""),
    _json("`[1]`, `Application/JSON`", b"[1]", "Application/JSON"),
    _json("`[1]`, `text/plain`", b"[1]", "text/plain"),
    _json("`[1]`, sent as a form", b"[1]", FORM),
    _json("`{\"a\":1,\"a\":2}`, sent as a form", b'{"a":1,"a":2}', FORM),
    _json("`NaN`, sent as a form", b"NaN", FORM),
]  # fmt: skip

INTRODUCTION: Final = """\
The table shows what twelve readers of ten frameworks read from hostile bodies, without postel and behind the
middleware with `forms=True, json=True` and `Policy.STANDARD`. The applications read all fields and files, or
the JSON value, with the framework's own accessors. They answer 400 to `json.JSONDecodeError`, and catch
nothing else.

"""
COUNTS: Final = """\
A body counts as *differ* if two frameworks accept it and read different names, texts, file names, contents or
values; as *500* if at least one framework fails; as *U+FFFD* if one reads that character although the body
does not hold it; and as *NUL* if one reads a NUL in a name, a text or a value. The collected bodies are in
`tests/_bodies/measured`; `tests/_bodies/hostile.py` generates the others.

"""


def versions() -> str:
    """Return the installed versions in the form of the page."""
    python = ".".join(platform.python_version_tuple()[:2])
    return f"Python {python}, {', '.join(f'{each} {version(each)}' for each in PACKAGES)}."


def _read(frameworks: Iterable[Framework], sent: Body, policy: Policy | None = None) -> dict[str, Reading]:
    return {each.name: each.read(sent.octets, sent.types, policy) for each in frameworks}


# -- counts --------------------------------------------------------------------------------------------------


def _measured(file: str) -> list[Body]:
    """Return the bodies of tests/_bodies/measured, except those whose differences have a known reason."""
    excluded = {*READ_DIFFERENTLY, *ONE_FIELD_SHOWN, "type-two-headers"}
    return [sent for each in bodies(file) if (sent := Body(*each.values)).name not in excluded]


def _generated(make: str) -> list[Body]:
    hostile = Hostile(0)
    pairs = [getattr(hostile, make)() for _ in range(GENERATED)]
    return [Body("", octets, [content_type]) for octets, content_type in pairs]


def _counted(sent: Body, readings: dict[str, Reading], *, is_form: bool) -> list[bool]:
    """Return whether a body counts as accepted, as *differ*, as *500*, as *U+FFFD* and as *NUL*."""
    read = {name: each.value for name, each in readings.items() if each.status == 200 and each.asked}
    if is_form and b"content-type:" in sent.octets.lower():
        # Falcon reads no text of a part whose type is not text/plain.
        read = {name: value for name, value in read.items() if not name.startswith("Falcon")}
    values = {plain(value) if is_form else value for value in read.values()}
    escaped = "\ufffd".encode() in sent.octets or b"fffd" in sent.octets.lower()
    return [
        bool(read),
        len(values) > 1,
        any(each.status >= 500 for each in readings.values()),
        not escaped and any("\ufffd" in (each or "") or "\\xef\\xbf\\xbd" in (each or "") for each in values),
        any(_has_nul(each) for each in values)
        if is_form
        else any("\\x00" in (each or "") for each in values),
    ]


def _has_nul(value: str | None) -> bool:
    """Whether a name, a file name or a text has a NUL. The content of a file may have one."""
    fields = ast.literal_eval(value) if value else []
    return any(
        "\0" in name + filename or (not filename and b"\0" in content) for name, filename, content in fields
    )


def _count_row(name: str, sent: list[Body], frameworks: list[Framework], *, is_form: bool) -> str:
    cells: list[str] = []
    for policy in (None, Policy.STANDARD):
        counted = [_counted(each, _read(frameworks, each, policy), is_form=is_form) for each in sent]
        cells += [str(sum(column)) for column in zip(*counted, strict=True)]
    return line([name, str(len(sent)), *cells])


def counts() -> str:
    what = ("accepted", "differ", "500", "U+FFFD", "NUL")
    named = [
        "Bodies",
        "number",
        *(f"without: {each}" for each in what),
        *(f"behind: {each}" for each in what),
    ]
    forms, jsons = multipart_readers.FRAMEWORKS, json_readers.FRAMEWORKS
    return "".join(
        [
            head(named),
            _count_row("Multipart, collected", _measured("multipart"), forms, is_form=True),
            _count_row("Multipart, generated", _generated("form"), forms, is_form=True),
            _count_row("JSON, collected", _measured("json"), jsons, is_form=False),
            _count_row("JSON, generated", _generated("json"), jsons, is_form=False),
        ]
    )


# -- examples ------------------------------------------------------------------------------------------------


def _code(text: str) -> str:
    short = text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
    return "`" + short.replace("|", "\\|").replace("`", "'") + "`"


def _form_shown(value: str) -> str:
    shown: list[str] = []
    for (what, name), values in ast.literal_eval(value):
        for filename, content in values:
            text = f"{name if name is None else ascii(name)[1:-1]}="
            text += f"file {ascii(filename or '')[1:-1]}" if what == "file" else ascii(content)[2:-1]
            shown.append(text)
    return _code(", ".join(shown)) if shown else "nothing"


def _shown(reading: Reading, *, is_form: bool) -> str:
    if reading.status != 200 or reading.value is None:
        return str(reading.status)
    return (
        _form_shown(reading.value)
        if is_form
        else _code(ascii(ast.literal_eval(reading.value)) if reading.value[:1] in "'\"" else reading.value)
    )


def _grouped(readings: dict[str, Reading], *, is_form: bool) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    for name, reading in readings.items():
        groups[_shown(reading, is_form=is_form)].append(name)
    *fewer, (most, _) = sorted(groups.items(), key=lambda each: len(each[1]))
    if not fewer:
        return f"{most}: all"
    return "; ".join(
        [*(f"{shown}: {', '.join(names)}" for shown, names in fewer[::-1]), f"{most}: the others"]
    )


def _behind(sent: Body, readings: dict[str, Reading], *, is_form: bool) -> str:
    if any(each.asked for each in readings.values()):
        return _grouped(readings, is_form=is_form)
    asked = post(WSGI, sent.octets, content_type=sent.types[0].decode(), json=True)
    return f"{', '.join(f'`{each}`' for each in asked.kinds)}, {asked.status}"


def examples(sent: list[Body], frameworks: list[Framework], *, is_form: bool) -> Iterator[str]:
    yield head(["Body", "Without postel", "Behind postel"])
    for each in sent:
        bare, behind = _read(frameworks, each), _read(frameworks, each, Policy.STANDARD)
        yield line([each.name, _grouped(bare, is_form=is_form), _behind(each, behind, is_form=is_form)])


def body_tables() -> str:
    """Return the current section."""
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        forms = "".join(examples(FORMS, multipart_readers.FRAMEWORKS, is_form=True))
        jsons = "".join(examples(JSONS, json_readers.FRAMEWORKS, is_form=False))
        numbers = counts()
    logging.disable(logging.NOTSET)
    return "\n".join(
        [TITLE, "", INTRODUCTION + numbers, COUNTS + forms, jsons, f"Read with {versions()}", ""]
    )


def section_of(page: str) -> str:
    """Return the section as it stands on the page."""
    start = page.index(TITLE)
    return page[start : page.index("\n## ", start) + 1]


def main() -> None:
    page = PAGE.read_text("utf-8")
    section = section_of(page)
    PAGE.write_text(page.replace(section, body_tables() + "\n"), "utf-8")


if __name__ == "__main__":
    main()
