"""The pieces from which `worst.py` builds JSON bodies and multipart forms, and the frames around them.

``<n>`` in a piece or a frame stands for a number that counts up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from postel import Json, Kind, Policy
from postel._alphabet.percent import measure
from postel._alphabet.steps import Steps
from postel._bodies.form_settings import Forms
from postel._bodies.json import JsonRules
from postel._bodies.json_in_forms import FormAndJsonRules
from postel._bodies.multipart import MultipartRules
from postel._bodies.urlencoded import FormRules
from postel._catalogue.check import Action, Component


class Frame(NamedTuple):
    """The octets in front of, between and behind repeated pieces."""

    front: bytes
    between: bytes
    back: bytes
    is_value: bool = False
    """Whether the pieces are one value; an escape counts as one octet of it, as in the limits of a form."""

    def filled(self, piece: bytes, size: int) -> bytes:
        """Return the frame with as many pieces as fit into ``size`` octets, at least one."""
        if self.is_value:
            return self.front + piece * (size // measure(piece))
        unit = piece + self.between
        room = size - len(self.front) - len(piece) - len(self.back)
        if b"<n>" not in unit:
            body = unit * max(0, room // len(unit)) + piece if unit else b""
            return self.front + body + self.back
        first, *rest = unit.split(b"<n>")
        units: list[bytes] = []
        while room > 0:
            number = b"%d" % len(units)
            units.append(b"".join((first, *(number + each for each in rest))))
            room -= len(units[-1])
        return self.front + b"".join(units) + piece.replace(b"<n>", b"0") + self.back


_DEEP: Final = b"[" * 90 + b"]" * 90
_DEEP_CONTROLS: Final = b'{"\\b":' * 97 + b"{}" + b"}" * 97
_DEEP_NAMES: Final = b'{"\\n":0,"\\n":' * 97 + b"{}" + b"}" * 97
"""JSON with one or three findings on each level."""
JSON_VALUES: Final = [
    *(b"[]", b"{}", b"0", b"-0", b"1e5", b"1E-400", b"1e400", b"0.1", b"12345678901234567890", b"1" * 999),
    *(b'""', b'"a"', b'"\\u0000"', b'"\\ud800"', b'"\\ud83d\\ude00"', b'"\\n"', b'"\\\\"', b'"\\""'),
    *(
        b'"\x7f"',
        b'"\xff"',
        b'"\xc3\xa9"',
        b"true",
        b"null",
        b"NaN",
        b"-Infinity",
        b"[[[[]]]]",
        _DEEP,
        _DEEP_CONTROLS,
        _DEEP_NAMES,
    ),
    *(b'{"a":1}', b'{"<n>":0}', b'{"a":1,"a":2}', b'{"\\u0000":1}', b'{"\\n":1}', b'{"":{"":{}}}'),
    *(b'{"\\ud800":1}', b'{"\x7f":1}', b'{"\xff":""}', b'{"a<n>":{}}', b'{"\\u00e9<n>":[]}', b" ", b"\n"),
    *(b"1e<n>", b'{"\\b":0}', b'{"\\b":"\\b","\x7f":0}', b'"' + b"\\n" * 999 + b'"', b'"\xff\x7f"'),
]
JSON_TEXTS: Final = [
    *(b"\\u0000", b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\\n", b"\\b", b'\\"', b"\\\\", b"\\/"),
    *(b"\x7f", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc3\xa9", b"\xe2\x80\xae", b"\xf0\x9f\x98\x80"),
    *(b"a", b"\\u0041", b"\\u007f", b"<n>", b"[", b"}", b"ab", b"\\u00e9"),
]
JSON_OTHERS: Final = [
    *(b"[", b"{", b"]", b"}", b",", b":", b'"', b"\\", b'{"a":', b"[,", b"/*"),
    *JSON_VALUES,
]
PART_TEXTS: Final = [
    *(b"\r\n--", b"\r\n--X", b"--", b"-", b"\r", b"\n", b"\r\n", b"\0", b"\x01", b"\x7f", b"a", b" "),
    *(b"%", b"%00", b"%0D", b"&", b"=", b"+", b";", b"/", b"\\", b"<", b"\xff", b"\xc3", b"\xc3\xa9"),
    *(
        b"\xed\xa0\x80",
        b"\xe2\x80\xae",
        b"\xef\xbf\xbe",
        b"\xcc\x81",
        b"e\xcc\x81",
        b"%u0041",
        b"\xe2\x80\xa8",
    ),
]
PART_NAMES: Final = [
    *(b"a", b"<n>", b'\\"', b"\\ ", b"%22", b"%0D%0A", b"..", b"/", b"c:", b"[]", b"\\", b";", b'" ; "'),
    *(
        b"\xff",
        b"\xc3\xa9",
        b"\xe2\x80\xae",
        b"\0",
        b"\x7f",
        b"%",
        b"&",
        b"=",
        b"+",
        b".",
        b"con",
        b"\xed\xa0\x80",
    ),
]
PART_FIELDS: Final = [
    *(b"X-<n>: y", b"Content-Type: text/plain", b"content-type:a/b; c=d", b"Content-Length: 1", b"X:", b"X"),
    *(
        b"Content-Transfer-Encoding: 8bit",
        b" folded",
        b"X: \xff",
        b'Content-Disposition: form-data; name="a"',
    ),
]
_NAMED: Final = b'--zz\r\nContent-Disposition: form-data; name="'
_END: Final = b"\r\n\r\n1\r\n--zz--\r\n"
_OTHER_PART: Final = b'"\r\n\r\n\r\n'

JSON_FRAMES: Final = [
    (Frame(b"[", b",", b"]"), JSON_VALUES),
    (Frame(b"[", b",", b',{"a":0,"a":0}]'), JSON_VALUES),
    (Frame(b"[", b",", b"," + b"[" * 101 + b"]" * 102), JSON_VALUES),
    (Frame(b'{"a":', b',"<n>":', b"}"), JSON_VALUES),
    (Frame(b'{"a":', b',"a":', b"}"), JSON_VALUES),
    (Frame(b"[", b'],["",', b"]"), JSON_VALUES),
    (Frame(b'["', b"", b'"]'), JSON_TEXTS),
    (Frame(b'["', b'","', b'"]'), JSON_TEXTS),
    (Frame(b'{"', b'":0,"', b'":0}'), JSON_TEXTS),
    (Frame(b'{"', b'<n>":"","', b'":0}'), JSON_TEXTS),
    (Frame(b"", b"", b""), JSON_OTHERS),
]
FORM_FRAMES: Final = [
    (Frame(b'["=",', b",", b',"&x=1'), JSON_VALUES),
    (Frame(b'["=",', b',"&=",', b"]"), JSON_VALUES),
    (Frame(b'["=', b"", b'"]'), JSON_TEXTS),
]
"""Forms that begin like JSON; the first does not end like JSON."""
PART_FRAMES: Final = [
    (Frame(_NAMED + b'a"\r\n\r\n', b"", b"\r\n--zz--\r\n"), PART_TEXTS),
    (Frame(_NAMED + b'a"; filename="a"\r\n\r\n', b"", b"\r\n--zz--\r\n"), PART_TEXTS),
    (Frame(_NAMED + b'a"\r\n\r\n', b"\r\n" + _NAMED + b'a"\r\n\r\n', b"\r\n--zz--\r\n"), PART_TEXTS),
    (Frame(_NAMED, _OTHER_PART + _NAMED, b'"' + _END), PART_NAMES),
    (Frame(_NAMED, b'"; filename="a"' + _OTHER_PART[1:] + _NAMED, b'"' + _END), PART_NAMES),
    (Frame(_NAMED + b'a"; filename="', _OTHER_PART + _NAMED + b'a"; filename="', b'"' + _END), PART_NAMES),
    (Frame(_NAMED + b'a"\r\n', b"\r\n", _END), PART_FIELDS),
    (Frame(_NAMED + b'a"\r\n', b"\r\n\r\n\r\n" + _NAMED + b'a"\r\n', _END), PART_FIELDS),
    (Frame(b"--zz\r\n", b"\r\n\r\n1\r\n--zz\r\n", _END), PART_FIELDS),
]

REPORTING: Final = Policy.STANDARD.reporting(
    *(kind for kind in Kind if Action.REPORT in kind.check.actions.get(Component.JSON, ())), on=Component.JSON
)


def json_steps(policy: Policy) -> Callable[[bytes], Steps[object]]:
    """Return the function that judges a JSON body in steps."""
    return JsonRules(policy, Json()).judging


def both_steps(policy: Policy) -> Callable[[bytes], Steps[object]]:
    """Return the function that judges a form that may also be JSON, in steps."""
    return FormAndJsonRules(FormRules(policy, Forms()), JsonRules(policy, Json()), Json()).judging


def part_steps(policy: Policy) -> Callable[[bytes], Steps[object]]:
    """Return the function that parses a multipart form and judges it, in steps."""
    rules = MultipartRules(policy, Forms())

    def steps(octets: bytes) -> Steps[object]:
        parser = rules.parser(b"zz")
        yield from parser.feeding(octets)
        parser.close()
        return (yield from rules.judging(parser))

    return steps
