"""`gridlang report`: one page from the folder of a run."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import chdir
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from gridlang.cli import main
from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from gridlang.learners.learning.seed_verdicts import SeedResult
from gridlang.learners.reports.run_folders import read_run_records
from gridlang.learners.sweeps.jobs import JobResult, JobSpec, ModelResult, result_to_json
from gridlang.learners.traces.dataset import traces_to_bytes
from gridlang.learners.training.recipes import load_recipe
from tests.programs import EXAMPLES, ROOT
from tests.support.runs import HOSTILE, program, traces, trained

RESULTS = ROOT / "benchmarks" / "results"


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
    assert page.reaches == ["href=data:,"] and not {"iframe", "img"} & set(page.tags)
    assert "script" not in page.tags
    assert "url(" not in text and "@import" not in text and "prefers-color-scheme:dark" in text
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(svg)
    return page


@pytest.mark.long
def test_a_run_of_train_is_told_with_its_curve_seeds_and_what_its_traces_show(
    run: Path, tmp_path: Path
) -> None:
    data = answer(run, "-o", tmp_path / "page.html", "--seconds", 20)
    (told,) = data["runs"]
    assert (told["kind"], told["agent"], told["done"]) == ("train", "increment", 40)
    assert [seed["seed"] for seed in told["seeds"]] == [0, 1, 2]
    assert all("length" in seed for seed in told["seeds"])
    assert told["coverage"]["reachable"] >= told["coverage"]["covered"] > 0  # the traces were made again
    page = pages(tmp_path / "page.html")
    for words in (
        "training loss",
        "margin: lead of what is right",
        "RLG: the length passed",
        "iterations a second",
        "seeds that pass a length, %",
        "What the traces show",
        "recipe",
        "SHA-256",
    ):
        assert words in page.words


def test_nothing_but_the_folder_is_read_where_no_time_is_given(run: Path, tmp_path: Path) -> None:
    (told,) = answer(run, "-o", tmp_path / "page.html", "--seconds", 0)["runs"]
    assert told["coverage"] is None and not any("length" in seed for seed in told["seeds"])
    assert "RLG: the length passed" in pages(tmp_path / "page.html").words


def test_jobs_of_a_sweep_that_differ_in_their_seeds_are_one_line(tmp_path: Path) -> None:
    for seeds in ((0, 1), (2, 3)):
        name = f"increment-fast-{seeds[0]}-{seeds[1]}"
        folder = trained(tmp_path / "runs" / name, seeds)
        models = tuple(ModelResult(seed, 0.5, 40, 1.0, None, passed=seed > 0) for seed in seeds)
        spec = JobSpec(name, str(folder), "", "increment", b"", load_recipe("fast", ""), seeds, digits=9)
        (folder / "result.json").write_text(result_to_json(spec, JobResult(name, models)))
    (told,) = answer(tmp_path / "runs", "-o", tmp_path / "page.html", "--seconds", 0)["runs"]
    assert told["label"] == "increment-fast" and [seed["seed"] for seed in told["seeds"]] == [0, 1, 2, 3]
    assert [seed["passed"] for seed in told["seeds"]] == [False, True, True, True]
    assert "seeds pass at 9 digits" in pages(tmp_path / "page.html").words


@pytest.mark.usefixtures("looked_into_here")
def test_rounds_of_learn_are_told_with_what_became_of_each_seed(learned: Path, tmp_path: Path) -> None:
    (told,) = answer(learned, "-o", tmp_path / "page.html", "--seconds", 600)["runs"]
    assert (told["kind"], told["rounds"], told["done"]) == ("learn", 2, 80)
    assert [(seed["verdict"], seed["round"]) for seed in told["seeds"]] == [
        ("proven", 1),
        ("proven", 1),
        ("proven", 2),
    ]
    page = pages(tmp_path / "page.html")
    assert "seeds proven, %" in page.words and "3 states from 4 clusters" in page.words
    assert HOSTILE in page.words  # as text
    assert told["coverage"]["traces"] > 0


@pytest.mark.usefixtures("looked_into_here")
def test_models_are_extracted_and_held_against_their_expert_if_that_is_asked_for(
    run: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "one.run"
    shutil.copytree(run, folder)
    about = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**about, "seeds": [0]}))
    (folder / "metrics.jsonl").write_text('{"iteration": 40, "lr": 1, "loss": [0.1], "seconds": 1}\n')
    exact = table_to_dfst(program().table, program().to_source())
    (folder / "seed-0.safetensors").write_bytes(dfst_to_bytes(exact))
    (told,) = answer(folder, "--extract", "--seconds", 600, "-o", tmp_path / "page.html")["runs"]
    assert told["seeds"][0]["verdict"] == "proven" and told["seeds"][0]["beyond"] is True
    assert "proven" in pages(tmp_path / "page.html").words


def test_several_runs_stand_side_by_side(run: Path, learned: Path, tmp_path: Path) -> None:
    data = answer(run, learned, "-o", tmp_path / "page.html", "--seconds", 0)
    labels = [each["label"] for each in data["runs"]]
    words = pages(tmp_path / "page.html").words
    assert len(labels) == 2 and "In brief" in words and all(words.count(label) > 3 for label in labels)


def test_what_is_no_record_is_refused_with_what_shows_it(run: Path, tmp_path: Path) -> None:
    learned = report(next(RESULTS.glob("*.learned.grid")), "-o", tmp_path / "page.html")
    assert learned.exit_code == 2 and "gridlang view" in learned.stderr
    part = report(run / "run.json", "-o", tmp_path / "page.html")
    assert part.exit_code == 2 and f"name its folder, {run}" in part.stderr


def test_the_best_seed_is_looked_into_and_the_run_can_be_had_again(learned: Path, tmp_path: Path) -> None:
    exact = dfst_to_bytes(table_to_dfst(program().table, program().to_source()))
    (learned / "round-2" / "seed-2.safetensors").write_bytes(exact)
    for model in learned.glob("round-1/seed-*.safetensors"):
        model.unlink()
    answer(learned, "-o", tmp_path / "page.html", "--seconds", 600)
    page = pages(tmp_path / "page.html")
    assert "The best seed: 2" in page.words and "hidden vectors" in page.words and "circle" in page.tags
    assert "gridlang learn increment.grid --scope worlds --recipe fast" in page.words


def test_a_run_tells_the_command_that_was_typed_and_how_its_traces_were_made(tmp_path: Path) -> None:
    with chdir(tmp_path):
        grid = str(EXAMPLES / "increment.grid")
        for words in (
            ["trace", grid, "--rule", "peek-worlds:20", "--seed", "3", "-o", "a b.npz"],
            ["train", "a b.npz", "--iterations", "20", "--device", "cpu", "-o", "m.safetensors", "--json"],
        ):
            assert CliRunner().invoke(main, words).exit_code == 0
        answer("m.run", "-o", "page.html", "--seconds", 0)
        words = pages(Path("page.html")).words
    assert "gridlang trace increment.grid --rule peek-worlds:20 --seed 3 -o 'a b.npz'" in words
    typed = "gridlang train 'a b.npz' --output m.safetensors --iterations 20 --device cpu"
    assert typed in words and "--json" not in words


def test_pictures_are_written(run: Path, tmp_path: Path) -> None:
    data = answer(run, "-o", tmp_path / "page.html", "--seconds", 0, "--png", tmp_path / "png")
    assert [Path(path).name for path in data["pictures"]] == [
        "loss.png",
        "rlg.png",
        "margin.png",
        "lr.png",
        "speed.png",
    ]
    assert (tmp_path / "png" / "loss.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.json", "[]"),
        ("run.json", "{}"),
        ("run.json", '{"seeds": 3, "name": "x", "recipe": {}}'),
        ("run.json", '{"seeds": [0], "name": "x", "recipe": []}'),
        ("run.json", "[" * 100_000),
        ("result.json", '{"models": [{}]}'),
        ("metrics.jsonl", '{"iteration": 1}\n'),
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
    result = report(folder, "-o", tmp_path / "page.html", "--seconds", 0)
    assert result.exit_code == 2 and "G173" in result.stderr


@pytest.mark.parametrize("name", ["nothing", "empty", "file.json"])
def test_what_is_no_run_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.json").write_text("{}")
    result = report(tmp_path / name, "-o", tmp_path / "page.html")
    assert result.exit_code == 2 and re.search("G172|G001", result.stderr) and "sweep" in result.stderr


def test_a_run_that_is_not_at_its_end_or_was_lost_has_a_page_too(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "increment.run"
    shutil.copytree(run, folder)
    for model in folder.glob("*.safetensors"):
        model.unlink()
    lines = [
        {"iteration": 1, "lr": 1, "loss": [1.0, None, 0.5], "seconds": 1},
        {"iteration": 2, "lr": 1, "loss": [float("inf"), None, None], "seconds": 2},
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (told,) = answer(folder, "-o", tmp_path / "page.html")["runs"]
    assert told["coverage"] is None and [seed.get("diverged") for seed in told["seeds"]] == [None, 1, 2]
    shown = pages(tmp_path / "page.html").words
    assert (
        "diverged at 1" in shown
        and "at rest: interrupted at iteration 2 of 40; to continue: gridlang train" in shown
    )
    (losses,) = read_run_records([str(folder)])[0].losses
    assert losses.lines == {"seed 0": (1.0, None), "seed 1": (None, None), "seed 2": (0.5, None)}
