"""The league on its page: a table of every entry, and curves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

from benchmarks.league_lines import DRAWS, LINES, SIZES, Line
from gridlang.learners.reports.line_charts import Layout, Panel, charts
from gridlang.learners.reports.line_charts import Line as Curve

Entry = Mapping[str, Any]
Record = Mapping[str, Entry]
Z = 1.96  # of an interval that holds 95 of 100 times
METHODS = ("merge", "dfst", "refit", "gru", "lstm")
ORDER = ("dfst", "merge", "gru", "lstm", "refit")  # of colours
COLUMNS = 4  # panels in a row
NOTHING = "–"  # neither predicted nor proven


def interval(successes: int, count: int) -> tuple[float, float]:
    """Wilson's interval for a share."""
    share, width = successes / count, Z * Z / count
    middle = share + width / 2
    spread = Z * sqrt(share * (1 - share) / count + width / (4 * count))
    return (middle - spread) / (1 + width), (middle + spread) / (1 + width)


def written_page(page: str, record: Record) -> str:
    """The page with its table made anew; the rest of it stays."""
    block = re.compile(r"(<!-- results -->\n).*?(<!-- end of results -->)", re.S)
    page, made = block.subn(lambda match: f"{match[1]}\n{table(record)}\n\n{match[2]}", page)
    if made != 1:
        raise ValueError("the page has no place for the table of results")
    return page


def entries_of(record: Record, line: Line, method: str) -> list[Entry]:
    """The entries of a curve, by size; none where it was not run."""
    keys = [f"{line.task}/{line.rule}/{method}/{size}" for size in SIZES]
    return [record[key] for key in keys if key in record]


def count(entry: Entry, scope: str, said: bool | None = True) -> int:
    return sum(draw[scope] is said for draw in entry["draws"])


def predicts(entry: Entry) -> int:
    """Draws that predict every fresh trace."""
    return sum(draw["fresh"] == draw["asked"] for draw in entry["draws"])


def figure(record: Record) -> str:
    """A panel for each line and scope in which something is proven."""
    panels = []
    for line in LINES:
        for scope in ("inputs", "worlds"):
            curves = [_curve(entries_of(record, line, method), method, scope) for method in METHODS]
            shown = [curve for curve in curves if curve is not None]
            if any(max(curve.high) > 0.5 for curve in shown):
                title = f"{line.task}, {line.rule.removeprefix('random-')}: {scope}"
                panels.append(Panel(title, "different traces", shown, x_log=True, y_top=1.0))
    title = f"The share of {DRAWS} draws that are proven on all inputs, or on all worlds, by rule"
    return charts(title, panels, ORDER, Layout(264, 190, COLUMNS))


def _curve(entries: Sequence[Entry], method: str, scope: str) -> Curve | None:
    """The share proven; the band reaches up to where those undecided could all be right."""
    if not entries:
        return None
    draws = [len(entry["draws"]) for entry in entries]
    traces = [sum(draw["traces"] for draw in entry["draws"]) / len(entry["draws"]) for entry in entries]
    proven = [count(entry, scope) for entry in entries]
    undecided = [count(entry, scope, None) for entry in entries]
    low = [interval(right, many)[0] for right, many in zip(proven, draws, strict=True)]
    high = [
        interval(right + more, many)[1] for right, more, many in zip(proven, undecided, draws, strict=True)
    ]
    return Curve(method, traces, [right / many for right, many in zip(proven, draws, strict=True)], low, high)


def table(record: Record) -> str:
    """Every entry: draws that predict all fresh traces, that are proven on inputs, and on worlds."""
    head = " | ".join(f"{size:,}" for size in SIZES)
    lines = [f"| agent, traces by | method | {head} |", f"|---|---|{'---:|' * len(SIZES)}"]
    for line in sorted(LINES, key=lambda each: [one.task for one in LINES].index(each.task)):
        named = f"{line.task}, `{line.rule}`"
        for method in METHODS:
            entries = {entry["size"]: entry for entry in entries_of(record, line, method)}
            cells = [_cell(entries[size]) if size in entries else "" for size in SIZES]
            if any(cells):
                lines.append(f"| {named} | {method} | {' | '.join(cells)} |")
                named = ""
    return "\n".join(lines)


def _cell(entry: Entry) -> str:
    undecided = count(entry, "inputs", None)
    counts = predicts(entry), count(entry, "inputs"), count(entry, "worlds")
    if not any((*counts, undecided)):
        return NOTHING
    return f"{counts[0]}/{counts[1]}{f'?{undecided}' if undecided else ''}/{counts[2]}"
