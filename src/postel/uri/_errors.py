"""The two things that the toolkit raises: what it was given cannot be read, or cannot be said.

Everything else that it could meet is either right or mended in a way that its docstring names. A
faulty option (a place where a plus is no space, an unknown charset) is a plain ``ValueError`` or
``LookupError``: that is a mistake in a program, not in a URL.
"""

from __future__ import annotations

from typing import Final, final

SHOWN: Final = 40
"""How many characters of what was refused a message shows: one line of a log."""
_ADVICE: Final = {
    "malformed-escape": "write %25 for a percent sign",
    "ill-formed-utf8": "name its charset, or read it as octets",
    "undecodable": "name another charset, or read it as octets",
    "lone-surrogate": "read its source as UTF-8, or take it as octets",
    "missing-slash": "put a slash in front",
    "leading-slashes": "leave one slash",
    "encoded-slash": "pass slashes=True if it is data",
    "dot-segment": "resolve it before, or pass dot_segments=True",
    "illegal-character": "escape it",
    "missing-authority": "write the scheme, two slashes and a host, or a path alone",
    "illegal-authority": "write a host of ASCII, as xn-- if it is none, and a port to 65535",
}
"""What to do about each fault."""


@final
class DecodeError(ValueError):
    """Text that cannot be read, with what is wrong and where.

    ``what`` is a slug: ``malformed-escape``, ``ill-formed-utf8``, ``undecodable`` (in another
    charset), ``lone-surrogate`` (text that no encoding can say), and from the parsers
    ``missing-slash``, ``leading-slashes``, ``encoded-slash``, ``dot-segment``,
    ``illegal-character``, ``missing-authority``, ``illegal-authority``. ``offset`` counts characters
    of the text that was given, and ``excerpt`` is what stands there. ``detail`` is the class of
    ill-formed UTF-8 (``overlong``, ``surrogate``, ``out-of-range``, ``truncated``, ``stray``;
    RFC 3629, section 3), else empty. ``advice`` says in a few words what to do.

    >>> error = DecodeError("malformed-escape", 2, "% o")
    >>> str(error), error.offset
    ("malformed-escape at 2: '% o': write %25 for a percent sign", 2)
    """

    __module__ = "postel.uri"  # where it is public, so that tracebacks say so

    def __init__(self, what: str, offset: int, excerpt: str, detail: str = "") -> None:
        super().__init__(what, offset, excerpt, detail)  # the arguments again, so that it pickles
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
    """Text that cannot be said safely where it was to stand, with what to do instead.

    ``what`` is a slug: ``encoded-slash``, ``dot-segment``, ``leading-slashes``, ``not-in-charset``.
    ``index`` is the segment's (from 0), or for ``not-in-charset`` the character's; ``excerpt`` is
    the offending text, and ``advice`` one sentence. What cannot be said follows from RFC 3986,
    sections 2.2 and 3.3.

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
