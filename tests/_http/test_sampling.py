"""Sampling: which requests belong to a share, and which values are invalid."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from postel import PolicyError
from postel._http.sampling import Sample

CLIENTS: Final = [f"192.0.2.{last}" for last in range(256)] + [f"2001:db8::{last:x}" for last in range(256)]


@pytest.mark.parametrize("by_client", [False, True], ids=["by request", "by client"])
@pytest.mark.parametrize(
    ("share", "taken"),
    [
        pytest.param(0, False, id="no request"),
        pytest.param(0.0, False, id="no request, as a fraction"),
        pytest.param(1, True, id="every request"),
        pytest.param(1.0, True, id="every request, as a fraction"),
    ],
)
def test_a_share_of_0_takes_none_and_a_share_of_1_takes_all(
    share: float, taken: bool, by_client: bool
) -> None:
    sample = Sample(share, by_client=by_client)
    assert {sample.takes(client) for client in CLIENTS} == {taken}


@pytest.mark.parametrize(
    ("drawn", "taken"),
    [
        pytest.param(0.0, True, id="the smallest number"),
        pytest.param(0.2499, True, id="below the share"),
        pytest.param(0.25, False, id="the share itself"),
        pytest.param(0.9999, False, id="above the share"),
    ],
)
def test_each_request_is_sampled_independently(
    drawn: float, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postel._http.sampling._drawn", lambda: drawn)
    assert Sample(0.25).takes("192.0.2.1") is taken


def test_about_the_given_share_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = iter([step / 1000 for step in range(1000)])
    monkeypatch.setattr("postel._http.sampling._drawn", lambda: next(draws))
    sample = Sample(0.3)
    assert sum(sample.takes("192.0.2.1") for _ in range(1000)) == 300


def test_a_client_is_always_in_or_always_out() -> None:
    first, second = Sample(0.5, by_client=True), Sample(0.5, by_client=True)
    for client in CLIENTS:
        assert first.takes(client) is first.takes(client) is second.takes(client)


def test_about_the_given_share_of_clients_is_sampled() -> None:
    sample = Sample(0.25, by_client=True)
    assert 0.2 < sum(map(sample.takes, CLIENTS)) / len(CLIENTS) < 0.3


def test_a_client_stays_in_the_sample_when_the_share_grows() -> None:
    shares = [Sample(percent / 100, by_client=True) for percent in range(0, 101, 5)]
    for client in CLIENTS:
        taken = [share.takes(client) for share in shares]
        assert taken == sorted(taken)


@pytest.mark.parametrize("client", ["", "unix:", "\u00e4", "\udcff", "a" * 10_000])
def test_any_text_identifies_a_client(client: str) -> None:
    assert Sample(0.5, by_client=True).takes(client) in {True, False}


@pytest.mark.parametrize(
    "share",
    [
        pytest.param(-0.1, id="below zero"),
        pytest.param(1.1, id="above one"),
        pytest.param(10, id="per cent"),
        pytest.param(float("nan"), id="no number"),
        pytest.param(float("inf"), id="infinite"),
        pytest.param(True, id="a truth value"),
        pytest.param("0.1", id="text"),
        pytest.param(None, id="None"),
    ],
)
def test_invalid_shares_are_refused(share: Any) -> None:
    message = f"sample={share!r}: a share is a number from 0 to 1, such as 0.1"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        Sample(share)


@pytest.mark.parametrize("by_client", [None, 1, "client"])
def test_by_client_is_a_truth_value(by_client: Any) -> None:
    message = f"by_client={by_client!r}: write by_client=True or by_client=False"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        Sample(0.5, by_client=by_client)


def test_repr_shows_the_arguments() -> None:
    assert repr(Sample(0.25, by_client=True)) == "Sample(0.25, by_client=True)"
