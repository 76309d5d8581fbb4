"""The committed results: models that do what the README says of them, records that agree with its table."""

from __future__ import annotations

import json
import re

import pytest

from compiler.dfst import read_dfst
from gridlang.loading import load
from learners.evaluation import evaluate
from tests.programs import ROOT

TASKS = ("add2", "add10", "mult2", "mult10")
RECORDS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))


@pytest.mark.parametrize(("task", "digits"), list(zip(TASKS, (200, 60, 60, 12), strict=True)))
def test_a_committed_model_makes_no_mistake_on_inputs_far_longer_than_its_traces(
    task: str, digits: int
) -> None:
    model = read_dfst(str(ROOT / "examples" / "models" / f"{task}.safetensors"))
    table = load(ROOT / "examples" / f"{task}.grid").table
    assert evaluate(model, table, digits, seed=7).passed
    training = json.loads(model.metadata["training"])
    assert training["data"]["longest"] <= 346 and training["recipe"]["iterations"] <= 500_000


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_the_table_of_the_readme_is_that_of_the_records(path: object) -> None:
    record = json.loads((ROOT / "benchmarks" / "results" / str(path)).read_text())
    rows = {
        "paper": "`paper`, the paper's rule",
        "fast": "`fast`, the paper's rule",
        "fast-greedy": "`fast`, traces chosen",
        "fast-worlds": "`fast`, random worlds",
    }
    line = next(
        line for line in (ROOT / "README.md").read_text().splitlines() if rows[record["experiment"]] in line
    )
    cells = [cell.strip() for cell in line.strip("|").split("|")][1:]
    shown = re.fullmatch(r"(\d+) of (\d+)", cells[TASKS.index(record["task"])])
    assert shown and [int(number) for number in shown.groups()] == record["share"]
    passed = sum(seed["rlg_at_least"] >= record["threshold"] for seed in record["seeds"])
    assert [passed, len(record["seeds"])] == record["share"]
