"""Logs as JSON lines: one run a line, or one step a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gridlang.source import Source, Span
from learners.traces.logs.csv_log import COLUMNS, ending_of, move_of
from learners.traces.logs.observed import (
    GRID,
    MEALY,
    WORDS,
    ObservedLog,
    ObservedRun,
    line_span,
    misread,
    one_kind,
)

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
    runs: list[ObservedRun] = []
    steps: dict[str, ObservedRun] = {}  # runs that are told of a step a line
    kinds: list[tuple[str, Span]] = []
    for number, start in enumerate(source.starts, 1):
        line = line_span(source, number)
        if not line.text.strip():
            continue
        whole = Part(source, start, parsed(source, line.start, line.end))
        step = _named_step(whole)
        if step is None:
            kind, run = run_of(whole, f"{len(runs) + 1}", number)
            runs.append(run)
        else:
            name = _name(whole, "trace")
            if name not in steps:
                steps[name] = ObservedRun(name, line=number)
                runs.append(steps[name])
            kind = _add_step(steps[name], step, number)
            _end(steps[name], whole)
        kinds.append((kind, line))
    return ObservedLog(source, one_kind(kinds) or MEALY, runs)


def _named_step(part: Part) -> tuple[Part, ...] | None:
    """What is read, written and moved by an object that is one step; None for anything else."""
    if not isinstance(part.value, Mapping) or isinstance(part.value.get("trace"), list):
        return None
    fields = [part.named(*COLUMNS[name]) for name in ("read", "write", "move")]
    if fields[0] is None or fields[1] is None or isinstance(fields[0].value, list):
        return None
    return tuple(field for field in fields if field is not None)


def run_of(part: Part, name: str, line: int) -> tuple[str, ObservedRun]:
    """The run that one value tells of, and its kind."""
    if isinstance(part.value, list):
        return run_of_steps(part.parts, ObservedRun(name, line=line))
    if not isinstance(part.value, Mapping):
        raise misread("this is neither a run nor a step", part.span, "", FORMS)
    run = ObservedRun(_name(part, name=name), line=line)
    trace, word, output = part.named("trace", "steps"), part.named(*WORD), part.named("output", "outputs")
    label = part.named(*LABELS)
    if trace is not None and isinstance(trace.value, list):
        kind, run = run_of_steps(trace.parts, run)
        _end(run, part)
        return kind, run
    if word is None or (output is None and label is None):
        raise misread("this is neither a run nor a step", part.span, "", FORMS)
    if output is not None and isinstance(output.value, list) and isinstance(word.value, list):
        return MEALY, _zipped(run, word, output)
    letters = word.parts if isinstance(word.value, list) else None
    if letters is None and not isinstance(word.value, str):
        raise misread("a word is a list of letters, or a text", word.span)
    texts = list(word.value) if letters is None else [text_of(letter) for letter in letters]
    verdict = label if label is not None else output
    assert verdict is not None
    return WORDS, word_run(run, texts, None if verdict.value is None else text_of(verdict))


def word_run(run: ObservedRun, letters: Sequence[str], label: str | None) -> ObservedRun:
    """The run over a labelled word: every letter is kept."""
    run.reads, run.writes = list(letters), list(letters)
    run.lines, run.label = [run.line] * len(letters), label
    return run


def _zipped(run: ObservedRun, inputs: Part, outputs: Part) -> ObservedRun:
    if len(inputs.value) != len(outputs.value):
        message = f"there are {len(inputs.value)} inputs and {len(outputs.value)} outputs"
        raise misread(message, outputs.span, "", "a Mealy machine answers each input with one output")
    run.reads, run.writes = list(map(text_of, inputs.parts)), list(map(text_of, outputs.parts))
    run.lines = [run.line] * len(run.reads)
    return run


def run_of_steps(steps: Sequence[Part], run: ObservedRun) -> tuple[str, ObservedRun]:
    """A list of steps: triples, pairs, or objects."""
    kinds = []
    for step in steps:
        fields = tuple(step.parts) if isinstance(step.value, list) else _named_step(step)
        if fields is None or len(fields) not in (1, 2, 3):
            hint = '["0", "1", "R"] is a step on a grid, and ["coin", "tea"] one of a Mealy machine'
            raise misread("this is not a step", step.span, "", hint)
        kinds.append(_add_step(run, fields, run.line))
        if kinds[-1] != kinds[0]:
            raise misread("this step moves, or those before do", step.span, "", "a run is of one kind")
    return (kinds[0] if kinds else MEALY), run


def _add_step(run: ObservedRun, fields: Sequence[Part], line: int) -> str:
    """One more step; the kind of its run."""
    if run.has_ended:
        raise misread(f"the run `{run.name}` has ended before this step", fields[0].span)
    if len(fields) == 2:
        run.add(text_of(fields[0]), text_of(fields[1]), line)
        return MEALY
    read, *written = ("" if each.value is None else text_of(each) for each in fields[:2])
    if len(fields) == 1 or fields[2].value in (None, ""):
        run.add(read, "", line, "")
    else:
        run.add(read, written[0], line, move_of(text_of(fields[2]), fields[2].span))
    return GRID


def text_of(part: Part) -> str:
    """A label: a text as it is, a number or a truth value as JSON writes it."""
    value = part.value
    if isinstance(value, str):
        return value.strip()
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return str(value)
    raise misread("a symbol is a text or a number", part.span)


def _name(part: Part, *more: str, name: str = "") -> str:
    """What a run is called."""
    given = part.named(*NAMES, *more)
    return name if given is None else text_of(given)


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
            f"this is no JSON: {error.msg[0].lower()}{error.msg[1:]}", Span(source, at, at)
        ) from None
    except (ValueError, RecursionError) as error:
        raise misread(f"this is no JSON: {str(error)[:80]}", Span(source, start, end)) from None


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no number")


def place_of(source: Source, start: int, path: Sequence[int | str]) -> Span:
    """The span of the value at a path, in the JSON value that begins at an offset.

    In what is no JSON, such as a Python literal, it is the rest of the line.
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
