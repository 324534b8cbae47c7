"""Every target in front of every framework: all accessors have the same path and the same list of pairs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, urlsplit

import pytest

from frameworks.asking import BARE, POLICIES, Bench, bench
from frameworks.readers import FRAMEWORKS, Framework, Read
from postel import Accepted, Normalizer, Rejected, Target
from postel._alphabet.percent import percent_decode
from targets import HOST, SAMPLES, Sample

NORMALIZERS = {name: Normalizer(policy) for name, policy in POLICIES.items()}

# Frameworks whose path differs from the text that they received, and how.
SPELLED = {"Sanic, ASGI": "its path is the raw path, percent-encoded"}
CLEANED = {"Litestar": "it merges slashes, and removes the last one"}

# Frameworks whose full URL is wrong for some paths, and how.
PERCENT_KEPT = {
    "Flask": "no escape for a percent sign, so that an escape in the path is decoded a second time",
    "Quart": "no escape for a percent sign, so that an escape in the path is decoded a second time",
    "Starlette": "no escape for a percent sign",
    "FastAPI": "no escape for a percent sign",
    "Falcon, WSGI": "no escape for a percent sign",
    "Falcon, ASGI": "no escape for a percent sign",
    "Litestar": "no escape for a percent sign",
}
DELIMITERS_KEPT = {
    "Falcon, WSGI": "no escape for a question mark or number sign",
    "Falcon, ASGI": "no escape for a question mark or number sign",
    "Litestar": "no escape for a question mark or number sign",
}


@pytest.fixture(scope="module")
def asked() -> Iterator[Bench]:
    with bench() as made:
        yield made


@pytest.fixture(params=FRAMEWORKS, ids=lambda each: each.name)
def framework(request: pytest.FixtureRequest) -> Framework:
    found: Framework = request.param
    return found


@pytest.fixture(params=POLICIES)
def policy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def expected(policy: str, sample: Sample) -> Accepted | Rejected:
    return NORMALIZERS[policy].normalize(Target(sample.path, sample.query, host=HOST.encode()))


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return values by name, because some frameworks do not keep the order of names."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, value in pairs:
        found[name].append(value)
    return dict(found)


def accepted(policy: str) -> list[tuple[Sample, Target]]:
    outcomes = [(sample, expected(policy, sample)) for sample in SAMPLES]
    return [(sample, outcome.target) for sample, outcome in outcomes if isinstance(outcome, Accepted)]


def test_without_postel_frameworks_read_targets_differently(
    asked: Bench, framework: Framework, policy: str
) -> None:
    """Otherwise this file would test nothing."""
    assert len(accepted(policy)) >= 100
    different = [
        sample.name
        for sample in SAMPLES
        if asked.read(framework, BARE, sample) != asked.read(framework, policy, sample)
    ]
    assert len(different) > 50


def test_all_frameworks_have_the_same_verdict(asked: Bench, framework: Framework, policy: str) -> None:
    for sample in SAMPLES:
        outcome, found = expected(policy, sample), asked.read(framework, policy, sample)
        assert (found.status == 200) == isinstance(outcome, Accepted), (sample, found)
        assert found.status in {200, 308, 400, 414}, (sample, found)


def path_in(framework: Framework, target: Target) -> str:
    """Return the path as a framework is known to show it."""
    if framework.name in SPELLED:
        return target.path.decode()
    text = target.path_text
    if framework.name in CLEANED:
        return re.sub("/+", "/", text).rstrip("/") or "/"
    return text


def test_all_frameworks_have_the_same_path(asked: Bench, framework: Framework, policy: str) -> None:
    for sample, target in accepted(policy):
        found, path = asked.read(framework, policy, sample), path_in(framework, target)
        assert found.path == path, sample
        assert (found.rest or "").removeprefix("/") == path.removeprefix("/"), sample


def test_all_frameworks_have_the_same_pairs(asked: Bench, framework: Framework, policy: str) -> None:
    for sample, target in accepted(policy):
        found = asked.read(framework, policy, sample)
        assert grouped(found.pairs) == grouped(target.pairs), sample


def is_right(found: Read, framework: Framework, target: Target) -> bool:
    """Whether the full URL leads to the same path and pairs again."""
    parts = urlsplit(found.url or "")
    path = percent_decode(parts.path.encode()).decode()
    pairs = parse_qsl(parts.query, keep_blank_values=True, errors="strict")
    text = percent_decode(target.path).decode() if framework.name in SPELLED else path_in(framework, target)
    assert (parts.scheme, parts.netloc) == ("http", HOST)
    return path == text and grouped(pairs) == grouped(target.pairs)


def is_known(framework: Framework, target: Target) -> bool:
    """Whether a framework is known to leave a ``%``, ``?`` or ``#`` of the target's path unescaped."""
    return ("%" in target.path_text and framework.name in PERCENT_KEPT) or (
        not {"?", "#"}.isdisjoint(target.path_text) and framework.name in DELIMITERS_KEPT
    )


def test_the_full_url_leads_to_the_same_path_and_pairs(
    asked: Bench, framework: Framework, policy: str
) -> None:
    for sample, target in accepted(policy):
        found = asked.read(framework, policy, sample)
        if not is_known(framework, target):
            assert is_right(found, framework, target), (sample, found.url)


@pytest.mark.parametrize("quirks", [PERCENT_KEPT, DELIMITERS_KEPT], ids=["%", "?"])
def test_each_known_quirk_still_exists(asked: Bench, quirks: dict[str, str]) -> None:
    for framework in FRAMEWORKS:
        if framework.name in quirks:
            assert not all(
                is_right(asked.read(framework, "STANDARD", sample), framework, target)
                for sample, target in accepted("STANDARD")
                if is_known(framework, target)
            )


def test_nothing_arrives_that_the_client_did_not_send(
    asked: Bench, framework: Framework, policy: str
) -> None:
    for sample, _ in accepted(policy):
        found = asked.read(framework, policy, sample)
        sent = percent_decode(sample.octets)
        for text in (found.path or "", found.rest or "", *(text for pair in found.pairs for text in pair)):
            assert "\ufffd" not in text or "\ufffd".encode() in sent, sample
            assert "\0" not in text, sample
