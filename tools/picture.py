"""The picture of the playground in the README. ``make pages`` runs this file, which takes it anew."""

from __future__ import annotations

from pathlib import Path

from browser.chromium import browsing, emulate

PICTURE = Path(__file__).parent.parent / "docs" / "playground.png"

if __name__ == "__main__":
    with browsing(width=960, height=890) as page:
        emulate(page.driver, prefers_color_scheme="light")
        page.open("/")
        PICTURE.write_bytes(page.driver.get_screenshot_as_png())
