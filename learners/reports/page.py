"""One page about a run: no script, nothing asked of any network, every word from a file escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from statistics import median
from typing import Any, NamedTuple

from compiler.drawing.palette import page_style
from learners.learning.seed_verdicts import DIVERGED, REFUSED, REFUTED, UNKNOWN, VERDICTS
from learners.reports.markup import cell, clock, count, pill, section, table, text_of
from learners.reports.measures import Shown, is_judged
from learners.reports.pictures import PROVEN, Picture
from learners.reports.run_records import LEARN, Outcome, Strand
from learners.sweeps.sweep import LOW_LOSS
from learners.traces.coverage import Coverage

LOOKS = {PROVEN: "good", REFUTED: "bad", UNKNOWN: "soft", REFUSED: "warn", DIVERGED: "bad"}
MEANS = {
    PROVEN: "what was extracted does what the expert does",
    REFUTED: "it differs on a world",
    UNKNOWN: "neither was found",
    REFUSED: "no state graph that it follows",
    DIVERGED: "lost in training",
}
LISTED = 400  # seeds, and rules, that are listed one by one


class Report(NamedTuple):
    """Everything that a page shows."""

    title: str
    strands: Sequence[Strand]
    pictures: Sequence[Picture]
    shown: Mapping[str, Shown]  # by label
    made: str  # by which version, from where


def report_to_html(report: Report) -> str:
    """The whole page."""
    parts = [
        f"<h1>{text_of(report.title)}</h1>",
        f'<p class="lead">{text_of(_lead(report.strands))}</p>',
        _figures(report.strands),
        section("In brief", _brief(report.strands)) if len(report.strands) > 1 else "",
        section("Curves", _charts(report.pictures)) if report.pictures else "",
        *(section(_named("Rounds", report, s), _rounds(s)) for s in report.strands if s.rounds),
        section("Seeds", "".join(_seed_list(s, len(report.strands) > 1) for s in report.strands)),
        section("What the traces show", _coverages(report)) if report.shown else "",
        section("How it was made", _made(report)),
    ]
    style = page_style() + (files("learners.reports") / "page.css").read_text(encoding="utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text_of(report.title)}</title><style>{style}</style></head>\n<body>"
        + "\n".join(filter(None, parts))
        + "</body></html>\n"
    )


def _named(what: str, report: Report, strand: Strand) -> str:
    return f"{what} of {strand.label}" if len(report.strands) > 1 else what


def _lead(strands: Sequence[Strand]) -> str:
    agents = ", ".join(dict.fromkeys(strand.agent for strand in strands))
    seeds = sum(len(strand.outcomes) for strand in strands)
    rest = f"in {len(strands)} runs" if len(strands) > 1 else _progress(strands[0])
    return f"{agents}: {count(seeds, 'seed')}, {rest}"


def _progress(strand: Strand) -> str:
    if strand.kind == LEARN:
        return f"{count(len(strand.rounds), 'round')}, {strand.done:,} iterations"
    return f"{strand.done:,} of {strand.iterations:,} iterations"


def _figures(strands: Sequence[Strand]) -> str:
    """The few numbers that one looks for first."""
    outcomes = [outcome for strand in strands for outcome in strand.outcomes]
    losses = [outcome.loss for outcome in outcomes if outcome.loss is not None]
    cards = [(f"{median(losses):.1e}" if losses else "–", "loss, median of the seeds")]
    for value, words in _successes(outcomes, strands):
        cards.append((f"{value} of {len(outcomes)}", words))
    lengths = [o.length for o in outcomes if o.length is not None]
    if lengths:
        best = max(lengths)
        more = any(o.beyond and o.length == best for o in outcomes)
        cards.append((f"{'≥ ' if more else ''}{best:,}", "RLG of the best: length passed"))
    cards.append((clock(sum(strand.seconds for strand in strands)), "of training"))
    inner = "".join(
        f"<div><b>{text_of(value)}</b><span>{text_of(words)}</span></div>" for value, words in cards
    )
    return f'<div class="big">{inner}</div>'


def _successes(outcomes: Sequence[Outcome], strands: Sequence[Strand]) -> Iterable[tuple[int, str]]:
    if any(map(is_judged, strands)):
        yield sum(o.verdict == PROVEN for o in outcomes), "seeds proven"
    digits = {strand.digits for strand in strands if strand.digits}
    if any(o.passed is not None for o in outcomes):
        at = f" at {digits.pop():,} digits" if len(digits) == 1 else ""
        yield sum(o.passed is True for o in outcomes), f"seeds pass{at}"
    yield (
        sum(o.loss is not None and o.loss < LOW_LOSS for o in outcomes),
        f"seeds with a loss below {LOW_LOSS:g}",
    )
    lost = sum(o.diverged is not None for o in outcomes)
    if lost:
        yield lost, "seeds diverged"


def _brief(strands: Sequence[Strand]) -> str:
    """A line a strand; columns that say nothing are left out."""
    head = ["run", "iterations", "seeds", "diverged", "median loss", f"loss < {LOW_LOSS:g}"]
    passed = any(o.passed is not None for s in strands for o in s.outcomes)
    lengths = any(o.length is not None for s in strands for o in s.outcomes)
    proven = any(map(is_judged, strands))
    head += ["pass"] * passed + ["RLG, median", "RLG, best"] * lengths + ["proven"] * proven + ["training"]
    rows = []
    for s in strands:
        losses = [o.loss for o in s.outcomes if o.loss is not None]
        reached = [o.length for o in s.outcomes if o.length is not None]
        row = [
            s.label,
            f"{s.done:,}",
            f"{len(s.outcomes)}",
            f"{sum(o.diverged is not None for o in s.outcomes)}",
        ]
        row += [f"{median(losses):.1e}" if losses else "–", f"{sum(loss < LOW_LOSS for loss in losses)}"]
        row += [_of(s, "passed", True)] * passed
        row += [f"{median(reached):g}" if reached else "–", f"{max(reached):,}" if reached else "–"] * lengths
        row += [_of(s, "verdict", PROVEN) if is_judged(s) else "–"] * proven + [clock(s.seconds)]
        rows.append([cell(row[0]), *(cell(text, "n") for text in row[1:])])
    return table([(head[0], ""), *((each, "n") for each in head[1:])], rows)


def _of(strand: Strand, name: str, wanted: object) -> str:
    return f"{sum(getattr(o, name) == wanted for o in strand.outcomes)} of {len(strand.outcomes)}"


def _charts(pictures: Sequence[Picture]) -> str:
    inner = "".join(f"<figure>{picture.svg}</figure>" for picture in pictures)
    words = "Lines are medians of the seeds, bands go from the least to the most."
    return f'<div class="charts">{inner}</div><p class="lead">{words}</p>'


def _rounds(strand: Strand) -> str:
    """A table of the rounds, and beside it each seed's way through them."""
    head = [
        ("round", "n"),
        ("traces", "n"),
        ("cases got wrong before", "n"),
        ("iterations", "n"),
        ("time", "n"),
    ]
    words = [v for v in VERDICTS if any(v in r.verdicts.values() for r in strand.rounds)]
    head += [(word, "n") for word in words]
    rows = []
    for each in strand.rounds:
        numbers = [each.number, each.traces, each.hard, each.iterations]
        counts = [list(each.verdicts.values()).count(word) for word in words]
        texts = [*(f"{n:,}" for n in numbers), clock(each.seconds), *map(str, counts)]
        rows.append([cell(text, "n") for text in texts])
    return table(head, rows) + (_matrix(strand, words) if len(strand.outcomes) <= LISTED else "")


def _matrix(strand: Strand, words: Sequence[str]) -> str:
    """Seeds across, rounds down, coloured by verdict."""
    seeds = [outcome.seed for outcome in strand.outcomes]
    lines = []
    for each in strand.rounds:
        cells = []
        for seed in seeds:
            word = each.verdicts.get(seed, "")
            look = f'class="cell {LOOKS.get(word, "soft")}" title="seed {seed}: {text_of(word)}"'
            cells.append(f"<td><span {look}></span></td>" if word else "<td></td>")
        lines.append(f'<tr><th class="n">round {each.number}</th>{"".join(cells)}</tr>')
    key = "".join(
        f'<span><i class="{LOOKS[word]}"></i>{text_of(word)}: {text_of(MEANS[word])}</span>' for word in words
    )
    grid = f'<table class="matrix" style="width:auto"><tbody>{"".join(lines)}</tbody></table>'
    title = "<h3>Each seed on its way, from top to bottom</h3>"
    return f'{title}<div class="wide">{grid}</div><div class="key">{key}</div>'


def _seed_list(strand: Strand, several: bool) -> str:
    """The seeds of a strand; behind a line to click where there are several strands."""
    if not several:
        return _seeds(strand)
    words = f"{count(len(strand.outcomes), 'seed')} of {strand.label}"
    return f"<details><summary>{text_of(words)}</summary>{_seeds(strand)}</details>"


def _seeds(strand: Strand) -> str:
    """A line a seed: what became of it."""
    outcomes = strand.outcomes[:LISTED]
    judged, lengths = is_judged(strand), any(o.length is not None for o in strand.outcomes)
    passed = any(o.passed is not None for o in strand.outcomes)
    head = [("seed", "n"), ("loss", "n")] + [("RLG", "n")] * lengths + [("passes", "")] * passed
    head += [("proof", ""), ("extracted", ""), ("least margin", "n"), ("", "")] * judged
    rows = []
    for o in outcomes:
        row = [cell(o.seed, "n"), _loss(o)]
        row += [cell(_reach(o), "n")] * lengths
        row += [f"<td>{pill(*_answer(o.passed))}</td>"] * passed
        if judged:
            proof = pill(o.verdict, LOOKS.get(o.verdict, "soft")) if o.verdict else "–"
            row += [f"<td>{proof}</td>", cell(_extracted(o))]
            row += [cell(f"{o.margin:.5f}" if o.margin is not None else "–", "n"), f"<td>{_why(o)}</td>"]
        rows.append(row)
    more = len(strand.outcomes) - len(outcomes)
    return table(head, rows) + (f'<p class="lead">and {more:,} more seeds</p>' if more else "")


def _loss(o: Outcome) -> str:
    if o.diverged is not None:
        return f'<td class="n">{pill(f"diverged at {o.diverged:,}", "bad")}</td>'
    return cell(f"{o.loss:.2e}" if o.loss is not None else "–", "n")


def _reach(o: Outcome) -> str:
    return "–" if o.length is None else f"{'≥ ' if o.beyond else ''}{o.length:,}"


def _answer(passed: bool | None) -> tuple[str, str]:
    return {True: ("yes", "good"), False: ("no", "bad"), None: ("unknown", "soft")}[passed]


def _extracted(o: Outcome) -> str:
    if o.states is None:
        return "–"
    follows = f"; the weights follow it on inputs of up to {o.follows:,}" if o.follows else ""
    return f"{count(o.states, 'state')} from {count(o.clusters or 0, 'cluster')}{follows}"


def _why(o: Outcome) -> str:
    parts = [f'<span class="why">{text_of(o.reason)}</span>'] if o.reason else []
    if o.counterexample:
        parts.append(
            f"<details><summary>differs on</summary><pre>{text_of(o.counterexample)}</pre></details>"
        )
    if o.certificate:
        parts.append(
            f'<span class="why">certificate in {text_of("/".join(o.certificate.split("/")[-2:]))}</span>'
        )
    return " ".join(parts)


def _coverages(report: Report) -> str:
    parts = []
    for label, (coverage, note) in report.shown.items():
        title = f"<h3>{text_of(label)}</h3>" if len(report.strands) > 1 else ""
        parts.append(
            f"<div>{title}{_covered(coverage) if coverage else ''}<p class='lead'>{text_of(note)}</p></div>"
        )
    return f'<div class="sets">{"".join(parts)}</div>'


def _covered(coverage: Coverage) -> str:
    rows = [("rules", coverage.covered, coverage.reachable, "of the rules that can be reached are exercised")]
    if coverage.possible:
        words = "of the pairs of states that can be told apart are"
        rows.append(("pairs", coverage.told_apart or 0, coverage.possible, words))
    lines = "".join(
        f"<dt>{name}</dt><dd>{part:,} of {whole:,} {words}"
        f'<div class="bar"><i style="width:{100 * part / max(1, whole):.1f}%"></i></div></dd>'
        for name, part, whole, words in rows
    )
    ends = ", ".join(f"{count:,} {word}" for word, count in coverage.endings.items() if count)
    size = (
        f"{coverage.traces:,} of {coverage.steps:,} steps together, {coverage.longest:,} the longest; {ends}"
    )
    missing = ""
    if coverage.missing:
        listed = ", ".join(f"{state} on {symbol}" for state, symbol in coverage.missing[:LISTED])
        missing = (
            f"<details><summary>{count(len(coverage.missing), 'rule')} never exercised</summary>"
            f"<code>{text_of(listed)}</code></details>"
        )
    return f"<dl>{lines}<dt>traces</dt><dd>{text_of(size)}</dd></dl>{missing}"


def _made(report: Report) -> str:
    """Recipe, data and versions of each strand; what all have in common stands once at the end."""
    parts = []
    for strand in report.strands:
        facts = strand.facts
        recipe, data = facts.get("recipe", {}), facts.get("data", {})
        rows = [("recipe", _pairs(recipe)), ("data", _data(data)), ("states of the models", facts.get("dim"))]
        rows += [
            ("proofs asked for on all", facts.get("scope")),
            ("trained by", _engine(facts)),
            ("versions", _pairs(facts.get("versions", {}))),
        ]
        inner = "".join(f"<dt>{text_of(k)}</dt><dd>{text_of(v)}</dd>" for k, v in rows if v)
        title = f"<h3>{text_of(strand.label)}</h3>" if len(report.strands) > 1 else ""
        parts.append(f"<div>{title}<dl>{inner}</dl></div>")
    return f'<div class="sets">{"".join(parts)}</div><p class="lead">{text_of(report.made)}</p>'


def _pairs(found: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in found.items())


def _data(data: Mapping[str, Any]) -> str:
    made = data.get("made")
    plans = made.get("joined", [made]) if isinstance(made, dict) else []
    told = (
        " and ".join(_pairs(plan) for plan in plans if isinstance(plan, dict))
        if isinstance(plans, list)
        else ""
    )
    numbers = [f"{data[key]:,} {key}" for key in ("traces", "steps") if isinstance(data.get(key), int)]
    return "; ".join(filter(None, [", ".join(numbers), told, f"SHA-256 {str(data.get('digest', ''))[:16]}…"]))


def _engine(facts: Mapping[str, Any]) -> str:
    return " on ".join(str(facts[key]) for key in ("engine", "gpu") if facts.get(key))
