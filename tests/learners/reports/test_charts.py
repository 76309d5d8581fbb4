"""The charts of a report as a reader has them: pointed at, with other axes, on a phone, of a run in progress."""

from __future__ import annotations

import json
import shutil
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from compiler.local_pages import LocalServer
from learners.reports.page import report_to_html
from learners.reports.reporting import Following, ReportPlan, make_report
from learners.runtime.folder_lock import held
from learners.training.train import LOCK
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


def test_one_points_at_a_seed_and_chooses_the_axes(run: Path, tmp_path: Path, browser: Any) -> None:
    path, said = tmp_path / "page.html", list[str]()
    path.write_text(report_to_html(make_report(plan(run))), encoding="utf-8")
    page = opened(browser, path.as_uri(), said, viewport={"width": 1280, "height": 800})
    tip, svg = page.locator(".tip").first, page.locator(".plot svg").first
    svg.focus()
    page.keyboard.press("ArrowLeft")  # The last point of the first line.
    assert tip.inner_text().split("\n") == ["seed 0", "0.025", "iteration 40, 4 s"]
    page.keyboard.press("ArrowDown")
    assert tip.inner_text().startswith("seed 1\n0.05")
    assert page.locator(".line.lit").count() > 1  # The seed is lit in every chart.
    box = svg.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 12)
    assert tip.inner_text().startswith("seed 2\n0.1")
    labels = lambda: svg.locator("text").all_text_contents()  # noqa: E731
    assert "iterations" in labels() and "100" in labels()  # Logarithmic axes end at powers of ten.
    page.get_by_role("button", name="time").click()
    page.get_by_role("group", name="scale").get_by_role("button", name="linear").click()
    assert "seconds of training" in labels() and "100" not in labels() and "4" in labels()
    page.locator("figure").first.get_by_role("button", name="seed 1").click()
    assert page.locator("figure").first.locator(".line").count() == 2
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not said
    still = opened(browser, path.as_uri(), said, java_script_enabled=False)
    assert still.locator(".charts figure svg polyline").count() >= 3 and not said
    page.close()
    still.close()


def test_a_page_follows_its_run_and_keeps_what_was_chosen(run: Path, tmp_path: Path, browser: Any) -> None:
    folder, said = tmp_path / "followed.run", list[str]()
    shutil.copytree(run, folder)
    lines = (run / "metrics.jsonl").read_text().splitlines(keepends=True)
    (folder / "metrics.jsonl").write_text("".join(lines[:10]))
    following = Following(plan(folder)._replace(follows=True))
    with LocalServer(following.pages) as server:
        following.tell = server.tell
        page = opened(browser, server.url, said)
        page.get_by_role("button", name="time").click()
        with held(str(folder), LOCK), (folder / "metrics.jsonl").open("a") as file:
            file.write("".join(lines[10:20]) + '{"iter')
            file.flush()
            following.rest = 0.0
            following.look()
            page.get_by_text("in progress: iteration 20 of 40").wait_for()
        assert page.get_by_role("button", name="time").get_attribute("aria-pressed") == "true"
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
