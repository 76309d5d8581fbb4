"""The charts of a report as a reader has them: without scripts, on a phone, of a run in progress."""

from __future__ import annotations

import json
import shutil
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from gridlang.compiler.local_pages import LocalServer
from gridlang.learners.reports.page import report_to_html
from gridlang.learners.reports.reporting import Following, ReportPlan, make_report
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.training.train import LOCK
from tests.support.runs import HOSTILE, trained


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a hostile name and a long path, in which the seeds are told apart by their losses."""
    folder = trained(tmp_path_factory.mktemp("deep" * 20) / "a<b>&.run", (0, 1, 2))
    about = json.loads((folder / "run.json").read_text()) | {"name": HOSTILE}
    (folder / "run.json").write_text(json.dumps(about))
    lines = [
        {"iteration": at, "lr": 0.1 / at, "loss": [1 / at, 2 / at, 4 / at], "seconds": at / 10}
        for at in range(1, 41)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def plan(run: Path) -> ReportPlan:
    return ReportPlan([str(run)], None, None, 0.0, "", "gridlang report")


def opened(browser: Any, address: str, said: list[str], **options: Any) -> Any:
    page = browser.new_page(**options)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: said.append(request.url) if request.url[:5] == "https" else None)
    page.goto(address)
    return page


def test_charts_need_no_script_and_fit_a_phone(run: Path, tmp_path: Path, browser: Any) -> None:
    path, said = tmp_path / "page.html", list[str]()
    path.write_text(report_to_html(make_report(plan(run))), encoding="utf-8")
    page = opened(browser, path.as_uri(), said, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator("figure").first.locator(".line").count() == 3
    assert page.locator("figure").first.locator(".line title").all_text_contents() == [
        "seed 0",
        "seed 1",
        "seed 2",
    ]
    page.close()
    assert not said


def test_a_page_follows_its_run(run: Path, tmp_path: Path, browser: Any) -> None:
    folder, said = tmp_path / "followed.run", list[str]()
    shutil.copytree(run, folder)
    lines = (run / "metrics.jsonl").read_text().splitlines(keepends=True)
    (folder / "metrics.jsonl").write_text("".join(lines[:10]))
    following = Following(plan(folder)._replace(follows=True))
    with LocalServer(following.pages) as server:
        page = opened(browser, server.url, said)
        with held(str(folder), LOCK), (folder / "metrics.jsonl").open("a") as file:
            file.write("".join(lines[10:20]) + '{"iter')
            file.flush()
            following.rest = 0.0
            following.look()
            page.get_by_text("in progress: iteration 20 of 40").wait_for()
        following.rest = 0.0
        following.look()
        page.get_by_text("at rest: interrupted at iteration 20 of 40").wait_for()
        (folder / "metrics.jsonl").write_text("".join(lines))
        following.rest = 0.0
        following.look()
        page.get_by_text("finished: the run is at rest").wait_for()
        assert page.locator("#state.live").count() == 0
        assert urllib.request.urlopen(server.url).read() == following.page
    page.get_by_text("finished: the run is at rest; the page is no longer followed").wait_for()
    page.close()
    assert not [each for each in said if "ERR_" not in each]  # The browser tells that the server has ended.
