"""Logs as CSV: a header with the names of the columns, then one step a line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

from gridlang.compiler.traces.dataset import ENDINGS
from gridlang.diagnostics import did_you_mean, listing
from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.logs.log_to_traces import BLANKS, GRID, MEALY, ObservedLog, ObservedRun, misread
from gridlang.source import Source, Span
from gridlang.vocabulary import MOVE_WORDS

# The names that a column may have; the first is the one that is told, and written.
COLUMNS = {
    "trace": ("trace", "run", "case", "episode", "session", "sequence", "word", "trace_id", "case_id", "id"),
    "step": ("step", "t", "time", "timestep", "index"),
    "read": ("read", "input", "in", "symbol", "observation", "observed", "scanned", "stimulus", "x"),
    "write": ("write", "output", "out", "written", "response", "s"),
    "move": ("move", "direction", "dir", "head", "m"),
    "ending": ("ending", "end", "outcome", "status"),
}
MEANT = {name: column for column, names in COLUMNS.items() for name in names}
DELIMITERS = ",;\t"


class Place(NamedTuple):
    """A row of the file: the lines it takes, for a field in quotes may hold line ends."""

    source: Source
    first: int
    last: int
    delimiter: str

    def field(self, number: int) -> Span:
        """The field with this number; the end of the row where it has fewer."""
        start = self.source.starts[self.first - 1]
        end = self.source.starts[self.last - 1] + len(self.source.line(self.last))
        text, at = self.source.text[start:end], 0
        for _ in range(number):
            at = _field_end(text, at, self.delimiter) + 1
            if at > len(text):
                return Span(self.source, end, end)
        return Span(self.source, start + at, start + _field_end(text, at, self.delimiter))

    def whole(self) -> Span:
        return self.field(0).to(self.field(10**9))


def _field_end(text: str, at: int, delimiter: str) -> int:
    """Where the field that begins here ends."""
    quoted = re.compile(r'"(?:[^"]|"")*"').match(text, at)
    end = text.find(delimiter, quoted.end() if quoted else at)
    return end if end >= 0 else len(text)


def read(source: Source) -> ObservedLog:
    """The runs in a CSV file; GridError at the first field that cannot be understood."""
    rows = _rows(source)
    header, place = next(rows, (None, None))
    if header is None or place is None:
        raise misread("this log is empty", Span(source, 0, 0), _wanted())
    columns = _columns(header, place)
    kind = GRID if "move" in columns else MEALY
    runs: dict[str, ObservedRun] = {}
    nameless = 0
    for fields, place in rows:
        if not any(map(str.strip, fields)):
            nameless += 1  # An empty line ends a run that has no name.
            continue
        if len(fields) != len(header):
            where = place.field(len(header)) if len(fields) > len(header) else place.whole()
            what = f"this row has {len(fields)} fields, and the header {len(header)}"
            raise misread(what, where, "quote a field that holds the delimiter")
        name = fields[columns["trace"]].strip() if "trace" in columns else f"{nameless}"
        run = runs.setdefault(name, ObservedRun(name, line=place.first))
        _add(run, fields, columns, place)
    return ObservedLog(source, kind, list(runs.values()))


def _rows(source: Source) -> Iterator[tuple[list[str], Place]]:
    """The rows of a file, each with its place; lines with a # in front of the header are comments."""
    lines = source.text.split("\n")
    skipped = 0
    while skipped < len(lines) and (not lines[skipped].strip() or lines[skipped].startswith("#")):
        skipped += 1
    head = lines[skipped] if skipped < len(lines) else ""
    delimiter = max(DELIMITERS, key=head.count)
    csv.field_size_limit(LIMITS.longest_field)
    reader = csv.reader((f"{line}\n" for line in lines[skipped:]), delimiter=delimiter, strict=True)
    while True:
        first = skipped + reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            where = Place(source, min(first, len(lines)), min(first, len(lines)), delimiter).whole()
            hint = 'a field with quotes in it is quoted, and they are doubled: "say ""hi"""'
            raise misread(f"this row cannot be read: {error}", where, hint) from None
        yield fields, Place(source, first, skipped + reader.line_num, delimiter)


def _wanted() -> str:
    return "the first line names the columns: trace,read,write,move, or trace,input,output"


def _columns(header: list[str], place: Place) -> dict[str, int]:
    """Where each column is; those with other names are not read."""
    columns: dict[str, int] = {}
    for number, text in enumerate(header):
        column = MEANT.get(re.sub(r"[\s-]+", "_", text.strip().lower()))
        if column in columns:
            other = header[columns[column]].strip()
            message = f"both `{other}` and `{text.strip()}` are the column `{column}`"
            raise misread(message, place.field(number), "rename the one that is not meant")
        if column:
            columns[column] = number
    for column in ("read", "write"):
        if column not in columns:
            names = [text.strip() for text in header]
            near = next(filter(None, (did_you_mean(name, COLUMNS[column]) for name in names)), "")
            message = f"no column of this log is `{column}` or `{COLUMNS[column][1]}`"
            raise misread(message, place.whole(), near or _wanted(), "the header")
    return columns


def _add(run: ObservedRun, fields: list[str], columns: dict[str, int], place: Place) -> None:
    """A row as the next step of its run."""
    if run.has_ended:
        hint = f"the ending ({listing(ENDINGS)}) stands in the last row of a run"
        raise misread(f"the run `{run.name}` has ended above", place.whole(), hint)
    read_text, write_text = fields[columns["read"]].strip(), fields[columns["write"]].strip()
    move = None
    if "move" in columns:
        number = columns["move"]
        move = move_of(fields[number], place.field(number)) if fields[number].strip() else ""
        if not move and write_text not in BLANKS:
            hint = "leave both out, in the last row, where the run is stuck"
            raise misread("this step writes and does not move", place.field(number), hint)
    run.add(read_text, write_text, place.first, move)
    if "ending" in columns and fields[columns["ending"]].strip():
        run.ending = ending_of(fields[columns["ending"]], place.field(columns["ending"]))


def move_of(text: str, span: Span) -> str:
    """One of U D L R S; their words are understood, single small letters only where they are unambiguous."""
    word = text.strip()
    if word in ("U", "D", "L", "R", "S"):
        return word
    small = word.lower()
    if small in MOVE_WORDS and (len(small) > 1 or small in "udlr"):
        return MOVE_WORDS[small]
    raise misread(f"`{word}` is not a move", span, "moves are U, D, L, R, and S to stay")


def ending_of(text: str, span: Span) -> str:
    """How a run ended."""
    word = text.strip().lower()
    word = {"halt": "halted", "halts": "halted", "budget": "cut"}.get(word, word)
    if word not in ENDINGS:
        raise misread(f"`{text.strip()}` is not an ending", span, f"a run ends {listing(ENDINGS)}")
    return word
