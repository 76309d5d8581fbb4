"""Traces as JSON lines, which any program can write: one trace a line, behind a line about the agent.

docs/guide/formats.md describes the format. Read and written are the fields of `Traces`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gridlang.compiler.simulation.random_inputs import text_world, world_text
from gridlang.diagnostics import Diagnostic, GridError, did_you_mean, fail
from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.one_trace import ENDINGS, Trace
from gridlang.outcomes import Outcome
from gridlang.source import Source, Span
from gridlang.table import BLANK, DELTAS, MAX_SYMBOLS, MOVES, STAY
from gridlang.vocabulary import agent_name, is_name
from gridlang.world import Cell, World

FORMAT = "gridlang-traces/1"
OUTCOMES = {word: outcome for outcome, word in ENDINGS.items()}
# the keys of the first line, and what each of them holds
AGENT = {
    "format": (str, "a text"),
    "name": (str, "a text"),
    "symbols": (list, "a list of symbols"),
    "classes": (list, "a list of pairs, a name and its symbols"),
    "input": (str, "a text"),
    "source": (str, "a text"),
    "states": (int, "a number"),
    "data": (dict, "an object"),
}
TRACE = {
    "trace": (list, "a list of steps"),
    "ending": (str, f"one of {', '.join(OUTCOMES)}"),
    "input": (str, "a text"),
}
EXAMPLE = 'a trace is {"trace": [["0", "1", "R"], ["_", "_", "S"]], "ending": "halted"}'
STEP = (
    '["0", "1", "R"] reads 0, writes 1 and moves to the right; the last step of a stuck run is ["0", "", ""]'
)
MOVE_NUMBERS = {move: number for number, move in enumerate(MOVES)}

Numbers = list[int]


class Line(NamedTuple):
    """A line of the file, and the object that it holds."""

    span: Span
    value: dict[str, Any]

    def wrong(self, message: str, hint: str = "") -> GridError:
        return _misread(message, self.span, hint)

    def checked(self, keys: Mapping[str, tuple[type, str]], what: str) -> dict[str, Any]:
        """The object, if it has only these keys, with values of their types."""
        for key, value in self.value.items():
            if key not in keys:
                raise self.wrong(
                    f"{what} has no `{key[:40]}`", did_you_mean(key, keys, f"it has {', '.join(keys)}")
                )
            wanted, words = keys[key]
            if not isinstance(value, wanted) or isinstance(value, bool):
                raise self.wrong(f"`{key}` is {words}, not {_shown(value)}")
        return self.value


def _misread(message: str, span: Span, hint: str = "") -> GridError:
    return GridError([Diagnostic("G100", message, span, "", hint)])


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"`{text}`" if len(text) <= 40 else f"`{text[:40]}…`"


def traces_to_lines(traces: Iterable[Trace], agent: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a file: what is known of the agent, then each trace."""
    yield _dumped({"format": FORMAT, **agent})
    for trace in traces:
        steps = [[step.read, step.write or "", step.move or ""] for step in trace.steps]
        yield _dumped({"trace": steps, "ending": ENDINGS[trace.ending], "input": trace.input})


def _dumped(value: object) -> str:
    return f"{json.dumps(value, ensure_ascii=False)}\n"


def fields_from_lines(source: Source) -> dict[str, Any]:
    """The fields of `Traces` in a text; GridError at the first line that is none."""
    reader = _Reader(source)
    for line in _lines(source):
        if "format" in line.value and not reader.rows:
            reader.agent(line)
        else:
            reader.trace(line)
    return reader.fields()


def _lines(source: Source) -> Iterator[Line]:
    for number, start in enumerate(source.starts, 1):
        text = source.line(number)
        if text.strip():
            span = Span(source, start, start + len(text))
            yield Line(span, _parsed(text, span))


def _parsed(text: str, span: Span) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        at = min(span.start + error.pos, span.end)
        what = f"{error.msg[0].lower()}{error.msg[1:]}"
        raise _misread(f"this is not JSON: {what}", Span(span.source, at, at), EXAMPLE) from None
    except (ValueError, RecursionError) as error:
        raise _misread(f"this is not JSON: {str(error)[:80]}", span) from None
    if not isinstance(value, dict):
        raise _misread("this is not a trace", span, EXAMPLE)
    if "\\u" in text and re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)):
        raise _misread("this line holds half a character", span, "write a character beyond \\uffff as it is")
    return value


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is not a number")


class _Reader:
    """What was read so far. Symbols that nobody declares are numbered as they come."""

    def __init__(self, source: Source) -> None:
        self.source, self.told = source, dict[str, Any]()
        self.symbols, self.declared = {BLANK: 0}, False
        self.rows: list[tuple[Numbers, Numbers, Numbers]] = []
        self.endings, self.inputs, self.lines = list[Outcome](), list[str](), list[Line]()

    def agent(self, line: Line) -> None:
        """The line about the agent."""
        told = line.checked(AGENT, "the line about the agent")
        if told["format"] != FORMAT:
            raise line.wrong(f"the format is {_shown(told['format'])}, not `{FORMAT}`")
        if symbols := told.get("symbols"):
            if symbols[0] != BLANK or not all(isinstance(each, str) for each in symbols):
                raise line.wrong(f"`symbols` are texts, the first of them the blank `{BLANK}`")
            self.symbols, self.declared = {symbol: number for number, symbol in enumerate(symbols)}, True
        if not is_name(told.get("name", "traces")):
            raise line.wrong(f"{_shown(told['name'])} cannot name an agent", "write a word, as `add2`")
        pairs = told.get("classes", [])
        if not all(isinstance(pair, list) and list(map(type, pair)) == [str, str] for pair in pairs):
            raise line.wrong("`classes` are pairs, a name and its symbols", 'as [["digit", "01"]]')
        self.told = told

    def trace(self, line: Line) -> None:
        """One more trace."""
        told = line.checked(TRACE, "a trace")
        if not told.get("trace"):
            raise line.wrong("this line has no steps", EXAMPLE)
        x, s, m = self._steps(line, told["trace"])
        halts = m[-1] == STAY and x[-1] == s[-1]
        shown = Outcome.STUCK if m[-1] < 0 else Outcome.HALTED if halts else Outcome.BUDGET
        said = told.get("ending", ENDINGS[shown])
        if said not in OUTCOMES:
            raise line.wrong(f"`ending` is {TRACE['ending'][1]}, not {_shown(said)}")
        ending = OUTCOMES[said]
        if ending != shown and (ending, shown) != (Outcome.STUCK, Outcome.BUDGET):
            hint = "at last, a run that halts writes what it reads and moves S, and no other run does"
            raise line.wrong(
                f"this trace is said to be {said}, and its last step shows that it is {ENDINGS[shown]}", hint
            )
        self.rows.append((x, s, m))
        self.endings.append(ending)
        self.inputs.append(told["input"] if "input" in told else _world_seen(told["trace"]))
        self.lines.append(line)

    def _steps(self, line: Line, steps: list[Any]) -> tuple[Numbers, Numbers, Numbers]:
        """Reads, writes and moves as numbers."""
        x, s, m = Numbers(), Numbers(), Numbers()
        for at, step in enumerate(steps, 1):
            if not isinstance(step, list) or list(map(type, step)) != [str, str, str]:
                raise line.wrong(f"step {at}, {_shown(step)}, is not a read, a write and a move", STEP)
            read, written, move = step
            ends = (written, move) == ("", "") or (move == "S" and read == written)
            if ends and at < len(steps):
                what = "halts: it writes what it reads, and stays" if move else "is stuck"
                raise line.wrong(
                    f"step {at} {what}; no step may follow", "end the trace here, or leave it out"
                )
            x.append(self._number(line, f"step {at}", read))
            stuck = ends and not move
            if move not in MOVE_NUMBERS and not stuck:
                raise line.wrong(f"step {at} moves {_shown(move)}", "moves are U, D, L, R, and S to stay")
            s.append(-1 if stuck else self._number(line, f"step {at}", written))
            m.append(-1 if stuck else MOVE_NUMBERS[move])
        return x, s, m

    def _number(self, line: Line, where: str, symbol: str) -> int:
        number = self.symbols.get(symbol)
        if number is not None:
            return number
        if self.declared:
            known = f"the `symbols` of the first line are {' '.join(self.symbols)}"
            raise line.wrong(f"{_shown(symbol)} in {where} is not declared", known)
        if len(symbol) != 1 or not symbol.isprintable():
            hint = f"a symbol is one printable character, `{BLANK}` the blank; give a longer word a letter"
            raise line.wrong(f"{_shown(symbol)} in {where} is not a symbol", hint)
        if len(self.symbols) == MAX_SYMBOLS:
            raise line.wrong(
                f"there are more than {MAX_SYMBOLS:,} symbols", "measured numbers are not symbols"
            )
        return self.symbols.setdefault(symbol, len(self.symbols))

    def fields(self) -> dict[str, Any]:
        """All that `Traces` hold, but for what has a default; symbols that nobody declared are sorted."""
        path = self.source.path
        if not self.rows:
            raise fail("G100", "there are no traces in this file", EXAMPLE, path)
        longest = max(len(x) for x, _, _ in self.rows)
        if len(self.rows) * longest * LIMITS.step_bytes > LIMITS.most_unpacked:
            hint = "leave some out, or cut the longest"
            raise fail(
                "G104", f"{len(self.rows):,} traces of up to {longest:,} steps are too large", hint, path
            )
        symbols = self._ordered()
        order = np.array([*map(symbols.index, self.symbols), -1], np.int16)
        x, s, m = (np.full((len(self.rows), longest), -1, np.int16) for _ in range(3))
        for row, (reads, writes, moves) in enumerate(self.rows):
            x[row, : len(reads)], s[row, : len(reads)] = order[reads], order[writes]
            m[row, : len(reads)] = moves
        told = {key: value for key, value in self.told.items() if key not in ("format", "symbols")}
        told["classes"] = tuple(map(tuple, told.get("classes", [])))
        length = np.array([len(reads) for reads, _, _ in self.rows], np.int32)
        shown = {"x": x, "s": s, "m": m, "length": length, "symbols": symbols}
        return {
            "name": agent_name(path),
            **told,
            **shown,
            "ending": tuple(self.endings),
            "inputs": tuple(self.inputs),
        }

    def _ordered(self) -> tuple[str, ...]:
        """The symbols in their order, those of inputs among them; GridError for an input that is none."""
        given = [(line, text) for line, text in zip(self.lines, self.inputs, strict=True)]
        for line, text in given:
            for symbol in {} if text.endswith("\n") else dict.fromkeys(text):
                self._number(line, "`input`", symbol)
        blank, *own = self.symbols
        symbols = (blank, *(own if self.declared else sorted(own)))
        for line, text in given:
            try:
                text_world(text, symbols)
            except GridError as error:
                raise line.wrong(f"`input` is not a picture: {error.diagnostics[0].message}") from None
        return symbols


def _world_seen(steps: list[list[str]]) -> str:
    """The part of the world that a run has seen: a row from the start on as its text, else as a picture."""
    cells: dict[Cell, str] = {}
    x = y = 0
    for read, _, move in steps:
        cells.setdefault((x, y), read)
        dx, dy = DELTAS[MOVE_NUMBERS.get(move, STAY)]
        x, y = x + dx, y + dy
    world = World({cell: symbol for cell, symbol in cells.items() if symbol != BLANK})
    box = world.box
    in_a_row = box is None or (box.top == box.bottom == 0 and box.left == 0)
    return world.text if in_a_row else world_text(world)
