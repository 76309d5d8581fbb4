"""The league as a page: a figure of success against the number of traces, and a table of all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

from gridlang.files import write_whole
from learners.methods.registry import MERGE, METHODS, SAT
from learners.reports.line_charts import Layout, Line, Panel, charts
from learners.traces.choosing.rules import OLDER, rules_table
from learners.training.method_choice import DFST

Entry = Mapping[str, Any]

Z = 1.96  # of an interval that holds 95 of 100 times
NEARLY = 15  # of 16 draws: what can be relied on, but for a stray draw
PAGE = """# The league

Which method learns an agent *exactly*, from how many traces of which kind? Every method gets the same
traces. The criterion is a **proof** that the result does what the expert does, on all declared inputs or on
all worlds. Each entry is {draws} draws of traces (and of weights). Bands are 95 % Wilson intervals.

## Who sees what

What a rule looks at in order to choose traces decides more than what learns from them. Rules by which the
expert's states choose have `peek` in their names; in `benchmarks/results/league.json` they are `greedy`
(`paper` with `--peek-greedy`), `worlds`, `both` (half `greedy`, half `worlds`), `reads` and `characteristic`.

{rules}

| method | is given |
|---|---|
| `merge`, `sat` | the traces alone |
| `dfst` | the traces, and the expert's number of states |
| `gru`, `lstm` | the traces, and three times that number, as a width |
| [`ask`](asking.md), not in the league | answers to its queries, and differences by the prover; no traces |

Tasks, sizes and draws were fixed before the runs. Changed on the way: a model is judged for 20 seconds per
scope instead of 60; `characteristic` was added after merging had run on the others, and rules that do not
look at states last, for merging only. `sat` has 10 seconds and at most 100 traces. A draw is a sample of
traces and, where weights are trained, one initialisation. On small agents some samples are equal: the 16 of
add2 by `peek-greedy`, 20 traces each, are 14 different ones.

```sh
python benchmarks/league.py --methods merge sat           # CPU
python benchmarks/league.py --methods dfst --only-train   # GPU; --seconds 540 for pieces
python benchmarks/league.py --methods dfst                # judges what was trained
python benchmarks/league.py --tables                      # every entry of benchmarks/results/league.json
python benchmarks/league.py --page                        # this page
```

## Who wins

The fewest traces from which at least {nearly} of {draws} draws are proven, by **merging/DFSTs/the
smallest machine**. A dash: from no size that was run. A question mark: too many draws were not decided in
time. A dot: not run.

By rules that do not look at the expert's states:

{blind}
{blind_text}
By rules that do:

{summary}
- **Chosen traces.** From a whole characteristic sample, [merging](merging.md) is proven on all worlds for
  all seven agents, in under a second; it takes the states to choose it. [Asking](asking.md) takes as many
  questions, and none of the states.
- **Worlds** that lead where the agent has been seldom: merging needs as many traces or fewer, and
  milliseconds.
- **Declared inputs**, picked by `peek-greedy`. DFSTs need the fewest on add2, add10 and palindrome.
  Subtract is undecided (too many merged tables were not decided in time), and so is compare, which
  neither learns reliably: {compare} of 16 DFSTs are proven from 4,000 inputs by the paper's rule, and no
  merged table. Models of mult2 and mult10 trained on products alone mostly stay
  [undecided](../guide/proofs.md#learned-models). For add2, merging is wrong from any number of additions
  picked so, and DFSTs are right from twenty; from 100 random ones by the paper's rule merging is right
  in {merge} of 16 draws.
- **Inputs and worlds together.** {dfst_both} of 16 DFSTs of mult2 are proven on inputs from 100 traces, and
  {merge_both} merged tables. For mult10 merging is refuted, and so are all 16 DFSTs from 4,000 traces when
  judged for longer (`benchmarks/extraction.py`).
- **Read sequences.** Merging and DFSTs both learn add2, add10, subtract and palindrome. For mult10 (95
  states), {mult10} of 16 DFSTs are proven on every world, and no merged table: among the methods that learn
  from traces, and from these. [Asking](asking.md) gives mult10 in a second.
- **The smallest machine** is right where a few traces show a small agent well. For mult2, from {reads}
  read sequences, it is proven on inputs in {sat_reads} of 16 draws, merging in {merge_reads}, DFSTs in
  {dfst_reads} (on worlds it is in {sat_reads_worlds}); for palindrome, from 100, in {sat_palindrome},
  {merge_palindrome} and {dfst_palindrome}. From 100 additions by the paper's rule it is too small: right
  in {sat} of 16 draws, merging in {merge}, DFSTs in {dfst}.
- **GRUs and LSTMs** ran with 200 and 4,000 traces on add2, add10, palindrome and compare. None of
  {networks} is proven: {wrong} err on some declared input, {undecided} were not decided.

Not run: DFSTs from fewer than 4,000 traces of mult10; GRUs and LSTMs elsewhere. Where a rule has only so
many traces, each draw of `merge` and `sat` is the same experiment.

![Draws proven on all inputs against the number of traces](../assets/league.svg)
"""


MOST = 4_000  # traces of a draw
PEEKING = {"greedy": "peek-greedy", "both": "peek-both", **OLDER}  # what the record calls otherwise


def write_page(record: Mapping[str, Any], tasks: Sequence[str], rules: Sequence[str], docs: Path) -> None:
    """Writes league.md and its figure; only what was measured is shown."""
    entries = list(record.values())
    shown = [task for task in tasks if any(entry["task"] == task for entry in entries)]
    panels = [_panel(entries, task, rule) for task in shown for rule in rules]
    order = [name for name in METHODS if any(entry["method"] == name for entry in entries)]
    layout = Layout(264, 190, len(rules))
    picture = charts("The share of draws that are proven on all inputs", panels, order, layout)
    write_whole(docs / "assets" / "league.svg", picture)
    write_whole(docs / "research" / "league.md", PAGE.format(**_figures(record, shown, rules)))


def all_tables(record: Mapping[str, Any], tasks: Sequence[str], rules: Sequence[str]) -> str:
    """Every entry: draws proven on inputs / on worlds, those undecided, and the traces there were."""
    entries = list(record.values())
    methods = [name for name in METHODS if any(entry["method"] == name for entry in entries)]
    return "\n".join(_table(entries, task, rules, methods) for task in tasks)


def _figures(record: Mapping[str, Any], tasks: Sequence[str], rules: Sequence[str]) -> dict[str, Any]:
    """What the page's text says in numbers."""

    def proven(key: str, scope: str = "inputs") -> int:
        return _proven(record[key], scope)

    networks = [draw for e in record.values() if METHODS[e["method"]].network for draw in e["draws"]]
    entries = list(record.values())
    additions = {method: proven(f"add2/paper/{method}/100") for method in ("sat", "merge", "dfst")}
    return {
        "draws": max(len(entry["draws"]) for entry in record.values()),
        "nearly": NEARLY,
        "rules": "\n".join(rules_table()),
        "blind": _summary(entries, tasks, [rule for rule in rules if rule not in PEEKING]),
        "blind_text": _blind_text(record),
        "summary": _summary(entries, tasks, [rule for rule in rules if rule in PEEKING]),
        "compare": proven("compare/paper/dfst/4000"),
        "mult10": proven("mult10/reads/dfst/4000", "worlds"),
        "reads": max(draw["traces"] for draw in record["mult2/reads/sat/100"]["draws"]),
        **{f"{method}_reads": proven(f"mult2/reads/{method}/100") for method in additions},
        "sat_reads_worlds": proven("mult2/reads/sat/100", "worlds"),
        **{f"{method}_palindrome": proven(f"palindrome/reads/{method}/100") for method in additions},
        "networks": len(networks),
        "wrong": sum(draw["inputs"] is False for draw in networks),
        "undecided": sum(draw["inputs"] is None for draw in networks),
        **{f"{method}_both": proven(f"mult2/both/{method}/100") for method in additions if method != "sat"},
        **additions,
    }


def _blind_text(record: Mapping[str, Any]) -> str:
    """How many of the merged tables are right, from the most traces that were run."""
    rules, counts = ("scrambled", "uniform", "random-reads"), []
    for task in dict.fromkeys(entry["task"] for entry in record.values()):
        keys = [f"{task}/{rule}/merge/{MOST}" for rule in rules]
        if all(key in record for key in keys):
            counts.append(f"{task} {', '.join(str(_proven(record[key], 'worlds')) for key in keys)}")
    return (
        f"Merged tables of 16 that are proven on all worlds, from {MOST:,} scrambled grids, uniform\n"
        f"grids, and random read sequences: {'; '.join(counts)}. Equal traces count once.\n"
    )


def _summary(entries: Sequence[Entry], tasks: Sequence[str], rules: Sequence[str]) -> str:
    """The fewest traces that are enough, by three methods: of each task by each rule."""
    head = " | ".join(PEEKING.get(rule, rule) for rule in rules)
    lines = [f"| | proven on | {head} |", f"|---|---|{'---|' * len(rules)}"]
    for task, scope in product(tasks, ("inputs", "worlds")):
        cells = []
        for rule in rules:
            here = [entry for entry in entries if (entry["task"], entry["rule"]) == (task, rule)]
            fewest = [_fewest([e for e in here if e["method"] == m], scope) for m in (MERGE, DFST, SAT)]
            cells.append("/".join(fewest))
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
    return Panel(f"{task}, {PEEKING.get(rule, rule)}", "traces", series, x_log=True, y_top=1.0)


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
