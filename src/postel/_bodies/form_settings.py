"""The settings for urlencoded and multipart forms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from os import PathLike, fspath
from typing import Final, Literal, cast, final

from postel._bodies.charsets import Charsets
from postel._bodies.digests import signed_fields
from postel._errors import PolicyError, is_limit, is_list, shown

_NUMBERS: Final = {
    "limit": (1, "octets"),
    "upload": (1, "octets"),
    "parts": (1, "parts"),
    "headers": (1, "header fields"),
    "memory": (0, "octets"),
    "spool_limit": (1, "octets"),
}
"""The settings that are whole numbers, each with its minimum and its unit."""
_OF_UPLOADS: Final = ("upload", "parts", "headers", "memory", "spool_dir", "spool_limit")
"""The settings that have an effect only if multipart forms are judged."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """How forms are read. Immutable; raises :class:`PolicyError` if a setting cannot work.

    ``limit``, ``upload``, ``memory`` and ``spool_limit`` are octets: those of an urlencoded form, of a
    multipart form with its files, of what is held in memory, and of all multipart forms at the same time.
    ``parts`` and ``headers`` are numbers. docs/forms.md and docs/bodies.md explain all settings.

    >>> Forms(limit=100_000, charsets=["windows-1252"]).limit
    100000
    """

    limit: int = 2**20
    """The most octets of an urlencoded form, or of the header fields and texts of a multipart form. They are
    held in memory. The policy limits the number of fields and the length of each."""
    over: Literal["refuse", "untouched"] = "refuse"
    """What is done with an urlencoded form above ``limit`` or a multipart form above ``upload``: ``"refuse"``
    answers 413, ``"untouched"`` lets it pass unjudged."""
    multipart: Literal["judge", "refuse", "untouched"] = "judge"
    """What is done with multipart forms: ``"judge"`` judges them, ``"refuse"`` answers 415, ``"untouched"``
    lets them pass unjudged. Only ``"judge"`` can be combined with the next six settings."""
    upload: int = 2**24
    """The most octets of a multipart form, files included, at most ``spool_limit``; a longer one is answered
    with 413."""
    parts: int = 1000
    """The most parts of a multipart form, a whole number; the policy's ``Limits.pairs`` applies as well."""
    headers: int = 8
    """The most header fields of a part, a whole number."""
    memory: int = 2**20
    """The most octets of a multipart form that are held in memory; a longer one goes to a temporary file."""
    spool_dir: str | PathLike[str] | None = None
    """The directory for temporary files, as text or a path, and kept as text. ``None`` uses the default of
    Python's ``tempfile``."""
    spool_limit: int = 2**30
    """The most octets of all multipart forms that are held at the same time, in memory and in files. Uploads
    beyond this number are answered with 503."""
    others: Literal["refuse", "untouched"] = "untouched"
    """What is done with bodies of other types, or without a type; Bottle reads all of them as forms. If JSON
    is judged, :attr:`Json.others` can refuse them, too."""
    charsets: Iterable[str] = ()
    """Charsets besides UTF-8, such as ``windows-1252``; a form in one of them is handed on in UTF-8."""
    signed: Iterable[str] = ()
    """Header fields that hold a signature of the body, such as ``x-slack-signature``, in addition to
    ``Digest``, ``Content-Digest``, ``Repr-Digest``, ``Content-MD5`` and ``Signature``. If a request has one
    of them, a form that would need a repair is refused."""
    keep: bool = False
    """Whether ``Report.received_form`` keeps the octets as received, for signatures. A multipart form is kept
    only if it has at most ``memory`` octets."""
    known: Charsets = field(init=False, repr=False, compare=False)
    """UTF-8 and ``charsets``, for look-ups by label."""

    def __post_init__(self) -> None:
        """Check each setting."""
        for name, (least, what) in _NUMBERS.items():
            _check_number(name, getattr(self, name), least, what)
        if self.upload > self.spool_limit:
            raise PolicyError(
                f"Forms(upload={self.upload}, spool_limit={self.spool_limit}): one form cannot be longer "
                f"than all forms together; write upload={self.spool_limit}, or a higher spool_limit"
            )
        _check_keep(self.keep)
        for name in ("over", "others"):
            if getattr(self, name) not in ("refuse", "untouched"):
                raise PolicyError(f"Forms({name}={getattr(self, name)!r}): write 'refuse' or 'untouched'")
        if self.multipart not in ("judge", "refuse", "untouched"):
            raise PolicyError(f"Forms(multipart={self.multipart!r}): write 'judge', 'refuse' or 'untouched'")
        if self.multipart != "judge":
            _check_idle(self)
        object.__setattr__(self, "spool_dir", _directory(self.spool_dir))
        object.__setattr__(self, "charsets", _listed(self.charsets))
        object.__setattr__(self, "signed", signed_fields("Forms", self.signed))
        object.__setattr__(self, "known", Charsets(self.charsets))


def _check_number(name: str, value: object, least: int, what: str) -> None:
    if not is_limit(value, least):
        raise PolicyError(
            f"Forms({name}={shown(value)}): a limit is a whole number of {what} from {least} to 2**63 - 1"
        )


def _check_idle(forms: Forms) -> None:
    """Raise if a setting would have no effect, because multipart forms are not judged."""
    defaults = {each.name: each.default for each in fields(forms)}
    for name in _OF_UPLOADS:
        value = getattr(forms, name)
        if value != defaults[name]:
            raise PolicyError(
                f"Forms(multipart={forms.multipart!r}, {name}={value!r}): multipart forms are not judged, so "
                f"{name} has no effect; leave {name} out, or write multipart='judge'"
            )


def _check_keep(keep: object) -> None:
    if not isinstance(keep, bool):
        raise PolicyError(f"Forms(keep={keep!r}): write keep=True or keep=False")


def _directory(given: object) -> str | None:
    text: object = fspath(cast("PathLike[str]", given)) if isinstance(given, PathLike) else given
    if text is None or (isinstance(text, str) and text):
        return text
    raise PolicyError(f"Forms(spool_dir={given!r}): write a directory such as '/var/tmp'")


def _listed(charsets: object) -> tuple[object, ...]:
    if is_list(charsets):
        return tuple(charsets)
    raise PolicyError(f"Forms(charsets={charsets!r}): give a list; write charsets=['windows-1252']")
