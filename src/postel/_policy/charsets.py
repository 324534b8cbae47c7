"""Charset rules: the encodings other than UTF-8 in which values of a query may be written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

from postel._alphabet.charset_labels import CODECS, NAMES, UTF8_LABELS
from postel._catalogue.check import Component
from postel._errors import PolicyError, nearest
from postel._policy.names import NamePattern, name_patterns
from postel._policy.text_form import Clause, PolicyText, written

UTF8: Final = "utf-8"
_CHANGE_ASCII: Final = ("utf-16", "utf-16le", "utf-16be", "utf-32", "utf-7", "iso-2022-jp", "iso-2022-kr")
"""Encodings in which an octet of ASCII may stand for another character."""
_LABELS: Final = "a label of the Encoding Standard, such as windows-1252, koi8-r or shift_jis"


@final
@dataclass(frozen=True, slots=True)
class CharsetRule:
    """The charset for the values of query parameters whose names match a pattern.

    >>> CharsetRule(NamePattern("q"), "windows-1252").clause
    'charset[q]=windows-1252'
    """

    pattern: NamePattern
    charset: str
    """The name in the Encoding Standard; ``utf-8`` means that values may be in UTF-8 only."""

    @property
    def clause(self) -> str:
        """The clause of the text form."""
        return f"charset[{written(self.pattern.text)}]={self.charset}"


def with_charset(
    rules: tuple[CharsetRule, ...], label: object, names: Iterable[str] | None
) -> tuple[CharsetRule, ...]:
    """Return the rules and a new rule for each name; the last rule that matches a name applies.

    >>> rules = with_charset((), "latin-1", ["q"])
    >>> [rule.charset for rule in rules], with_charset(rules, "utf-8", ["q"])
    (['windows-1252'], ())

    Raises :class:`PolicyError` for an unsupported label, and if there are no names.
    """
    charset = _named(label)
    if charset is None:
        raise PolicyError(f"charset({label!r}): {unsupported(label)}")
    patterns = name_patterns(names)
    if patterns is None:
        raise PolicyError(
            f"charset({label!r}): name the parameters, such as names=['q'], or names=['*'] for all"
        )
    kept = [rule for rule in rules if rule.pattern not in patterns]
    every = [*kept, *(CharsetRule(pattern, charset) for pattern in patterns)]
    # A rule for UTF-8 only cancels earlier rules, so the rules for UTF-8 at the start are left out.
    first = next((place for place, rule in enumerate(every) if rule.charset != UTF8), len(every))
    return tuple(every[first:])


def charset_clause(
    rules: tuple[CharsetRule, ...], source: PolicyText, clause: Clause
) -> tuple[CharsetRule, ...]:
    """Return the rules with those of a clause added. Raises :class:`PolicyError` for an invalid clause."""
    for word in clause.components:
        if source.component(word) is not Component.QUERY:
            raise source.fault(word.offset, "charset is for queries; for forms, write Forms(charsets=...)")
    label = clause.value.text
    if not clause.names:
        needed = f"charset needs names: write charset[q]={label}, or charset[*]={label} for all"
        raise source.fault(clause.subject.offset, needed)
    if _named(label) is None:
        raise source.fault(clause.value.offset, unsupported(label))
    return with_charset(rules, label, clause.names)


def unsupported(label: object) -> str:
    """The message for an unsupported charset.

    >>> unsupported("windows1252"), unsupported("utf-7")  # doctest: +NORMALIZE_WHITESPACE
    ("'windows1252' is not a supported charset; did you mean 'windows-1252'?",
     'utf-7 does not leave ASCII unchanged; name another charset, such as windows-1252')
    """
    text = label if isinstance(label, str) else ""
    if text.lower() in _CHANGE_ASCII:
        return f"{text} does not leave ASCII unchanged; name another charset, such as windows-1252"
    near = nearest(text, [*UTF8_LABELS, *CODECS])
    hint = f"write {_LABELS}" if near is None else f"did you mean {near!r}?"
    return f"{label!r} is not a supported charset; {hint}"


def _named(label: object) -> str | None:
    """Return the name in the Encoding Standard; ``None`` if the charset is not supported."""
    if isinstance(label, str):
        if label.lower() in UTF8_LABELS:
            return UTF8
        if label.lower() in CODECS:
            return NAMES[CODECS[label.lower()]]
    return None
