"""Disagreements: requests that the application reads in two ways, and the clause that closes each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from postel import Action, Kind, Policy
from postel._policy.rules import COMPONENTS
from postel.doctor._catalogue import COOKIES, cve_of
from postel.doctor._request import Request

_LEAVING: Final = frozenset({Action.ALLOW, Action.REPORT})
_DETECTED: Final = 'rebuilt_urls="detect"'
"""The default setting that refuses escaped delimiters if Starlette misreads them."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A finding: an answer that shows that the application read a request in two ways.

    ``rule`` names the check, and ``title`` says what went wrong. ``request`` is the request that was read in
    two ways, and ``plain`` an ordinary one beside it. ``saw`` says what was answered and which place read
    what, and ``why`` says what an attacker gains. ``known`` is a published vulnerability of the same form, if
    the kinds do not name one. ``others`` counts the other requests of the same kinds with the same effect.

    >>> from postel import Policy
    >>> from postel.doctor import examine
    >>> async def app(scope, receive, send):
    ...     kept = scope["raw_path"] == b"/admin"
    ...     status = 403 if kept else 200 if scope["path"] == "/admin" else 404
    ...     await send({"type": "http.response.start", "status": status, "headers": []})
    >>> found = examine(app, routes=["/admin"]).bare[0]
    >>> found.title, found.clause(Policy.STANDARD)
    ('a guard is bypassed by an escaped letter', 'spelling=repair')
    """

    rule: str
    title: str
    request: Request
    plain: Request
    saw: tuple[str, ...]
    why: str
    kinds: tuple[Kind, ...] = ()
    """The kinds by which a policy judges the request; empty if no kind covers it."""
    setting: str = ""
    """A setting that the middleware needs besides a policy."""
    remedy: str = ""
    """What to do if no kind covers the request."""
    known: str = ""
    others: int = 0

    @property
    def cve(self) -> str:
        """A published vulnerability of the same form; empty if none is known."""
        return self.known or cve_of(self.kinds)

    def clause(self, policy: Policy, *, is_gone: bool = False) -> str:
        """Return the clause that closes the finding; ``is_gone`` says that the policy has closed it."""
        return closing(self.kinds, self.setting, policy, is_gone=is_gone) if self.kinds else self.remedy

    def as_json(self, policy: Policy, *, is_gone: bool = False) -> dict[str, object]:
        """Return the finding as an object for JSON; ``is_gone`` says that the policy has closed it."""
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
        """Return a key for baselines, which is the same in every run."""
        kinds = "+".join(kind.slug for kind in self.kinds) or "-"
        return f"{self.rule} {self.plain.line()} {kinds}"


def closing(kinds: tuple[Kind, ...], setting: str, policy: Policy, *, is_gone: bool = False) -> str:
    """Return the clauses that close these kinds, with ``add`` before missing ones, and the setting.

    ``is_gone`` says that nothing was found behind the policy, so no clause needs to be added.

    >>> closing((Kind.PATH_PARAMETER,), "", Policy.STANDARD)
    'add path-parameter=reject'
    """
    if setting == COOKIES:  # policies do not cover cookies
        return setting
    clauses = [clause for kind in kinds for clause in _clauses(kind, policy, is_gone=is_gone)]
    return ", ".join([*clauses, *([f"with {setting}"] if setting else [])])


def _clauses(kind: Kind, policy: Policy, *, is_gone: bool) -> list[str]:
    ruled = [component for component in kind.check.components if component in COMPONENTS]
    judging = {policy.action(kind, component) for component in ruled} - _LEAVING
    if judging:
        return [f"{kind.slug}={max(judging, key=list(Action).index).value}"]
    if is_gone and kind is Kind.ENCODED_DELIMITER:
        return [_DETECTED]
    return [f"add {kind.slug}=reject"] if ruled else []
