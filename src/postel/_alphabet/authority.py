"""Authorities: the host and port of a URL, RFC 3986, section 3.2.

A Host field and an absolute target name a site in the same way. The patterns for hosts and ports are text;
encode them to match octets.
"""

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.regex import compiled

# Those of RFC 1123, section 2.1, and the underscore, which names of services have. RFC 3986, section 3.2.2,
# also allows escapes and ~!$&'()*+,;= in a name, but no site has such a name, and Werkzeug since 3.1.8 reads
# no host from such a Host.
_LABEL_CHARACTER: Final = "[A-Za-z0-9_-]"
NAME_CHARACTER: Final = "[A-Za-z0-9._-]"
"""Pattern for one character of a host name, dots included."""
# RFC 1035, section 2.3.4: a label has 1 to 63 octets. A name has at most 255 octets in DNS, which adds one
# length octet for each label and one for the root. As text, that is 253 octets without the final dot.
_SHORT: Final = rf"(?!{NAME_CHARACTER}{{253}}\.?{_LABEL_CHARACTER})"
NAME: Final = rf"{_SHORT}{_LABEL_CHARACTER}{{1,63}}+(?:\.{_LABEL_CHARACTER}{{1,63}}+)*+\.?"
_H16: Final = r"[0-9A-Fa-f]{1,4}"
_OCTET: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
IPV4: Final = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_LS32: Final = rf"(?:{_H16}:{_H16}|{IPV4})"
IPV6: Final = "|".join(  # the nine rows of section 3.2.2
    (
        rf"(?:{_H16}:){{6}}{_LS32}",
        rf"::(?:{_H16}:){{5}}{_LS32}",
        *(
            rf"(?:(?:{_H16}:){{0,{count}}}{_H16})?::" + rest
            for count, rest in enumerate(
                (
                    *(rf"(?:{_H16}:){{{more}}}{_LS32}" for more in (4, 3, 2, 1)),
                    _LS32,
                    _H16,
                    "",
                )
            )
        ),
    )
)
PORT: Final = "6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}"
"""A port from 1 to 65535, without leading zeros. RFC 3986, section 3.2.3, discourages an empty port; Falcon
raises on it. Werkzeug since 3.1.8 reads no host in front of a port such as 0 or 080."""
SCHEME: Final = rb"[A-Za-z][A-Za-z0-9+.\-]*+"
"""A scheme: RFC 3986, section 3.1."""
SITE: Final = SCHEME + rb"://[^/?#]*+"
"""Scheme and authority of an absolute form: RFC 9112, section 3.2.2."""
OPTIONAL_SITE: Final = compiled(b"(?:" + SITE + b")?+")
"""Matches scheme and authority, or nothing."""
_DEFAULT_PORTS: Final = {b"http": b":80", b"ws": b":80", b"https": b":443", b"wss": b":443"}
_AUTHORITY: Final = re.compile(rb"(?:[A-Za-z0-9._~!$&'()*+,;=-]++|\[[0-9A-Fa-f:.]++\])(?::[0-9]*+)?")


def same_site(form: bytes, host: bytes | None) -> bool:
    """Whether the authority of an absolute form names the same site as the Host: RFC 9112, section 3.2.2.

    Without a Host, whether the authority is a plain host and port. Returns False for schemes other than
    ``http``, ``https``, ``ws`` and ``wss``.
    """
    scheme, _, authority = form.partition(b"://")
    port = _DEFAULT_PORTS.get(scheme.lower())
    if port is None or _AUTHORITY.fullmatch(authority) is None:
        return False  # userinfo, an escape, or nothing at all
    return host is None or _bare_site(authority, port) == _bare_site(host, port)


def _bare_site(authority: bytes, port: bytes) -> bytes:
    return authority.lower().removesuffix(b":").removesuffix(port)
