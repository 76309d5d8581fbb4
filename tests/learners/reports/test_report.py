"""`gridlang report`: one page from the folder of a run."""

from __future__ import annotations

import json
import re
import shutil
import sys
from contextlib import ExitStack, chdir
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from gridlang.cli import main
from gridlang.learners.learning.seed_verdicts import SeedResult
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.traces.dataset import traces_to_bytes
from gridlang.learners.train.run import LOCK
from tests.programs import EXAMPLES
from tests.support.runs import HOSTILE, program, traces, trained


def report(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["report", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answer(*arguments: object) -> dict[str, Any]:
    result = report(*arguments, "--json")
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("runs") / "increment.run", (0, 1, 2))


@pytest.fixture
def learned(run: Path, tmp_path: Path) -> Path:
    """A folder of `learn` with two rounds, in the second of which the last seed is proven."""
    folder = tmp_path / "increment.learn"
    about = json.loads((run / "run.json").read_text())
    verdicts = [{0: "proven", 1: "proven", 2: "refuted"}, {2: "proven"}]
    for number, given in enumerate(verdicts, 1):
        place = folder / f"round-{number}"
        shutil.copytree(run, place)
        (place / "run.json").write_text(json.dumps({**about, "seeds": list(given)}))
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        cut = [{**line, "loss": [line["loss"][seed] for seed in given]} for line in lines]
        (place / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in cut))
        (place / "traces.npz").write_bytes(traces_to_bytes(traces(program())))
        results = [
            SeedResult(seed, word, states=3, clusters=4, margin=0.5, counterexample=HOSTILE).as_json()
            for seed, word in given.items()
        ]
        (place / "round.json").write_text(json.dumps({"hard": 5, "results": results}))
    (folder / "learning.json").write_text(
        json.dumps({"name": "increment", "seeds": [0, 1, 2], "scope": "worlds", "recipe": about["recipe"]})
    )
    return folder


class Page(HTMLParser):
    """What a page is made of; whatever could fetch something is noted."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.reaches: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.reaches += [
            f"{name}={value}" for name, value in attrs if name in ("src", "href", "onload", "action")
        ]

    def handle_data(self, data: str) -> None:
        self.words += data


def pages(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.reaches == ["href=data:,"] and not {"iframe", "img", "script"} & set(page.tags)
    assert "url(" not in text and "@import" not in text and "prefers-color-scheme:dark" in text
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(svg)
    return page


def test_a_run_of_train_is_told_with_its_curves_and_its_seeds(run: Path, tmp_path: Path) -> None:
    (told,) = answer(run, "-o", tmp_path / "page.html")["runs"]
    assert (told["label"], told["agent"], told["done"]) == ("increment", "increment", 40)
    assert [seed["seed"] for seed in told["seeds"]] == [0, 1, 2]
    assert all(seed["loss"] > 0 and seed["rlg"] == 0 for seed in told["seeds"])
    words = pages(tmp_path / "page.html").words
    for each in ("training loss", "RLG: the length passed", "recipe", "finished"):
        assert each in words


def test_jobs_of_a_sweep_that_differ_in_their_seeds_are_one_line(tmp_path: Path) -> None:
    for seeds in ((0, 1), (2, 3)):
        folder = trained(tmp_path / "runs" / f"increment-fast-{seeds[0]}-{seeds[1]}", seeds)
        models = [{"seed": seed, "passed": seed > 0} for seed in seeds]
        result = {"digits": 9, "models": models}
        (folder / "result.json").write_text(json.dumps(result))
    (told,) = answer(tmp_path / "runs", "-o", tmp_path / "page.html")["runs"]
    assert told["label"] == "increment-fast" and [seed["seed"] for seed in told["seeds"]] == [0, 1, 2, 3]
    assert [seed["passed"] for seed in told["seeds"]] == [False, True, True, True]
    assert "3 at 9" in pages(tmp_path / "page.html").words


def test_rounds_of_learn_are_told_with_what_became_of_each_seed(learned: Path, tmp_path: Path) -> None:
    (told,) = answer(learned, "-o", tmp_path / "page.html")["runs"]
    assert (told["label"], told["done"], told["rounds"]) == ("increment.learn", 80, [[40, 2], [80, 3]])
    assert [seed["verdict"] for seed in told["seeds"]] == ["proven"] * 3
    words = pages(tmp_path / "page.html").words
    assert "seeds proven, %" in words and HOSTILE in words  # as text


def test_several_runs_stand_side_by_side(run: Path, learned: Path, tmp_path: Path) -> None:
    data = answer(run, learned, "-o", tmp_path / "page.html")
    labels = [each["label"] for each in data["runs"]]
    words = pages(tmp_path / "page.html").words
    assert len(set(labels)) == 2 and all(words.count(label) > 3 for label in labels)


def test_figures_are_written_as_files(run: Path, tmp_path: Path) -> None:
    data = answer(run, "-o", tmp_path / "page.html", "--svg", tmp_path / "svg")
    assert data["figures"] == ["loss", "rlg"]
    ElementTree.parse(tmp_path / "svg" / "loss.svg")


def test_a_run_tells_the_command_that_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chdir(tmp_path):
        grid = str(EXAMPLES / "increment.grid")
        for typed in (
            ["trace", grid, "--rule", "peek-worlds:20", "--seed", "3", "-o", "a b.npz"],
            ["train", "a b.npz", "--iterations", "20", "--device", "cpu", "-o", "m.safetensors"],
        ):
            monkeypatch.setattr(sys, "argv", ["/usr/bin/gridlang", *typed])
            assert CliRunner().invoke(main, typed).exit_code == 0
        answer("m.run", "-o", "page.html")
        words = pages(Path("page.html")).words
    assert "gridlang train 'a b.npz' --iterations 20 --device cpu -o m.safetensors" in words


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.json", "[]"),
        ("run.json", "{}"),
        ("run.json", '{"seeds": 3, "name": "x", "recipe": {}}'),
        ("run.json", '{"seeds": [0], "name": "x", "recipe": []}'),
        ("run.json", "[" * 100_000),
        ("result.json", '{"models": [{}]}'),
        ("metrics.jsonl", '{"loss": [1, 2, 3]}\n'),
        ("metrics.jsonl", "half a line\n"),
        ("measures.jsonl", '{"iteration": 3, "rlg": []}\n'),
        ("learning.json", "{}"),
    ],
)
def test_a_damaged_folder_is_told_without_a_traceback(
    run: Path, tmp_path: Path, name: str, text: str
) -> None:
    folder = tmp_path / "increment.run"
    shutil.copytree(run, folder)
    (folder / name).write_text(text)
    result = report(folder, "-o", tmp_path / "page.html")
    assert result.exit_code == 2 and "G161" in result.stderr


@pytest.mark.parametrize("name", ["nothing", "empty", "file.json"])
def test_what_is_no_run_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.json").write_text("{}")
    result = report(tmp_path / name, "-o", tmp_path / "page.html")
    assert result.exit_code == 2 and "G172" in result.stderr and "sweep" in result.stderr


def test_a_run_that_is_not_at_its_end_or_was_lost_has_a_page_too(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "increment.run"
    shutil.copytree(run, folder)
    for model in folder.glob("*.safetensors"):
        model.unlink()
    lines = [
        {"iteration": 1, "lr": 1, "loss": [1.0, None, 0.5], "seconds": 1},
        {"iteration": 2, "lr": 1, "loss": [2.0, None, None], "seconds": 2},
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (told,) = answer(folder, "-o", tmp_path / "page.html")["runs"]
    assert [seed["diverged"] for seed in told["seeds"]] == [None, 1, 2]
    shown = pages(tmp_path / "page.html").words
    assert "diverged at 1" in shown and "interrupted at 2 of 40" in shown


def test_a_page_follows_its_run_and_then_rests(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, page = tmp_path / "increment.run", tmp_path / "page.html"
    shutil.copytree(run, folder)
    lines = (run / "metrics.jsonl").read_text().splitlines(keepends=True)
    (folder / "metrics.jsonl").write_text("".join(lines[:10]) + '{"iter')
    seen: list[str] = []

    def wait(_: float) -> None:
        seen.append(page.read_text())
        (folder / "metrics.jsonl").write_text("".join(lines))
        holding.close()

    monkeypatch.setattr("gridlang.learners.commands.report.time.sleep", wait)
    with ExitStack() as holding:
        holding.enter_context(held(str(folder), LOCK))
        assert report(folder, "--follow", "-o", page).exit_code == 0
    assert "in progress at 10 of 40" in seen[0] and 'http-equiv="refresh"' in seen[0]
    assert "finished" in page.read_text() and "refresh" not in page.read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_needs_no_script_and_fits_a_phone(
    run: Path, tmp_path: Path, browser: Any, scheme: str
) -> None:
    folder, path, said = tmp_path / "deep" / "a<b>&.run", tmp_path / "page.html", list[str]()
    shutil.copytree(run, folder)
    about = json.loads((folder / "run.json").read_text()) | {"name": HOSTILE}
    (folder / "run.json").write_text(json.dumps(about))
    answer(folder, "-o", path)
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    for event in ("console", "pageerror", "dialog"):
        page.on(event, lambda each: said.append(str(each)))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    thin = page.locator("figure").first.locator(".thin title").all_text_contents()
    assert thin == [f"a<b>&, seed {seed}" for seed in range(3)]
    page.close()
    assert not said
