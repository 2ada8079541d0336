"""The page in a real browser: by keyboard alone, in light and dark, with nothing from outside."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import hostile_texts
import toolsync
from made_reports import finding, report, tool
from toolsync.catalog import Catalog
from toolsync.model import ABSENT
from toolsync.report.html import html
from toolsync.report.html.details import Definitions
from toolsync.report.shape import Report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES = Path(__file__).parents[1] / "examples"
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome", "chrome")
     if (found := shutil.which(name))), None,
)  # fmt: skip
Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that is installed already; without one, or its driver, these tests are skipped."""
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    # Root has no sandbox of its own in most containers.
    flags = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    with driver.sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield found
        found.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a page from a file; whatever it logs, asks for or refuses fails the test."""
    trouble: list[str] = []
    pages: list[Page] = []

    def load(text: str, **options: Any) -> Page:
        path = tmp_path / "report.html"
        path.write_text(text, "utf-8")
        page = browser.new_page(**options)
        pages.append(page)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: trouble.append(request.url))
        page.goto(path.as_uri())
        assert trouble == [path.as_uri()]  # itself, and nothing else
        trouble.clear()
        return page

    yield load
    for page in pages:
        page.close()
    assert trouble == []


def _page(old: Catalog, new: Catalog) -> str:
    made = cast("Report", toolsync.diff(old, new).to_dict())

    def definitions(name: str) -> Definitions:
        sides = (side[name].parsed if name in side else ABSENT for side in (old, new))
        return Definitions(*sides)

    return "".join(html(made, definitions))


@pytest.fixture(scope="module")
def examples() -> str:
    """The page of the two example catalogues."""
    return _page(*(toolsync.load(EXAMPLES / name) for name in ("old.json", "new.json")))


def _visible(page: Page) -> list[str]:
    names: list[str] = page.eval_on_selector_all(
        "#tools .row", "rows => rows.filter(r => r.checkVisibility())"
        ".map(r => r.querySelector('.name').textContent)"
    )  # fmt: skip
    return names


def test_a_row_opens_and_shows_both_sides_and_the_proof(opened: Open, examples: str) -> None:
    page = opened(examples)
    row = page.locator("#tools .row").first
    assert row.locator(".body").count() == 0
    row.locator("summary").click()
    assert row.locator(".witness").inner_text() == 'refused now: find_book {"query": ""}'
    assert row.locator("td.new").inner_text() == '"limit"'
    assert row.locator("th").all_inner_texts() == ["old", "new"]
    hidden = row.locator("td.fold button").nth(1)
    assert hidden.inner_text() == "… 13 unchanged lines"
    before = row.locator("tr").count()
    hidden.click()
    assert row.locator("tr").count() == before + 12


def test_words_that_changed_are_marked(opened: Open, examples: str) -> None:
    page = opened(examples)
    row = page.locator("#tools .row", has_text="opening_hours")
    row.locator("summary").click()
    assert row.locator(".words").inner_text() == (
        "Tells when a branch is open, public holidays included."
    )
    assert row.locator(".words ins").all_inner_texts() == [", public holidays included"]
    assert row.locator("table ins").all_inner_texts() == [", public holidays included"]


def test_everything_is_reached_by_keyboard(opened: Open, examples: str) -> None:
    page = opened(examples)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find"
    page.keyboard.type("LOAN")
    assert _visible(page) == ["loans_since", "renew_loan"]
    assert page.locator("#shown").inner_text() == "2 of 6 tools"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("details[open] .name").all_inner_texts() == ["renew_loan"]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    assert page.locator("details[open]").count() == 2
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    assert len(_visible(page)) == 6
    for _ in range(2):  # from the field over the first level to the second
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert _visible(page) == ["loans_since"]
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"


def test_levels_add_up_and_none_means_all(opened: Open, examples: str) -> None:
    page = opened(examples)
    buttons = page.locator("nav button")
    buttons.nth(0).click()
    assert _visible(page) == ["find_book"]
    buttons.nth(2).click()
    assert _visible(page) == ["find_book", "renew_loan"]
    assert buttons.nth(2).get_attribute("aria-pressed") == "true"
    page.locator("#find").fill("nothing like it")
    assert _visible(page) == []
    assert page.locator("#none").inner_text() == "No tool fits."
    page.locator("#find").fill("")
    buttons.nth(0).click()
    buttons.nth(2).click()
    assert len(_visible(page)) == 6


def test_what_tools_share_opens_too(opened: Open) -> None:
    tools = [tool(f"t{at}", "changed", finding()) for at in range(5)]
    page = opened("".join(html(report(*tools))))
    page.locator("#groups summary").click()
    assert page.locator("#groups .body code").last.inner_text() == "t0, t1, t2, t3, t4"
    page.locator("#find").fill("t3")
    assert _visible(page) == ["t3"]
    assert not page.locator("#groups .row").is_visible()


def test_many_findings_come_a_part_at_a_time(opened: Open) -> None:
    findings = [finding(f"finding {at}", path=f"/{at}") for at in range(450)]
    page = opened("".join(html(report(tool("t", "changed", *findings)))))
    page.locator("summary").click()
    page.locator(".more").wait_for()  # a row is filled once it has told that it is open
    counts = []
    while page.locator(".more").count():
        counts.append(page.locator(".finding").count())
        page.locator(".more").click()
    assert counts == [200, 400]
    told = page.locator(".finding > p:first-child").all_text_contents()
    assert [text.split()[-1] for text in told] == [str(at) for at in range(450)]


def test_without_scripts_the_worst_of_each_tool_is_there(opened: Open, examples: str) -> None:
    page = opened(examples, java_script_enabled=False)
    assert page.locator("noscript p").is_visible()
    row = page.locator("#tools summary").first.inner_text()
    assert "find_book" in row
    assert "limit is now required" in row


@pytest.mark.parametrize(("scheme", "ground"), [("light", "255, 255, 255"), ("dark", "21, 23, 26")])
def test_light_and_dark_follow_the_system(
    opened: Open, examples: str, scheme: str, ground: str
) -> None:
    page = opened(examples, color_scheme=scheme)
    shown = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert shown == f"rgb({ground})"


def test_it_fits_a_narrow_window(opened: Open, examples: str) -> None:
    page = opened(examples, viewport={"width": 360, "height": 700})
    for summary in page.locator("#tools summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_hostile_texts_stay_texts(opened: Open) -> None:
    page = opened(_page(*hostile_texts.catalogues()))
    page.evaluate("for (const row of document.querySelectorAll('details')) row.open = true")
    page.wait_for_function(
        "document.querySelectorAll('details').length === document.querySelectorAll('.body').length"
    )
    strangers = (
        "script:not(body > script), img, svg, a, iframe, form, object, style:not(head > style)"
    )
    assert page.locator(strangers).count() == 0
    names = page.locator("#tools .name").all_text_contents()
    assert "</script><script>alert(1)</script>" in names
    text = page.evaluate("document.body.textContent")
    assert hostile_texts.unsafe(text) == set()


def test_its_policy_refuses_what_would_get_in(
    browser: Browser, examples: str, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    path.write_text(examples, "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; return false } catch { return true } }"
    )
    refused = page.evaluate(
        "() => new Promise(done => {"
        " addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));"
        " const made = document.createElement('img'); made.src = 'file:///x.png';"
        " document.body.append(made) })"
    )
    assert refused == "img-src"
    assert page.evaluate(
        "() => { try { const made = document.createElement('script');"
        " made.textContent = 'window.ran = 1'; document.body.append(made) } catch {}"
        " return window.ran === undefined }"
    )
    page.close()


@pytest.mark.slow
def test_ten_thousand_tools_can_be_filtered_and_opened(opened: Open) -> None:
    many = [tool(f"tool_{at:05}", "changed", finding(level="dangerous", old=at, new=at + 1))
            for at in range(10_000)]  # fmt: skip
    page = opened("".join(html(report(*many))))
    assert page.locator("#shown").inner_text() == "10000 tools"
    page.locator("#find").fill("9876")
    assert _visible(page) == ["tool_09876"]
    page.locator("#tools .row:visible summary").click()
    page.locator(".value").first.wait_for()
    assert page.locator(".value").all_inner_texts() == ["− 9876", "+ 9877"]
    assert page.locator(".body").count() == 1
