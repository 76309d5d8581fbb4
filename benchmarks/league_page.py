"""The league as a page: a figure of success against the number of traces, and a table of all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

from gridlang.files import write_whole
from learners.reports.line_charts import Layout, Line, Panel, charts
from learners.training.methods import DFST, MERGE, METHODS, NETWORKS, SAT

Entry = Mapping[str, Any]

Z = 1.96  # of an interval that holds 95 of 100 times
NEARLY = 15  # of 16 draws: what can be relied on, but for a stray draw
INTRO = """# The league

Who learns an agent *exactly*, from how many traces of which kind? Every method is given the same traces,
and there is one criterion: what it learned is **proven** to do what the expert does, on all declared inputs
or on all worlds. Each entry is {draws} draws of traces, and of weights where a method has any. Bands are
95 % intervals (Wilson).

Seeds, tasks, sizes and draws were fixed before the runs (`benchmarks/league.py`). Three things were changed
on the way: a model may be judged for 20 seconds at each scope, and no longer for 60; the solver has 10
seconds and at most 100 traces, which was set before it ran; and the rule `characteristic` was added after
merging had been seen on the others.

```sh
python benchmarks/league.py --methods merge sat           # CPU
python benchmarks/league.py --methods dfst --only-train   # GPU; --seconds 540 for pieces
python benchmarks/league.py --methods dfst                # judges what was trained
python benchmarks/league.py --page                        # this page, from benchmarks/results/league.json
```

Traces are [recorded](traces.md#what-is-recorded) by the paper's rule (`paper`), from inputs chosen for what
they show (`greedy`), from random worlds (`worlds`), half of each (`both`), from reads that show each two
rules in a row (`reads`), and from reads that tell all states apart (`characteristic`). Some rules have no
more than so many traces: all 196 additions of up to three bits, 62 sequences of reads.

## Who wins

The fewest traces from which at least {nearly} of {draws} draws are proven, by **merging / DFSTs / the
smallest machine**, which was given 100 at most. A dash: from none of the sizes that were run. A question
mark: perhaps, but too many draws were not decided in time. A dot: not run.

{summary}
- **Whoever can ask for the right traces needs no network.** From a whole characteristic sample [state
  merging](merging.md) is proven on all worlds for all seven agents, in less than a second; from a part of
  such a sample it hardly ever is. DFSTs never are: such a sample shows each thing once, in a few steps.
  So [`learn`](learning.md#merging-first) begins with merging.
- **From random worlds merging wins**: it takes fewer traces or as many, and milliseconds. DFSTs of add10
  have not converged when their iterations are over; [`learn`](learning.md) notices that and trains on,
  the league does not.
- **From declared inputs DFSTs win on three agents of five.** Short inputs do not show what tells states
  apart, and then to merge is a guess: of add2 it is wrong with however many chosen additions, where DFSTs
  are right from twenty. Of subtract more draws are right, from fewer inputs; of compare, with 29 states
  and 16 symbols, {compare} of 16 from 4,000 inputs, and none of merging's. Of add10 and palindrome one or the
  other takes fewer, by how the inputs are chosen. What learned from products alone, of mult2 or of mult10,
  mostly stays undecided: it takes arithmetic to know [what no product shows](proofs.md#learned-models).
- **From inputs and worlds together** DFSTs of mult2 are proven on inputs on {dfst_both} of 16 draws from
  100 traces, and on all from 1,000; merging is on {merge_both}, and from 1,000 on all but a stray draw, on
  every world too, where DFSTs are refuted or not decided. Of add2 DFSTs take fewer for inputs and merging
  for worlds, of add10 they take as many, of subtract and palindrome merging takes fewer. Nobody learns
  compare so; of mult10 merging is refuted, and so are all 16 DFSTs from 4,000 traces where they are judged
  for longer than 20 seconds (`benchmarks/extraction.py`).
- **From reads that show each two rules in a row** both learn add2, add10, subtract and palindrome, and
  neither learns mult2 reliably, as the smallest machine does, nor compare at all. Of mult10, with 95
  states, {mult10} of 16 DFSTs are proven on every world, the others not decided in time, and merging is
  right on none.
- **The smallest consistent machine** (`sat`) is the right one where a few traces show a small agent well:
  of mult2, from its {reads} sequences of reads, it is proven on inputs on {sat_reads} of 16 draws, where
  merging is on {merge_reads} and DFSTs on {dfst_reads}; of palindrome, from 100 such sequences, on
  {sat_palindrome}, where merging is on {merge_palindrome} and DFSTs on {dfst_palindrome}. From 100 declared
  inputs of palindrome it is right as well, but additions leave it too small: from 100 by the paper's rule it
  is right on {sat} of 16 draws, where merging is right on {merge} and DFSTs on {dfst}. Of add10, mult10,
  subtract and compare 10 seconds are not enough, or 20 to 100 traces too few.
- **GRUs and LSTMs** were run with 200 and 4,000 traces, on add2, on inputs of add10 and palindrome, and
  GRUs also on worlds of add10 and inputs of compare. None of {networks} is proven: {wrong} err on some
  declared input, {undecided} were not decided. A transformer has no states to extract, and so cannot win by a
  proof.

Not run: DFSTs from fewer than 4,000 traces of mult10; GRUs and LSTMs on other lines than these; and
whatever else is missing in the tables. A line of `sat` ends where 10 seconds are enough on no draw.

![Draws proven on all inputs against the number of traces](assets/league.svg)

A cell of a table is: draws proven on inputs / on worlds, `?` and how many were not decided on inputs in
time, and how many traces there were if the rule has no more. By `paper`, `greedy` and `characteristic`
these are then the same traces in every draw: for `merge` and `sat`, which draw nothing at random, such a
cell is one experiment told sixteen times, and its band says nothing. Seconds are means of a draw at the
fewest and at the most traces: processor time of one core for `merge` and `sat`; for networks the time
that passed on one H200, shared among the draws, and where it does not say GPU, on one core. Lines of
add2, add10 and palindrome had the GPU for themselves; the others shared it with two more, and lines of
mult2 and mult10 that hold inputs with four or five, as GRUs and LSTMs did, so that their seconds are too
long.

"""


def write_page(record: Mapping[str, Any], tasks: Sequence[str], rules: Sequence[str], docs: Path) -> None:
    """Writes league.md and its figure; only what was measured is shown."""
    entries = list(record.values())
    shown = [task for task in tasks if any(entry["task"] == task for entry in entries)]
    panels = [_panel(entries, task, rule) for task in shown for rule in rules]
    order = [name for name in METHODS if any(entry["method"] == name for entry in entries)]
    layout = Layout(240, 190, len(rules))
    picture = charts("The share of draws that are proven on all inputs", panels, order, layout)
    write_whole(docs / "assets" / "league.svg", picture)
    tables = "\n".join(_table(entries, task, rules, order) for task in shown)
    write_whole(docs / "league.md", INTRO.format(**_figures(record, shown, rules)) + tables)


def _figures(record: Mapping[str, Any], tasks: Sequence[str], rules: Sequence[str]) -> dict[str, Any]:
    """What the page's text says in numbers."""

    def proven(key: str, scope: str = "inputs") -> int:
        return _proven(record[key], scope)

    networks = [draw for e in record.values() if e["method"] in NETWORKS for draw in e["draws"]]
    additions = {method: proven(f"add2/paper/{method}/100") for method in ("sat", "merge", "dfst")}
    return {
        "draws": max(len(entry["draws"]) for entry in record.values()),
        "nearly": NEARLY,
        "summary": _summary(list(record.values()), tasks, rules),
        "compare": proven("compare/paper/dfst/4000"),
        "mult10": proven("mult10/reads/dfst/4000", "worlds"),
        "reads": max(draw["traces"] for draw in record["mult2/reads/sat/100"]["draws"]),
        **{f"{method}_reads": proven(f"mult2/reads/{method}/100") for method in additions},
        **{f"{method}_palindrome": proven(f"palindrome/reads/{method}/100") for method in additions},
        "networks": len(networks),
        "wrong": sum(draw["inputs"] is False for draw in networks),
        "undecided": sum(draw["inputs"] is None for draw in networks),
        **{f"{method}_both": proven(f"mult2/both/{method}/100") for method in additions if method != "sat"},
        **additions,
    }


def _summary(entries: Sequence[Entry], tasks: Sequence[str], rules: Sequence[str]) -> str:
    """The fewest traces that are enough, by three methods: of each task by each rule."""
    lines = [f"| | proven on | {' | '.join(rules)} |", f"|---|---|{'---|' * len(rules)}"]
    for task, scope in product(tasks, ("inputs", "worlds")):
        cells = []
        for rule in rules:
            here = [entry for entry in entries if (entry["task"], entry["rule"]) == (task, rule)]
            fewest = [_fewest([e for e in here if e["method"] == m], scope) for m in (MERGE, DFST, SAT)]
            cells.append(" / ".join(fewest))
        lines.append(f"| {task} | {scope} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _fewest(line: Sequence[Entry], scope: str) -> str:
    enough = [entry for entry in line if _proven(entry, scope) >= NEARLY]
    if enough:
        return f"{max(draw['traces'] for draw in min(enough, key=lambda e: e['size'])['draws']):,}"
    if any(_proven(entry, scope) + _undecided(entry, scope) >= NEARLY for entry in line):
        return "?"
    return "–" if line else "·"


def interval(successes: int, count: int) -> tuple[float, float]:
    """Wilson's interval for a share."""
    share, width = successes / count, Z * Z / count
    middle = share + width / 2
    spread = Z * sqrt(share * (1 - share) / count + width / (4 * count))
    return (middle - spread) / (1 + width), (middle + spread) / (1 + width)


def _panel(entries: Sequence[Entry], task: str, rule: str) -> Panel:
    here = [entry for entry in entries if (entry["task"], entry["rule"]) == (task, rule)]
    series = []
    for method in sorted({entry["method"] for entry in here}):
        line = sorted((e for e in here if e["method"] == method), key=lambda e: e["size"])
        counts = [(_proven(entry, "inputs"), len(entry["draws"])) for entry in line]
        bands = [interval(*count) for count in counts]
        sizes = [entry["size"] for entry in line]
        shares = [successes / count for successes, count in counts]
        low, high = [band[0] for band in bands], [band[1] for band in bands]
        series.append(Line(method, sizes, shares, low, high))
    return Panel(f"{task}, {rule}", "traces", series, x_log=True, y_top=1.0)


def _proven(entry: Entry, scope: str) -> int:
    return sum(draw[scope] is True for draw in entry["draws"])


def _undecided(entry: Entry, scope: str) -> int:
    return sum(draw[scope] is None for draw in entry["draws"])


def _table(entries: Sequence[Entry], task: str, rules: Sequence[str], methods: Sequence[str]) -> str:
    ours = [entry for entry in entries if entry["task"] == task]
    here = {(entry["rule"], entry["method"], entry["size"]): entry for entry in ours}
    sizes = sorted({size for *_, size in here})
    head = " | ".join(f"{size:,}" for size in sizes)
    lines = [
        f"## {task}\n",
        f"| traces by | method | {head} | seconds | to judge |",
        f"|---|---|{'---:|' * (len(sizes) + 2)}",
    ]
    for rule, method in product(rules, methods):
        row = [here.get((rule, method, size)) for size in sizes]
        if any(row):
            cells = " | ".join(_cell(entry) for entry in row)
            costs = " | ".join(_cost(row, key) for key in ("seconds", "judging"))
            lines.append(f"| {rule} | {method} | {cells} | {costs} |")
    return "\n".join(lines) + "\n"


def _cell(entry: Entry | None) -> str:
    """How many draws are proven on inputs and on worlds, and what else has to be known about that."""
    if entry is None:
        return ""
    most = max(draw["traces"] for draw in entry["draws"])
    fewer = f" ({most:,})" if most < entry["size"] else ""
    unknown = f" ?{_undecided(entry, 'inputs')}" if _undecided(entry, "inputs") else ""
    return f"{_proven(entry, 'inputs')} / {_proven(entry, 'worlds')}{unknown}{fewer}"


def _cost(row: Sequence[Entry | None], key: str) -> str:
    """The mean of a draw, at the fewest and at the most traces."""
    measured = [entry for entry in row if entry]
    ends = [measured[0], measured[-1]]
    means = [f"{sum(draw[key] for draw in entry['draws']) / len(entry['draws']):.2g}" for entry in ends]
    on_gpu = [" GPU" if key == "seconds" and entry["gpu"] else "" for entry in ends]
    return f"{means[0]}{on_gpu[0] if on_gpu[0] != on_gpu[1] else ''} to {means[1]}{on_gpu[1]}"
