"""A real browser for tests of pages, a page that is open in it, and what axe-core finds there."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.programs import ROOT

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
AXE = ROOT / "tests" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 60.0  # Seconds until a page that does not get there has failed; a busy machine may need ten.
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}


@contextmanager
def launched() -> Iterator[Any]:
    """A Chromium without a window; the test is skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with api.sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except api.Error:
            pytest.skip("there is no Chromium here")
        yield chromium
        chromium.close()


class Opened:
    """A page that is open, with everything that it said and asked for."""

    def __init__(self, browser: Any, address: str, viewport: dict[str, int] = DESK, **options: Any) -> None:
        self.page = browser.new_page(viewport=viewport, **options)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.goto(address)

    def wait(self, condition: str) -> None:
        """Asks again and again; a page may itself forbid what playwright would do for that."""
        until = time.monotonic() + PATIENCE
        while not self.page.evaluate(condition):
            assert time.monotonic() < until, condition
            self.page.wait_for_timeout(20)
        self.page.wait_for_timeout(20)

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def check_quiet(self) -> None:
        """Nothing was said, and the page's own file is all that was asked for."""
        assert self.said == [] and [url for url in self.asked if not url.startswith(("file:", "data:"))] == []
        assert len([url for url in self.asked if url.startswith("file:")]) == 1

    def check_accessible(self) -> None:
        """axe-core has no finding; the test is skipped where it is not installed."""
        assert axe_findings(self.page) == []


def axe_findings(page: Any) -> list[str]:
    """What axe-core finds on a page as it is now: the rule, the elements, and how to mend them."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci --prefix tests/browser")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run({ resultTypes: ['violations'] }).then((done) => done.violations)")
    return [
        f"{violation['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
    ]


def written(path: Path, html: str) -> str:
    """The address of a page that is kept in a file."""
    path.write_text(html, encoding="utf-8")
    return path.as_uri()
