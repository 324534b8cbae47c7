"""The toolkit compared with the middleware, which accepts everything that the toolkit writes, unchanged."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from postel import Accepted, Normalizer, Policy, Rejected, Target, uri

STRICT = Normalizer(Policy.STRICT)
STANDARD = Normalizer(Policy.STANDARD)
BATCH = 256  # The number of segments in one path. STRICT must allow as many.

# Without controls, spaces, unassigned characters, and delimiters, and without text that looks like an escape:
# another decoding would make something else of it.
PLAIN = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="\\/."), max_size=8).filter(
    lambda text: re.search("%(?:[0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})", text) is None
)


def test_the_strictest_policy_accepts_what_pretty_shows() -> None:
    # Unprintable characters are never shown. Every sixteenth letter is tested, because no check is about
    # letters.
    characters = [
        chr(point)
        for point in range(0x80, 0x110000)
        if chr(point).isprintable() and not (chr(point).isalpha() and point % 16)
    ]
    pretty = uri.pretty("".join(f"/a{uri.percent_encode(each)}" for each in characters))
    shown = [part for part in pretty.split("/") if not part.isascii()]
    assert len(shown) > 10_000
    for start in range(0, len(shown), BATCH):
        path = uri.clean("/" + "/".join(shown[start : start + BATCH]))
        outcome = STRICT.normalize(Target(path=path.encode(), query=b""))
        assert isinstance(outcome, Accepted), outcome
        assert outcome.findings == ()


@given(st.lists(PLAIN.filter(bool), min_size=1), st.lists(st.tuples(PLAIN.filter(bool), PLAIN)))
def test_built_urls_are_accepted_unchanged(segments: list[str], pairs: list[tuple[str, str]]) -> None:
    target = Target(path=uri.build_path(segments).encode(), query=uri.build_query(pairs).encode())
    outcome = STANDARD.normalize(target)
    assert not isinstance(outcome, Rejected), outcome
    assert (outcome.target.path, outcome.target.query) == (target.path, target.query)
    assert list(outcome.target.segments) == segments
    assert list(outcome.target.pairs) == pairs
