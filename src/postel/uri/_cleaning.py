"""Clean: turn whatever a person typed or pasted into a valid URI, and leave valid parts unchanged.

The grammar is RFC 3986's. Which characters are legal depends on the component, so the text is first
split by that grammar. Then the characters that are illegal in each component are escaped.
"""

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.authority import IPV6, SCHEME
from postel._alphabet.percent import (
    FRAGMENT,
    PATH,
    QUERY,
    REG_NAME,
    STRAY_PERCENT,
    USERINFO,
    Octets,
    percent_encode,
)
from postel._alphabet.percent import respell as respell_octets
from postel.uri._encoding import encode_text

_SCHEME: Final = re.compile(SCHEME + b":")  # section 3.1
_ESCAPES: Final[Octets] = frozenset(b"%")  # stray ones are escaped first, so each begins an escape
_LITERAL: Final[Octets] = REG_NAME | frozenset(b"[:]")

_HEX: Final = rb"[0-9A-Fa-f]"
_ESCAPE: Final = rb"%" + _HEX + rb"{2}"
_IP_LITERAL: Final = re.compile(
    # People paste addresses with the zones of RFC 6874. Without the zone in this row, the brackets of
    # such a host would be escaped.
    rb"\[(?:(?:%b)(?:%%25(?:[A-Za-z0-9._~\-]|%b)+)?" % (IPV6.encode(), _ESCAPE)
    + rb"|[Vv]%b+\.[A-Za-z0-9._~!$&'()*+,;=:\-]+)\]" % _HEX
)


def clean(text: str) -> str:
    r"""Make any text a valid URI or relative reference: escape each illegal character.

    Everything legal stays unchanged: reserved characters, escapes in either case, dot segments, the
    case of the host. A valid URI is returned unchanged, nothing is escaped twice, and cleaning again
    changes nothing. A ``%`` that does not begin an escape becomes ``%25``.

    >>> clean("http://[2001:db8::7348]/admin/login?name=Helen Ødegård&gender=f")
    'http://[2001:db8::7348]/admin/login?name=Helen%20%C3%98deg%C3%A5rd&gender=f'
    >>> clean('/a[1]/%23/100%?q="50% off"#a#b')
    '/a%5B1%5D/%23/100%25?q=%2250%25%20off%22#a%23b'

    Brackets stay around an IPv6 address (also with a zone) or a future literal in the host, and are
    escaped elsewhere. In the authority the last ``@`` ends the userinfo, and the last ``:`` begins the
    port if only digits follow; other ``@`` and ``:`` are escaped. In the first segment of a
    reference without a scheme, ``:`` is escaped, because it would end a scheme.

    A host outside ASCII becomes percent-encoded UTF-8, as RFC 3986, section 3.2.2, defines for
    registered names. Browsers use the ``xn--`` form; to get that, convert the host with a UTS #46
    library first. A backslash becomes ``%5C``, although browsers read it as a slash. Spaces at
    either end are escaped as well, so strip them if they are not part of the URI.

    Raises :class:`DecodeError` for a lone surrogate; all other text is accepted. RFC 3986, section 3 and
    appendices A and B; section 2.4 for not escaping twice; RFC 3987, section 3.1.
    """
    return _cleaned(encode_text(text)).decode()


def respell(text: str) -> str:
    """Clean text, and spell every escape canonically: upper-case hex, unreserved characters bare.

    Both spellings name the same resource, so use this to compare URIs, or before :func:`pretty`,
    which leaves escapes in lower-case hex unchanged.

    >>> respell("/%7euser/%c3%a4?q=%2f")
    '/~user/%C3%A4?q=%2F'

    Note that ``%2E%2E`` becomes the dot segment ``..``. Raises :class:`DecodeError` for a lone surrogate,
    as :func:`clean` does. RFC 3986, sections 6.2.2.1 and 6.2.2.2.
    """
    return respell_octets(_cleaned(encode_text(text))).decode()


def _cleaned(octets: bytes) -> bytes:
    # Section 3 and appendix B: the first '#', then the first '?', then a scheme, then '//'.
    rest, hash_mark, fragment = STRAY_PERCENT.sub(b"%25", octets).partition(b"#")
    rest, question_mark, query = rest.partition(b"?")
    scheme = _SCHEME.match(rest)
    head = scheme[0] if scheme else b""
    path = rest[len(head) :]
    if path.startswith(b"//"):
        authority, slash, path = path[2:].partition(b"/")
        head += b"//" + _cleaned_authority(authority) + slash
    elif not scheme:
        first, slash, path = path.partition(b"/")
        head = _escape(first, PATH - frozenset(b":")) + slash  # segment-nz-nc, section 4.2
    return b"".join(
        (
            head,
            _escape(path, PATH),
            question_mark,
            _escape(query, QUERY),
            hash_mark,
            _escape(fragment, FRAGMENT),
        )
    )


def _cleaned_authority(authority: bytes) -> bytes:
    userinfo, at_sign, address = authority.rpartition(b"@")
    host, colon, port = address.rpartition(b":")
    if not colon or port.strip(b"0123456789"):
        host, colon, port = address, b"", b""
    name = _escape(host, _LITERAL)
    if _IP_LITERAL.fullmatch(name) is None:
        name = _escape(name, REG_NAME)
    return _escape(userinfo, USERINFO) + at_sign + name + colon + port


def _escape(octets: bytes, keep: Octets) -> bytes:
    """Escape octets that are not in ``keep``, and leave existing escapes."""
    keep |= _ESCAPES
    if not octets.translate(None, bytes(keep)):
        return octets  # the usual case; this check is ten times as fast as the call below
    return percent_encode(octets, keep)
