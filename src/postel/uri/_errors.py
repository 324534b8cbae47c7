"""The two errors of the toolkit: text that cannot be read, and text that cannot be written safely.

All other text is either correct or changed in a way that the docstring of the function names. A
wrong option, such as an unknown charset, raises a plain ``ValueError`` or ``LookupError``, and
anything but text raises a ``TypeError``, because these are mistakes in the program and not in a URL.
"""

from __future__ import annotations

from typing import Final, final

SHOWN: Final = 40
"""How many characters of the faulty text a message shows, so that it fits into one line of a log."""
_ADVICE: Final = {
    "malformed-escape": "write %25 for a percent sign",
    "ill-formed-utf8": "decode it with percent_decode, or with decode_component(charset=...)",
    "undecodable": "name another charset, or decode it with percent_decode",
    "lone-surrogate": "decode its source as UTF-8",
    "missing-slash": "put a slash in front",
    "leading-slashes": "leave one slash",
    "encoded-slash": "pass slashes=True if it is data",
    "dot-segment": "resolve it first, or pass dot_segments=True",
    "illegal-character": "escape it",
    "missing-authority": "write the scheme, two slashes and a host, or a path alone",
    "illegal-authority": "write an ASCII host (xn-- form for others), and a port up to 65535",
}
"""Advice for each fault."""


@final
class DecodeError(ValueError):
    """Raised for text that cannot be read; says what is wrong and where.

    ``what`` is a slug: ``malformed-escape``, ``ill-formed-utf8``, ``undecodable`` (in another
    charset), ``lone-surrogate`` (which no encoding can write), and from the parsers
    ``missing-slash``, ``leading-slashes``, ``encoded-slash``, ``dot-segment``,
    ``illegal-character``, ``missing-authority``, ``illegal-authority``. ``offset`` counts characters
    of the given text, and ``excerpt`` is the text there. ``detail`` is the class of ill-formed UTF-8
    (``overlong``, ``surrogate``, ``out-of-range``, ``truncated``, ``stray``; RFC 3629, section 3),
    or empty. ``advice`` says in a few words what to do.

    >>> error = DecodeError("malformed-escape", 2, "% o")
    >>> str(error), error.offset
    ("malformed-escape at 2: '% o': write %25 for a percent sign", 2)
    """

    __module__ = "postel.uri"  # tracebacks show the public name

    def __init__(self, what: str, offset: int, excerpt: str, detail: str = "") -> None:
        super().__init__(what, offset, excerpt, detail)  # the same arguments, for pickle
        self.what = what
        self.offset = offset
        self.excerpt = excerpt
        self.detail = detail
        self.advice: str = _ADVICE.get(what, "")

    def __str__(self) -> str:
        """One printable ASCII line."""
        detail = f" ({self.detail})" if self.detail else ""
        advice = f": {self.advice}" if self.advice else ""
        return f"{self.what}{detail} at {self.offset}: {self.excerpt[:SHOWN]!a}{advice}"


@final
class BuildError(ValueError):
    """Raised for text that cannot be written safely in its place; says what to do instead.

    ``what`` is a slug: ``encoded-slash``, ``dot-segment``, ``leading-slashes``, ``not-in-charset``.
    ``index`` counts segments from 0, or characters for ``not-in-charset``. ``excerpt`` is the faulty
    text, and ``advice`` says in a few words what to do. RFC 3986, sections 2.2 and 3.3.

    >>> str(BuildError("dot-segment", 1, "..", "leave it out"))
    "dot-segment at 1: '..': leave it out"
    """

    __module__ = "postel.uri"

    def __init__(self, what: str, index: int, excerpt: str, advice: str) -> None:
        super().__init__(what, index, excerpt, advice)
        self.what = what
        self.index = index
        self.excerpt = excerpt
        self.advice = advice

    def __str__(self) -> str:
        """One printable ASCII line."""
        return f"{self.what} at {self.index}: {self.excerpt[:SHOWN]!a}: {self.advice}"


def require_text(given: object) -> None:
    """Raise TypeError unless this is text.

    >>> require_text(b"a")
    Traceback (most recent call last):
    TypeError: b'a' is not text; decode it
    """
    if isinstance(given, str):
        return
    advice = f"write str({given!r})"
    if given is None:
        advice = "pass '' if the parameter is missing"
    elif isinstance(given, bytes | bytearray):
        advice = "decode it"
    elif isinstance(given, list | tuple):
        advice = "write one pair for each value"
    raise TypeError(f"{given!r} is not text; {advice}")
