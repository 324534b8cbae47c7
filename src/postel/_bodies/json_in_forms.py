r"""Judge forms that may also be JSON. Other modules read the stream.

Some readers parse a body as JSON whatever its Content-Type says: ``request.json()`` of Starlette, Litestar
and Pyramid, and ``json.loads`` in a view. So a form that such a reader could take for JSON is judged twice,
as a form and as JSON, and passes if both judgements accept its octets unchanged.

>>> from postel import Forms, Json, Policy
>>> from postel._bodies.json import JsonRules
>>> from postel._bodies.urlencoded import FormRules
>>> policy, settings = Policy.STANDARD, Json()
>>> rules = FormAndJsonRules(FormRules(policy, Forms()), JsonRules(policy, settings), settings)
>>> rules.judge(b'{"a":1}').octets, rules.judge(b'{"a":1,"a":2}').octets, rules.judge(b"a=[1]").octets
(b'{"a":1}', None, b'a=[1]')
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, final

from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps, finished
from postel._bodies.json import AFTER_VALUE, JsonRules, JudgedJson, unedited
from postel._bodies.json_settings import Json
from postel._bodies.urlencoded import FormRules, JudgedForm
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind

_BOM: Final = "\ufeff".encode()
_BLANKS: Final = b" \t\r\n"
"""The white space of JSON: RFC 8259, section 2."""
_BEGINS: Final = compiled(
    rb"(?P<wide>\x00|.\x00|\xff\xfe|\xfe\xff)|(?:\xef\xbb\xbf)?+[ \t\r\n]*+(?:"
    rb'(?P<open>\{[ \t\r\n]*+["}]|\[[ \t\r\n]*+[\[{"\]0-9tfnNI-]|")'
    rb"|(?P<word>true|false|null|-?(?:NaN|Inf(?:inity)?+))"
    rb"|(?P<number>-?[0-9][0-9.eE+-]*+|-\.[0-9][0-9eE+-]*+|-))",
    re.DOTALL,
)
"""How JSON begins, in UTF-8, UTF-16 or UTF-32. A form that begins otherwise is not judged as JSON."""
_LAX_NUMBER: Final = compiled(rb"-?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)?+(?:(?<=[0-9.])[eE][+-]?[0-9]++)?+")
"""A number of JSON, or one of those that only lax parsers read: to ujson, ``01`` is 1, and ``-`` is 0."""
_END: Final = compiled(rb"[ \t\r\n]*+\Z")
_CLOSING: Final = {b"{": b"}", b"[": b"]", b'"': b'"'}


@final
class FormAndJsonRules:
    """Judges forms; one that a reader could take for JSON is also judged as JSON. Never raises."""

    __slots__ = ("_digits", "_form_rules", "_json", "_json_rules")

    def __init__(self, form_rules: FormRules, json_rules: JsonRules, settings: Json) -> None:
        """Judge by the rules for forms, and by those for JSON; ``json_rules`` must use these ``settings``."""
        self._form_rules = form_rules
        self._json_rules = json_rules
        self._json = settings
        # Matches only at the first digit of a run, so a short run is tried once and not at every digit.
        self._digits = re.compile(rb"(?<![0-9])[0-9]{%d}" % (settings.number + 1))

    def judge(self, received: bytes, codec: str | None = None) -> JudgedForm:
        """Judge a form; ``codec`` comes from the Content-Type, if any."""
        return finished(self.judging(received, codec))

    def judging(
        self, received: bytes, codec: str | None = None, *, signed: bool = False
    ) -> Steps[JudgedForm]:
        """Judge a form block by block, so that other work can run in between.

        ``signed`` tells that a header holds a digest of the form, so no octet may change.
        """
        form = yield from self._form_rules.judging(received, codec, signed=signed)
        if form.octets is None:
            return form
        read = yield from self._as_json(form.octets)
        if read is None:
            return form
        if form.octets != received:  # offsets in a repaired form are not those in the received one
            read = _refused(Kind.UNJUDGED_BODY, "JSON sent as a form, which would need a repair")
        return replace(
            form,
            octets=read.octets,
            findings=form.findings + read.findings,
            truncated=form.truncated or read.truncated,
            is_json=True,
        )

    def _as_json(self, octets: bytes) -> Steps[JudgedJson | None]:
        """Judge what the application would read; ``None`` if no reader takes it for JSON."""
        begin = _BEGINS.match(octets)
        if begin is None or not self._may_be_json(octets, begin):
            return None
        if len(octets) > self._json.limit:
            return _refused(Kind.LONG_JSON, "a form that begins as JSON does")
        read = yield from self._json_rules.judging(octets)
        if read.octets is None and _is_other(read.findings[-1], octets, begin):
            return self._unfinished(octets, read.findings[-1].offset)
        return unedited(read, octets, "JSON sent as a form is never edited")

    def _may_be_json(self, octets: bytes, begin: re.Match[bytes]) -> bool:
        """Whether a JSON parser that reads this beginning would read on."""
        if begin["number"] is not None and len(begin["number"]) > self._json.number:
            return True
        return begin.lastgroup in {"open", "wide"} or _END.match(octets, begin.end()) is not None

    def _unfinished(self, octets: bytes, fault: int) -> JudgedJson | None:
        """Judge a form that begins like JSON, but is not JSON from ``fault`` on.

        It passes as a form, unless a long number precedes the fault: Python converts numbers while it
        reads, and raises a ValueError for an integer of more than 4300 digits.
        """
        long = self._digits.search(octets, 0, fault)
        if long is None:
            return None
        return _refused(Kind.LONG_NUMBER, "a form that begins as JSON does", long.start(), octets)


def _is_other(found: Finding, octets: bytes, begin: re.Match[bytes]) -> bool:
    """Whether every parser refuses a text with this fault as JSON.

    A lax parser may accept a text that begins and ends like JSON: to ujson, ``{"a":01}`` is an object.
    """
    if found.kind is not Kind.JSON_SYNTAX:
        return False
    if (number := begin["number"]) is not None:
        return _LAX_NUMBER.fullmatch(number) is None or _END.match(octets, begin.end()) is None
    text = octets.removeprefix(_BOM).strip(_BLANKS)
    closing = _CLOSING.get(text[:1])
    is_whole = begin["word"] is not None or (closing is not None and text[1:].endswith(closing))
    return found.detail == AFTER_VALUE or not is_whole


def _refused(kind: Kind, detail: str, start: int = 0, octets: bytes = b"") -> JudgedJson:
    excerpt = octets[start : start + EXCERPT]
    return JudgedJson(None, (Finding(kind, Component.JSON, start, excerpt, Action.REJECT, detail=detail),))
