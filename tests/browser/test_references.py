"""References and typed URLs in a real browser:

local references stay, and its address bar escapes like address_bar().
"""

from __future__ import annotations

from typing import Any

import pytest

from postel import uri
from postel.uri import is_local
from toolkit.test_address_bar import LEADS
from toolkit.test_local import ORDINARY, PAGE, generated

pytestmark = pytest.mark.browser

ORIGINS = """
const [references, base] = arguments;
return references.filter((each) => {
  try { return new URL(each, base).origin !== new URL(base).origin; } catch (error) { return false; }
});
"""
HREFS = "return arguments[0].map((each) => new URL(each).href);"


def test_local_references_stay(driver: Any) -> None:
    references = [*ORDINARY, *(each for each in generated(30_000, 3) if is_local(each, PAGE))]
    assert len(references) > 3_000
    assert driver.execute_script(ORIGINS, references, PAGE) == []


@pytest.mark.parametrize("component", LEADS)
def test_the_address_bar_escapes_like_address_bar(driver: Any, component: str) -> None:
    typed = [f"{LEADS[component]}a{chr(point)}b" for point in (*range(1, 0x100), 0x6F22, 0x1F600)]
    ours = [uri.address_bar(each, browser="chrome") for each in typed]
    assert driver.execute_script(HREFS, typed) == ours
