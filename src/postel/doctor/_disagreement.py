"""Disagreements: what an application itself has shown to read in two ways, and what closes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from postel import Action, Component, Kind, Policy
from postel.doctor._catalogue import COOKIES, cve_of
from postel.doctor._request import Request

_LEAVING: Final = frozenset({Action.ALLOW, Action.REPORT})
_RULED: Final = frozenset(Component) - {Component.COOKIE, Component.REFERER}
"""What a policy rules; the others are ruled by ``headers=``."""
_DETECTED: Final = 'rebuilt_urls="detect"'
"""What refuses escaped delimiters beside a policy, by default, where Starlette reads them otherwise."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A finding: an application answers a request in a way that only its second meaning explains.

    ``rule`` names the check, and ``title`` the second meaning. ``request`` is the one that shows it, and
    ``plain`` the one to compare. ``saw`` says who read what, and ``why`` what an attacker gains by it.
    ``known`` is a published fault of the same shape, where the kinds name none. ``others`` is the number of
    other requests of the same kinds that do the same, as a whole number.

    >>> from postel import Policy
    >>> from postel.doctor import examine
    >>> async def app(scope, receive, send):
    ...     kept = scope["raw_path"] == b"/admin"
    ...     status = 403 if kept else 200 if scope["path"] == "/admin" else 404
    ...     await send({"type": "http.response.start", "status": status, "headers": []})
    >>> found = examine(app, routes=["/admin"]).bare[0]
    >>> found.title, found.clause(Policy.STANDARD)
    ('a guard is passed by an escaped letter', 'spelling=repair')
    """

    rule: str
    title: str
    request: Request
    plain: Request
    saw: tuple[str, ...]
    why: str
    kinds: tuple[Kind, ...] = ()
    """What a policy judges the request by; none where the application has to be changed."""
    setting: str = ""
    """What the middleware needs beside a policy."""
    remedy: str = ""
    """What to do where no kind of fault says it."""
    known: str = ""
    others: int = 0

    @property
    def cve(self) -> str:
        """A published fault of the same shape; empty if none is known."""
        return self.known or cve_of(self.kinds)

    def clause(self, policy: Policy, *, is_gone: bool = False) -> str:
        """What closes it: a clause that the policy has, or one to add, which ``is_gone`` rules out."""
        return closing(self.kinds, self.setting, policy, is_gone=is_gone) if self.kinds else self.remedy

    def as_json(self, policy: Policy, *, is_gone: bool = False) -> dict[str, object]:
        """The finding for machines; ``is_gone`` says that the policy has closed it."""
        return {
            "rule": self.rule,
            "title": self.title,
            "request": self.request.line(),
            "plain": self.plain.line(),
            "saw": list(self.saw),
            "why": self.why,
            "kinds": [kind.slug for kind in self.kinds],
            "clause": self.clause(policy, is_gone=is_gone),
            "cve": self.cve,
            "curl": self.request.curl(),
            "others": self.others,
        }

    def key(self) -> str:
        """A name for baselines, which stays the same from run to run."""
        kinds = "+".join(kind.slug for kind in self.kinds) or "-"
        return f"{self.rule} {self.plain.line()} {kinds}"


def closing(kinds: tuple[Kind, ...], setting: str, policy: Policy, *, is_gone: bool = False) -> str:
    """The clauses about some kinds: those that a policy has, or else those to add; and the setting.

    ``is_gone`` says that nothing was left behind the policy, so that nothing has to be added.

    >>> closing((Kind.PATH_PARAMETER,), "", Policy.STANDARD)
    'add path-parameter=reject'
    """
    if setting == COOKIES:  # a policy rules no cookies
        return setting
    clauses = [clause for kind in kinds for clause in _clauses(kind, policy, is_gone=is_gone)]
    return ", ".join([*clauses, *([f"with {setting}"] if setting else [])])


def _clauses(kind: Kind, policy: Policy, *, is_gone: bool) -> list[str]:
    ruled = [component for component in kind.check.components if component in _RULED]
    judging = {policy.action(kind, component) for component in ruled} - _LEAVING
    if judging:
        return [f"{kind.slug}={max(judging, key=list(Action).index).value}"]
    if is_gone and kind is Kind.ENCODED_DELIMITER:
        return [_DETECTED]
    return [f"add {kind.slug}=reject"] if ruled else []
