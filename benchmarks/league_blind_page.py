"""The blind league on its page: curves, a table of every entry, and the search for settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

from benchmarks.league_lines import (
    DRAWS,
    LINES,
    NETWORKS,
    SEARCH,
    SEARCH_DRAWS,
    SIZES,
    Line,
)
from gridlang.learners.reports.line_charts import Layout, Panel, charts
from gridlang.learners.reports.line_charts import Line as Curve
from gridlang.learners.training.recipes import load_recipe

Entry = Mapping[str, Any]
Record = Mapping[str, Entry]
Z = 1.96  # of an interval that holds 95 of 100 times
METHODS = ("merge", "dfst", "refit", "gru", "lstm", "fast", "longer")
ORDER = ("dfst", "merge", "gru", "lstm", "refit")  # of colours, the same in both figures
COLUMNS = 4  # panels in a row
NOTHING = "–"  # neither predicted nor proven


def interval(successes: int, count: int) -> tuple[float, float]:
    """Wilson's interval for a share."""
    share, width = successes / count, Z * Z / count
    middle = share + width / 2
    spread = Z * sqrt(share * (1 - share) / count + width / (4 * count))
    return (middle - spread) / (1 + width), (middle + spread) / (1 + width)


def entries_of(record: Record, line: Line, method: str) -> list[Entry]:
    """The entries of a curve, by size; none where it was not run."""
    keys = [f"{line.task}/{line.rule}/{method}/{size}" for size in SIZES]
    return [record[key] for key in keys if key in record]


def count(entry: Entry, scope: str, said: bool | None = True) -> int:
    return sum(draw[scope] is said for draw in entry["draws"])


def seen(entry: Entry) -> int:
    """How often training sees each trace, about."""
    return round(entry["iterations"] * load_recipe(entry["recipe"]).batch / entry["draws"][0]["traces"])


def predicts(entry: Entry) -> int:
    """Draws that predict every fresh trace."""
    return sum(draw["fresh"] == draw["asked"] for draw in entry["draws"])


def figure(record: Record) -> str:
    """A panel for each line and scope in which something is proven."""
    panels = []
    for line in LINES:
        for scope in ("inputs", "worlds"):
            curves = [_curve(entries_of(record, line, method), method, scope) for method in METHODS[:-1]]
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
            if any(cell not in ("", NOTHING) for cell in cells):
                lines.append(f"| {named} | {method} | {' | '.join(cells)} |")
                named = ""
    return "\n".join(lines)


def _cell(entry: Entry) -> str:
    undecided = count(entry, "inputs", None)
    counts = predicts(entry), count(entry, "inputs"), count(entry, "worlds")
    if not any((*counts, undecided)):
        return NOTHING
    return f"{counts[0]}/{counts[1]}{f'?{undecided}' if undecided else ''}/{counts[2]}"


def search_table(found: Mapping[str, Any]) -> str:
    """The setting of each method that was taken: the one with the fewest wrong steps."""
    lines = ["| method | setting | right | steps wrong |", "|---|---|---:|---:|"]
    for method, settings in SEARCH.items():
        tried = found["tried"][method]
        best = min(range(len(tried)), key=lambda at: tried[at]["steps_wrong"])
        setting, one = settings[best], tried[best]
        rate = f"rate × {setting['times']:g}" if "times" in setting else f"rate {setting['lr']:g}"
        told = f"`{setting['recipe']}`, {rate}, width {setting['dim']}, {one['iterations']:,} iterations"
        lines.append(f"| {method} | {told} | {one['right']} of {SEARCH_DRAWS} | {one['steps_wrong']} |")
    return "\n".join(lines)


def without_success(record: Record) -> str:
    """Lines that nothing was learned from, at any size."""
    lines: dict[str, list[str]] = {}
    for line in LINES:
        for method in METHODS:
            entries = entries_of(record, line, method)
            if entries and all(_cell(entry) == NOTHING for entry in entries):
                lines.setdefault(f"{line.task} by `{line.rule}`", []).append(method)
    return ", ".join(f"{line} ({', '.join(methods)})" for line, methods in lines.items())


def lost(record: Record) -> int:
    """Models that are proven on inputs as trained, and not once refitted."""
    pairs = (
        (before, after)
        for key, entry in record.items()
        if entry["method"] == "refit"
        for before, after in zip(
            record[key.replace("/refit/", "/dfst/")]["draws"], entry["draws"], strict=True
        )
    )
    return sum(before["inputs"] is True and after["inputs"] is not True for before, after in pairs)


def figures(record: Record, found: Mapping[str, Any]) -> dict[str, Any]:
    """What the page's text says in numbers."""

    def proven(key: str, scope: str = "inputs") -> int:
        return count(record[key], scope)

    trained = [e for e in record.values() if e["method"] not in ("merge", "refit")]
    return {
        "blind_draws": DRAWS,
        "blind_table": table(record),
        "search_table": search_table(found),
        "without_success": without_success(record),
        "dfst_50": proven("add2/inputs/dfst/50"),
        "merge_50": proven("add2/inputs/merge/50"),
        **{f"{name}_mult2": proven(f"mult2/random-reads/{name}/4000") for name in METHODS[:3]},
        "refit_add10": proven("add10/inputs/refit/1000"),
        **{f"{name}_scrambled": proven(f"add2/scrambled/{name}/1000", "worlds") for name in METHODS[:3]},
        "refit_50": proven("add2/inputs/refit/50"),
        "refitted": sum(len(e["draws"]) for e in record.values() if e["method"] == "refit"),
        "refit_lost": lost(record),
        "networks_proven": sum(count(e, "inputs") for e in record.values() if e["method"] in NETWORKS),
        "dfst_4000": proven("add2/inputs/dfst/4000"),
        "longer": proven("add2/inputs/longer/4000"),
        "dfst_add10": proven("add10/inputs/dfst/1000"),
        "merge_add10": proven("add10/inputs/merge/1000"),
        "trained": sum(len(e["draws"]) for e in trained),
        "misfits": sum(count(e, "fits", False) for e in trained),
        **{f"seen_{size}": seen(record[f"add2/inputs/dfst/{size}"]) for size in (200, 4_000)},
    }
