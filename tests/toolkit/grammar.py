"""RFC 3986, appendix A, implemented a second time, so that the library is not tested against itself.

The library matches an IPv6 address by a pattern; this module uses ``ipaddress``.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

_UNRESERVED: Final = r"[A-Za-z0-9\-._~]"
_PCT: Final = r"%[0-9A-Fa-f][0-9A-Fa-f]"
_SUB: Final = r"[!$&'()*+,;=]"
_PCHAR: Final = rf"(?:{_UNRESERVED}|{_PCT}|{_SUB}|[:@])"
_NO_COLON: Final = rf"(?:{_UNRESERVED}|{_PCT}|{_SUB}|@)"
_REG_NAME: Final = rf"(?:{_UNRESERVED}|{_PCT}|{_SUB})*"
_LITERAL: Final = r"\[(?P<address>[0-9A-Fa-f:.]+)(?:%25(?:" + rf"{_UNRESERVED}|{_PCT})+)?\]"
_FUTURE: Final = rf"\[[Vv][0-9A-Fa-f]+\.(?:{_UNRESERVED}|{_SUB}|:)+\]"
_USERINFO: Final = rf"(?:{_UNRESERVED}|{_PCT}|{_SUB}|:)*"
_AUTHORITY: Final = rf"(?:{_USERINFO}@)?(?:{_LITERAL}|{_FUTURE}|{_REG_NAME})(?::[0-9]*)?"
_ABEMPTY: Final = rf"(?:/{_PCHAR}*)*"
_ABSOLUTE: Final = rf"/(?:{_PCHAR}+(?:/{_PCHAR}*)*)?"
_ROOTLESS: Final = rf"{_PCHAR}+(?:/{_PCHAR}*)*"
_NOSCHEME: Final = rf"{_NO_COLON}+(?:/{_PCHAR}*)*"
_TAIL: Final = rf"(?:\?(?:{_PCHAR}|[/?])*)?(?:#(?:{_PCHAR}|[/?])*)?"

_FORMS: Final = tuple(
    re.compile(form + _TAIL)
    for form in (
        rf"[A-Za-z][A-Za-z0-9+\-.]*://{_AUTHORITY}{_ABEMPTY}",
        rf"[A-Za-z][A-Za-z0-9+\-.]*:(?:{_ABSOLUTE}|{_ROOTLESS}|)",
        rf"//{_AUTHORITY}{_ABEMPTY}",
        rf"(?:{_ABSOLUTE}|{_NOSCHEME}|)",
    )
)


def is_valid(reference: str) -> bool:
    """Whether text is a URI or a relative reference; an IPv6 zone (RFC 6874) is accepted."""
    for form in _FORMS:
        match = form.fullmatch(reference)
        if match:
            address = match.groupdict().get("address")
            return address is None or _is_address(address)
    return False


def _is_address(address: str) -> bool:
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        return False
    return True
