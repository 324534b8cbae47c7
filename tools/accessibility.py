"""Check the pages that users see first with axe in Chromium, and take screenshots.

``make accessibility`` runs this file. It checks README.md, four pages of the built documentation and the
playground, at 1280 and 390 pixels, light and dark. The check fails if
axe finds something serious or critical, or if a page is wider than its window. The pictures are in
``dist/screens``. npm fetches axe-core.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from markdown_it import MarkdownIt

from browser.chromium import Browser, browsing, emulate

ROOT: Final = Path(__file__).parents[1]
SCREENS: Final = ROOT / "dist" / "screens"
AXE: Final = "axe-core@4.14.1"
AXE_SHA256: Final = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
WIDTHS: Final = (1280, 390)
SCHEMES: Final = ("light", "dark")
DOCS: Final = ("index", "start", "performance", "comparison")
README: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>README</title>
<meta name="viewport" content="width=device-width"><style>
:root {{ color-scheme: light dark; background: light-dark(#fff, #0d1117); color: light-dark(#111, #eee) }}
body {{ font: 16px/1.5 sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem }}
pre, table {{ overflow-x: auto; display: block }} th, td {{ border: 1px solid; padding: 6px 13px }}
img {{ max-width: 100% }}
a {{ color: light-dark(#0550ae, #6cb6ff) }}
code {{ overflow-wrap: anywhere }} pre code {{ overflow-wrap: normal }}
</style><main>{}</main>"""
ASK: Final = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(found => done(found.violations.map(
    each => [each.impact, each.id, each.help, each.nodes.slice(0, 3).map(node => node.html.slice(0, 160))])));
"""


def axe(folder: Path) -> str:
    """Fetch axe-core with npm, and return its script."""
    subprocess.run(["npm", "pack", "--silent", AXE], check=True, cwd=folder, capture_output=True)  # noqa: S603, S607
    [archive] = folder.glob("axe-core-*.tgz")
    with tarfile.open(archive) as opened:
        member = opened.extractfile("package/axe.min.js")
        script = member.read() if member else b""
    if hashlib.sha256(script).hexdigest() != AXE_SHA256:
        sys.exit(f"{AXE} is not the file that was expected")
    return script.decode()


def pages(folder: Path, origin: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the address of each page."""
    readme = folder / "readme.html"
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    html = markdown.render((ROOT / "README.md").read_text("utf-8"))
    for scrolls in ("<pre", "<table"):
        html = html.replace(scrolls, f'{scrolls} tabindex="0"')
    readme.write_text(README.format(html), "utf-8")
    yield "readme", readme.as_uri()
    for name in DOCS:
        yield name, (ROOT / "dist" / "docs" / f"{name}.html").as_uri()
    yield "playground", f"{origin}/?url=https%3A%2F%2Fexample.com%2F%252e%252e%2Fa%3Fq%3D%25zz"


def faults_of(browser: Browser, script: str, name: str, width: int, scheme: str) -> list[str]:
    """Return the faults of the page that the browser shows, and take a screenshot of it."""
    driver: Any = browser.driver
    driver.execute_script(script)
    found = [
        f"{impact}: {rule}: {what}: {nodes}"
        for impact, rule, what, nodes in driver.execute_async_script(ASK)
        if impact in {"serious", "critical"}
    ]
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    (SCREENS / f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(taken["data"]))
    wide = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
    return [*found, *([f"the page is {wide} pixels wider than its window"] if wide > 0 else [])]


def main() -> int:
    SCREENS.mkdir(parents=True, exist_ok=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch, browsing() as browser:
        script = axe(Path(scratch))
        for name, address in pages(Path(scratch), browser.origin):
            for width in WIDTHS:
                for scheme in SCHEMES:
                    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
                    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
                    emulate(browser.driver, prefers_color_scheme=scheme)
                    browser.driver.get(address)
                    found = faults_of(browser, script, name, width, scheme)
                    print(f"{name} at {width}, {scheme}: {len(found)} findings", flush=True)
                    print("".join(f"  {each}\n" for each in found), end="")
                    wrong += len(found)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
