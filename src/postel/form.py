r"""Read and write forms (``application/x-www-form-urlencoded``) exactly as the URL Standard defines.

Reading never fails, as in the Standard; :func:`postel.uri.parse_query` reads the same grammar
strictly. Writing uses UTF-8.

>>> from postel import form
>>> form.parse("name=Helen+%C3%98deg%C3%A5rd&50%=%FF")
[('name', 'Helen Ødegård'), ('50%', '�')]
>>> form.serialize([("text", "two\nlines")])
'text=two%0D%0Alines'
"""

from __future__ import annotations

from collections.abc import Iterable

from postel._alphabet.percent import percent_decode
from postel.uri import Place, encode_component
from postel.uri._building import listed
from postel.uri._errors import require_text

__all__ = ["parse", "serialize"]


def parse(body: str | bytes) -> list[tuple[str, str]]:
    """Read a form, or a query without its ``?``, into its pairs of name and value.

    >>> parse("a=1&b=2+3&&c&=d"), parse(b"%C2x=%zz")
    ([('a', '1'), ('b', '2 3'), ('c', ''), ('', 'd')], [('\ufffdx', '%zz')])

    Malformed escapes stay as they are. Each maximal subpart of ill-formed UTF-8 becomes U+FFFD, as
    does a lone surrogate in text; a byte order mark stays. Never raises for text or octets.
    URL Standard, section 5.1 (the urlencoded parser).
    """
    octets = body if isinstance(body, bytes) else _scalar_values(body).encode()
    pairs: list[tuple[str, str]] = []
    for sequence in octets.split(b"&"):
        if sequence:
            name, _, value = sequence.replace(b"+", b" ").partition(b"=")
            pairs.append((_decode(name), _decode(value)))
    return pairs


def serialize(pairs: Iterable[tuple[str, str]], *, crlf: bool = True) -> str:
    """Write names and values as browsers write a form, with ``+`` for a space.

    ASCII letters, digits and ``*-._`` stay bare; everything else is escaped in UTF-8.

    >>> serialize([("q", "a b~c"), ("é", "")])
    'q=a+b%7Ec&%C3%A9='

    Every line break in a name or value becomes CR LF, as when a browser sends a form. With
    ``crlf=False`` line breaks stay, as in ``URLSearchParams``; :func:`parse` is then the inverse.
    Raises :class:`postel.uri.DecodeError` for a lone surrogate, and ``TypeError`` for items that are not
    pairs. URL Standard, section 5.2 (the urlencoded serializer); HTML, form submission (converting an
    entry list to a list of name-value pairs).
    """
    return "&".join(
        [f"{_encode(name, crlf=crlf)}={_encode(value, crlf=crlf)}" for name, value in listed(pairs, "pairs")]
    )


def _encode(text: str, *, crlf: bool) -> str:
    return encode_component(text, place=Place.FORM, newline="crlf" if crlf else "keep")


def _decode(octets: bytes) -> str:
    # The Standard's "UTF-8 decode without BOM" replaces ill-formed octets by definition.
    return percent_decode(octets).decode("utf-8", "replace")


def _scalar_values(text: str) -> str:
    """Convert text to a ``USVString``: join surrogate pairs, replace lone surrogates (Infra, strings)."""
    require_text(text)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
