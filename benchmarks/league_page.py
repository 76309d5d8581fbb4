"""The league as a page: a figure of success against the number of traces, and a table of all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from gridlang.files import write_whole
from learners.reports.line_charts import Panel, Series, charts

Z = 1.96  # of an interval that holds 95 of 100 times
INTRO = """# The league

Who learns an agent *exactly*, from how many traces of which kind? Every method is given the same traces,
and there is one criterion: what it learned is **proven** to do what the expert does, on all declared inputs
or on all worlds. The settings were fixed before the runs (`benchmarks/league.py`); each entry is {draws}
draws of traces, and of weights where a method has any. Bands are 95 % intervals (Wilson). The rules are the
paper's inputs (`paper`), inputs chosen for what they show (`greedy`), random worlds (`worlds`), half inputs
and half worlds (`both`), and sequences of reads that show each two rules in a row (`reads`; there are no
more than it takes, so larger sets are the same).

```sh
python benchmarks/league.py --methods merge sat        # CPU
python benchmarks/league.py --methods dfst             # GPU; --seconds 540 for pieces
python benchmarks/league.py --page                     # this page, from benchmarks/results/league.json
```

![Draws proven on all inputs against the number of traces](assets/league.svg)

"""


def write_page(record: Mapping[str, Any], tasks: Sequence[str], rules: Sequence[str], docs: Path) -> None:
    """Writes league.md and its figure; only what was measured is shown."""
    entries = list(record.values())
    panels = [_panel(entries, task, rule) for task in tasks for rule in rules]
    shown = [panel for panel in panels if panel.series]
    methods = sorted({entry["method"] for entry in entries})
    write_whole(docs / "assets" / "league.svg", charts("Proven on all inputs", shown, methods))
    draws = max((len(entry["draws"]) for entry in entries), default=0)
    tables = "\n".join(_table(entries, task) for task in tasks if any(e["task"] == task for e in entries))
    write_whole(docs / "league.md", INTRO.format(draws=draws) + tables)


def interval(successes: int, count: int) -> tuple[float, float]:
    """Wilson's interval for a share."""
    share, width = successes / count, Z * Z / count
    middle = share + width / 2
    spread = Z * sqrt(share * (1 - share) / count + width / (4 * count))
    return (middle - spread) / (1 + width), (middle + spread) / (1 + width)


def _panel(entries: Sequence[Mapping[str, Any]], task: str, rule: str) -> Panel:
    here = [entry for entry in entries if (entry["task"], entry["rule"]) == (task, rule)]
    series = []
    for method in sorted({entry["method"] for entry in here}):
        line = sorted((e for e in here if e["method"] == method), key=lambda e: e["size"])
        counts = [(sum(d["inputs"] is True for d in e["draws"]), len(e["draws"])) for e in line]
        bands = [interval(*count) for count in counts]
        sizes = [entry["size"] for entry in line]
        shares = [successes / count for successes, count in counts]
        low, high = [band[0] for band in bands], [band[1] for band in bands]
        series.append(Series(method, sizes, shares, low, high))
    return Panel(f"{task}, {rule}", "traces", series, x_log=True)


def _table(entries: Sequence[Mapping[str, Any]], task: str) -> str:
    lines = [
        f"## {task}\n",
        "| rule | method | traces | proven on inputs | on worlds | states | seconds each | judging |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for entry in sorted(
        (e for e in entries if e["task"] == task), key=lambda e: (e["rule"], e["method"], e["size"])
    ):
        draws = entry["draws"]
        inputs, worlds = (sum(draw[scope] is True for draw in draws) for scope in ("inputs", "worlds"))
        states = sorted({draw["states"] for draw in draws if draw["inputs"] and draw["states"]})
        span = f"{states[0]}–{states[-1]}" if len(states) > 1 else str(states[0]) if states else "–"
        seconds, judging = (sum(draw[key] for draw in draws) / len(draws) for key in ("seconds", "judging"))
        traces = sum(draw["traces"] for draw in draws) / len(draws)
        proven = f"{inputs} of {len(draws)} | {worlds} | {span} | {seconds:.2f} | {judging:.2f}"
        lines.append(f"| {entry['rule']} | {entry['method']} | {traces:,.0f} | {proven} |")
    return "\n".join(lines) + "\n"
