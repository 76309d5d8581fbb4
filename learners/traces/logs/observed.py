"""What every reader of logs makes: the runs of one machine that were observed, in the log's own labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.source import Source, Span

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
    moves: list[str] = field(default_factory=list)  # An empty one ends the run: there is no rule.
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
    """The error about a log that is well written, but not of an agent."""
    return GridError([Diagnostic("G213", message, span, "", hint)])
