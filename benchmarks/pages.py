"""Tables of pages, from records; that of benchmarks/suite.py."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.suite_tasks import TASKS

Record = Mapping[str, Any]
MISSING = "–"  # in a cell of a task that was not run


def with_table(page: str, table: str) -> str:
    """The page with its table made anew; the rest of it stays."""
    block = re.compile(r"(<!-- results -->\n).*?(<!-- end of results -->)", re.S)
    page, made = block.subn(lambda match: f"{match[1]}\n{table}\n\n{match[2]}", page)
    if made != 1:
        raise ValueError("the page has no place for the table of results")
    return page


def results(record: Record) -> str:
    """What is proven, and right on long inputs."""
    head = ["task", "level", "proven", "trained", "program", "model"]
    rows = [head, ["---"] * len(head)]
    for task in TASKS.values():
        mine = _mine(record[task.name]) if task.name in record else [MISSING] * 4
        link = f"[{task.name.replace('_', ' ')}](../../examples/suite/{task.name}.grid)"
        rows.append([link, task.level, *mine])
    shown = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([shown[0], shown[1].replace(" ", ""), *shown[2:]])


def _mine(data: Record) -> list[str]:
    seeds = data["seeds"]
    return [
        f"{data['proven']} of {len(seeds)}",
        str(data["training_length"]),
        _share([seed["program"] for seed in seeds]),
        _share([seed["model"] for seed in seeds]),
    ]


def _share(tests: list[list[list[int]] | None]) -> str:
    """The share of all answers that are right, of all seeds that have some."""
    some = [test for each in tests for test in each or ()]
    asked = sum(test[1] for test in some)
    return f"{100 * sum(test[2] for test in some) / asked:.1f}" if asked else MISSING
