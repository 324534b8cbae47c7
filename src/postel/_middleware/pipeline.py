"""The pipeline of both middlewares: judge a request, notify the observer, answer a refused request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, final

from postel._alphabet.percent import percent_decode
from postel._alphabet.steps import Steps
from postel._bodies.content_type import ContentType, proof
from postel._bodies.settings import bodies_setting
from postel._catalogue.check import Component
from postel._http.fields import FieldRules
from postel._http.host import Hosts, is_unnamed
from postel._http.locations import LocationRules
from postel._http.observers import LogObserver, Observation
from postel._http.received import Received
from postel._http.redirect import merged_candidates, repaired_location, written
from postel._http.refusal import Refusal
from postel._http.report import Report, RequestInfo, request_info
from postel._http.request_id import RequestIds
from postel._middleware.body_readers import body_judge
from postel._middleware.header_findings import HostRules, of_names, of_type, warn_of_unseen_names, with_host
from postel._middleware.idle_clauses import warn_of_idle_clauses
from postel._middleware.idle_settings import warn_of_idle_settings
from postel._middleware.outermost import warn_inner
from postel._middleware.rebuilt_urls import RebuiltUrls, delimiter_found
from postel._middleware.settings import WSGI, Settings, sample_setting
from postel._middleware.views import Outcome, judged_views, of_prefix, with_findings
from postel._normalizer.plain import NO_TARGETS, PlainTargets, plain_targets
from postel._normalizer.routes import RoutedNormalizer
from postel._normalizer.target import Accepted, Target

if TYPE_CHECKING:
    from postel._bodies.body import BodyJudge

_WHOLE_SERVER: Final = frozenset({b"*", b"/*", b"/", b""})
"""The paths that servers hand over for ``OPTIONS *``."""
_MOST: Final = 8
"""The most findings about header names that are kept."""
_LONG: Final = 8192
"""A target, or the fields with one name, with more octets in all are judged in a step of their own."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Request:
    """What a middleware has read from a scope or an environ."""

    received: Received
    info: RequestInfo
    fields: Mapping[str, Sequence[bytes]]
    """The values of the judged header fields, by name in lower case."""
    declared: ContentType
    names: Sequence[bytes] = ()
    """The names of all headers; on WSGI, only those whose presence is a fault (``header_names.NAMED``)."""
    mount: bytes = b""
    """The ``root_path`` of a scope; empty on WSGI."""
    is_handshake: bool = False
    """Whether the request opens a WebSocket. Such a request is never redirected."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Judgement:
    """The report on a request, and the header fields that change."""

    report: Report
    fields: Mapping[str, Sequence[bytes]]
    """The new values of each header field that the policy edits, by name in lower case."""


@final
class Pipeline:
    """Judges requests as the server hands them over. Only the constructor raises."""

    __slots__ = (
        "_expected",
        "_fields",
        "_host_rules",
        "_hosts",
        "_is_inner",
        "_longest",
        "_normalizer",
        "_observation",
        "_rebuilt",
        "_request_ids",
        "_sample",
        "_settings",
        "_statuses",
        "bodies",
        "field_names",
        "id_header",
        "is_clean",
        "judges_rest",
        "locations",
        "most_fields",
        "preserved",
        "proves_host",
        "proves_host_text",
        "proves_type",
        "skips_clean",
        "target_proofs",
    )

    def __init__(self, settings: Settings) -> None:
        """Compile the settings. Raises :class:`postel.PolicyError` if one cannot work."""
        self._settings = settings
        self._is_inner = False
        self._normalizer = RoutedNormalizer(settings.policy, settings.routes or {})
        self._hosts = Hosts(settings.hosts)
        self._host_rules = HostRules(self._hosts)
        self.locations: LocationRules = LocationRules(settings.locations, self._hosts)
        """The rules for the Location of responses."""
        self._fields = FieldRules({} if settings.headers is None else settings.headers)
        self._request_ids = RequestIds(settings.request_id)
        self._sample = sample_setting(settings.sample)
        self._rebuilt = RebuiltUrls(settings.rebuilt_urls)
        self._statuses = dict(settings.statuses or {})  # a copy: later changes would go unchecked
        observer = LogObserver() if settings.observer is None else settings.observer
        self._observation = Observation(observer, settings.prefix)
        self._expected = None if settings.prefix is None else settings.prefix.encode()
        self.proves_host: Callable[[bytes], object] = self._hosts.proves
        """Whether a Host, given as octets, is proven to need no judgement."""
        self.proves_host_text: Callable[[str], object] = self._hosts.proves_text
        """Whether a Host, given as text, is proven to need no judgement."""
        self.field_names: tuple[str, ...] = self._fields.names
        """The names of the header fields that are judged, in lower case."""
        self.most_fields: int = min(each.policy.limits.fields for each in self._normalizer.all())
        """No route accepts fewer header fields than this."""
        # No route accepts longer header fields than this.
        self._longest = min(each.policy.limits.field for each in self._normalizer.all())
        self.id_header: str | None = self._request_ids.header
        """The header that ``request_id=`` names, in lower case."""
        self.is_clean: Callable[[bytes, bytes], bool] = (
            self._normalizer.is_clean if self._expects(b"") else _nothing_is_clean
        )
        """Whether a path (without a prefix) and a query are both proven to need no judgement."""
        kept = {each.preserved for each in self._normalizer.all()}
        self.preserved: bytes | None = kept.pop() if len(kept) == 1 else None
        """The octets that decoded views keep escaped; ``None`` if they differ by route."""
        forms, json = bodies_setting(settings.bodies, settings.forms, settings.json).settled
        self.bodies: BodyJudge | None = body_judge(forms, json, self._normalizer)
        """The judge of bodies; ``None`` if none are judged."""
        policies = dict.fromkeys([settings.policy, *(settings.routes or {}).values()])
        warn_of_idle_clauses(policies, forms, json)
        judged = compress((Component.FORM, Component.JSON), (forms, json))
        warn_of_idle_settings(settings, policies, [*judged], self.locations)
        warn_of_unseen_names(policies if settings.protocol == WSGI else ())
        self.proves_type: Callable[[bytes], object] = (
            _proves_no_type
            if self.bodies is not None and self.bodies.refuses_others
            else proof(of_forms=forms is not None, of_json=None if json is None else json.types)
        )
        """Whether a Content-Type and its body are proven to need no judgement."""
        self.judges_rest: bool = self.bodies is not None or bool(self.field_names)
        """Whether bodies or the header fields of ``headers=`` are judged."""
        self.skips_clean: bool = settings.enforce and settings.sample is None
        """Whether clean requests are not judged: with ``enforce=True``, and without ``sample``."""
        judges_more = self.judges_rest or settings.routes or not self._expects(b"")
        is_usual = self.skips_clean and not judges_more
        self.target_proofs: PlainTargets = plain_targets(settings.policy) if is_usual else NO_TARGETS
        """Proves targets, if nothing else but Host, Content-Type and prefix can need judgement."""

    # ---- proofs that a request needs no judgement ----

    def preserved_in(self, path: bytes) -> bytes:
        """The octets that the decoded view of a path keeps escaped under the policy of its route."""
        return self._normalizer.at(path).preserved

    def proves_mounted(self, target: bytes, query: bytes, prefix: bytes) -> bool:
        """Whether a path that begins with ``prefix``, and a query, are proven to need no judgement."""
        path = target[len(prefix) :]
        return (
            target.startswith(prefix)
            and path.startswith(b"/")
            and not prefix.endswith(b"/")
            and self._expects(percent_decode(prefix))
            and self._normalizer.is_clean(path, query)
            and self._normalizer.at(path).is_clean(prefix)
        )

    def proves_no_host(self, request: Mapping[str, Any]) -> bool:
        """Whether a missing Host is accepted and not reported."""
        return self._hosts.is_open and is_unnamed(request_info(request).version)

    def proves_rest(self, method: object, fields: Mapping[str, Sequence[bytes]], *, is_typed: bool) -> bool:
        """Whether a body without a type and the judged header fields need no judgement."""
        if self.bodies is not None and not is_typed and self.bodies.may_judge_untyped(method):
            return False
        return all(self._fields.proves(each, self._longest) for each in fields.values())

    # ---- the judgement ----

    def judging(self, request: Request) -> Steps[Judgement]:
        """Judge one request, except its body, in steps if its target or the fields with one name are long."""
        received, info = request.received, request.info
        policy = self._normalizer.at(received.target.path).policy
        outcome: Outcome
        if info.method == "OPTIONS" and _is_asterisk_form(received):
            outcome, views_agree = Accepted(received.target), True
        else:
            outcome, views_agree = judged_views(received, self._normalizer, policy)
            if len(received.target.path) + len(received.target.query) > _LONG:
                yield
            if not self._expects(prefix := received.mount or received.target.prefix):
                outcome = with_findings(outcome, [of_prefix(prefix, self._settings.prefix)])
        if isinstance(outcome, Accepted) and self._is_misread(
            received.target.path, outcome.target, received.mount
        ):
            outcome = with_findings(outcome, [delimiter_found(received.sent.path)])
        edited: dict[str, Sequence[bytes]] = {}
        if found := self._host_rules.judge(received.sent.host, info.version, policy):
            outcome, edited = with_host(outcome, received.sent.host, found)
        if found := of_names(request.names, policy, _MOST + 1):
            outcome = replace(outcome, truncated=outcome.truncated or len(found) > _MOST)
            outcome = with_findings(outcome, found[:_MOST])
        for name, values in request.fields.items():
            if sum(map(len, values)) > _LONG:
                yield
            field = self._fields.judge(name, values, policy.limits)
            if field.values != tuple(values):
                edited[name] = field.values
            outcome = replace(outcome, truncated=outcome.truncated or field.truncated)
            outcome = with_findings(outcome, field.findings)
        if request.declared.received:
            query = outcome.target.query if isinstance(outcome, Accepted) else received.target.query
            recodes = self.bodies is not None and self.bodies.recodes(request.declared)
            outcome = with_findings(outcome, of_type(request.declared, None if recodes else query, policy))
        report = Report(
            received=received.sent,
            target=outcome.target if isinstance(outcome, Accepted) else None,
            findings=outcome.findings,
            truncated=outcome.truncated,
            received_prefix=received.prefix,
            verbatim=received.verbatim,
            blind=received.blind,
            enforced=self._enforces(info.client),
            method=info.method,
            client=info.client,
        )
        location = None
        if report.findings and not request.is_handshake:
            location = self._location(report, request.mount, views_agree=views_agree)
        return Judgement(report if location is None else replace(report, location=location), edited)

    def _enforces(self, client: str) -> bool:
        return self._settings.enforce and (self._sample is None or self._sample.takes(client))

    def _expects(self, prefix: bytes) -> bool:
        """Whether a decoded prefix equals ``prefix=``; without that setting, any prefix passes."""
        return self._expected is None or prefix == self._expected

    def _location(self, report: Report, mount: bytes, *, views_agree: bool) -> str | None:
        """Where a request is redirected to; ``None`` if it is not redirected.

        If the prefix ends in a slash, the server adds slashes of its own, and a redirect would loop. Without
        ``views_agree`` a repair is not redirected, because the client may not have sent what was repaired.
        """
        if self._settings.redirect is False or (mount or report.received.prefix).endswith(b"/"):
            return None
        if report.target is not None:
            return repaired_location(report, mount) if self._settings.redirect and views_agree else None
        for target in merged_candidates(report, mount):
            # Only the slashes are at fault, but the route of the merged path may have another policy.
            outcome = self._normalizer.normalize(target)
            if isinstance(outcome, Accepted) and not self._is_misread(target.path, outcome.target, mount):
                return written(outcome.target, mount)
        return None

    def _is_misread(self, path: bytes, target: Target, mount: bytes) -> bool:
        """Whether a framework would rebuild a wrong URL from an accepted target, received as ``path``."""
        shown = mount + target.prefix + target.path_octets
        return (b"?" in shown or b"#" in shown) and self._rebuilt.refuses(path, target.path)

    def warn_inner(self, middleware: object) -> None:
        """Log once that an outer postel has judged the request, so that this one does not judge it."""
        if not self._is_inner:
            warn_inner(self._settings.app, middleware)
            self._is_inner = True

    # ---- redirects, reports and refusals ----

    def observe(self, report: Report, sent_ids: Sequence[bytes], prefix: tuple[str, object]) -> Report:
        """Give a refused request an id, and call the observer if something was found.

        ``sent_ids`` are the values of the header that ``request_id=`` names. ``prefix`` is a pair: the
        server's name for the prefix of the application, and the prefix.
        """
        if report.blind:
            self._observation.warn_blind(report)
        if not report.findings:
            return report
        if report.target is None and report.location is None:
            report = self._request_ids.with_id(report, sent_ids)
        self._observation.notify(report)
        self._observation.explain(*prefix, report)
        return report

    def refusal(self, report: Report, accept: str) -> Refusal:
        """The default answer to a refused request; ``accept`` is its header Accept."""
        return Refusal(report, accept, self._statuses, self._settings.help_url)


def _nothing_is_clean(path: bytes, query: bytes) -> bool:
    """Always False: if ``prefix=`` names a prefix, a path without one is refused."""
    return False


def _proves_no_type(_: bytes) -> None:
    """Never true: a body of any type may be refused."""


def _is_asterisk_form(received: Received) -> bool:
    """Whether the target is the asterisk-form: RFC 9112, section 3.2.4."""
    return (received.sent.path, received.sent.query) == (b"*", b"") and (
        received.target.path in _WHOLE_SERVER and not received.target.query
    )
