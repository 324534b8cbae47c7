"""A headless Chromium, which ``make test-browser`` has unpacked, or which is installed on the system."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.support.ui import WebDriverWait

from applications import EXAMPLES, example

HERE: Final = Path(__file__).parent
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # other hosts fail at once
)
PATIENCE: Final = 20.0
_IS_THERE: Final = (
    "return location.origin === arguments[0] && document.readyState === 'complete'"
    " && document.body.firstElementChild !== null"
)
SERVER: Final = "uvicorn --http h11 --no-access-log --fd {fd} playground.app:app"
# Threads, because Chromium opens connections that it does not use. A worker without threads would wait for
# them.
GUNICORN: Final = (
    "gunicorn --no-control-socket --threads 4 --keep-alive 0 --graceful-timeout 1 --bind fd://{fd}"
)


def programs() -> tuple[str | None, str | None]:
    """Return the paths of the browser and its driver."""
    browser = os.environ.get("POSTEL_CHROMIUM") or shutil.which("chromium")
    return browser, os.environ.get("POSTEL_CHROMEDRIVER") or shutil.which("chromedriver")


@dataclass
class Browser:
    """A browser on a page of our server, with its console and requests."""

    driver: Chrome
    origin: str

    def open(self, path: str) -> None:
        """Open a page of ours, and wait until it is shown. A busy Chromium may show an empty page first."""
        self.driver.get(self.origin + path)
        WebDriverWait(self.driver, PATIENCE).until(
            lambda driver: driver.execute_script(_IS_THERE, self.origin), f"{path} does not load"
        )

    def complaints(self) -> list[str]:
        """Return the messages of the console, which include violations of the Content-Security-Policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def asked(self) -> set[str]:
        """Return the addresses that the browser requested, or tried to request, since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return {
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        }


@contextlib.contextmanager
def chromium(*, script: bool = True, width: int = 1100, height: int = 800) -> Iterator[Chrome]:
    """Run a browser with a new, empty profile."""
    browser, program = programs()
    with contextlib.ExitStack() as stack:
        options = ChromeOptions()
        options.binary_location = str(browser)
        profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        for flag in (*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
            options.add_argument(flag)
        if not script:
            preferences = {"profile.managed_default_content_settings.javascript": 2}
            options.add_experimental_option("prefs", preferences)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = Chrome(options=options, service=ChromeService(str(program)))
        stack.callback(driver.quit)
        driver.switch_to.new_window("tab")  # the first tab may still load a page of Chromium's own
        yield driver


@contextlib.contextmanager
def browsing(*, script: bool = True, width: int = 1100, height: int = 800) -> Iterator[Browser]:
    """Run the server of the playground and a browser for it."""
    with (
        example("demo").serving([SERVER], EXAMPLES) as [server],
        chromium(script=script, width=width, height=height) as driver,
    ):
        yield Browser(driver, f"http://127.0.0.1:{server.port}")


def serving(*commands: str) -> contextlib.AbstractContextManager[list[Any]]:
    """Run servers for applications in this folder."""
    return example("demo").serving(commands, HERE)


def emulate(driver: Chrome, **features: str) -> None:
    """Emulate preferences of the visitor, such as ``prefers_color_scheme="dark"``."""
    listed: list[dict[str, Any]] = [
        {"name": name.replace("_", "-"), "value": value} for name, value in features.items()
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": listed})
