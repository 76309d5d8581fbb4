"""The tables of the suite's page, from the record of benchmarks/suite.py and from what others reported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.suite_tasks import ARCHITECTURES, TASKS

Record = Mapping[str, Any]
MISSING = "–"  # in a cell of a task that was not run


def written_page(page: str, record: Record) -> str:
    """The page with its tables made anew; the rest of it stays."""
    for name, table in (("results", results(record)), ("sizes", sizes(record))):
        block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.S)
        page, made = block.subn(lambda match, text=table: f"{match[1]}\n{text}\n\n{match[2]}", page)
        if made != 1:
            raise ValueError(f"the page has no place for the table of {name}")
    return page


def results(record: Record) -> str:
    """What is proven and right here, beside the accuracies that the paper reports."""
    head = ["task", "level", "proven", "trained", "tested", "program", "model"]
    rows = [[*head, *ARCHITECTURES], ["---"] * (len(head) + len(ARCHITECTURES))]
    for task in TASKS.values():
        mine = _mine(record[task.name]) if task.name in record else [MISSING] * 5
        link = f"[{task.name.replace('_', ' ')}](../../examples/suite/{task.name}.grid)"
        rows.append([link, task.level, *mine, *(f"{share:.1f}" for share in task.reported)])
    return _table(rows)


def _mine(data: Record) -> list[str]:
    seeds = data["seeds"]
    lengths = sorted({test[0] for seed in seeds for test in seed["model"] or seed["program"] or ()})
    return [
        f"{data['proven']} of {len(seeds)}",
        str(data["training_length"]),
        ", ".join(map(str, lengths)),
        _share([seed["program"] for seed in seeds]),
        _share([seed["model"] for seed in seeds]),
    ]


def _share(tests: list[list[list[int]] | None]) -> str:
    """The share of all answers that are right, of all seeds that have some."""
    some = [test for each in tests for test in each or ()]
    asked = sum(test[1] for test in some)
    return f"{100 * sum(test[2] for test in some) / asked:.1f}" if asked else MISSING


def sizes(record: Record) -> str:
    """How large the experts and their traces are, and what learning took."""
    head = ["task", "states", "learned", "rules", "traces", "training, s", "proving, s"]
    rows = [head, ["---"] * len(head)]
    for name in (name for name in TASKS if name in record):
        data = record[name]
        states = sorted({seed["states"] for seed in data["seeds"] if seed["program"]})
        learned = ", ".join(map(str, states)) or MISSING
        seconds = data["training_seconds"], data["judging_seconds"]
        cells = [data["states"], learned, data["rules"], f"{data['traces'][-1]:,}", *seconds]
        rows.append([name.replace("_", " "), *map(str, cells)])
    return _table(rows)


def _table(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
