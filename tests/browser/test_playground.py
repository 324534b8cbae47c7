"""The playground in a headless Chromium: typing, tabs, copying, hostile input, phones, light and dark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browser.chromium import PATIENCE, Browser, browsing, emulate, programs

pytestmark = pytest.mark.browser
FOUND = all(programs())
if not FOUND and os.environ.get("POSTEL_REQUIRE_BROWSER") != "1":
    pytestmark = [
        pytest.mark.browser,
        pytest.mark.skip(reason="no Chromium and chromedriver (make test-browser)"),
    ]


@pytest.fixture(scope="module")
def shared() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def page(shared: Browser) -> Iterator[Browser]:
    """Open the first page, and check that the browser reports no error and requests no other address."""
    shared.driver.set_window_size(1100, 800)
    shared.asked()
    shared.complaints()
    shared.open("/")
    yield shared
    assert shared.complaints() == []
    own = (f"{shared.origin}/", "chrome://", "data:")  # A new tab of Chromium may still be loading.
    assert {url for url in shared.asked() if not url.startswith(own)} == set()


def text_of(browser: Browser, selector: str) -> str:
    return browser.driver.find_element(By.CSS_SELECTOR, selector).text


def wait_for(browser: Browser, selector: str, words: str) -> None:
    WebDriverWait(browser.driver, PATIENCE, ignored_exceptions=[WebDriverException]).until(
        lambda _: words in text_of(browser, selector), f"no {words!r} in {selector}"
    )


def type_into(browser: Browser, name: str, text: str) -> None:
    field = browser.driver.find_element(By.NAME, name)
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text)


def test_typing_shows_the_url_and_keeps_it_in_the_address(page: Browser) -> None:
    type_into(page, "url", "/a%2Fb?q=1")
    wait_for(page, ".forms", "url=/a%252Fb?q%3D1")
    assert [each.text for each in page.driver.find_elements(By.CSS_SELECTOR, ".verdict .word")] == [
        "refused",
        "refused",
        "accepted",
    ]
    assert text_of(page, ".anatomy a.marked.bad bdi") == "%2F"
    assert "url=%2Fa%252Fb%3Fq%3D1" in page.driver.current_url
    page.driver.refresh()
    assert "encoded-slash" in text_of(page, ".findings")
    assert page.driver.find_element(By.NAME, "url").get_property("value") == "/a%2Fb?q=1"


def test_a_url_that_is_too_long_is_cut(page: Browser) -> None:
    page.open("/")
    page.driver.execute_script(
        "const field = document.querySelector('[name=url]'); field.value = '/' + 'é'.repeat(39_999);"
        "field.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    wait_for(page, "#result", "The first 2000 characters are shown; 38000 more were given.")


def test_the_back_button_leads_to_the_url_before(page: Browser) -> None:
    page.open("/?url=/first")
    for url in ("/second", "/third"):
        type_into(page, "url", url + Keys.ENTER)
        wait_for(page, ".forms", f"url={url}")
    for url in ("/second", "/first"):
        page.driver.back()
        wait_for(page, ".forms", f"url={url}")
        assert page.driver.find_element(By.NAME, "url").get_property("value") == url


@pytest.mark.parametrize("path", ["/", "/text", "/?url=%00"])
def test_a_page_has_one_heading_of_the_first_level(page: Browser, path: str) -> None:
    page.open(path)
    assert len(page.driver.find_elements(By.TAG_NAME, "h1")) == 1
    page.complaints()  # The console reports the status of a refusal.


def test_a_mark_leads_to_its_finding(page: Browser) -> None:
    page.open("/?url=/a%252Fb")
    page.driver.find_element(By.CSS_SELECTOR, ".anatomy a.marked").click()
    assert page.driver.current_url.endswith("#finding-1")


def test_a_visitor_can_type_a_policy(page: Browser) -> None:
    type_into(page, "url", "/a%2Fb")
    page.driver.find_element(By.TAG_NAME, "summary").click()
    type_into(page, "policy", "standard encoded-slash=preserve")
    wait_for(page, ".verdicts", "YOURS")
    type_into(page, "policy", "standard encoded-slash=keep")
    wait_for(page, ".warning", "there is no action 'keep'")


def test_the_page_can_be_used_by_keyboard(page: Browser) -> None:
    reached = []
    for _ in range(30):
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
        active = page.driver.switch_to.active_element
        reached.append(active.get_attribute("name") or active.text)
        if active.text == "Encode and decode":
            break
    assert reached[0] == "To the result"
    assert "See a URL" in reached
    ActionChains(page.driver).send_keys(Keys.ENTER).perform()
    WebDriverWait(page.driver, PATIENCE).until(lambda driver: driver.current_url.endswith("/text"))
    assert text_of(page, "[aria-current=page]") == "Encode and decode"
    type_into(page, "text", "a b" + Keys.ENTER)
    wait_for(page, ".conversions", "a%20b")


def test_text_is_encoded_in_the_chosen_charset(page: Browser) -> None:
    page.open("/text")
    type_into(page, "text", "Ärzteblatt")
    wait_for(page, ".conversions", "%C3%84rzteblatt")
    page.driver.find_element(By.CSS_SELECTOR, "option[value=latin-1]").click()
    wait_for(page, ".conversions", "%C4rzteblatt")
    page.driver.find_element(By.CSS_SELECTOR, "option[value=ascii]").click()
    wait_for(page, ".warning", "ASCII has no 'Ä'")
    assert "%u" not in text_of(page, "#h-js ~ table")


PASTE = "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(`${error}`))"


def test_each_copy_button_fills_the_clipboard(page: Browser) -> None:
    permissions = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": page.origin}
    page.driver.execute_cdp_cmd("Browser.grantPermissions", permissions)
    page.open("/?url=/caf%25c3%25a9")
    copied = []
    for button in page.driver.find_elements(By.CSS_SELECTOR, ".copy"):
        button.click()
        WebDriverWait(page.driver, PATIENCE).until(lambda _, button=button: button.text.startswith("Copied"))
        copied.append(page.driver.execute_async_script(PASTE))
    assert copied == ["/caf%C3%A9", "/café", "/caf%c3%a9", f"{page.origin}/?url=/caf%25c3%25a9"]


COUNT = "return document.querySelectorAll('script,img,svg,iframe,style').length"


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.hit = 1</script>",
        '"><img src=x onerror="window.hit=1">',
        "<svg onload=window.hit=1>",
        "//elsewhere.example/x?<iframe src=javascript:parent.hit=1>",
        "https://elsewhere.example/\"'><style>*{display:none}</style>",
        "{{constructor.constructor('window.hit=1')()}}",
        "/\u202egnp.\u2066\u200b",
    ],
    ids=ascii,
)
def test_hostile_input_is_inert(page: Browser, text: str) -> None:
    for path, name in (("/", "url"), ("/", "policy"), ("/text", "text")):
        page.open(path)
        elements = page.driver.execute_script(COUNT)
        page.driver.execute_script(
            "const field = document.querySelector(`[name=${arguments[0]}]`); field.value = arguments[1];"
            "field.dispatchEvent(new Event('input', {bubbles: true}))",
            name,
            text,
        )
        WebDriverWait(page.driver, PATIENCE).until(lambda driver, name=name: f"{name}=" in driver.current_url)
        for again in (False, True):
            if again:
                page.driver.refresh()
            assert page.driver.execute_script("return window.hit === undefined")
            assert page.driver.execute_script(COUNT) == elements
            shown = page.driver.execute_script("return document.querySelector('#result').textContent")
            assert not set(shown) & set("\u202e\u2066\u200b")


def test_the_page_shows_why_its_own_request_was_refused(shared: Browser) -> None:
    shared.open("/")
    shared.complaints()
    shared.driver.execute_script(
        "const field = document.querySelector('[name=url]'); field.value = 'a\\0b';"
        "field.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    wait_for(shared, "#result", "the request for this page was refused".upper())
    assert "nul" in text_of(shared, "#result")
    [complaint] = shared.complaints()  # The console has the browser's own message about the status.
    assert "400" in complaint


@pytest.mark.parametrize("width", [320, 390, 768])
@pytest.mark.parametrize("path", ["/", "/text", "/?url=/" + "a" * 300 + "%252F" + "?" + "b" * 300 + "=%25zz"])
def test_nothing_is_wider_than_a_phone(page: Browser, path: str, width: int) -> None:
    size = {"width": width, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.open(path)
        # Chromium updates the layout a moment after the device has changed.
        fits = f"return document.documentElement.scrollWidth <= {width}"
        WebDriverWait(page.driver, PATIENCE).until(lambda driver: driver.execute_script(fits))
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


CONTRAST = Path(__file__).with_name("contrast.js").read_text("utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/text", "/text?text=%C3%84&charset=ascii"])
def test_light_and_dark_can_be_read(page: Browser, path: str, scheme: str) -> None:
    emulate(page.driver, prefers_color_scheme=scheme)
    page.open(path)
    ground = page.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(","))) > 382) is (scheme == "light")
    assert page.driver.execute_script(CONTRAST) == []


def test_the_playground_works_without_a_script() -> None:
    with browsing(script=False) as browser:
        browser.open("/")
        assert not browser.driver.find_element(By.CSS_SELECTOR, ".copy").is_displayed()
        type_into(browser, "url", "/a%2Fb" + Keys.ENTER)
        wait_for(browser, ".findings", "encoded-slash")
        assert "url=%2Fa%252Fb" in browser.driver.current_url
        browser.driver.find_element(By.LINK_TEXT, "Encode and decode").click()
        type_into(browser, "text", "é" + Keys.ENTER)
        wait_for(browser, ".conversions", "%C3%A9")
