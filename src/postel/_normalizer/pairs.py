"""Pairs: split a query or form into name=value pairs, and find where each begins and ends."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import accumulate, compress, count, takewhile
from operator import add, not_
from typing import Final, final

from postel._alphabet.percent import percent_decode
from postel._alphabet.regex import compiled
from postel._alphabet.text import IN_NAME, NO_TEXT, decoded, moved, text_of
from postel._normalizer.census import Census
from postel._normalizer.edits import unescaping
from postel._normalizer.source_map import Edit

NAME: Final = 64
"""A finding quotes at most this many characters of a name."""
_LONGEST: Final = 12
"""A character has at most four octets, and each of these at most three if it is escaped."""
_EQUALS_AND_VALUE: Final = compiled(b"=[^&]*+")
_VALUE_TEXT: Final = compiled("=[^&]*+")
_MARKED: Final = re.compile(f"[{chr(IN_NAME)}-{chr(IN_NAME + 0x7F)}]")


@final
class Pairs:
    """The pairs of a component: their octets, texts, names and offsets."""

    __slots__ = (
        "_codes",
        "_name_texts",
        "_names",
        "_single",
        "_starts",
        "_text",
        "_texts",
        "_unescaping",
        "_written_names",
        "octets",
        "pieces",
    )

    def __init__(self, octets: bytes, text: str | None = None) -> None:
        """Split the octets into pairs.

        ``text`` is their text, if the caller has it; ``NameCharacters`` may have marked its names.
        """
        self.octets = octets
        self.pieces = octets.split(b"&")
        self._starts: list[int] | None = None
        self._single: dict[int, str] = {}
        self._names: list[str] | None = None
        self._name_texts: list[str] | None = None
        self._text = text
        self._texts: list[str] | None = None
        self._codes: bytes | None = None
        self._unescaping: tuple[bytes, Callable[[], Iterable[Edit]]] | None = None
        self._written_names: list[bytes] | None = None

    @property
    def starts(self) -> list[int]:
        """The offset at which each pair starts."""
        if self._starts is None:
            self._starts = starts_of(self.pieces)
        return self._starts

    def at(self, position: int) -> int:
        """Return the number of the pair that holds an octet; an ampersand belongs to the pair before it."""
        return bisect_right(self._starts or self.starts, position) - 1 if len(self.pieces) > 1 else 0

    def joined(self, members: Sequence[int]) -> bytes:
        """Return some of the pairs, with ampersands between them; a range stands for all pairs."""
        if isinstance(members, range):
            return self.octets
        return b"&".join(map(self.pieces.__getitem__, members))

    def span(self, pair: int) -> tuple[int, int]:
        """Return the start and end of a pair, without its ampersands."""
        start = self.starts[pair]
        return start, start + len(self.pieces[pair])

    def name_end(self, pair: int) -> int:
        """Return where the name of a pair ends."""
        start, end = self.span(pair)
        equals = self.octets.find(b"=", start, end)
        return end if equals < 0 else equals

    def name_span(self, pair: int) -> tuple[int, int]:
        """Return the start and end of the name of a pair."""
        return self.starts[pair], self.name_end(pair)

    def beginning(self, pair: int) -> tuple[int, int]:
        """Return the span of a pair's first octet; for an empty pair, of the ampersand after it, if any."""
        start = self.starts[pair]
        return start, min(start + 1, len(self.octets))

    def value_span(self, pair: int) -> tuple[int, int]:
        """Return the start and end of the value of a pair that has a value."""
        return self.name_end(pair) + 1, self.span(pair)[1]

    @property
    def written_names(self) -> list[bytes]:
        """The names of all pairs as they are written."""
        if self._written_names is None:
            self._written_names = written_names(self.octets)
        return self._written_names

    def renamed(self, names: list[str]) -> Pairs:
        """Return the same pairs with other decoded names."""
        pairs = Pairs(self.octets, self.text)
        pairs._names = names
        return pairs

    def until(self, end: int, text: str) -> Pairs:
        """Return the pairs before a fragment that begins at ``end``; ``text`` is their text."""
        pairs = Pairs(self.octets[:end], text)
        if self._unescaping is not None:
            octets, edits = self._unescaping  # no edit reaches beyond the number sign, or writes one
            pairs._unescaping = (
                octets[: octets.index(b"#")],
                lambda: takewhile(lambda edit: edit[0] < end, edits()),
            )
        return pairs

    @property
    def text(self) -> str:
        """The text of the component."""
        if self._text is None:
            self._text = text_of(self.octets)
        return self._text

    def codes(self, census: Census) -> bytes:
        """Return the codes of a census for the text; they are looked up once."""
        if self._codes is None:
            self._codes = census.codes(self.text)
        return self._codes

    def unescaping(self) -> tuple[bytes, Callable[[], Iterable[Edit]]]:
        """Return the octets with UTF-16 units decoded, and a function that returns the edits."""
        if self._unescaping is None:
            self._unescaping = unescaping(self.octets)
        return self._unescaping

    @property
    def texts(self) -> list[str]:
        """The text of each pair."""
        if self._texts is None:
            self._texts = self.text.split("&")
        return self._texts

    def joined_texts(self, members: Sequence[int]) -> str:
        """Return the texts of some of the pairs, with ampersands between them; a range stands for all."""
        return self.text if isinstance(members, range) else "&".join(map(self.texts.__getitem__, members))

    @property
    def name_texts(self) -> list[str]:
        """The text of the name of each pair."""
        if self._name_texts is None:
            self._name_texts = _VALUE_TEXT.sub("", self.text).split("&")
        return self._name_texts

    def empty(self) -> list[int]:
        """Return the numbers of the empty pairs; an empty component has none."""
        if len(self.pieces) == 1 or b"" not in self.pieces:
            return []
        return list(compress(count(), map(not_, self.pieces)))

    def filled(self) -> Iterator[int]:
        """Yield the numbers of the pairs that are not empty."""
        return (pair for pair, piece in enumerate(self.pieces) if piece)

    def name(self, pair: int) -> str:
        """Return the first characters of the decoded name of a pair; ill-formed octets become surrogates."""
        if self._names is not None:
            return self._names[pair][:NAME]
        if pair not in self._single:
            octets = self.pieces[pair].partition(b"=")[0][: NAME * _LONGEST]
            found = percent_decode(octets.replace(b"+", b" "))
            self._single[pair] = found.decode("utf-8", "surrogateescape")[:NAME]
        return self._single[pair]

    def name_at(self, position: int) -> str:
        """Return the first characters of the decoded name of the pair that holds an octet."""
        return self.name(self.at(position))

    @property
    def names(self) -> list[str]:
        """The decoded names of all pairs.

        >>> Pairs(b"a%5B=1&b+c").names
        ['a[', 'b c']
        """
        if self._names is None:
            if self._text is None:  # the names alone are decoded faster than the whole text
                texts = text_of(_EQUALS_AND_VALUE.sub(b"", self.octets))
            else:
                texts = _VALUE_TEXT.sub("", self._text)
            self._names = decoded_text(texts.replace("&", NO_TEXT)).split(NO_TEXT)
        return self._names


def starts_of(pieces: Sequence[Sized]) -> list[int]:
    """Return where each pair starts if the pairs are joined with ampersands."""
    return list(map(add, accumulate(map(len, pieces[:-1]), initial=0), count()))


def written_names(octets: bytes) -> list[bytes]:
    """Return the names of pairs as they are written."""
    return _EQUALS_AND_VALUE.sub(b"", octets).split(b"&")


def decoded_names(texts: Iterable[str]) -> list[str]:
    """Decode the texts of names, and the characters that ``NameCharacters`` has marked in them."""
    return decoded_text(NO_TEXT.join(texts)).split(NO_TEXT)


def decoded_text(text: str) -> str:
    """Decode the text of names as ``decoded_names`` does."""
    return moved(_MARKED, -IN_NAME, decoded(text.replace("+", " ")))
