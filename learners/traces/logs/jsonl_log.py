"""Logs as JSON lines: one run a line, or one step a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gridlang.learners.traces.logs.csv_log import COLUMNS, ending_of, move_of
from gridlang.learners.traces.logs.log_to_traces import (
    MEALY,
    WORDS,
    ObservedLog,
    ObservedRun,
    line_span,
    misread,
)
from gridlang.source import Source, Span

LABELS = ("label", "accept", "accepted", "class")
WORD = ("word", "input", "inputs", "sequence")
NAMES = ("name", "id", "run", "case", "episode", "session")
FORMS = (
    'a run is {"trace": [["0", "1", "R"], …], "ending": "halted"}, or {"input": […], "output": […]}; '
    'a step is {"trace": 1, "read": "0", "write": "1", "move": "R"}'
)

_SPACE = re.compile(r"[\s,:]*")
_DECODER = json.JSONDecoder()


class Part(NamedTuple):
    """A value of the log, and where it stands: the offset of the JSON text that it is in, and its path."""

    source: Source
    start: int
    value: Any
    path: tuple[int | str, ...] = ()

    def member(self, key: int | str) -> Part:
        return Part(self.source, self.start, self.value[key], (*self.path, key))

    @property
    def span(self) -> Span:
        return place_of(self.source, self.start, self.path)

    @property
    def parts(self) -> list[Part]:
        return [self.member(number) for number in range(len(self.value))]

    def named(self, *names: str) -> Part | None:
        """The member of an object that has one of these names, if there is one."""
        name = next((name for name in names if name in self.value), None)
        return None if name is None else self.member(name)


def read(source: Source) -> ObservedLog:
    """The runs in a file of JSON lines; GridError at the first value that cannot be understood."""
    log = ObservedLog(source)
    by_name: dict[str, ObservedRun] = {}  # runs that are told of a step a line
    for number, start in enumerate(source.starts, 1):
        line = line_span(source, number)
        if not line.text.strip():
            continue
        whole = Part(source, start, parsed(source, line.start, line.end))
        step, run = _named_step(whole), ObservedRun(f"{len(log.runs) + 1}", line=number)
        if step is None:
            log.runs.append(run)
            kind = _add_run(run, whole)
        else:
            name = _name(whole, "trace")
            if name not in by_name:
                run.name, by_name[name] = name, run
                log.runs.append(run)
            kind = _add_step(by_name[name], step, number)
            _end(by_name[name], whole)
        log.tell(kind, line)
    return log


def _named_step(part: Part) -> tuple[Part, ...] | None:
    """The read, write and move of an object that is one step; None for anything else."""
    if not isinstance(part.value, Mapping) or isinstance(part.value.get("trace"), list):
        return None
    fields = [part.named(*COLUMNS[name]) for name in ("read", "write", "move")]
    if fields[0] is None or fields[1] is None or isinstance(fields[0].value, list):
        return None
    return tuple(field for field in fields if field is not None)


def _add_run(run: ObservedRun, part: Part) -> str:
    """Adds what one value says about a run; its kind."""
    if isinstance(part.value, list):
        return add_steps(run, part.parts)
    if not isinstance(part.value, Mapping):
        raise misread("this is neither a run nor a step", part.span, FORMS)
    run.name = _name(part) or run.name
    trace, word, output = part.named("trace", "steps"), part.named(*WORD), part.named("output", "outputs")
    if trace is not None and isinstance(trace.value, list):
        kind = add_steps(run, trace.parts)
        _end(run, part)
        return kind
    verdict = part.named(*LABELS) or output
    if word is None or verdict is None:
        raise misread("this is neither a run nor a step", part.span, FORMS)
    if not isinstance(word.value, list | str):
        raise misread("a word is a list of letters, or a text", word.span)
    letters = list(word.value) if isinstance(word.value, str) else list(map(text_of, word.parts))
    if output is None or not (isinstance(output.value, list) and isinstance(word.value, list)):
        run.over(letters, letters, None if verdict.value is None else text_of(verdict))
        return WORDS
    if len(letters) != len(output.value):
        message = f"there are {len(letters)} inputs and {len(output.value)} outputs"
        raise misread(message, output.span, "a Mealy machine answers each input with one output")
    run.over(letters, list(map(text_of, output.parts)))
    return MEALY


def add_steps(run: ObservedRun, steps: Sequence[Part]) -> str:
    """A list of steps: triples, pairs, or objects; the kind of the run."""
    kind = ""
    for step in steps:
        fields = tuple(step.parts) if isinstance(step.value, list) else _named_step(step)
        if fields is None or len(fields) not in (1, 2, 3):
            hint = '["0", "1", "R"] is a step on a grid, and ["coin", "tea"] one of a Mealy machine'
            raise misread("this is not a step", step.span, hint)
        before, kind = kind, _add_step(run, fields, run.line)
        if before and before != kind:
            raise misread("this step moves, or those before do", step.span, "a run is of one kind")
    return kind or MEALY


def _add_step(run: ObservedRun, fields: Sequence[Part], line: int) -> str:
    """One more step; the kind of its run."""
    if run.has_ended:
        raise misread(f"the run `{run.name}` has ended before this step", fields[0].span)
    if len(fields) == 2:
        return run.add(text_of(fields[0]), text_of(fields[1]), line)
    read, *written = ("" if each.value is None else text_of(each) for each in fields[:2])
    if len(fields) == 1 or fields[2].value in (None, ""):
        return run.add(read, "", line, "")
    return run.add(read, written[0], line, move_of(text_of(fields[2]), fields[2].span))


def text_of(part: Part) -> str:
    """A label: a text as it is, a number or a truth value as JSON writes it."""
    value = part.value
    if isinstance(value, str):
        return value.strip()
    if value is None or isinstance(value, int | float):
        return json.dumps(value)
    raise misread("a symbol is a text or a number", part.span)


def _name(part: Part, *more: str) -> str:
    """What a run is called, if it is told."""
    given = part.named(*NAMES, *more)
    return "" if given is None else text_of(given)


def _end(run: ObservedRun, part: Part) -> None:
    ending = part.named(*COLUMNS["ending"])
    if ending is not None and ending.value is not None:
        run.ending = ending_of(text_of(ending), ending.span)


def parsed(source: Source, start: int, end: int) -> object:
    """The value of a part of a text that is JSON; GridError where it is none."""
    try:
        return json.loads(source.text[start:end], parse_constant=_no_number)
    except json.JSONDecodeError as error:
        at = min(start + error.pos, end)
        raise misread(
            f"this is not JSON: {error.msg[0].lower()}{error.msg[1:]}", Span(source, at, at)
        ) from None
    except (ValueError, RecursionError) as error:
        raise misread(f"this is not JSON: {str(error)[:80]}", Span(source, start, end)) from None


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is not a number")


def place_of(source: Source, start: int, path: Sequence[int | str]) -> Span:
    """The span of the value at a path, in the JSON value that begins at an offset.

    Outside JSON, as in a Python literal, it is the rest of the line.
    """
    at = _skip(source.text, start)
    try:
        for key in path:
            at = _member(source.text, at + 1, key)
        return Span(source, at, _DECODER.raw_decode(source.text, at)[1])
    except ValueError:
        end = source.text.find("\n", start)
        return Span(source, start, end if end >= 0 else len(source.text))


def listed(source: Source) -> Iterator[tuple[int, object]]:
    """The offsets and values of the members of a text that is one JSON list; ValueError where it is none."""
    text, at = source.text, _skip(source.text, 0) + 1
    while text[(at := _skip(text, at)) : at + 1] != "]":
        value, end = _DECODER.raw_decode(text, at)
        yield at, value
        at = end
    if text[at + 1 :].strip():
        raise ValueError("there is more behind the list")


def _member(text: str, at: int, key: int | str) -> int:
    """Where a member of the list or object stands that opens right before an offset."""
    number = 0
    while True:
        at = _skip(text, at)
        name: object = number
        if isinstance(key, str):
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
        if name == key:
            return at
        number, at = number + 1, _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    blank = _SPACE.match(text, at)
    return blank.end() if blank else at
