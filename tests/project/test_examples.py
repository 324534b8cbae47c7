"""The applications of examples/ answer as ``make demo`` expects, and start by their commands."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from werkzeug.test import Client

from applications import EXAMPLES, django_settings, example, settings_of_the_example
from readme import README
from together import together
from wire import ask_asgi, ask_wsgi

demo = example("demo")
REQUESTS = [request for requests in demo.REQUESTS.values() for request in requests]
COMMANDS = re.findall(r"^(?:uvicorn|gunicorn) .*$", README.read_text("utf-8"), flags=re.MULTILINE)
EVERY_COMMAND = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.split()[-1])


@pytest.fixture(scope="module", autouse=True)
def _settings_of_the_django_example() -> Iterator[None]:
    with django_settings(settings_of_the_example()):
        yield


def application(command: str) -> Any:
    module, _, name = shlex.split(command)[-1].partition(":")
    return getattr(example(module), name)


def is_asgi(command: str) -> bool:
    return command.startswith("uvicorn ")


def get(command: str, path: str) -> tuple[int, str]:
    """Send a request like a client that knows only text."""
    if is_asgi(command):

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(application(command))
            async with httpx.AsyncClient(transport=transport, base_url="http://demo.test") as client:
                return await client.get(path)

        response = asyncio.run(ask())
        return response.status_code, response.text
    with Client(application(command)).get(path) as answer:
        return answer.status_code, answer.text


@pytest.mark.no_cover
@EVERY_COMMAND
@together(("target", "expected"), REQUESTS, ids=lambda value: value)
def test_answers_equal_those_that_the_demo_expects(command: str, target: str, expected: str) -> None:
    ask = ask_asgi if is_asgi(command) else ask_wsgi
    answer = ask(application(command), target.encode("latin-1"))
    head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    assert demo.summary(answer.status, head, answer.body) == expected


@EVERY_COMMAND
def test_the_first_page_shows_links_to_try(command: str) -> None:
    status, page = get(command, "/")
    assert status == 200
    assert page == (EXAMPLES / "index.html").read_text("utf-8")


@EVERY_COMMAND
def test_every_link_of_the_first_page_is_answered(command: str) -> None:
    page = (EXAMPLES / "index.html").read_text("utf-8")
    links = [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]+)"', page)]
    assert len(links) > 10
    assert {get(command, link)[0] for link in links} == {200, 400, 403}


@EVERY_COMMAND
def test_the_form_of_the_first_page_is_answered(command: str) -> None:
    # A browser sends the text of the field like this.
    status, text = get(command, "/search?q=50%25+off")
    assert status == 200
    assert json.loads(text)["query"] == [["q", "50% off"]]


@pytest.mark.servers
@EVERY_COMMAND
def test_an_example_starts_by_its_command(command: str) -> None:
    options = "--fd {fd}" if is_asgi(command) else "--no-control-socket --bind fd://{fd}"
    with demo.serving([f"{command} {options}"], README.parent) as [server]:
        status, _, body = demo.ask(server, "/search?q=%C4rzteblatt")
        assert (status, json.loads(body)["kinds"]) == (400, ["ill-formed-utf8"])
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=demo.TIMEOUT)
        try:
            connection.request("GET", "/books/caf%c3%a9?page=2")
            read = json.load(connection.getresponse())
        finally:
            connection.close()
    assert (read["path"], read["parameters"]) == ("/books/café", {"title": "café"})
    assert read["query"] == [["page", "2"]]
