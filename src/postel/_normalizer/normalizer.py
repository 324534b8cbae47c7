"""The normalizer: turn a received target into a target with a single meaning, or refuse it.

The normalizer judges first and edits later: it judges every fault and every limit on path and query as
received. It judges an edited component again, and refuses it if it still needs an edit. To be fast, it first
tries to prove that a component has no fault, and then to repair common faults in bulk.
"""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, final

from postel._alphabet.percent import PATH, measure, percent_encode
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._normalizer.detected import CLEAN, Context
from postel._normalizer.findings import Collector, changes_octets, rejects
from postel._normalizer.source_map import Mapped
from postel._normalizer.target import Accepted, Rejected, Target, accepted_clean, not_octets
from postel._policy.limits import safe_length
from postel._policy.policy import Policy

if TYPE_CHECKING:
    from postel._normalizer.recoding import Recoding

_PREFIX: Mapped = Mapped(b"")


@final
class Normalizer:
    """Judges and repairs targets under one policy; never raises, whatever octets it is given.

    >>> from postel import Policy, Target
    >>> normalizer = Normalizer(Policy.LENIENT)
    >>> normalizer.normalize(Target(path=b"/a/../%7euser", query=b"q=%C4rzteblatt")).target.query
    b'q=rzteblatt'
    >>> normalizer.is_clean(b"/~user", b"q=1")
    True

    Raises :class:`PolicyError` unless ``policy`` is a Policy. Targets are read by the grammar of RFC 9112,
    section 3.2, and of RFC 3986; pairs are read as in the URL Standard, section 5.1.
    """

    __slots__ = (
        "_limits",
        "_path",
        "_prove_path",
        "_prove_query",
        "_query",
        "_recoding",
        "_root",
        "_safe_length",
        "policy",
        "preserved",
    )

    def __init__(self, policy: Policy = Policy.STANDARD) -> None:
        """Compile a policy."""
        self.policy: Policy = _checked(policy)
        self._limits = limits = policy.limits
        # Imported here, so that `import postel` does not compile the many patterns of the engines.
        from postel._normalizer.engine import Engine  # noqa: PLC0415

        self._path, self._query = Engine(policy, Component.PATH), Engine(policy, Component.QUERY)
        self._safe_length = safe_length(limits)
        self.preserved: bytes = _preserved(policy)
        """The octets that the decoded view of an accepted path keeps escaped."""
        # Proofs and bulk repair accept only well-formed UTF-8, which is never recoded.
        self._recoding = _recoding(policy)
        self._prove_path = self._path.prove
        self._prove_query = self._query.prove
        self._root = self._prove_path(b"/") is not None
        """Whether the root, the most frequent path, is clean."""

    def is_clean(self, path: bytes, query: bytes = b"") -> bool:
        """Whether a proof shows that ``normalize`` would change nothing and report nothing.

        ``False`` says nothing about the target. Both arguments are octets. Raises ``TypeError`` for text,
        except for an empty query.
        """
        try:
            if query:
                if self._prove_query(query) is None:
                    return False
            elif path == b"/":
                return self._root
            if self._prove_path(path) is None:
                return False
            # A target this short is within all limits, unless a name has brackets, bare or escaped. ("in" is
            # faster for 0x5B than for b"[".)
            is_small = len(path) + len(query) <= self._safe_length and 0x5B not in query and 0x25 not in query
            return is_small or self._within_limits(path, query)
        except TypeError:
            raise TypeError(not_octets("is_clean", {"path": path, "query": query})) from None

    def _within_limits(self, path: bytes, query: bytes) -> bool:
        length = len(path) + len(query)
        if length <= self._safe_length and 0x5B not in query and (0x25 not in query or b"%5" not in query):
            return True
        return (
            (length <= self._limits.octets or self._is_short(path, query))
            and self._path.limits.hold(path)
            and self._query.limits.hold(query)
        )

    def _is_short(self, path: bytes, query: bytes) -> bool:
        """Whether a target is within the limit of octets; an escape counts as one octet."""
        most = self._limits.octets
        return len(path) + len(query) <= 3 * most and measure(path) + measure(query) <= most

    def normalize(self, target: Target) -> Accepted | Rejected:
        """Judge a target and repair it as the policy says. Raises ``TypeError`` for anything but a Target."""
        try:
            path, query, prefix = target.path, target.query, target.prefix
        except AttributeError:
            raise TypeError(f"normalize({target!r}): write normalize(Target(b'/path', b'query'))") from None
        if prefix or not self._within_limits(path, query):
            return self.examine(target)
        clean_path = self._prove_path(path) is not None
        clean_query = not query or self._prove_query(query) is not None
        if clean_path and clean_query:
            if target.preserved != self.preserved:
                target = Target(path, query, b"", target.host, self.preserved)
            return accepted_clean(target)
        collector = Collector(self._limits)
        repaired_path = path if clean_path else self._path.repair(path, collector)
        if repaired_path is not None:
            repaired_query = query if clean_query else self._query.repair(query, collector)
            if repaired_query is not None:
                # An escape counts as one octet, so both components are as long as before and within all
                # limits.
                edited = Target(repaired_path, repaired_query, b"", target.host, self.preserved)
                return Accepted(edited, tuple(collector.findings), truncated=collector.truncated)
        return self._examined(target, clean_path=clean_path, clean_query=clean_query)

    def examine(self, target: Target) -> Accepted | Rejected:
        """Judge and repair a target without the proofs; slower, but with the same result as ``normalize``.

        Raises ``TypeError`` unless ``target`` is a Target.
        """
        if not isinstance(target, Target):  # pyright: ignore[reportUnnecessaryIsInstance] - untyped callers
            raise TypeError(f"examine({target!r}): write examine(Target(b'/path', b'query'))")
        return self._examined(target, clean_path=False, clean_query=False)

    def _examined(self, target: Target, *, clean_path: bool, clean_query: bool) -> Accepted | Rejected:
        """Judge and repair a target, except components that are proven to be clean and within the limits."""
        collector, context = Collector(self._limits), Context(target.host)
        path, query = Mapped(target.path), Mapped(target.query, Component.QUERY)
        if self._refuse_length(path, query, collector):
            return Rejected(tuple(collector.findings))  # no other fault is reported
        self._judge_prefix(target, collector)
        # PEP 3333 allows an empty PATH_INFO, which stands for the root of the mounted application.
        clean_path = clean_path or (not target.path and bool(target.prefix))
        in_path = CLEAN if clean_path else self._path.judge(path, collector, context)
        settled = collector.rejected and collector.truncated  # no further finding would be kept
        if settled:
            return Rejected(tuple(collector.findings), truncated=collector.truncated)
        # A query with too many pairs is refused without recoding.
        if self._recoding is not None and not clean_query and self._query.limits.many(query.octets) is None:
            query = self._recoding.read(query, collector)
        in_query = CLEAN if clean_query else self._query.judge(query, collector)
        if collector.rejected:
            return Rejected(tuple(collector.findings), truncated=collector.truncated)
        edited_path = path if clean_path else self._path.edit(path, in_path, collector, context)
        edited_query = query if clean_query else self._query.edit(query, in_query, collector)
        if (
            edited_path is None
            or edited_query is None
            or self._refuse_length(edited_path, edited_query, collector)
        ):
            return Rejected(tuple(collector.findings), truncated=collector.truncated)
        recoding = None if clean_query else self._recoding
        if recoding is not None and recoding.refuse_leftovers(edited_query, collector):
            return Rejected(tuple(collector.findings), truncated=collector.truncated)
        # If a fragment is cut from the path, the query belongs to it, but a query that is refused is not cut.
        kept_query = b"" if Kind.FRAGMENT in in_path.seen else edited_query.octets
        edited = replace(target, path=edited_path.octets, query=kept_query, preserved=self.preserved)
        return Accepted(edited, tuple(collector.findings), truncated=collector.truncated)

    def _refuse_length(self, path: Mapped, query: Mapped, collector: Collector) -> bool:
        most = self._limits.octets
        length = len(path.octets) + len(query.octets)
        if length <= most or self._is_short(path.octets, query.octets):
            return False
        mapped = path if len(path.octets) > most else query
        received = Mapped(mapped.received, mapped.component)
        collector.add(Kind.TOO_LONG, Action.REJECT, received, (0, len(received.octets)))
        return True

    def _judge_prefix(self, target: Target, collector: Collector) -> None:
        """Refuse a decoded prefix that ends in a slash, or that would be refused or edited as a path."""
        if not target.prefix:
            return
        if target.prefix.endswith(b"/") and target.path:
            collector.add(Kind.PREFIX_MISMATCH, Action.REJECT, _PREFIX, (0, 0), detail="it ends in a slash")
            return
        written = percent_encode(target.prefix, PATH)
        for matches in self._path.judge(Mapped(written), Collector(self._limits)).matches.values():
            faults = [matches.find(test) for test in (rejects, changes_octets) if matches.have(test)]
            if faults:
                slug = min(faults, key=itemgetter(2))[1].slug
                collector.add(Kind.PREFIX_MISMATCH, Action.REJECT, _PREFIX, (0, 0), detail=slug)
                return


def _recoding(policy: Policy) -> Recoding | None:
    """Create the recoding of queries; ``None`` if the policy names no charset."""
    if not policy.charsets:
        return None
    from postel._normalizer.recoding import Recoding  # noqa: PLC0415 - few policies name a charset

    return Recoding(policy.charsets)


def _preserved(policy: Policy) -> bytes:
    """Return the octets that the decoded view keeps escaped; if there are any, ``/`` and ``%`` too."""
    kept = [kind for kind in Kind if policy.action(kind, Component.PATH) is Action.PRESERVE]
    octets = {ord(character) for kind in kept for character in kind.check.escaped[Component.PATH].text()}
    return bytes(sorted(octets | set(b"/%"))) if kept else b""


def _checked(policy: object) -> Policy:
    if isinstance(policy, Policy):
        return policy
    raise PolicyError(f"Normalizer({policy!r}): give a Policy, such as Policy.STANDARD")
