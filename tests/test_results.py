"""The committed results: models that do what is said of them, records that agree with the tables of docs/research/results.md."""

from __future__ import annotations

import json
import re
from statistics import median

import pytest

from benchmarks import phase
from benchmarks.league import table as league_table
from benchmarks.pages import with_table
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.loading import load
from tests.programs import EXAMPLES, ROOT
from tests.support.lockstep import evaluate

TASKS = ("add2", "add10", "mult2", "mult10")
RESULTS = ROOT / "benchmarks" / "results"
RECORDS = [path for path in sorted(RESULTS.glob("*.json")) if "experiment" in json.loads(path.read_text())]
PAGE = (ROOT / "docs" / "research" / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("task", "digits"), list(zip(TASKS, (200, 60, 60, 12), strict=True)))
def test_a_committed_model_makes_no_mistake_on_inputs_far_longer_than_its_traces(
    task: str, digits: int
) -> None:
    model = read_dfst(str(ROOT / "examples" / "models" / f"{task}.safetensors"))
    table = load(ROOT / "examples" / f"{task}.grid").table
    assert evaluate(model, table, digits, seed=7).passed
    training = json.loads(model.metadata["training"])
    assert training["data"]["longest"] <= 346 and training["recipe"]["iterations"] <= 500_000


def cell(row: str, task: str) -> str:
    """What the page's table says of a task in the first row with this label."""
    line = next(line for line in PAGE.splitlines() if line.startswith("|") and row in line)
    return [part.strip() for part in line.strip("|").split("|")][1:][TASKS.index(task)]


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_the_table_of_the_page_is_that_of_the_records(path: object) -> None:
    record = json.loads((RESULTS / str(path)).read_text())
    rows = {
        "paper": "`paper`, the paper's rule",
        "fast": "`fast`, the paper's rule",
        "fast-greedy": "`fast`, traces chosen",
        "fast-worlds": "`fast`, worlds by",
    }
    shown = re.fullmatch(r"(\d+) of (\d+)", cell(rows[record["experiment"]], record["task"]))
    assert shown and [int(number) for number in shown.groups()] == record["share"]
    passed = sum(seed["rlg_at_least"] >= record["threshold"] for seed in record["seeds"])
    assert [passed, len(record["seeds"])] == record["share"]


@pytest.mark.parametrize("task", TASKS)
def test_the_proofs_of_the_page_are_those_of_the_records(task: str) -> None:
    record = json.loads((RESULTS / f"{task}.proofs.json").read_text())
    assert cell("seeds proven", task) == f"{record['proven']} of {record['seeds']}"
    assert cell("| on |", task) == {"worlds": "every world", "inputs": "every input"}[record["scope"]]
    assert cell("rounds, traces", task) == f"{record['rounds']}, {record['traces'][-1]:,}"
    assert cell("training of all seeds", task) == str(record["training_seconds"])
    assert cell("the program as exact weights", task) == f"{record['exact']['digits']:,} digits"
    assert record["exact"]["rlg"] is True


def words(page: str) -> str:
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def test_the_readme_claims_of_proofs_what_the_records_do() -> None:
    claim = "32 of 32 seeds of addition in base two and in base ten are proven on every *world*"
    more = "32 of 32 of multiplication in base two, and 8 of 8 in base ten"
    readme = words("README.md")
    assert claim in readme and more in readme and "show every rule, chosen by looking at the states" in readme
    assert [cell("seeds proven", task) for task in TASKS] == [*["32 of 32"] * 3, "8 of 8"]
    assert {cell("| on |", task) for task in TASKS} == {"every world"}


@pytest.mark.parametrize("task", TASKS)
def test_the_proofs_over_draws_of_traces_are_those_of_the_record(task: str) -> None:
    draws = json.loads((RESULTS / "draws.json").read_text())["draws"].get(task, [])
    proven = sum(draw["proven"] and draw["scope"] == "worlds" for draw in draws)
    assert len({draw["seed"] for draw in draws}) == len(draws)
    assert cell("other draws of traces", task) == (f"{proven} of {len(draws)}" if draws else "not run")


def paper_cell(row: str, task: str) -> str:
    """What docs/paper.md says of a task in the row with this label."""
    text = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith(f"| {row} |"))
    return [part.strip() for part in line.strip("|").split("|")][1:][TASKS.index(task)]


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_the_seconds_and_lengths_of_the_paper_page_are_those_of_the_records(path: object) -> None:
    record = json.loads((RESULTS / str(path)).read_text())
    seconds, seeds = record["seconds"], len(record["seeds"])
    spent = f"{seconds['training']:.0f} + {seconds['evaluation']:.0f}"
    shown = paper_cell(f"`{record['experiment']}`", record["task"])
    if record["gpu"]:
        assert shown.removesuffix(", diverged") == f"{spent}, {seeds} seed{'s' * (seeds > 1)}"
        assert shown.endswith("diverged") == all(seed["diverged"] >= 0 for seed in record["seeds"])
    else:
        assert shown == "on a CPU" and f"{spent} seconds" in words("docs/paper.md")
    if record["experiment"] in ("paper", "fast"):
        best = record["best"]
        passed = str(best["digits"]) if best["rlg"] else "fails"
        assert paper_cell(f"RLG here, `{record['experiment']}` recipe, its samples", record["task"]) == passed


@pytest.mark.parametrize("task", TASKS)
def test_the_sizes_of_the_paper_page_are_those_of_agents_and_models(task: str) -> None:
    model = read_dfst(str(ROOT / "examples" / "models" / f"{task}.safetensors"))
    table = load(EXAMPLES / f"{task}.grid").table
    paper = json.loads((RESULTS / f"{task}-paper.json").read_text())
    assert paper_cell("states, here", task) == str(len(table.states)) == str(len(model.h0))
    assert paper_cell("weights, here", task) == f"{model.parameters:,}"
    assert paper_cell("states, the paper", task) == str(paper["dim"])
    assert paper_cell("weights, the paper", task) == f"{paper['parameters']:,}"


def test_the_shipped_weights_of_mult10_are_told_apart_from_those_that_the_record_timed() -> None:
    training = json.loads(
        read_dfst(str(ROOT / "examples" / "models" / "mult10.safetensors")).metadata["training"]
    )
    told = f"{training['iterations']:,} iterations"
    assert f"{told}, {training['seconds']:.0f} seconds" in words("docs/research/results.md")
    assert told in words("docs/paper.md")


def test_agents_that_nothing_was_tuned_for_are_as_many_as_the_page_says() -> None:
    agents = [json.loads(path.read_text()) for path in (RESULTS / "untuned").glob("*.json")]
    assert len(agents) == 13 and "Thirteen agents that nothing was tuned for" in words(
        "docs/research/results.md"
    )
    assert all((agent["proven"], agent["seeds"], agent["rounds"]) == (4, 4, 1) for agent in agents)


def test_the_times_of_iterations_are_those_of_the_record() -> None:
    shown = (ROOT / "docs" / "research" / "results.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\d+, \d+, .*$", shown, re.MULTILINE)
    assert rows and set(rows) <= set((RESULTS / "training.txt").read_text().splitlines())


@pytest.mark.parametrize("task", TASKS)
def test_a_committed_program_that_was_learned_is_proven_at_the_scope_of_its_record(task: str) -> None:
    expert, learned = (
        load(path).table for path in (EXAMPLES / f"{task}.grid", RESULTS / f"{task}.learned.grid")
    )
    record = json.loads((RESULTS / f"{task}.proofs.json").read_text())
    assert prove(expert, learned, record["scope"]).equivalent is True
    states = f"{len(learned.states)} ({len(expert.states)})"
    assert cell("states of the extracted program", task) == states


def test_the_league_on_the_first_page_is_that_of_its_record() -> None:
    record = json.loads((RESULTS / "league.json").read_text())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rules = {"additions": "inputs", "runs on random grids": "worlds", "read sequences": "reads"}
    rows = re.findall(
        r"^\| (\w+)(?: \([^)]*\))? \| ([\d,]+) (?:random )?([^|]*) \|(.*)\|$", readme, re.MULTILINE
    )
    shown = [row for row in rows if row[2] in rules]
    assert len(shown) == 5
    methods = ("merge", "refit", "dfst")
    for task, size, what, cells in shown:
        keys = [f"{task}/{rules[what]}/{m}/{size.replace(',', '')}" for m in methods]
        draws = [record[key]["draws"] if key in record else None for key in keys]
        assert all(each is None or len({draw["digest"] for draw in each}) == 64 for each in draws)
        proven = ["" if each is None else str(sum(draw["inputs"] is True for draw in each)) for each in draws]
        assert [cell.strip(" *") for cell in cells.split("|")] == proven


def test_the_page_of_the_league_shows_its_record() -> None:
    record = json.loads((RESULTS / "league.json").read_text())
    page = (ROOT / "docs" / "research" / "league.md").read_text(encoding="utf-8")
    assert with_table(page, league_table(record)) == page


def test_the_figure_of_random_machines_is_that_of_its_record() -> None:
    record = json.loads((RESULTS / "phase.json").read_text())
    assert phase.FIGURE.read_text(encoding="utf-8") == phase.figure(record)
    for rule, states, method, needed in (
        ("reads", 10, "merging", 50),
        ("reads", 100, "merging", 500),
        ("reads", 1_000, "merging", 10_000),
        ("reads", 1_000, "queries", 7_553),
        ("inputs", 10, "queries", 51.5),
        ("inputs", 1_000, "merging", None),
    ):
        rows = [row for key, row in record.items() if key.startswith(f"{rule}/{states}/") and method in row]
        found = [row[method] for row in rows]
        assert (None if None in found else median(found)) == needed
        assert needed is None or f"{needed:,.0f}" in words("docs/research/phase.md")


def test_merged_tables_of_the_league_fit_their_traces() -> None:
    record = json.loads((RESULTS / "league.json").read_text())
    assert all(draw["fits"] for e in record.values() if e["method"] == "merge" for draw in e["draws"])


def test_the_speeds_of_the_page_of_engines_are_those_of_the_records() -> None:
    page = (ROOT / "docs" / "reference" / "engines.md").read_text(encoding="utf-8")
    ratios = r"^(\S+) .* steps .* ([\d,]+) M/s +([\d.]+) x loop +([\d.]+) x better$"
    speeds = re.findall(ratios, (RESULTS / "simulators.txt").read_text(), re.MULTILINE)
    commands = re.findall(r"^(.*\S) +([\d.]+)$", (RESULTS / "commands.txt").read_text(), re.MULTILINE)
    shown = re.findall(r"^\| (\S+) \| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    assert speeds and shown == speeds
    assert commands and re.findall(r"^\| `([^`]+)` \| ([\d.]+) \|$", page, re.MULTILINE) == commands
