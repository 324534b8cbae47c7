"""Clean: from whatever a person typed or pasted to a valid URI, changing nothing that was valid.

The grammar is RFC 3986's. Where a character is legal depends on where it stands, so the text is
first parted as that grammar parts it; then each part has escaped what is illegal in it, and nothing
else.
"""

from __future__ import annotations

import re
from typing import Final

from postel._octets import FRAGMENT, PATH, QUERY, REG_NAME, USERINFO, Octets, percent_encode
from postel._octets import respell as respell_octets
from postel.uri._encoding import octets_of

_STRAY: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_SCHEME: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.\-]*+:")  # section 3.1
_ESCAPES: Final[Octets] = frozenset(b"%")  # what is left of them begins an escape
_LITERAL: Final[Octets] = REG_NAME | frozenset(b"[:]")

_HEX: Final = rb"[0-9A-Fa-f]"
_H16: Final = _HEX + rb"{1,4}"
_OCTET: Final = rb"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_LS32: Final = rb"(?:%b:%b|%b(?:\.%b){3})" % (_H16, _H16, _OCTET, _OCTET)
_IPV6: Final = b"|".join(
    (
        # The nine rows of section 3.2.2: `::` stands for at least one group, so what may stand
        # before it grows as what must follow it shrinks.
        rb"(?:%b:){6}%b" % (_H16, _LS32),
        rb"::(?:%b:){5}%b" % (_H16, _LS32),
        *(
            rb"(?:(?:%b:){0,%d}%b)?::(?:%b:){%d}%b" % (_H16, before, _H16, _H16, 4 - before, _LS32)
            for before in range(5)
        ),
        rb"(?:(?:%b:){0,5}%b)?::%b" % (_H16, _H16, _H16),
        rb"(?:(?:%b:){0,6}%b)?::" % (_H16, _H16),
    )
)
_ESCAPE: Final = rb"%" + _HEX + rb"{2}"
_IP_LITERAL: Final = re.compile(
    # A zone is no part of RFC 3986; it came with RFC 6874, and people do paste it. Without it the
    # host would lose its brackets.
    rb"\[(?:(?:%b)(?:%%25(?:[A-Za-z0-9._~\-]|%b)+)?" % (_IPV6, _ESCAPE)
    + rb"|[Vv]%b+\.[A-Za-z0-9._~!$&'()*+,;=:\-]+)\]" % _HEX
)


def clean(text: str) -> str:
    r"""Make any text a valid URI (or relative reference): escape what is illegal where it stands.

    What is legal stays as it is: reserved characters, escapes in whatever case, dot segments, the
    case of the host. So a valid URI comes back unchanged, nothing is ever escaped twice, and
    cleaning again changes nothing. A ``%`` that begins no escape becomes ``%25``.

    >>> clean("http://[2001:db8::7348]/admin/login?name=Helen Ødegård&gender=f")
    'http://[2001:db8::7348]/admin/login?name=Helen%20%C3%98deg%C3%A5rd&gender=f'
    >>> clean('/a[1]/%23/100%?q="50% off"#a#b')
    '/a%5B1%5D/%23/100%25?q=%2250%25%20off%22#a%23b'

    Brackets stay around an IPv6 address (with a zone, too) or a later literal in the host, and are
    escaped elsewhere. In the authority the last ``@`` ends the userinfo, and a last ``:`` with only
    digits behind it is the port's; others are escaped. In the first segment of a reference without
    a scheme ``:`` is escaped, for it would end one.

    A host outside ASCII becomes percent-encoded UTF-8, which is what RFC 3986 says of registered
    names (section 3.2.2); browsers turn that into the ``xn--`` form, and so can you, with a library
    for UTS #46, before you clean. A backslash is a character like others here and becomes ``%5C``;
    browsers take it for a slash. Spaces at either end are escaped, too: strip what is no part of
    it.

    A lone surrogate is no character, and a :class:`DecodeError`; nothing else is refused. RFC 3986,
    section 3 and appendices A and B; section 2.4 for not escaping twice; RFC 3987, section 3.1.
    """
    return _cleaned(octets_of(text)).decode()


def respell(text: str) -> str:
    """Clean text, and spell every escape canonically: upper-case hex, unreserved characters bare.

    Nobody may take one spelling for another resource, so this is for comparing, and for showing:
    :func:`pretty` leaves an escape that :func:`clean` would spell otherwise.

    >>> respell("/%7euser/%c3%a4?q=%2f")
    '/~user/%C3%A4?q=%2F'

    Beware that ``%2E%2E`` is the segment ``..`` and becomes it. As in :func:`clean`, a lone surrogate is
    a :class:`DecodeError`.
    RFC 3986, sections 6.2.2.1 and 6.2.2.2.
    """
    return respell_octets(_cleaned(octets_of(text))).decode()


def _cleaned(octets: bytes) -> bytes:
    # Section 3 and appendix B: the first '#', then the first '?', then a scheme, then '//'.
    rest, hash_mark, fragment = _STRAY.sub(b"%25", octets).partition(b"#")
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
    """Escape what is not in ``keep``, and leave escapes."""
    keep |= _ESCAPES
    if not octets.translate(None, bytes(keep)):
        return octets  # the usual case, at a tenth of the price
    return percent_encode(octets, keep)
