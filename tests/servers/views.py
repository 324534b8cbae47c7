"""What a server shows of a target, compared with what was sent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from postel import Accepted, Component, Normalizer, Rejected, Target
from postel._alphabet.percent import percent_decode
from postel._http.recovery import encoded_path
from servers.matrix import BARE, POLICIES, Configuration, Reply, Run
from targets import Sample

NORMALIZERS = {name: Normalizer(policy) for name, policy in POLICIES.items()}


@dataclass(frozen=True)
class Shown:
    """One target as one server hands it over."""

    run: Run
    sample: Sample

    @property
    def configuration(self) -> Configuration:
        return self.run.configuration

    @property
    def bare(self) -> Reply:
        return self.run.of(BARE, self.sample)

    @property
    def sent(self) -> bytes:
        """Return the target with the prefix that the client or the server puts in front."""
        return (self.configuration.written or self.configuration.mount).encode() + self.sample.octets

    @property
    def raw(self) -> bytes | None:
        return raw_of(self.configuration, self.bare)

    @property
    def verbatim(self) -> bool:
        """Whether the raw target is the sent one; ASGI cannot show a question mark without a query."""
        sent = self.sent
        if self.configuration.protocol == "asgi" and sent.endswith(b"?"):
            sent = sent[:-1]
        # If the server puts a prefix in front, the target is always in origin form.
        made = self.configuration.mount and not self.configuration.written and not self.sample.origin
        return self.raw == sent and not made

    @property
    def faithful(self) -> bool:
        """Whether the decoded view equals the raw one, decoded once."""
        return self.verbatim and path_of(self.configuration, self.bare) in decoded(self.sent)

    @property
    def mount(self) -> bytes:
        return self.configuration.mount.encode()

    def seen(self, policy: str) -> Accepted | Rejected:
        """Return postel's outcome for the path that the server has decoded, with every octet as data."""
        path = path_of(self.configuration, self.bare).removeprefix(self.mount)
        return NORMALIZERS[policy].normalize(Target(encoded_path(path), prefix=self.mount))

    def expected(self, policy: str) -> Accepted | Rejected:
        """Return postel's outcome for the octets as sent, without a server."""
        return judged(policy, self.sample, self.configuration.mount, (self.bare.view or {})["host"])

    @property
    def missed(self) -> set[str]:
        """Return the kinds that STRICT finds in the sent path, but not behind this server."""
        fragment = self.sample.path.find(b"#") % (len(self.sample.path) + 1)
        there = {
            it.kind.slug
            for it in self.expected("STRICT").findings
            if it.component is Component.PATH and it.offset <= fragment
        }
        return there - {kind for kind, _, _ in kinds_of(self.run.of("STRICT", self.sample))}


@cache
def judged(policy: str, sample: Sample, mount: str, host: str) -> Accepted | Rejected:
    target = Target(sample.path, sample.query, prefix=mount.encode(), host=host.encode())
    return NORMALIZERS[policy].normalize(target)


def raw_of(configuration: Configuration, reply: Reply) -> bytes | None:
    assert reply.view is not None
    raw = list(reply.view["raw"].values())
    if not raw:
        return None
    assert len(set(raw)) == 1
    query = reply.view["query"] if configuration.protocol == "asgi" else ""
    text = raw[0] + (f"?{query}" if query else "")
    is_text = (
        configuration.http2 and configuration.protocol == "wsgi"
    )  # gunicorn decodes the target as UTF-8.
    return text.encode() if is_text else octets_of(text)


def path_of(configuration: Configuration, reply: Reply) -> bytes:
    """Return the path that the application routes on, with its prefix."""
    assert reply.view is not None
    if configuration.protocol == "asgi":
        return str(reply.view["path"]).encode("utf-8", "surrogatepass")
    return octets_of((reply.view["prefix"] or "") + reply.view["path"])


def octets_of(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def decoded(target: bytes) -> set[bytes]:
    """Return the path of a target decoded once, strictly or with replacements."""
    path = target.partition(b"?")[0]
    found = {path, path.partition(b"#")[0]}
    sites = [
        rest for site, mark, rest in (each.partition(b"://") for each in found) if mark and site[:1] != b"/"
    ]
    found |= {b"/" * (b"/" in rest) + rest.partition(b"/")[2] for rest in sites}
    octets = {percent_decode(each) for each in found}
    return octets | {each.decode("utf-8", "replace").encode() for each in octets}


def kinds_of(reply: Reply) -> set[tuple[str, str, str]]:
    """Return the kinds of path and query.

    The Host, which some servers take from an absolute form, is left out.
    """
    assert reply.report is not None
    return {
        (kind, component, action)
        for kind, component, action, _ in reply.report["findings"]
        if component in {"path", "query"}
    }
