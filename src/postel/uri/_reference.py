"""References: split a URL, absolute or relative, or say where readers disagree about it."""

from __future__ import annotations

from postel._alphabet.reference import Fault, Reference, split
from postel.uri._errors import DecodeError, require_text


def parse_reference(text: str) -> Reference:
    r"""Split a reference into scheme, authority, path, query and fragment.

    >>> parse_reference("../a?b=/c").path, parse_reference("//example.com").host
    ('../a', 'example.com')
    >>> parse_reference("https:/\t/example.com")
    Traceback (most recent call last):
    postel.uri.DecodeError: illegal-character at 7: '\t': escape it

    Raises :class:`DecodeError` for every reference that readers split differently: controls, tabs, line
    breaks and backslashes anywhere, and white space at either end; ``https:`` and other special
    schemes without two slashes and a host, and ``///``; a host outside ASCII (implementations
    disagree on ``xn--`` forms), an IPv4 address that is not four decimal numbers, and an invalid
    port; text before a first colon that is not a scheme; and lone surrogates.

    Path, query and fragment are not judged further; :func:`is_local` does that. RFC 3986, section 3
    and appendix B; URL Standard, section 4.4.
    """
    require_text(text)
    parts = split(text)
    if isinstance(parts, Fault):
        raise DecodeError(*parts)
    return parts
