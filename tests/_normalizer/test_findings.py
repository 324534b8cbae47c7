"""Matches of several groups: merged in the order of their places."""

from __future__ import annotations

from postel import Action, Kind
from postel._normalizer.findings import NOTHING, JudgedMatch, changes_octets, listed, rejects, together

NUL: JudgedMatch = (Action.REJECT, Kind.NUL, 3, 4)
TAB: JudgedMatch = (Action.REPAIR, Kind.TAB, 1, 2)
LATER: JudgedMatch = (Action.REPAIR, Kind.TAB, 5, 6)


def test_the_first_match_of_all_groups_is_found() -> None:
    def shifted(start: int, end: int) -> tuple[int, int]:
        return start + 10, end + 10

    def same(start: int, end: int) -> tuple[int, int]:
        return start, end

    matches = together([(listed([TAB, NUL], "a detail"), shifted), (listed([LATER]), same), (NOTHING, same)])
    assert [kind for _, kind, _, _ in matches.first(9)] == [Kind.TAB, Kind.TAB, Kind.NUL]
    assert matches.detail == "a detail"
    assert matches.actions == {Action.REJECT, Action.REPAIR}
    assert [*matches.first(2)] == [LATER, (Action.REPAIR, Kind.TAB, 11, 12)]
    assert matches.have(rejects)
    assert matches.find(rejects) == (Action.REJECT, Kind.NUL, 13, 14)
    assert matches.find(changes_octets) == LATER
    assert together([(NOTHING, same), (NOTHING, shifted)]) is NOTHING
