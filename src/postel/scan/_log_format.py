"""Described formats: nginx's ``log_format`` and Apache's ``LogFormat``.

Variables that a scan uses become fields; all others are skipped. The value of a variable ends where the text
after the variable begins. Between quotes, a value may contain escaped quotes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, final

from postel import Kind
from postel._alphabet.percent import PATH, percent_encode
from postel._catalogue.kinds import hidden_in
from postel._catalogue.views import View
from postel.scan._json_lines import DEEPEST, Fields, JsonLines, json_text, object_of, paths_of
from postel.scan._line import ABSENT, Entry, LineFormat, Read, Unreadable, parted, status_of, unescape

_DIRECTIVE: Final = re.compile(r"\s*(?:log_format|LogFormat)\s+(?:[\w-]+\s+)?(?:escape=(\w+)\s+)?(?=[\"'])")
_PIECE: Final = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)\"""")
_NGINX: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_APACHE: Final = re.compile(r"%[!<>,0-9]*(?:\{([^}]*)\})?(\^?[A-Za-z]{1,3}|%)")
_BARE_VARIABLE: Final = re.compile(r'("(?:[^"\\]|\\.)*")|\$\{(\w+)\}|\$(\w+)')
"""Matches JSON strings, and variables outside strings."""
_NAMES: Final = {
    "request": ("request", "r"),
    "target": ("request_uri",),
    "path": ("uri", "document_uri", "U"),
    "query": ("args", "query_string", "q"),
    "method": ("request_method", "m"),
    "client": ("remote_addr", "realip_remote_addr", "h", "a", "c a"),
    "status": ("status", "s"),
    "referer": ("http_referer", "referer i"),
    "agent": ("http_user_agent", "user-agent i"),
    "host": ("http_host", "host", "host i"),
    "time": ("time_local", "time_iso8601", "msec", "t"),
}
_MEANINGS: Final = {name: meaning for meaning, names in _NAMES.items() for name in names}
_IN_QUOTES: Final = rb'[^"\\]*+(?>(?:\\.[^"\\]*+)*)'
_BEFORE_ANOTHER: Final = {"host": rb"[^/ ]*+", "is_args": rb"\??"}
"""Patterns for variables that another variable follows directly, as in ``$uri$is_args$args``."""
_NO_TARGET: Final = (
    "the format names no target: nginx has $request and $request_uri, Apache has %r (%U and $uri are decoded)"
)


@final
@dataclass(frozen=True, slots=True)
class Described:
    """A described format for lines of text; can be pickled."""

    pattern: re.Pattern[bytes]
    meanings: tuple[str, ...]
    """The names of the fields in the groups of the pattern."""
    escape: str = ""
    """nginx's ``escape=``: ``json``, ``none``, or empty for its default, which is read like Apache's."""
    name: str = "described"
    blind: frozenset[Kind] = frozenset()
    hides: tuple[str, ...] = ()

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        match = self.pattern.match(line)
        if match is None:
            return Unreadable.OTHER_FORMAT if line.strip() else None
        values = dict(zip(self.meanings, map(self._received, match.groups()), strict=True))
        found = self._request(values)
        if found is None:
            return Unreadable.NO_REQUEST
        return Entry(
            values.get("client"),
            *found,
            status_of(values.get("status")),
            values.get("referer"),
            values.get("agent"),
            values.get("host"),
            values.get("time"),
        )

    def _request(self, values: dict[str, bytes]) -> tuple[bytes, bytes] | None:
        """Return method and target; ``None`` if the line holds no request."""
        if "request" in values:
            return parted(values["request"])
        method, target = values.get("method", b""), values.get("target")
        if target is None:
            target, query = percent_encode(values["path"], PATH), values.get("query", b"").removeprefix(b"?")
            target += b"?" + query if query not in ABSENT else b""
        return None if target in ABSENT else (method, target)

    def _received(self, text: bytes) -> bytes:
        if self.escape == "json":
            return json_text(text)
        return text if self.escape == "none" else unescape(text)


def described(text: str) -> LineFormat:
    """Return the format that a text describes.

    Raises ``ValueError`` if the format names no target, if it does not show where a variable ends, and if it
    is JSON that is invalid or too deep.

    >>> described('$remote_addr "$request" $status').read(b'192.0.2.1 "GET /a HTTP/1.1" 200').target
    b'/a'
    >>> described('%h %l %u %t "%r" %>s').read(b'192.0.2.1 - - [] "GET /a HTTP/1.1" 200').target
    b'/a'
    """
    template, escape = _template(text)
    if template.lstrip().startswith("{"):
        return _json(template, escape)
    tokens = list(_tokens(template))
    pattern, meanings = _compiled(tokens, escape)
    return Described(pattern, meanings, escape, hides=_hidden(meanings, escape), blind=_blind(meanings))


def _template(text: str) -> tuple[str, str]:
    """Return the template of a directive, without its name and quotes, and the value of ``escape=``."""
    escape = ""
    directive = _DIRECTIVE.match(text)
    if directive is not None:
        text, escape = text[directive.end() :], directive[1] or ""
        pieces = _PIECE.findall(text)
        if pieces:
            text = "".join(single or double for single, double in pieces)
    return text.replace('\\"', '"'), escape


def _tokens(template: str) -> Iterator[tuple[str, str]]:
    """Yield literals as ``("", text)`` and variables as ``(name, "")``."""
    variable = _NGINX if _NGINX.search(template) else _APACHE
    end = 0
    for match in variable.finditer(template):
        if match.start() > end:
            yield "", template[end : match.start()]
        end = match.end()
        if match[0] == "%%":
            yield "", "%"
        elif variable is _NGINX:
            yield (match[1] or match[2]).lower(), ""
        else:
            yield (f"{match[1].lower()} {match[2]}" if match[1] is not None else match[2]), ""
    if end < len(template):
        yield "", template[end:]


def _compiled(tokens: list[tuple[str, str]], escape: str) -> tuple[re.Pattern[bytes], tuple[str, ...]]:
    pattern = b""
    meanings: list[str] = []
    for number, (name, literal) in enumerate(tokens):
        if not name:
            pattern += re.escape(literal.encode())
            continue
        before = tokens[number - 1][1] if number else ""
        value = _value(name, before, tokens[number + 1 :], escape)
        meaning = _MEANINGS.get(name, "")
        if meaning in meanings or not meaning:
            group = b"(?:" + value + b")"
        else:
            group = b"(" + value + b")"
            meanings.append(meaning)
        # Atomic: each variable ends as early as possible, so that matching is linear.
        pattern += rb"\[(?>" + group + rb")\]" if name == "t" else b"(?>" + group + b")"
    if not {"request", "target", "path"} & {*meanings}:
        raise ValueError(_NO_TARGET)
    return re.compile(pattern, re.DOTALL), tuple(meanings)


def _value(name: str, before: str, following: list[tuple[str, str]], escape: str) -> bytes:
    """Return a pattern for the value of a variable."""
    if name == "t":
        return rb"[^\]]*+"
    if not following:
        return b".*"
    next_name, literal = following[0]
    meaning = _MEANINGS.get(name, name)
    if next_name and meaning in _BEFORE_ANOTHER:
        return _BEFORE_ANOTHER[meaning]
    if next_name and meaning == "path":
        texts = [text for _, text in following if text]
        return rb".*?(?=\?|" + (re.escape(texts[0].encode()) if texts else rb"\Z") + b")"
    if next_name:
        raise ValueError(f"the format does not show where {name!a} ends and {next_name!a} begins")
    if before.endswith('"') and literal.startswith('"') and escape != "none":
        return _IN_QUOTES
    up_to = b".*?(?=" + re.escape(literal.encode()) + b")"
    return rb"[^ ]*+ .*? HTTP/\d[.\d]*+|" + up_to if meaning == "request" else up_to


def _json(template: str, escape: str) -> LineFormat:
    """Return the format of a template that is a JSON object."""
    fields = object_of(_BARE_VARIABLE.sub(_in_quotes, template))
    if fields is None:
        raise ValueError(
            f"the format begins like JSON, but is not valid JSON, or has more than {DEEPEST} levels"
        )
    named: dict[str, str] = {}
    for path, value in paths_of(fields):
        for found in _NGINX.findall(value):
            named.setdefault(_MEANINGS.get("".join(found).lower(), ""), path)
    named.pop("", None)
    if not {"request", "target", "path"} & {*named}:
        raise ValueError(_NO_TARGET)
    missing = () if escape == "json" else ("lines that are invalid JSON for lack of escape=json",)
    return JsonLines(Fields(**named), blind=_blind(named), hides=(*_hidden(named, ""), *missing))


def _in_quotes(match: re.Match[str]) -> str:
    text, braced, plain = match.groups()
    return text or f'"${braced or plain}"'


def _blind(meanings: Collection[str]) -> frozenset[Kind]:
    if "request" in meanings:
        return frozenset()
    return hidden_in(View.SITELESS) if "target" in meanings else hidden_in(View.UNESCAPED)


def _hidden(meanings: Collection[str], escape: str) -> tuple[str, ...]:
    hides = [what + "s" for what in ("agent", "referer") if what not in meanings]
    if not {"request", "target"} & {*meanings}:
        hides.append("how a path was written, because it was decoded")
        hides += ["queries"] if "query" not in meanings else []
    if escape == "none":
        hides.append("the end of a field that holds quotes")
    return tuple(hides)
