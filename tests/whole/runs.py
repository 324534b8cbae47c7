"""A run: check the laws on the requests of a seed, and find the smallest request that violates one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import final

from whole.laws import Law
from whole.request import Request
from whole.settings import Setting


@final
@dataclass(frozen=True)
class Break:
    """A violation of a law."""

    law: Law
    setting: Setting
    request: Request
    what: str

    def __str__(self) -> str:
        return f"{self.law.name}, under {self.setting}: {self.request}\n    {self.what}"


def breaks(laws: Iterable[Law], settings: Sequence[Setting], requests: Iterable[Request]) -> Iterator[Break]:
    """Yield every violation. Each request is checked under two of the settings, in turns."""
    for number, request in enumerate(requests):
        for step in (0, 1 + number // len(settings)):
            setting = settings[(number + step) % len(settings)]
            for law in laws:
                if what := law.breaks(request, setting):
                    yield Break(law, setting, request, what)


def smallest(found: Break) -> Break:
    """Shrink a request: remove fields and octets as long as the violation stays."""
    while True:
        for request in _smaller(found.request):
            if what := found.law.breaks(request, found.setting):
                found = replace(found, request=request, what=what)
                break
        else:
            return found


def _smaller(request: Request) -> Iterator[Request]:
    for number in range(len(request.fields)):
        yield replace(request, fields=request.fields[:number] + request.fields[number + 1 :])
    if request.root:
        yield replace(request, root="")
    if request.size:
        yield replace(request, size=0)
    if request.version != "1.1":
        yield replace(request, version="1.1")
    if request.method != "GET":
        yield replace(request, method="GET")
    yield from (replace(request, target=each) for each in _shorter(request.target) if each.startswith(b"/"))
    yield from (request.carrying(each) for each in _shorter(request.body))
    for number, (name, value) in enumerate(request.fields):
        if name.lower() == b"content-length":
            continue
        for each in _shorter(value):
            yield replace(
                request, fields=(*request.fields[:number], (name, each), *request.fields[number + 1 :])
            )


def _shorter(octets: bytes) -> Iterator[bytes]:
    width = len(octets) // 2
    while width:
        for start in range(0, len(octets), width):
            yield octets[:start] + octets[start + width :]
        width //= 2
