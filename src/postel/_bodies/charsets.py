"""The charsets that forms may use besides UTF-8."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from postel._alphabet.charset_labels import CODECS, UTF8_LABELS
from postel._errors import PolicyError
from postel._policy.charsets import UTF8, unsupported


@final
class Charsets:
    """The charsets that forms may use: UTF-8 and the configured ones.

    >>> Charsets(["windows-1252"]).codec("latin-1"), Charsets([]).codec("latin-1")
    ('cp1252', None)
    """

    __slots__ = ("_codecs",)

    def __init__(self, labels: Iterable[str]) -> None:
        """Look up the labels. Raises :class:`PolicyError` for a charset that is not supported."""
        allowed = {_checked(label) for label in labels}
        self._codecs = {label: codec for label, codec in CODECS.items() if codec in allowed}
        self._codecs.update(dict.fromkeys(UTF8_LABELS, UTF8))

    def codec(self, label: str) -> str | None:
        """The codec for a label in lower case; ``None`` if forms may not use it."""
        return self._codecs.get(label)

    def refusal(self, label: str) -> str:
        """Why a label in lower case that has no codec here is refused, in fixed words."""
        if label in CODECS:
            return "a charset that Forms(charsets=...) can accept"
        return "a charset that is not accepted"


def _checked(label: object) -> str:
    codec = CODECS.get(label.lower()) if isinstance(label, str) else None
    if codec is not None:
        return codec
    if isinstance(label, str) and label.lower() in UTF8_LABELS:
        raise PolicyError(f"Forms(charsets=[{label!r}]): UTF-8 is always accepted; leave it out")
    raise PolicyError(f"Forms(charsets=[{label!r}]): {unsupported(label)}")
