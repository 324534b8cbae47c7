"""Properties of any octets, one function each, which raises if they are violated.

The first octet of an input selects one of the policies. The rest is the path, the query, the form, the text
of a policy, or the log.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from typing import Final
from urllib.parse import parse_qsl, unquote

from laws.checks import total_and_lawful
from postel import LATIN, Accepted, Action, Forms, Json, Kind, Normalizer, Policy, PolicyError, Target, form
from postel._alphabet.steps import finished
from postel._bodies.json import JsonRules
from postel._bodies.multipart import MultipartRules
from postel._bodies.urlencoded import FormRules
from postel.scan import Tally
from postel.scan._counting import Count
from postel.scan._detection import FORMATS, format_for
from postel.scan._judging import Judge
from postel.scan._line import LineFormat
from postel.scan._opening import LogError
from postel.scan._reading import count_blocks

POLICIES: Final = (
    Policy.STANDARD,
    Policy.STRICT,
    Policy.LENIENT,
    Policy.STANDARD.preserving(Kind.ENCODED_SLASH),
    Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME, Kind.PATH_PARAMETER),
    Policy.STANDARD.replacing(Kind.ILL_FORMED_UTF8).repairing(Kind.UNICODE_ESCAPE),
    Policy.LENIENT.dropping(Kind.NUL).accepting(LATIN),
    Policy.STRICT.allowing(Kind.MALFORMED_ESCAPE, Kind.ILLEGAL_CHARACTER).limiting(segments=4, pairs=3),
    Policy.LENIENT.local(names=["q", "next"]),
)
"""The presets, and policies with combinations of rules that no preset has."""
NORMALIZERS: Final = tuple(map(Normalizer, POLICIES))
FORMS: Final = tuple(FormRules(policy, Forms(charsets=["windows-1252"])) for policy in POLICIES)
JSON: Final = tuple(JsonRules(policy, Json(depth=8, members=4, name=16, number=30)) for policy in POLICIES)
MULTIPART: Final = tuple(MultipartRules(policy, Forms(parts=8, headers=4)) for policy in POLICIES)
PRESETS: Final = 3
"""How many of the policies are presets. Only accepted inputs of presets must have one meaning."""


def chosen(octets: bytes) -> tuple[int, bytes]:
    """Return the number of the policy, and the rest of the input."""
    return (octets[0] % len(POLICIES) if octets else 0), octets[1:]


def path(octets: bytes) -> None:
    """Laws 1 to 5; and no path that a preset accepts has dot segments or NUL, or decodes to another path."""
    number, rest = chosen(octets)
    outcome = total_and_lawful(NORMALIZERS[number], Target(path=rest))
    if isinstance(outcome, Accepted) and number < PRESETS:
        target = outcome.target
        plain = (
            target.path_text.replace("%2F", "/").replace("%25", "%") if target.preserved else target.path_text
        )
        assert unquote(target.path.decode("ascii"), errors="strict") == plain, outcome
        assert not {".", ".."} & {*re.split(r"[/\\]", plain)}, outcome
        assert "\0" not in plain, outcome


def query(octets: bytes) -> None:
    """Laws 1 to 5; and urllib and form.parse read the same pairs from an accepted query."""
    number, rest = chosen(octets)
    outcome = total_and_lawful(NORMALIZERS[number], Target(b"/", rest))
    if isinstance(outcome, Accepted) and number < PRESETS:
        target = outcome.target
        assert target.query.isascii(), outcome
        assert parse_qsl(target.query.decode("ascii"), keep_blank_values=True) == [*target.pairs], outcome
        assert form.parse(target.query) == [*target.pairs], outcome


def form_body(octets: bytes) -> None:
    """Laws 1, 3 and 5, for the whole form and in blocks; and form.parse reads any octets as urllib does."""
    number, rest = chosen(octets)
    rules = FORMS[number]
    judged = rules.judge(rest)
    if not judged.recoded:
        for finding in judged.findings:
            assert rest[finding.offset : finding.offset + len(finding.excerpt)] == finding.excerpt, finding
    in_blocks = rules.judge(rest, block=16)
    assert in_blocks.octets == judged.octets, (judged, in_blocks)
    if judged.octets is None:
        assert any(finding.action is Action.REJECT for finding in judged.findings), judged
    else:
        assert rules.judge(judged.octets).octets == judged.octets, judged
        if number < PRESETS:
            assert judged.octets.isascii(), judged
            assert parse_qsl(judged.octets.decode("ascii"), keep_blank_values=True) == form.parse(
                judged.octets
            )
    read = parse_qsl(rest.decode("latin-1"), keep_blank_values=True, encoding="latin-1")
    pairs = form.parse(rest)
    assert pairs == [(decoded(name), decoded(value)) for name, value in read]
    assert form.parse(form.serialize(pairs, crlf=False)) == pairs


def json_body(octets: bytes) -> None:
    """Laws 1, 3, 4 and 5; and Python reads every accepted body, under STANDARD without repeated names."""
    number, rest = chosen(octets)
    rules = JSON[number]
    judged = rules.judge(rest)
    for finding in judged.findings:
        assert rest[finding.offset : finding.offset + len(finding.excerpt)] == finding.excerpt, finding
    if judged.octets is None:
        assert any(finding.action is Action.REJECT for finding in judged.findings), judged
        return
    again = rules.judge(judged.octets)
    assert again.octets == judged.octets, judged
    assert {finding.action for finding in again.findings} <= {Action.REPORT}, again
    value = json.loads(judged.octets.decode("utf-8"), object_pairs_hook=dict if number else once)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


def multipart_body(octets: bytes) -> None:
    """Laws 1, 3, 4 and 5; and the verdict is the same whether the body comes whole or octet by octet."""
    number, rest = chosen(octets)
    rules = MULTIPART[number]
    judged = rules.judge(rest, b"zz")
    for finding in judged.findings:
        assert rest[finding.offset : finding.offset + len(finding.excerpt)] == finding.excerpt, finding
    parser = rules.parser(b"zz")
    for octet in rest:
        parser.add(bytes((octet,)))
        finished(parser.parsing())
    parser.close()
    assert (finished(rules.judging(parser)).respelled is None) == (judged.octets is None), judged
    if judged.octets is None:
        assert any(finding.action is Action.REJECT for finding in judged.findings), judged
        return
    again = rules.judge(judged.octets, b"zz")
    assert again.octets == judged.octets, judged
    assert {finding.action for finding in again.findings} <= {Action.REPORT}, again


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


def decoded(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", "replace")


def policy_text(octets: bytes) -> None:
    """A text either raises PolicyError, or makes a policy whose own text makes the same policy."""
    text = octets.decode("utf-8", "surrogateescape")
    try:
        policy = Policy.parse(text)
    except PolicyError:
        return
    again = Policy.parse(str(policy))
    assert again == policy, text
    assert str(again) == str(policy), text
    assert hash(again) == hash(policy)
    total_and_lawful(Normalizer(policy), Target(b"/a%2F..//b;c/%u00e9%00", b"a=%C4&a=1&&q=%zz;%E2%80%AE+"))


NOTHING: Final = Tally(Policy.STANDARD)
JUDGE: Final = Judge(Policy.STANDARD)
"""One judge for all inputs, because it remembers verdicts while a log is read."""


def log_lines(octets: bytes) -> None:
    """Each line of any log is counted, as a request or as unreadable; two parts give the same counts."""
    try:
        found = format_for(octets, None)
    except LogError:
        found = FORMATS["combined"]  # If no format is detected, a user may still name one.
    whole = counted([octets], found)
    assert whole.lines == whole.requests + sum(whole.unreadable.values())
    assert whole.clean <= whole.requests
    front, mark, rest = octets.partition(b"\n")
    assert counted([front + mark, rest], found).lines == whole.lines


def counted(blocks: list[bytes], found: LineFormat) -> Tally:
    """Return the tally of a log that is read block by block, in a format."""
    tally = deepcopy(NOTHING)
    count_blocks(blocks, Count(JUDGE, found, tally))
    return tally


INVARIANTS: Final[dict[str, Callable[[bytes], None]]] = {
    "path": path,
    "query": query,
    "form": form_body,
    "json": json_body,
    "multipart": multipart_body,
    "policy": policy_text,
    "log": log_lines,
}
