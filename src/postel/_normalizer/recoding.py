"""Recoding: rewrite values of a query from older charsets to UTF-8, before the query is judged.

A value is read in the charset that the policy names for its pair only if it is ill-formed UTF-8. If it is not
valid in this charset either, it stays unchanged and is judged as ill-formed UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from heapq import merge
from itertools import compress, count, islice
from typing import Final, final

from postel._alphabet.charset_labels import CODECS
from postel._alphabet.charsets import recoding_edits, text_in
from postel._alphabet.percent import escape_non_ascii
from postel._alphabet.text import ILL_FORMED, Reading, text_of
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.findings import NOTHING, Collector, JudgedMatch, Matches
from postel._normalizer.pairs import Pairs, starts_of
from postel._normalizer.source_map import Edit, Mapped
from postel._policy.charsets import UTF8, CharsetRule

_ILL_FORMED: Final = re.compile(f"[{ILL_FORMED}]+")
_ILL_FORMED_VALUE: Final = re.compile(f"[^=]*=[^{ILL_FORMED}]*[{ILL_FORMED}]")
"""Matches a pair whose value is ill-formed UTF-8."""


@final
class Recoding:
    """Rewrites values of a query from the charsets that a policy names to UTF-8.

    >>> from postel._policy.charsets import with_charset
    >>> from postel._policy.limits import Limits
    >>> recoding = Recoding(with_charset((), "windows-1252", ["q"]))
    >>> recoding.read(Mapped(b"q=%C4rzte&p=%C4"), Collector(Limits())).octets
    b'q=%C3%84rzte&p=%C4'
    """

    __slots__ = ("_exact", "_patterns")

    def __init__(self, rules: Sequence[CharsetRule]) -> None:
        """Compile the rules of a policy; the last rule that matches a name applies."""
        self._exact: dict[str, str] = {}
        """The charset for each name that a rule names without a star."""
        self._patterns: list[tuple[Callable[[str], object], str]] = []
        for rule in rules:
            if "*" in rule.pattern.text:
                self._patterns.append((rule.pattern.matcher(), rule.charset))
                matching = filter(self._patterns[-1][0], self._exact)
                self._exact.update(dict.fromkeys(list(matching), rule.charset))
            else:
                self._exact[rule.pattern.text] = rule.charset

    def read(self, mapped: Mapped, collector: Collector) -> Mapped:
        """Rewrite the values that are in another charset as UTF-8, and collect a finding for each."""
        reading, pairs = Reading(mapped.octets), Pairs(mapped.octets)
        written: dict[int, tuple[str, bytes]] = {}
        starts = cache(lambda: starts_of(reading.plain.split("&")))
        for charset, values in self._found(pairs, reading.plain).items():
            written.update((pair, (charset, value)) for pair, value in values.items())
            matches = _matches(list(values), reading, starts, f"read as {charset}")
            collector.take(matches, mapped, pairs.name_at)
        if not written:
            return mapped
        pieces = list(pairs.pieces)
        for pair, (_, value) in written.items():
            pieces[pair] = pieces[pair].partition(b"=")[0] + b"=" + value
        return mapped.rewritten(b"&".join(pieces), lambda: _edits(pairs, written))

    def refuse_leftovers(self, mapped: Mapped, collector: Collector) -> bool:
        """Refuse an edited query if ``read`` would rewrite a value; return whether it was refused."""
        pairs = Pairs(mapped.octets)
        found = self._found(pairs, text_of(mapped.octets))
        if not found:
            return False
        pair = min(pair for values in found.values() for pair in values)
        span, name = pairs.value_span(pair), pairs.name(pair)
        collector.add(Kind.ILL_FORMED_UTF8, Action.REJECT, mapped, span, name=name, detail="after a repair")
        return True

    def _found(self, pairs: Pairs, text: str) -> dict[str, dict[int, bytes]]:
        """Return, for each charset, the pairs whose values are in this charset, and these values in UTF-8."""
        if _ILL_FORMED.search(text) is None:
            return {}
        names = pairs.names
        faulty = list(compress(count(), map(_ILL_FORMED_VALUE.match, text.split("&"))))
        charsets = self._charsets({names[pair] for pair in faulty})
        pieces = pairs.pieces
        in_charsets: dict[str, list[int]] = {charset: [] for charset in sorted({*charsets.values()})}
        for pair in faulty:
            if (charset := charsets.get(names[pair])) is not None:
                in_charsets[charset].append(pair)
        in_charsets.pop(UTF8, None)
        found: dict[str, dict[int, bytes]] = {}
        for charset, members in in_charsets.items():
            values = _in_utf8([pieces[pair].partition(b"=")[2] for pair in members], CODECS[charset])
            if held := {pair: value for pair, value in zip(members, values, strict=True) if value}:
                found[charset] = held
        return found

    def _charsets(self, names: set[str]) -> dict[str, str]:
        """Return the charset for the values of each name that a rule matches."""
        found = {name: self._exact[name] for name in self._exact.keys() & names}
        others = names - found.keys()
        for matches, charset in self._patterns:
            found.update(dict.fromkeys(filter(matches, others), charset))
        return found


def _in_utf8(values: list[bytes], codec: str) -> list[bytes]:
    """Return the values in UTF-8; a value that the codec cannot decode becomes empty.

    Bare octets stay bare, so that the policy still judges them as bare.
    """
    text = text_in(b"&".join(values), codec)
    if _ILL_FORMED.search(text) is not None:
        text = "&".join(["" if _ILL_FORMED.search(each) else each for each in text.split("&")])
    decoded = text.encode()
    bare, escaped = decoded.split(b"&"), escape_non_ascii(decoded).split(b"&")
    return [escaped[place] if value.isascii() else bare[place] for place, value in enumerate(values)]


def _edits(pairs: Pairs, written: Mapping[int, tuple[str, bytes]]) -> Iterator[Edit]:
    """Yield the edits that rewrite some values, character by character; ``written`` has their charsets."""
    alike: dict[tuple[str, bool], dict[int, bytes]] = {}
    for pair, (charset, _) in written.items():
        name, _, value = pairs.pieces[pair].partition(b"=")
        others = alike.setdefault((charset, value.isascii()), {})
        others[pair] = b"-" * (len(name) + 1) + value
    left = [b"-" * len(piece) for piece in pairs.pieces]
    found: list[Iterator[Edit]] = []
    for (charset, is_escaped), values in alike.items():
        shown = left.copy()  # only these values are left, each at its offset
        for pair, value in values.items():
            shown[pair] = value
        found.append(recoding_edits(b"&".join(shown), CODECS[charset], bare=not is_escaped))
    return merge(*found)


def _matches(changed: list[int], reading: Reading, starts: Callable[[], list[int]], detail: str) -> Matches:
    """Return a match for each changed value: its first run of ill-formed octets."""

    def first(most: int) -> Iterator[JudgedMatch]:
        text = reading.plain
        for pair in islice(changed, most):
            octets = next(_ILL_FORMED.finditer(text, text.index("=", starts()[pair])))
            yield Action.REPAIR, Kind.ILL_FORMED_UTF8, *reading.span(*octets.span())

    return Matches(NOTHING.find, first, detail)
