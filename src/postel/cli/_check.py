"""``postel check``: judge URLs under a policy, and say why."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

from postel import Normalizer, Policy, Rejected
from postel._alphabet.printable import argument_octets
from postel._http.slashes import merged_redirect
from postel._normalizer.advice import Adviser
from postel.cli._body import BodyJudgement, JudgeBody, judged_as_both, judged_as_form, judged_as_json
from postel.cli._command import FINE, REFUSED, Command, Parser
from postel.cli._console import Console
from postel.cli._input import expect_texts, inputs_of
from postel.cli._judgement import Judgement
from postel.cli._policy_argument import expect_policy
from postel.cli._url import Url


def _expect_options(parser: Parser) -> None:
    expect_policy(parser)
    parser.add_argument(
        "--form",
        action="store_true",
        help="judge forms instead of URLs, as forms=True does; standard input is one body; a body that "
        "begins with a boundary is a multipart form",
    )
    parser.add_argument(
        "--json-body",
        action="store_true",
        help="judge JSON bodies instead of URLs, as json=True does; standard input is one body; together "
        "with --form, judge forms that may also be JSON",
    )


def _run(args: argparse.Namespace, console: Console) -> int:
    return _run_bodies(args, console) if args.form or args.json_body else _run_urls(args, console)


def _run_bodies(args: argparse.Namespace, console: Console) -> int:
    code = FINE
    judge: JudgeBody = judged_as_form if args.form else judged_as_json
    if args.form and args.json_body:
        judge = judged_as_both
    texts: list[str] = [] if args.texts == ["-"] else args.texts
    for number, given in enumerate(inputs_of(texts, whole=True)):
        judgement = BodyJudgement.of(argument_octets(given.text), args.policy, judge)
        if judgement.is_refused:
            code = REFUSED
        if args.json:
            console.out.json(judgement.as_json())
            continue
        if number:
            console.out.line()
        for line in judgement.lines(given.place, console.out):
            console.out.line(line)
    return code


def _run_urls(args: argparse.Namespace, console: Console) -> int:
    policy: Policy = args.policy
    text = str(policy)
    normalizer, adviser = Normalizer(policy), Adviser(policy)
    code = FINE
    texts: list[str] = [] if args.texts == ["-"] else args.texts
    for number, given in enumerate(inputs_of(texts)):
        url = Url.of(argument_octets(given.text))
        outcome = normalizer.normalize(url.target)
        if isinstance(outcome, Rejected):
            code = REFUSED
        advice = adviser.advise(url.target, outcome)
        judgement = Judgement(url, text, outcome, advice, merged_redirect(url.target, outcome, normalizer))
        if args.json:
            console.out.json(judgement.as_json())
            continue
        if number:
            console.out.line()
        for line in judgement.lines(given.place, console.out):
            console.out.line(line)
    return code


CHECK: Final = Command(
    name="check",
    summary="judge URLs: show their faults, and what an application reads",
    details="A URL is absolute, or a path and query as a server receives them. The host of an\n"
    "absolute URL is not judged. '-' reads standard input.",
    example="""\
$ postel check 'http://example.com/caf%C3%A9?q=C%2B%2B+now'
accepted: http://example.com/caf%C3%A9?q=C%2B%2B+now
  policy  standard
  path    "/café"
  pair    "q" = "C++ now"
  target  /caf%C3%A9?q=C%2B%2B+now""",
    options=_expect_options,
    arguments=partial(expect_texts, what="URL"),
    run=_run,
)
