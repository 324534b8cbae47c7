"""A scan of a generated log has the counts that the generator states."""

from __future__ import annotations

from pathlib import Path

import pytest

from postel.scan import Summary, count_parts, parts_of
from scan.generator import access_log


@pytest.mark.parametrize("count", [0, 1, 1001, 12_345])
def test_the_counts_equal_those_stated(tmp_path: Path, count: int) -> None:
    log = tmp_path / "access.log"
    owed = access_log.write(count, log)
    told = Summary.of(count_parts(parts_of(log, size=400_000))).as_json()
    kinds = told["kinds"]
    assert isinstance(kinds, list)
    assert {name: told[name] for name in owed if name != "kinds"} == {
        name: count for name, count in owed.items() if name != "kinds"
    }
    assert {
        f"{each['kind']}@{each['component']}": each["requests"] for each in kinds if each["requests"]
    } == (owed["kinds"])


def test_the_mixture_is_complete() -> None:
    assert sum(row.per_mille for row in access_log.MIXTURE) + access_log.NONSENSE >= 1000
    assert sum(row.per_mille for row in access_log.MIXTURE if row.hostile) > 20
