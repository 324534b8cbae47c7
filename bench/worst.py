"""Search for the most expensive inputs: targets, bodies, cookies, Referers and Hosts.

    python bench/worst.py [--seconds N] [--only WORD ...] [--top N] [--seed N] [--bound N] [--write FILE]

An input is one to four short pieces repeated, with or without a number in each repetition, or up to twelve
pieces in a random order, and up to twenty other pieces in front of and behind them. The first half of the
time goes to random inputs, the second half to changing the most expensive ones found so far. At the end, the
most expensive ones are measured more often. The unit Y is the time that ``urllib.parse.unquote`` takes for 8
KiB of ``%C3%A9``. It is measured next to each input, since the speed of a machine changes. The cost of a body
is given for each 8 KiB of it, and the longest time for which it holds the event loop is measured, too. All
times are processor time.

The exit status is 1 if an input costs more than the bound, holds the loop for more than four times the bound,
or costs over a tenth more for an octet if it is four times as long. With ``--write`` the table becomes the
section "The most expensive inputs" of FILE; with ``--only``, the other rows of the section stay.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote

from page_sections import section_of, with_section
from worst_bodies import (
    FORM_FRAMES,
    JSON_FRAMES,
    PART_FRAMES,
    REPORTING,
    Frame,
    both_steps,
    json_steps,
    part_steps,
)

from postel import ASCII, LATIN, Action, Component, Kind, Normalizer, Policy, Target
from postel._alphabet.steps import Steps, finished
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules
from postel._http.fields import FieldRules
from postel._http.host import Hosts, fault_of
from postel._middleware.header_findings import of_names
from postel._normalizer.routes import RoutedNormalizer

TITLE: Final = "## The most expensive inputs"
INTRODUCTION: Final = """\
These inputs were found by a search (`make bench-worst`): one to four short pieces, repeated to 8 KiB, or to
64 KiB for a body (96 KiB for JSON, 32 KiB for long header fields and for names of headers). Y is the time
that `urllib.parse.unquote` takes for 8 KiB of `%C3%A9`; the cost of longer inputs is given for each 8 KiB.
The most expensive inputs of a search were measured again; the table has the shortest of 25 times. *Growth* is
the cost of an octet divided by its cost in an input of about a quarter of the length; 1 is linear. *Held* is
the longest time for which a longer input holds the event loop, in Y. `n` stands for a number that counts up;
*mixed* pieces follow each other in a random order. Rows called *value* are forms with one value of the
greatest length, 65,536 octets.

The aim is at most 10 Y for 8 KiB under every policy. In this search, the presets keep to it; a search is no
proof, though. If few pairs of a long query are faulty, only these are judged again after an edit; this is
not so with more than 32 faults, or if the policy compares names or names a charset.
Policies that change more than the presets do cost more: rules for names are applied to each different name
(*names*, *patterns*; *many* changes very many kinds at once), and text is put into NFC (*NFC*, *combined*).
The rows with *100* have at most 100 pairs. The cost is proportional to the length under every policy. If it
is too high for your application, lower `Limits.octets` or `Limits.pairs`."""
HEAD: Final = "| what | input | Y | ns an octet | growth | held |\n|---|---|---:|---:|---:|---:|"

Run: TypeAlias = Callable[[bytes], object]
Stepwise: TypeAlias = Callable[[bytes], Steps[object]]

KIB: Final = 1024
TARGET: Final = 8 * KIB - 1
"""The length of a path without its slash, or of a query whose path is ``/``: together 8 KiB."""
FORM: Final = 64 * KIB
JSON: Final = 96 * KIB
FIELD: Final = 32 * KIB
"""The length of Cookie and Referer that the default limits allow."""
_UNIT: Final = "%C3%A9" * (8 * KIB // 6)
_SHOWN: Final = 60
"""The most characters of a piece that a table shows in full."""
_BESIDE: Final = 160
"""The most octets in front of the repeated pieces, and behind them."""
_WHOLE: Final = 8 * _BESIDE
"""No octets beside the repeated pieces have a longer text."""
_FOUND: Final = 24
"""How many of the most expensive inputs of a row are changed further."""
_MEASURED_AGAIN: Final = 8
"""How many of the most expensive inputs of a row are measured again at the end."""

PIECES: Final = [
    *(bytes([octet]) for octet in b"&;=+#?/\\.%[]{}<>\"'^`|:@!$,~ -_0149abceuQ\0\t\n\r\x01\x1b\x7f"),
    *(b"%%%02X" % octet for octet in b"\0\1\t\n\r\x1b\x7f /\\?#;.%&=+<[]:AaCe4~-"),
    *(b"%2f", b"%5c", b"%3a", b"%2e", b"%c3%a9", b"%7e", b"%6e", b"%61", b"%e9", b"%c4", b"%ff"),
    *(b"%C3%A9", b"%E2%80%AE", b"%EF%BF%BE", b"%E2%80%8B", b"%E2%80%A8", b"%C2%85", b"%EF%BC%8F"),
    *(b"%F0%9F%98%80",),
    *("é", "\u202e", "\u200b", "\u2028", "\x85", "\ufffe", "\uff0f", "起", "😀", "e\u0301"),
    *("\u0301", "\u0323", "\u0338", "\u0f73", "\u0344", "\ufdfa", "\ufdfb", "\uf900", "\U0001d160"),
    *(b"\xff", b"\xc3", b"\xa9", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xf0\x9f"),
    *(b"%C0%AF", b"%ED%A0%80", b"%F4%90%80%80", b"%E2%82", b"%C3", b"%A9", b"%C3\xa9", b"\xc3%a9"),
    *(b"%u0041", b"%u00e9", b"%u202e", b"%uD83D", b"%uDE00", b"%u0000", b"%uFFFE", b"%u12", b"%u", b"%u0034"),
    *(b"%zz", b"%4", b"%2", b"%%", b"%3d"),
    *(b"%2541", b"%252e", b"%25C3", b"%2520", b"%25u0041", b"%25%34%31", b"%25%35", b"e%CC%81"),
    *(b"%CC%81", b"%65%CC%A3", b"%CC%B8", b"%3C%CC%B8", b"%ud83d%ude00"),
    *(b"../", b"./", b"//", b"..;", b"con", b"con.", b"nul:", b"c:", b"::$", b"%63on", b".%20"),
    *(b"conin$", b"/%2e"),
    *(b"a=", b"q=", b"&a=", b"&utm_x=", b"a[]=", b"&&", b"a&", b"a=b&", b"__Host-a=", b"\\000", b"\\\""),
    *(b'"', b"; "),
]  # fmt: skip
PIECES[:] = [piece.encode() if isinstance(piece, str) else piece for piece in PIECES]
"""The pieces of which inputs consist."""


VALUE_FRAMES: Final = [(Frame(b"a=", b"", b"", is_value=True), PIECES)]
"""A form with one value of the greatest length that the default limits allow."""


@dataclass(frozen=True)
class Shape:
    """A recipe for an input."""

    pieces: tuple[bytes, ...]
    numbered: bool = False
    front: bytes = b""
    back: bytes = b""
    frame: int | None = None
    """The index of the frame in ``Row.frames`` that the pieces are put into."""
    between: bytes = b"&"
    """What is between the parts of an input above 8 KiB."""
    order: int | None = None
    """The seed of a random order of the pieces; without it, they are repeated in their own order."""

    def octets(self, size: int) -> bytes:
        """Return an input of at most ``size`` octets. Above 8 KiB it repeats a form of under 1 KiB."""
        if size > 8 * KIB:
            return self.between.join([self.octets(KIB - len(self.between))] * (size // KIB))
        room = max(0, size - len(self.front) - len(self.back))
        piece = b"".join(self.pieces)
        if self.order is not None:
            mixed = random.Random(self.order).choices(self.pieces, k=room)  # noqa: S311 - no secret
            ends = accumulate(map(len, mixed))
            body = b"".join(each for each, end in zip(mixed, ends, strict=True) if end <= room)
        elif self.numbered:
            body = b"".join(piece + b"%d" % number for number in range(room // (len(piece) + 1)))
            body = body[: body.rfind(piece, 0, room)] if len(body) > room else body
        else:
            body = piece * (room // len(piece))
        return self.front + body + self.back


@dataclass(frozen=True)
class Row:
    """One search: a component under a policy or setting."""

    name: str
    run: Run
    size: int = 8 * KIB
    steps: Stepwise | None = None
    """The same as ``run`` in steps, if the event loop runs other tasks between the steps."""
    frames: Sequence[tuple[Frame, Sequence[bytes]]] = ()
    """Frames, each with the pieces to put into it. Without frames, the pieces are ``PIECES``."""

    def octets(self, shape: Shape, size: int) -> bytes:
        """Return the input of a shape."""
        if shape.frame is None:
            return shape.octets(size)
        return self.frames[shape.frame][0].filled(b"".join(shape.pieces), size)

    @property
    def small(self) -> int:
        """The size of the smallest input with which growth is measured."""
        return 2 * KIB if self.size <= 8 * KIB else self.size // 4


@dataclass
class Found:
    """An input and its cost."""

    cost: float
    """The cost in Y, for each 8 KiB."""
    shape: Shape
    ns: float


def _with_patterns(policy: Policy) -> Policy:
    """Return a policy with a rule for each of eight letters, so that names have many different rules."""
    kinds = (
        *(Kind.NUL, Kind.CONTROL, Kind.TAB, Kind.INVISIBLE, Kind.SEMICOLON, Kind.MALFORMED_ESCAPE),
        *(Kind.ILLEGAL_CHARACTER, Kind.RAW_NON_ASCII),
    )
    for kind, letter in zip(kinds, "abceuQ01", strict=True):
        policy = policy.reporting(kind, names=[f"*{letter}*"])
    return policy


_DROPPED: Final = [
    *(Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8, Kind.BIDI_CONTROL, Kind.INVISIBLE, Kind.LINE_BREAK)
]
STANDARD, LENIENT, STRICT = Policy.STANDARD, Policy.LENIENT, Policy.STRICT
POLICIES: Final = {
    "STANDARD": STANDARD,
    "LENIENT": LENIENT,
    "STRICT": STRICT,
    "dropping": LENIENT.dropping(*_DROPPED),
    "replacing": STANDARD.replacing(Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8, Kind.NONCHARACTER),
    "spelling": STANDARD.repairing(Kind.SPELLING, Kind.RAW_BRACKET, Kind.EMPTY_PAIR, Kind.UNICODE_ESCAPE),
    "NFC": LENIENT.repairing(Kind.NOT_NFC, Kind.SPELLING),
    "duplicates": LENIENT.repairing(Kind.DUPLICATE_NAME, Kind.EMPTY_PAIR).keeping("last"),
    "reporting": STANDARD.reporting(
        *(kind for kind in Kind if any(Action.REPORT in each for each in kind.check.actions.values())
          and kind.check.components[0].value in {"path", "query", "form"})
    ),
    "accepting": STANDARD.accepting(LATIN).reporting(Kind.OUTSIDE_ACCEPTED_RANGE),
    "names": LENIENT.dropping_pairs(Kind.ILL_FORMED_UTF8, Kind.SEMICOLON, Kind.C1_CONTROL, names=["a*", "*1"])
    .rejecting(Kind.NUL, names=["q"])
    .accepting(LATIN, names=["utm_*", "a"]),
    "patterns": _with_patterns(LENIENT),
    "combined": LENIENT.dropping(*_DROPPED)
    .repairing(Kind.NOT_NFC, Kind.SPELLING, Kind.DUPLICATE_NAME)
    .dropping_pairs(Kind.UNICODE_ESCAPE, names=["q", "a*"]),
    "structure": LENIENT.repairing(Kind.PATH_PARAMETER, Kind.ENCODED_SLASH, Kind.SPELLING),
}  # fmt: skip
POLICIES["combined-100"] = POLICIES["combined"].limiting(pairs=100)
_MANY: Final = (
    LENIENT.reporting(Kind.NOT_NFC, Kind.DUPLICATE_NAME, on=Component.QUERY)
    .dropping_pairs(Kind.EMPTY_NAME, Kind.NAME_LINE_BREAK, on=Component.QUERY)
    .dropping_pairs(Kind.ILLEGAL_CHARACTER, on=Component.QUERY, names=["*"])
    .dropping(Kind.ILL_FORMED_UTF8, on=Component.QUERY)
    .repairing(Kind.RAW_NON_ASCII, on=Component.QUERY)
    .accepting(ASCII, names=["*a"], on=Component.QUERY)
    .accepting(LATIN, names=["*", "a"], on=Component.QUERY)
    .charset("koi8-r", names=["*a"])
)


def rows() -> Iterator[Row]:
    """Yield every search."""
    for name, policy in POLICIES.items():
        yield Row(f"{name} path", _path(Normalizer(policy).normalize), TARGET)
        yield Row(f"{name} query", _query(Normalizer(policy)), TARGET)
        form = FormRules(policy, Forms())
        yield Row(f"{name} form", form.judge, FORM, form.judging)
        yield Row(f"{name} value", form.judge, FORM, form.judging, VALUE_FRAMES)
    yield Row("many query", _query(Normalizer(_MANY)), TARGET)
    for name, policy in (("names", POLICIES["names"]), ("patterns", POLICIES["patterns"]), ("many", _MANY)):
        yield Row(f"{name}-100 query", _query(Normalizer(policy.limiting(pairs=100))), TARGET)
    for name in ("STRICT", "STANDARD", "LENIENT", "reporting"):
        parts = part_steps(POLICIES[name])
        yield Row(
            f"{name} multipart", lambda octets, parts=parts: finished(parts(octets)), FORM, parts, PART_FRAMES
        )
    judged = {"STRICT": STRICT, "STANDARD": STANDARD, "LENIENT": LENIENT, "reporting": REPORTING}
    for name, policy in judged.items():
        json = json_steps(policy)
        yield Row(f"{name} JSON", _whole(json), JSON, json, JSON_FRAMES)
        both = both_steps(policy)
        yield Row(f"{name} JSON in a form", _whole(both), JSON, both, FORM_FRAMES)
    routed = RoutedNormalizer(STANDARD, {"/{id}/files": LENIENT, "/a/b/c": STRICT})
    preserving = Normalizer(LENIENT.preserving(Kind.ENCODED_SLASH).repairing(Kind.PATH_PARAMETER))
    yield Row("preserving path", _path(preserving.normalize), TARGET)
    yield Row("routes path", _path(routed.normalize), TARGET)
    fields = FieldRules({"cookie": Action.DROP_PAIR, "referer": Action.REJECT})
    yield Row("cookies", _field(fields, "cookie"))
    yield Row("referer", _field(fields, "referer"))
    for name, field in ("cookies", "cookie"), ("referer", "referer"):
        run = _field(fields, field)
        yield Row(f"long {name}", run, FIELD, _at_once(run))
    yield Row("header names", _names, FIELD, _at_once(_names))
    hosts = Hosts(["example.com", "*.example.com"])
    yield Row("host", lambda octets: (hosts.accepts(octets), fault_of(octets, "1.1")))


def _whole(steps: Stepwise) -> Run:
    return lambda octets: finished(steps(octets))


def _path(normalize: Callable[[Target], object]) -> Run:
    return lambda octets: normalize(Target(b"/" + octets))


def _query(normalizer: Normalizer) -> Run:
    return lambda octets: normalizer.normalize(Target(b"/", octets))


def _names(octets: bytes) -> object:
    return of_names(octets.split(b"&")[: STANDARD.limits.fields], STANDARD, 9)


def _at_once(run: Run) -> Stepwise:
    def steps(octets: bytes) -> Steps[object]:
        run(octets)
        yield from ()
        return None

    return steps


def _field(rules: FieldRules, name: str) -> Run:
    return lambda octets: rules.proves([octets]) or rules.judge(name, [octets])


def cost(run: Run, octets: bytes, times: int = 1) -> tuple[float, float]:
    """Return the cost of an input: in Y for each 8 KiB, and in nanoseconds for each octet."""
    best = unit = float("inf")
    for _ in range(times):
        begin = time.process_time()
        try:
            run(octets)
        except Exception as error:
            error.add_note(f"The input was {octets!r}")  # the search may not come across it again
            raise
        between = time.process_time()
        unquote(_UNIT)
        best, unit = min(best, between - begin), min(unit, time.process_time() - between)
    unit = min(unit, 2 * _quickest(unit))
    return best / unit / (len(octets) / (8 * KIB)), best / len(octets) * 1e9


_UNITS: Final[list[float]] = []


def _quickest(unit: float) -> float:
    """Return the median of the last 15 measurements of Y; a single disturbed one would mislead."""
    _UNITS.append(unit)
    del _UNITS[:-15]
    return sorted(_UNITS)[len(_UNITS) // 2]


def held(steps: Stepwise, octets: bytes) -> float:
    """Return the longest time for which an input holds the event loop, in Y."""
    best = unit = float("inf")
    for _ in range(3):
        longest, judging = 0.0, steps(octets)
        while True:
            begin = time.process_time()
            done = next(judging, "done") is not None
            longest = max(longest, time.process_time() - begin)
            if done:
                break
        begin = time.process_time()
        unquote(_UNIT)
        best, unit = min(best, longest), min(unit, time.process_time() - begin)
    return best / min(unit, 2 * _quickest(unit))


def search(row: Row, seconds: float, chance: random.Random) -> list[Found]:
    """Search for the most expensive inputs of a row, and return them, the most expensive one first."""
    found: list[Found] = []
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        improving = left < seconds / 2 and found
        shape = (
            _changed(chance.choice(found[:_FOUND]).shape, row, chance) if improving else _random(row, chance)
        )
        octets = row.octets(shape, row.size)
        if len(octets) < row.size // 2 or any(each.shape == shape for each in found):
            continue
        times, ns = cost(row.run, octets)
        if len(found) < _FOUND or times > found[-1].cost:
            times, ns = cost(row.run, octets, 3)
            found.append(Found(times, shape, ns))
            found.sort(key=lambda each: -each.cost)
            del found[_FOUND:]
    return found


def again(row: Row, found: Sequence[Found], times: int = 25) -> list[Found]:
    """Measure the most expensive inputs more often, and return them, the most expensive one first.

    The search keeps what it has measured as expensive, so it also keeps what was disturbed while it was
    measured. Disturbances only add time, so the shortest of many measurements is the most accurate.
    """
    measured = [
        Found(costs, each.shape, ns)
        for each in found[:_MEASURED_AGAIN]
        for costs, ns in [cost(row.run, row.octets(each.shape, row.size), times)]
    ]
    return sorted(measured, key=lambda each: -each.cost)


def _random(row: Row, chance: random.Random) -> Shape:
    order = chance.randrange(2**32) if not row.frames and chance.random() < 0.2 else None
    many = chance.choice((1, 2, 2, 3, 3) if order is None else (6, 8, 10, 12))
    if row.frames:
        frame = chance.randrange(len(row.frames))
        return Shape(tuple(chance.choices(row.frames[frame][1], k=many)), frame=frame)
    pieces = tuple(chance.choice(PIECES) for _ in range(many))
    # Few faults of very many kinds cost more than they would among others: all of them are located.
    front = b"".join(chance.choice(PIECES) for _ in range(chance.choice((0, 0, 1, 2, 8))))
    back = b"".join(chance.choice(PIECES) for _ in range(chance.choice((0, 0, 1, 8, 20))))
    between = chance.choice((b"&", b"&", b"&", b"&&"))
    return Shape(pieces, order is None and chance.random() < 0.2, front, back, None, between, order)


def _changed(shape: Shape, row: Row, chance: random.Random) -> Shape:
    pieces = list(shape.pieces)
    others = PIECES if shape.frame is None else row.frames[shape.frame][1]
    place = chance.randrange(len(pieces))
    match chance.randrange(6):
        case 0:
            pieces[place] = chance.choice(others)
        case 1 if len(pieces) < 4 or shape.order is not None:
            pieces.insert(place, chance.choice(others))
        case 2 if len(pieces) > 1:
            del pieces[place]
        case 3 if shape.frame is None:
            return replace(shape, front=_beside(shape.front, chance))
        case 4 if shape.frame is None:
            return replace(shape, back=_beside(shape.back, chance))
        case _:
            pieces[place] = (
                pieces[place] + pieces[place][-1:] if chance.random() < 0.5 else b"a" + pieces[place]
            )
    if shape.frame is not None:
        return replace(shape, pieces=tuple(pieces))
    if shape.order is not None:
        return replace(shape, pieces=tuple(pieces), order=chance.randrange(2**32))
    return replace(shape, pieces=tuple(pieces), numbered=shape.numbered != (chance.random() < 0.05))


def _beside(octets: bytes, chance: random.Random) -> bytes:
    """Change what is in front of the repeated pieces, or behind them."""
    match chance.randrange(4):
        case 0:
            return b""
        case 1:
            return chance.choice(PIECES)
        case 2:
            return (octets + chance.choice(PIECES))[-_BESIDE:]
        case _:
            return (chance.choice(PIECES) + octets)[:_BESIDE]


def growth(row: Row, shape: Shape) -> float:
    """Return the cost of an octet divided by its cost in shorter inputs; 1 is linear.

    The most expensive of three inputs of about a quarter of the length counts, because an input that is cut
    elsewhere may be refused earlier.
    """
    sizes = row.small, row.small * 5 // 4, row.small * 3 // 2, row.size
    best = dict.fromkeys(sizes, float("inf"))
    for _ in range(20):  # in turn, because the speed of a machine changes
        for size in sizes:
            best[size] = min(best[size], cost(row.run, row.octets(shape, size))[1])
    return best.pop(row.size) / max(best.values())


def _shown(row: Row, shape: Shape) -> str:
    text = " ".join(map(_text, shape.pieces)) + (" n" if shape.numbered else "")
    text = text if shape.order is None else f"mixed {shape.order}: {text}"
    if shape.frame is not None:
        opens, between, closes, _ = row.frames[shape.frame][0]
        repeated = f"{text} {_text(between)}" if between else text
        return f"{_text(opens)} + ({repeated})* + {_text(closes)}"
    front = f"{_text(shape.front, _WHOLE)} + " if shape.front else ""
    back = f" + {_text(shape.back, _WHOLE)}" if shape.back else ""
    return f"{front}({text})*{back}"


def _text(octets: bytes, most: int = _SHOWN) -> str:
    text = repr(octets)[1:].replace("|", "\\|")
    # Some pieces of JSON are long, and repeat a few octets.
    return text if len(text) <= most else f"{text[: most // 2]}...' of {len(octets)} octets"


def _merged(section: str, lines: Sequence[str]) -> list[str]:
    """Return the lines of the table in a section, with those of the same rows replaced, and the new rows."""
    new = {line.split(" | ")[0]: line for line in lines}
    old = [line for line in section.splitlines() if line.startswith("|")]
    return [new.pop(line.split(" | ")[0], line) for line in old] + [*new.values()]


def main() -> int:
    """Search, print the table, and return 1 if a bound is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=240, help="for all rows together")
    parser.add_argument("--only", nargs="*", default=[], help="rows whose name holds each of these words")
    parser.add_argument("--top", type=int, default=1, help="how many inputs of each row are shown")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--bound", type=float, default=10.0, help="in Y")
    parser.add_argument("--write", type=Path, help="the page whose section the table becomes")
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - inputs, no secrets
    wanted = [row for row in rows() if all(word in row.name.split() for word in options.only)]
    lines = [HEAD]
    sys.stdout.write(HEAD + "\n")
    above = 0
    for row in wanted:
        for found in again(row, search(row, options.seconds / len(wanted), chance))[: options.top]:
            grown = growth(row, found.shape)
            most = 0.0 if row.steps is None else held(row.steps, row.octets(found.shape, row.size))
            above += found.cost > options.bound or grown > 1.1 or most > 4 * options.bound
            cells = (
                row.name,
                f"`{_shown(row, found.shape)}`",
                f"{found.cost:.1f}",
                f"{found.ns:.0f}",
                f"{grown:.2f}",
                f"{most:.1f}" if row.steps else "-",
            )
            lines.append(f"| {' | '.join(cells)} |")
            sys.stdout.write(lines[-1] + "\n")
            sys.stdout.flush()
    if options.write is not None:
        searched = f"The search had {options.seconds / len(wanted):.0f} seconds for each row."
        page = options.write.read_text("utf-8")
        table = _merged(section_of(page, TITLE), lines[1:]) if options.only else lines
        section = "\n\n".join([TITLE, INTRODUCTION, searched, "\n".join(table)]) + "\n\n"
        options.write.write_text(with_section(page, TITLE, section), "utf-8")
    return int(above > 0)


if __name__ == "__main__":
    sys.exit(main())
