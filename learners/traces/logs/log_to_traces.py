"""From a log to `Traces`: symbols for its labels, the worlds that its runs were on, and an input clause.

A Mealy machine is an agent that reads its input on a tape, writes its output there, moves right, and halts
behind the word. A labelled word is kept as it is, and behind it the label is written. Both take any word over
their letters, so that is the input clause; a grid log has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from gridlang.compiler.foreign.imported import agent_name, own_symbols
from gridlang.compiler.simulation.random_inputs import world_text
from gridlang.compiler.traces.dataset import Shorts, Traces
from gridlang.compiler.traces.limits import LIMITS as FILES
from gridlang.diagnostics import Diagnostic, GridError, Label, fail
from gridlang.labels import labelled
from gridlang.learners.traces.limits import LIMITS
from gridlang.source import Source, Span
from gridlang.table import BLANK, DELTAS, MAX_SYMBOLS, MOVES, STAY, Entry, Table
from gridlang.world import Cell, World

GRID, MEALY, WORDS = "grid", "mealy", "words"
KINDS = {
    GRID: "steps that read, write and move",
    MEALY: "inputs and outputs",
    WORDS: "labelled words",
}
ACCEPT, REJECT = "+", "-"  # written behind a word
BLANKS = frozenset(("", "_", " "))  # the blank of a grid in logs


@dataclass(slots=True)
class ObservedRun:
    """One run: what was read and written at each step, where the log tells of it, and how it ended.

    None is the blank of a grid. A run on a grid has moves; the run of a Mealy machine has none, and that over
    a labelled word has its letters as both, and a label, or None where the log does not say.
    """

    name: str
    reads: list[str | None] = field(default_factory=list)
    writes: list[str | None] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)  # an empty one ends the run: no rule
    lines: list[int] = field(default_factory=list)  # of the log, counted from 1, one a step
    ending: str = ""  # halted, stuck or cut; empty where the log does not say
    label: str | None = None
    line: int = 1  # where the log begins to tell of it

    def add(self, read: str, written: str, line: int, move: str | None = None) -> str:
        """One more step; with a move, even an empty one, it is on a grid. The kind of the run."""
        blanks = BLANKS if move is not None else ()
        self.reads.append(None if read in blanks else read)
        self.writes.append(None if written in blanks else written)
        self.lines.append(line)
        if move is None:
            return MEALY
        self.moves.append(move)
        return GRID

    def over(self, letters: Sequence[str], written: Sequence[str], label: str | None = None) -> ObservedRun:
        """Itself, over a whole word: what is written on each letter, and its label."""
        self.reads, self.writes, self.label = list(letters), list(written), label
        self.lines = [self.line] * len(letters)
        return self

    @property
    def has_ended(self) -> bool:
        return bool(self.ending or (self.moves and not self.moves[-1]))


@dataclass(slots=True)
class ObservedLog:
    """All runs of a log, which are of one kind."""

    source: Source
    kind: str = ""
    runs: list[ObservedRun] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def tell(self, kind: str, span: Span) -> None:
        """What a part of the log is of; GridError if what is above is of another kind."""
        if self.kind and kind != self.kind:
            message = f"this tells of {KINDS[kind]}, and what is above of {KINDS[self.kind]}"
            raise misread(message, span, "a log has runs of one kind")
        self.kind = kind

    @property
    def told(self) -> list[ObservedRun]:
        """The runs that show something: a word may be empty, if it has a label."""
        return [run for run in self.runs if run.reads or run.label is not None]


def line_span(source: Source, line: int) -> Span:
    """A line of the log."""
    start = source.starts[line - 1]
    return Span(source, start, start + len(source.line(line)))


def misread(message: str, span: Span, hint: str = "", label: str = "") -> GridError:
    """The error about a log that is not in its format."""
    return GridError([Diagnostic("G212", message, span, label, hint)])


def unfit(message: str, span: Span, hint: str) -> GridError:
    """The error about a well-formed log that is not of an agent."""
    return GridError([Diagnostic("G213", message, span, "", hint)])


LETTER, CLAUSE = "letter", "word = letter*"  # the inputs of a machine without a grid: all words
VERDICTS = (
    {"true": ACCEPT, "false": REJECT},
    {"1": ACCEPT, "0": REJECT},
    {"accept": ACCEPT, "reject": REJECT},
)

Symbols = Mapping[str | None, str]  # the symbol of each label, that of None the blank
Acts = tuple[list[str | None], list[str | None], str]  # labels read and written, and moves


def log_to_traces(log: ObservedLog, noisy: bool = False) -> tuple[Traces, list[Diagnostic]]:
    """The traces of a log, and warnings about steps that no grid can show; GridError if no agent made it.

    A Mealy log gets the empty word. A run of a noisy log ends as it is said to, or where the log ends.
    """
    runs = log.told
    if not runs:
        raise fail("G213", "this log has no runs", file=log.source.path)
    labels, letters = _labels(log.kind, runs), _letters(log.kind, runs)
    acts = [_acts(log, run, labels) for run in runs]
    if log.kind == MEALY:
        acts.append(([None], [None], "S"))
    symbols = _symbols(letters, acts, log.source.path)
    warnings: list[Diagnostic] = []
    inputs = [_input(log, run, act, symbols, warnings) for run, act in zip(runs, acts, strict=False)]
    endings = [_ending(log, run, act, noisy) for run, act in zip(runs, acts, strict=False)]
    if log.kind == MEALY:
        inputs, endings = [*inputs, ""], [*endings, "halted"]
    x, s, m, length = _rows(acts, symbols, log.source.path)
    letters_here = "".join(symbols[letter] for letter in letters)
    is_word = log.kind != GRID and bool(letters)
    traces = Traces(
        x=x,
        s=s,
        m=m,
        length=length,
        ending=tuple(endings),
        inputs=tuple(inputs),
        symbols=tuple(symbols.values()),
        name=agent_name(log.source.path),
        classes=((LETTER, letters_here),) if is_word else (),
        input=CLAUSE if is_word else "",
        data={"log": log.kind, "runs": len(runs)},
        labels=_all_labels(log.kind, symbols),
    )
    return traces, warnings


def _labels(kind: str, runs: Sequence[ObservedRun]) -> Mapping[str, str]:
    """The symbol written after a word for each label; never a letter, or the head would continue there."""
    if kind != WORDS:
        return {}
    given = list(dict.fromkeys(run.label for run in runs if run.label is not None))
    letters = {letter for run in runs for letter in run.reads}
    known = next((v for v in VERDICTS if {label.lower() for label in given} <= set(v)), {})
    written = {label: known.get(label.lower(), label) for label in given}
    return {label: text if text not in letters else f"label {text}" for label, text in written.items()}


def _letters(kind: str, runs: Sequence[ObservedRun]) -> list[str]:
    """The inputs of a machine that has no grid."""
    if kind == GRID:
        return []
    return sorted({letter for run in runs for letter in run.reads if letter is not None})


def _acts(log: ObservedLog, run: ObservedRun, labels: Mapping[str, str]) -> Acts:
    """All steps of a run, those behind its word among them."""
    count = len(run.reads)
    if log.kind == MEALY:
        return [*run.reads, None], [*run.writes, None], "R" * count + "S"
    if log.kind == GRID:
        return run.reads, run.writes, "".join(move or "-" for move in run.moves)
    if run.label is None:
        return run.reads, run.writes, "R" * count
    label = labels[run.label]
    return [*run.reads, None, label], [*run.writes, label, label], "R" * count + "SS"


def _all_labels(kind: str, symbols: Symbols) -> tuple[str, ...]:
    """The labels of the symbols; on a grid they are the symbols, unless some differ."""
    own = {symbol: label for label, symbol in symbols.items() if label is not None}
    called = own if kind != GRID else {symbol: label for symbol, label in own.items() if symbol != label}
    return labelled(symbols.values(), called)


def _symbols(letters: Sequence[str], acts: Sequence[Acts], file: str) -> Symbols:
    """A symbol for each label."""
    seen = {label for reads, writes, _ in acts for label in chain(reads, writes) if label is not None}
    others = sorted(seen - set(letters))
    if len(seen) >= MAX_SYMBOLS:
        hint = "are the columns the right ones? measured numbers are not symbols"
        raise fail("G213", f"this log has {len(seen):,} symbols, at most {MAX_SYMBOLS:,} can be", hint, file)
    symbols: dict[str | None, str] = {None: BLANK}
    symbols.update(own_symbols([*letters, *others], None, file))
    return symbols


def _rows(
    acts: Sequence[Acts], symbols: Symbols, file: str
) -> tuple[Shorts, Shorts, Shorts, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """The steps as numbers, (runs, steps), padded with -1."""
    number = {label: at for at, label in enumerate(symbols)}
    length = np.array([len(moves) for _, _, moves in acts], np.int32)
    longest = int(length.max())
    if len(acts) * longest * LIMITS.step_bytes > FILES.most_unpacked:
        hint = "give fewer runs, or cut the longest"
        raise fail("G213", f"{len(acts):,} runs of up to {longest:,} steps are too large", hint, file)
    x, s, m = (np.full((len(acts), longest), -1, np.int16) for _ in range(3))
    for row, (reads, writes, moves) in enumerate(acts):
        count = len(moves)
        x[row, :count] = [number[label] for label in reads]
        s[row, :count] = [number[label] for label in writes]
        m[row, :count] = [MOVES.find(move) for move in moves]
    s[m < 0] = -1
    return x, s, m, length


def _ending(log: ObservedLog, run: ObservedRun, acts: Acts, noisy: bool) -> str:
    """How a run ends: as the log says, else as its last step shows."""
    reads, writes, moves = acts
    if log.kind == GRID and not noisy:
        _check_idle(log, run)
    idle = moves[-1:] == "S" and reads[-1] == writes[-1]
    shown = "stuck" if moves[-1:] == "-" else "halted" if idle else "cut"
    if run.ending and not noisy and run.ending != shown and (run.ending, shown) != ("stuck", "cut"):
        span = line_span(log.source, run.lines[-1] if run.lines else run.line)
        hint = (
            "a run that halts writes what it reads at last, and moves S; a noisy log is for `learn --noisy`"
        )
        raise unfit(f"the run `{run.name}` is said to be {run.ending}, and shows otherwise", span, hint)
    return run.ending or shown


def _check_idle(log: ObservedLog, run: ObservedRun) -> None:
    """GridError if a run continues after a halt, or after an idle step."""
    for step, (read, written, move) in enumerate(zip(run.reads[:-1], run.writes, run.moves, strict=False)):
        if not move or (move == "S" and read == written):
            span = line_span(log.source, run.lines[step])
            what = "does not move" if not move else "writes what it reads and stays, which is a halt"
            hint = "leave out steps in which nothing happens, or let them read something of their own"
            raise unfit(f"the run `{run.name}` goes on behind a step that {what}", span, hint)


def _input(
    log: ObservedLog, run: ObservedRun, acts: Acts, symbols: Symbols, warnings: list[Diagnostic]
) -> str:
    """The word, or the picture of the part of the world that the run has seen."""
    if log.kind != GRID:
        return "".join(symbols[letter] for letter in run.reads)
    first: dict[Cell, str | None] = {}  # what stood there when it was first read
    now: dict[Cell, tuple[str | None, int]] = {}  # what was written there last, and at which step
    x = y = 0
    for step, (read, written, move) in enumerate(zip(*acts, strict=True)):
        first.setdefault((x, y), read)
        before = now.get((x, y))
        if before is not None and before[0] != read and not warnings:
            warnings.append(_read_otherwise(log, run, step, before))
        now[x, y] = written, step
        dx, dy = DELTAS[MOVES.find(move)] if move != "-" else (0, 0)
        x, y = x + dx, y + dy
    return _picture({cell: symbols[label] for cell, label in first.items()})


def _picture(cells: Mapping[Cell, str]) -> str:
    """A row that begins at the start is a string, anything else a picture."""
    world = World(cells)
    box = world.box
    if box is None or (box.top == box.bottom == 0 and box.left == 0):
        return world.text
    return world_text(world)


def _read_otherwise(
    log: ObservedLog, run: ObservedRun, step: int, before: tuple[str | None, int]
) -> Diagnostic:
    """The warning about a cell that is read otherwise than it was left."""
    there, here = (line_span(log.source, run.lines[at]) for at in (before[1], step))
    written, read = (BLANK if label is None else label for label in (before[0], run.reads[step]))
    message = f"the run `{run.name}` reads `{read}` where it had written `{written}`"
    hint = "something else writes on this grid, or the log is noisy; a model may still be learned"
    also = (Label(there, "written here"),) if there != here else ()
    return Diagnostic("G216", message, here, "read here", hint, "warning", also)


def walk_over_words(traces: Traces) -> bool:
    """Whether every trace writes over a word, and halts behind it."""
    if traces.input != CLAUSE or set(traces.ending) != {"halted"}:
        return False
    steps = np.arange(traces.x.shape[1])
    last, inside = steps == traces.length[:, None] - 1, steps < traces.length[:, None]
    walks = (traces.x > 0) & (traces.s > 0) & (traces.m == MOVES.index("R"))
    halts = (traces.x == 0) & (traces.s == 0) & (traces.m == STAY)
    return bool(np.where(last, halts, walks | ~inside).all())


def halting_behind_words(table: Table) -> Table:
    """The table with a halt on the blank wherever there is no rule for it: any prefix may be the word."""
    rows = tuple((row[0] or Entry(0, STAY, state), *row[1:]) for state, row in enumerate(table.rows))
    return replace(table, rows=rows)
