"""No Content-Type or framing that a server passes on lets a NUL reach a form.

The most lenient reader shows which types a server passes on. Django, Flask, Falcon and WebOb then get each of
these types that they read as a form.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import pytest

from frameworks.content_types import CONTENT_TYPES, ContentType
from frameworks.form_objects import READERS
from frameworks.read_bare import READ_BARE
from servers.configurations import ASGI_SERVERS, FRONTS, WSGI_SERVERS
from servers.formed import NUL, READ
from servers.matrix import Configuration, serving
from servers.posting import BOTH, CHUNKED, LENGTH, post, post_over_http2
from servers.processes import Answer, Process

pytestmark = pytest.mark.servers

CONFIGURATIONS = [*ASGI_SERVERS, *WSGI_SERVERS, *FRONTS]
COLUMNS = {reader.name: number for number, reader in enumerate(READERS)}
READER_OF = {
    "asgi": {"django": "Django, ASGI", "falcon": "Falcon, ASGI"},
    "wsgi": {"django": "Django, WSGI", "falcon": "Falcon, WSGI", "flask": "Flask", "webob": "Pyramid"},
}
FORM, *_ = CONTENT_TYPES
CLEAN = ContentType("clean", FORM.fields, b"a=1")
# Bottle reads every type as a form, and is not used here.
TAKEN = [each for each in CONTENT_TYPES if "x" in READ_BARE[each.name][: COLUMNS["Bottle"]]]
DELIVERED = {
    "uvicorn, h11, asgi", "hypercorn, asgi", "granian, asgi", "granian, wsgi", "waitress, wsgi",
    "cheroot, wsgi", "werkzeug, wsgi",
}  # fmt: skip
"""Servers that hand on a chunked body beside a length of zero. granian and waitress change the length."""


def name_of(configuration: Configuration) -> str:
    return f"{configuration.name}, {configuration.protocol}"


EACH = pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=name_of)


def taken_by(reader: str) -> list[ContentType]:
    return [each for each in TAKEN if READ_BARE[each.name][COLUMNS[reader]] == "x"]


@dataclass
class Run:
    """A configuration after all requests: the answers by stack, type and framing."""

    configuration: Configuration
    answers: dict[tuple[str, str, str], Answer] = field(default_factory=dict)

    @property
    def stacks(self) -> dict[str, str]:
        """Return the frameworks that the server can run. The Python of Apache has no frameworks."""
        return {} if "Apache" in self.configuration.name else READER_OF[self.configuration.protocol]

    @property
    def framings(self) -> tuple[str, ...]:
        return (LENGTH,) if self.configuration.http2 else (LENGTH, CHUNKED, *BOTH)

    def has_nul(self, stack: str, sent: ContentType, framing: str = LENGTH) -> bool:
        return NUL in self.answers[stack, sent.name, framing].body

    def ask(self, process: Process, stack: str, sent: ContentType, framing: str = LENGTH) -> None:
        key = f"form {stack}", sent.fields, sent.body
        if self.configuration.http2:
            answer = post_over_http2(process.port, *key)
        else:
            answer = post(process.port, *key, framing)
        self.answers[stack, sent.name, framing] = answer


@cache
def run(configuration: Configuration) -> Run:
    """Start a server, send it every request once, and stop it."""
    made = Run(configuration)
    with serving(configuration) as process:
        for sent in TAKEN:
            made.ask(process, "bare lax", sent)
            made.ask(process, "on lax", sent)
        for stack, reader in {"lax": "", **made.stacks}.items():
            for framing in made.framings:
                made.ask(process, f"bare {stack}", FORM, framing)
                made.ask(process, f"on {stack}", FORM, framing)
            made.ask(process, f"on {stack}", CLEAN)
            for sent in taken_by(reader) if reader else ():
                if made.has_nul("bare lax", sent) or not sent.fields:
                    made.ask(process, f"on {stack}", sent)
    return made


@EACH
def test_a_form_is_read(configuration: Configuration) -> None:
    """Otherwise this file would test nothing."""
    made = run(configuration)
    for stack in ("lax", *made.stacks):
        assert made.has_nul(f"bare {stack}", FORM), stack
        assert READ in made.answers[f"on {stack}", CLEAN.name, LENGTH].body, stack


def test_one_server_passes_every_type_on() -> None:
    (uwsgi,) = (each for each in WSGI_SERVERS if each.name == "uWSGI")
    made = run(uwsgi)
    assert [each.name for each in TAKEN if each.fields and not made.has_nul("bare lax", each)] == []


@EACH
def test_which_readers_read_a_body_with_a_length_of_zero(configuration: Configuration) -> None:
    made = run(configuration)
    for framing in BOTH if not configuration.http2 else ():
        assert made.has_nul("bare lax", FORM, framing) == (name_of(configuration) in DELIVERED), framing


@EACH
def test_no_type_lets_a_nul_reach_a_form(configuration: Configuration) -> None:
    made = run(configuration)
    carried = [key for key, answer in made.answers.items() if key[0].startswith("on ") and NUL in answer.body]
    assert carried == []


@EACH
def test_refusals_are_not_failures(configuration: Configuration) -> None:
    made = run(configuration)
    failed = [
        (key, answer.status)
        for key, answer in made.answers.items()
        if key[0].startswith("on ") and answer.status >= 500
    ]
    assert failed == []
