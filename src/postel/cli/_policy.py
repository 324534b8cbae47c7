"""``postel policy``: print the table of a policy, and its shortest text."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Final

from postel import Kind, Policy, PolicyError, policy_table
from postel._policy.rules import COMPONENTS
from postel.cli._command import FINE, Command, no_arguments
from postel.cli._console import Console
from postel.cli._input import expect_texts, inputs_of
from postel.cli._policy_argument import policy_argument, policy_of


def _run(args: argparse.Namespace, console: Console) -> int:
    # A line of standard input is data, so it cannot name a file.
    policies = _given(args.texts) if args.texts else (policy_of(each.text) for each in inputs_of(()))
    for number, policy in enumerate(policies):
        if args.json:
            console.out.json(_as_json(policy))
            continue
        if number:
            console.out.line()
        for line in policy_table(policy).split("\n"):
            console.out.line(line)
    return FINE


def _given(texts: Sequence[str]) -> list[Policy]:
    """Read all arguments; an error says if together they are one policy, which lacks its quotes."""
    try:
        return [policy_argument(text) for text in texts]
    except argparse.ArgumentTypeError:
        whole = " ".join(texts)
        if len(texts) == 1 or not _is_policy(whole):
            raise
    raise argparse.ArgumentTypeError(f"each argument is one policy; quote this one: {whole!r}")


def _is_policy(text: str) -> bool:
    with suppress(PolicyError):
        Policy.parse(text)
        return True
    return False


def _as_json(policy: Policy) -> dict[str, object]:
    return {
        "policy": str(policy),
        "kinds": {
            kind.slug: {
                component.value: policy.action(kind, component).value
                for component in COMPONENTS
                if component in kind.check.components
            }
            for kind in Kind
            if not {*COMPONENTS}.isdisjoint(kind.check.components)
        },
        "names": [
            {
                "kind": rule.kind.slug,
                "component": rule.component.value,
                "name": rule.pattern.text,
                "action": rule.action.value,
            }
            for rule in policy.rules
        ],
        "accept": [
            {
                "component": each.component.value,
                "name": each.pattern.text if each.pattern else None,
                "characters": str(each.characters),
            }
            for each in policy.acceptances
        ],
        "charsets": [{"name": each.pattern.text, "charset": each.charset} for each in policy.charsets],
        "limits": asdict(policy.limits),
        "keep": policy.keep,
    }


POLICY: Final = Command(
    name="policy",
    summary="print a policy as a table",
    details="The first line is the shortest text of the same policy.",
    example="""\
$ postel policy 'lenient nul@query[id]=reject limit.pairs=100'""",
    options=no_arguments,
    arguments=partial(expect_texts, what="TEXT", note="a policy, or @FILE; "),
    run=_run,
)
