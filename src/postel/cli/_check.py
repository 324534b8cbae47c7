"""``postel check``: what a policy makes of URLs, and why."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from typing import Final

from postel import Accepted, Action, Kind, Normalizer, Policy, PolicyError, Rejected, Target
from postel._advice import Adviser
from postel._printable import octets_of
from postel.cli._command import FINE, REFUSED, Command, Parser
from postel.cli._console import Console
from postel.cli._given import expect_texts, given_by
from postel.cli._judgement import Judgement
from postel.cli._url import Url

_RUN: Final = re.compile(rb"//++")
_URL: Final = re.compile(rb"(?::|%3[Aa])//")
_SLASHES: Final = frozenset({Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT})


def policy_of(text: str) -> Policy:
    """Read a policy from an argument."""
    try:
        return Policy.parse(text)
    except PolicyError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _expect(parser: Parser) -> None:
    parser.add_argument(
        "--policy",
        type=policy_of,
        default=Policy.STANDARD,
        metavar="TEXT",
        help="the policy to judge by, such as 'lenient nul=reject'; standard by default",
    )
    expect_texts(parser, "URL")


def _run(args: argparse.Namespace, console: Console) -> int:
    policy: Policy = args.policy
    text = str(policy)
    normalizer, adviser = Normalizer(policy), Adviser(policy)
    code = FINE
    for number, given in enumerate(given_by(args.texts)):
        url = Url.of(octets_of(given.text))
        outcome = normalizer.normalize(url.target)
        if isinstance(outcome, Rejected):
            code = REFUSED
        merged = _merged(url.target, outcome, normalizer)
        judgement = Judgement(url, text, outcome, adviser.advise(url.target, outcome), merged)
        if args.json:
            console.out.json(judgement.as_json())
            continue
        if number:
            console.out.line()
        for line in judgement.lines(given.place, console.out):
            console.out.line(line)
    return code


def _merged(target: Target, outcome: Accepted | Rejected, normalizer: Normalizer) -> Accepted | None:
    """What GET and HEAD are redirected to, where slashes side by side are the only reason to refuse."""
    rejected = {each.kind for each in outcome.findings if each.action is Action.REJECT}
    path = _RUN.sub(b"/", target.path)
    if not rejected or not rejected <= _SLASHES or path == target.path or _URL.search(target.path):
        return None
    merged = normalizer.normalize(replace(target, path=path))
    return merged if isinstance(merged, Accepted) else None


CHECK: Final = Command(
    name="check",
    summary="judge URLs, and say what is wrong and what would be read",
    details="A URL is a whole one, or a path and query as a server receives them.",
    example="""\
$ postel check 'http://example.com/caf%C3%A9?q=C%2B%2B+now'
accepted: http://example.com/caf%C3%A9?q=C%2B%2B+now
  policy  standard
  path    "/café"
  pair    "q" = "C++ now"
  target  /caf%C3%A9?q=C%2B%2B+now""",
    expect=_expect,
    run=_run,
)
