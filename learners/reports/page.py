"""One self-contained page about runs; all text from files is escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from statistics import median
from typing import Any, NamedTuple

from gridlang.compiler.drawing.palette import page_style
from gridlang.compiler.drawing.templates import own_markup, render, resource
from gridlang.diagnostics import counted
from gridlang.learners.learning.seed_verdicts import (
    CRASHED,
    DIVERGED,
    REFUSED,
    REFUTED,
    UNKNOWN,
    VERDICTS,
)
from gridlang.learners.reports.limits import LIMITS
from gridlang.learners.reports.line_charts import PROVEN, Picture
from gridlang.learners.reports.measures import BestSeed, TraceCoverage
from gridlang.learners.reports.run_records import LEARN, RunRecord, SeedRecord, clock, commands_for, state_of
from gridlang.learners.sweeps.sweep import LOW_LOSS
from gridlang.learners.traces.choosing.coverage import Coverage
from gridlang.learners.training.growing import growth_line

LOOKS = {PROVEN: "good", REFUTED: "bad", UNKNOWN: "soft", REFUSED: "warn", DIVERGED: "bad", CRASHED: "bad"}
MEANS = {
    PROVEN: "what was extracted does what the expert does",
    REFUTED: "it differs on a world",
    UNKNOWN: "neither was found",
    REFUSED: "no state graph that it follows",
    DIVERGED: "lost in training",
    CRASHED: "what judges it failed, so nothing is known",
}


class Report(NamedTuple):
    """Everything that a page shows."""

    title: str
    records: Sequence[RunRecord]
    pictures: Sequence[Picture]
    coverages: Mapping[str, TraceCoverage]  # by label
    best: Mapping[str, BestSeed]  # by label, too
    made: str  # by which version, and when
    command: str  # makes the page again
    follows: bool = False  # served, and told when there is something new


class Cell(NamedTuple):
    """A cell of a table: a text, in a pill where it has a look, and why a seed fared as it did."""

    text: str = ""
    number: bool = False  # at the right
    look: str = ""
    seed: SeedRecord | None = None


ANSWERS = {True: Cell("yes", look="good"), False: Cell("no", look="bad"), None: Cell("unknown", look="soft")}


Rows = Sequence[Sequence[Cell]]  # of a table, its head first


def report_to_html(report: Report) -> str:
    """The whole page."""
    records, script = (
        report.records,
        resource("gridlang.learners.reports/follow.js") if report.follows else "",
    )
    return render(
        "gridlang.learners.reports/report.html",
        title=report.title,
        style=own_markup(page_style() + resource("gridlang.learners.reports/page.css")),
        script=own_markup(script),
        script_hash=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
        measured=any(record.margins for record in records),
        lead=_lead(records),
        state=state_of(records),
        figures=list(_figures(records)),
        several=len(records) > 1,
        brief=_brief(records),
        charts=[own_markup(picture.svg) for picture in report.pictures],
        runs=[_run_section(record, report.best.get(record.label)) for record in records],
        markup=own_markup,
        coverages=[
            (label, _coverage_section(coverage) if coverage else None, note)
            for label, (coverage, note) in report.coverages.items()
        ],
        made=report.made,
        command=report.command,
    )


def _lead(records: Sequence[RunRecord]) -> str:
    agents = ", ".join(dict.fromkeys(record.agent for record in records))
    seeds = sum(len(record.outcomes) for record in records)
    rest = f"in {len(records)} runs" if len(records) > 1 else _progress(records[0])
    return f"{agents}: {counted(seeds, 'seed')}, {rest}"


def _progress(record: RunRecord) -> str:
    if record.kind == LEARN:
        return f"{counted(len(record.rounds), 'round')}, {record.done or record.iterations:,} iterations"
    return f"{record.done:,} of {record.iterations:,} iterations"


def _figures(records: Sequence[RunRecord]) -> Iterable[tuple[str, str]]:
    """The main numbers with their names."""
    outcomes = [outcome for record in records for outcome in record.outcomes]
    losses = [loss for record in records for loss in record.known_losses]
    yield _middle_loss(losses), "loss, median of the seeds"
    if any(record.is_judged for record in records):
        yield f"{sum(o.verdict == PROVEN for o in outcomes)} of {len(outcomes)}", "seeds proven"
    if any(o.passed is not None for o in outcomes):
        digits = {record.digits for record in records if record.digits}
        at = f" at {digits.pop():,} digits" if len(digits) == 1 else ""
        yield f"{sum(o.passed is True for o in outcomes)} of {len(outcomes)}", f"seeds pass{at}"
    low = f"seeds with a loss below {LOW_LOSS:g}"
    yield f"{sum(loss < LOW_LOSS for loss in losses)} of {len(outcomes)}", low
    lost = sum(o.diverged is not None for o in outcomes)
    if lost:
        yield f"{lost} of {len(outcomes)}", "seeds diverged"
    lengths = [length for record in records for length in record.known_lengths]
    if lengths:
        more = any(o.beyond and o.length == max(lengths) for o in outcomes)
        yield f"{'≥ ' if more else ''}{max(lengths):,}", "RLG of the best: length passed"
    yield clock(sum(record.seconds for record in records)), "of training"


def _middle_loss(losses: Sequence[float]) -> str:
    return f"{median(losses):.1e}" if losses else "–"


def _brief(records: Sequence[RunRecord]) -> Rows:
    """A line per run, without empty columns."""
    passed = any(o.passed is not None for r in records for o in r.outcomes)
    lengths, judged = any(r.known_lengths for r in records), any(r.is_judged for r in records)
    head = ["run", "iterations", "seeds", "diverged", "median loss", f"loss < {LOW_LOSS:g}"]
    head += ["pass"] * passed + ["RLG, median", "RLG, best"] * lengths + ["proven"] * judged + ["training"]
    rows = [head]
    for r in records:
        reached, whole = r.known_lengths, len(r.outcomes)
        row = [r.label, f"{r.done:,}", f"{whole}", f"{sum(o.diverged is not None for o in r.outcomes)}"]
        row += [_middle_loss(r.known_losses), f"{sum(loss < LOW_LOSS for loss in r.known_losses)}"]
        row += [f"{sum(o.passed is True for o in r.outcomes)} of {whole}"] * passed
        row += [f"{median(reached):g}" if reached else "–", f"{max(reached):,}" if reached else "–"] * lengths
        proven = f"{sum(o.verdict == PROVEN for o in r.outcomes)} of {whole}" if r.is_judged else "–"
        rows.append([*row, *[proven] * judged, clock(r.seconds)])
    return [[Cell(row[0]), *(Cell(text, number=True) for text in row[1:])] for row in rows]


def _run_section(record: RunRecord, best: BestSeed | None) -> dict[str, Any]:
    """What the page shows of one run, by the names of the template."""
    verdicts = [v for v in VERDICTS if any(r.count(v) for r in record.rounds)]
    more = len(record.outcomes) - LIMITS.listed
    return {
        "label": record.label,
        "seed_count": counted(len(record.outcomes), "seed"),
        "seeds": _seeds(record),
        "more": f"{more:,}" if more > 0 else "",
        "rounds": _rounds(record, verdicts) if record.rounds else None,
        "matrix": _matrix(record) if more <= 0 else [],
        "key": [(verdict, LOOKS[verdict], MEANS[verdict]) for verdict in verdicts],
        "facts": _facts(record),
        "commands": commands_for(record),
        "best": best,
    }


def _rounds(record: RunRecord, verdicts: Sequence[str]) -> Rows:
    rows = [["round", "traces", "cases got wrong before", "iterations", "time", *verdicts]]
    for round_ in record.rounds:
        numbers = [round_.number, round_.traces, round_.hard, round_.iterations]
        counts = [str(round_.count(verdict)) for verdict in verdicts]
        rows.append([*(f"{n:,}" for n in numbers), clock(round_.seconds), *counts])
    return [[Cell(text, number=True) for text in row] for row in rows]


def _matrix(record: RunRecord) -> list[tuple[int, list[tuple[int, str, str]]]]:
    """Rounds by their numbers; of each the seeds, their verdicts and looks."""
    rounds = []
    for round_ in record.rounds:
        words = [(outcome.seed, round_.verdicts.get(outcome.seed, "")) for outcome in record.outcomes]
        rounds.append((round_.number, [(seed, word, LOOKS.get(word, "soft")) for seed, word in words]))
    return rounds


def _seeds(record: RunRecord) -> Rows:
    """A line per seed with its result."""
    judged, lengths = record.is_judged, bool(record.known_lengths)
    passed = any(o.passed is not None for o in record.outcomes)
    head = [Cell("seed", number=True), Cell("loss", number=True)]
    head += [Cell("RLG", number=True)] * lengths + [Cell("passes")] * passed
    head += [Cell("proof"), Cell("extracted"), Cell("least margin", number=True), Cell("because of")] * judged
    rows = [head]
    for o in record.outcomes[: LIMITS.listed]:
        reach = "–" if o.length is None else f"{'≥ ' if o.beyond else ''}{o.length:,}"
        row = [Cell(str(o.seed), number=True), _loss(o)]
        row += [Cell(reach, number=True)] * lengths + [ANSWERS[o.passed]] * passed
        if judged:
            margin = f"{o.margin:.5f}" if o.margin is not None else "–"
            row += [Cell(o.verdict or "–", look=LOOKS.get(o.verdict, "soft") if o.verdict else "")]
            row += [Cell(_extracted(o)), Cell(margin, number=True), Cell(seed=o)]
        rows.append(row)
    return rows


def _loss(o: SeedRecord) -> Cell:
    if o.diverged is not None:
        return Cell(f"diverged at {o.diverged:,}", number=True, look="bad")
    return Cell(f"{o.loss:.2e}" if o.loss is not None else "–", number=True)


def _extracted(o: SeedRecord) -> str:
    if o.states is None:
        return "–"
    follows = f"; the weights follow it on inputs of up to {o.follows:,}" if o.follows else ""
    return f"{counted(o.states, 'state')} from {counted(o.clusters or 0, 'cluster')}{follows}"


def _coverage_section(coverage: Coverage) -> dict[str, Any]:
    """What the page shows of the traces, by the names of the template."""
    reached = "of the rules that can be reached are exercised"
    parts = [("rules", coverage.covered, coverage.reachable, reached)]
    if coverage.possible:
        words = "of the pairs of states that can be told apart are"
        parts.append(("pairs", coverage.told_apart or 0, coverage.possible, words))
    ends = ", ".join(f"{count:,} {word}" for word, count in coverage.endings.items() if count)
    steps = f"{coverage.steps:,} steps together, {coverage.longest:,} the longest"
    return {
        "bars": [
            (name, f"{part:,} of {whole:,} {words}", f"{100 * part / max(1, whole):.1f}")
            for name, part, whole, words in parts
        ],
        "size": f"{coverage.traces:,} of {steps}; {ends}",
        "missing_count": counted(len(coverage.missing), "rule"),
        "missing": ", ".join(f"{state} on {symbol}" for state, symbol in coverage.missing[: LIMITS.listed]),
    }


def _facts(record: RunRecord) -> list[tuple[str, object]]:
    """Recipe, data and versions of a run; what is not known is empty."""
    facts = record.facts
    return [
        ("recipe", _pairs(facts.get("recipe", {}))),
        ("data", _data(record)),
        ("states of the models", facts.get("dim")),
        ("states tried", growth_line(facts.get("data", {}).get("made"))),
        ("proofs asked for on all", facts.get("scope")),
        ("trained by", " on ".join(str(facts[key]) for key in ("engine", "gpu") if facts.get(key))),
        ("versions", _pairs(facts.get("versions", {}))),
    ]


def _pairs(values: Mapping[str, Any]) -> str:
    plain = {key: value for key, value in values.items() if not isinstance(value, dict | list)}
    return ", ".join(f"{key} {value}" for key, value in plain.items())


def _data(record: RunRecord) -> str:
    data, origins = record.facts.get("data", {}), " and ".join(map(_pairs, record.plans))
    numbers = [f"{data[key]:,} {key}" for key in ("traces", "steps") if isinstance(data.get(key), int)]
    digest = f"SHA-256 {str(data['digest'])[:16]}…" if data.get("digest") else ""
    return "; ".join(filter(None, [", ".join(numbers), origins, digest]))
