r"""Forms: ``application/x-www-form-urlencoded``, read and written as the URL Standard has it.

Reading never fails, for the Standard's parser does not; :func:`postel.uri.parse_query` reads the
same grammar strictly. Writing is in UTF-8, as every page should be.

>>> from postel import form
>>> form.parse("name=Helen+%C3%98deg%C3%A5rd&50%=%FF")
[('name', 'Helen Ødegård'), ('50%', '�')]
>>> form.serialize([("text", "two\nlines")])
'text=two%0D%0Alines'
"""

from __future__ import annotations

from collections.abc import Iterable

from postel._octets import percent_decode
from postel.uri import Place, encode_component

__all__ = ["parse", "serialize"]


def parse(body: str | bytes) -> list[tuple[str, str]]:
    """Read a form, or a query without its ``?``, into its pairs of name and value.

    >>> parse("a=1&b=2+3&&c&=d"), parse(b"%C2x=%zz")
    ([('a', '1'), ('b', '2 3'), ('c', ''), ('', 'd')], [('\ufffdx', '%zz')])

    Malformed escapes stay as they are, each maximal ill-formed part of UTF-8 becomes U+FFFD, and so
    does a lone surrogate in text; a byte order mark stays. That is the Standard's reading, not a
    choice of ours. Nothing is an error. URL Standard, section 5.1 (the urlencoded parser).
    """
    octets = body if isinstance(body, bytes) else _scalar_values(body).encode()
    pairs: list[tuple[str, str]] = []
    for sequence in octets.split(b"&"):
        if sequence:
            name, _, value = sequence.replace(b"+", b" ").partition(b"=")
            pairs.append((_decode(name), _decode(value)))
    return pairs


def serialize(pairs: Iterable[tuple[str, str]], *, crlf: bool = True) -> str:
    """Write names and values as a form does: a space as ``+``, nearly all else escaped.

    Letters and digits of ASCII and ``*-._`` stay bare; the rest is escaped in UTF-8.

    >>> serialize([("q", "a b~c"), ("é", "")])
    'q=a+b%7Ec&%C3%A9='

    A line break of any form in a name or value becomes CR LF, as when a browser sends a form;
    ``crlf=False`` leaves them, as ``URLSearchParams`` does, and then :func:`parse` is the inverse.
    A lone surrogate is a :class:`postel.uri.DecodeError`. URL Standard, section 5.2 (the urlencoded
    serializer); HTML, form submission (converting an entry list to a list of name-value pairs).
    """
    return "&".join([f"{_encode(name, crlf=crlf)}={_encode(value, crlf=crlf)}" for name, value in pairs])


def _encode(text: str, *, crlf: bool) -> str:
    return encode_component(text, place=Place.FORM, newline="crlf" if crlf else "keep")


def _decode(octets: bytes) -> str:
    # The Standard's "UTF-8 decode without BOM", not a policy: it replaces by definition.
    return percent_decode(octets).decode("utf-8", "replace")


def _scalar_values(text: str) -> str:
    """Text as a ``USVString``: pairs of surrogates joined, lone ones replaced (Infra, strings)."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
