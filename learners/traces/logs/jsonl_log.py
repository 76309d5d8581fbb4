"""Logs as JSON lines: one run a line, or one step a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gridlang.source import Source, Span
from learners.traces.logs.csv_log import BLANKS, COLUMNS, ending_of, move_of
from learners.traces.logs.json_places import parsed, place_of
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
        fields: tuple[Part, ...] | None
        if isinstance(step.value, list):
            fields = tuple(step.parts)
        else:
            fields = _named_step(step) if isinstance(step.value, Mapping) else None
        if fields is None or len(fields) not in (1, 2, 3):
            hint = '["0", "1", "R"] is a step on a grid, and ["coin", "tea"] one of a Mealy machine'
            raise misread("this is no step", step.span, "", hint)
        kinds.append(_add_step(run, fields, run.line))
        if kinds[-1] != kinds[0]:
            raise misread("this step moves, or those before do", step.span, "", "a run is of one kind")
    return (kinds[0] if kinds else MEALY), run


def _add_step(run: ObservedRun, fields: Sequence[Part], line: int) -> str:
    """One more step; the kind of its run."""
    if run.ending or (run.moves and not run.moves[-1]):
        raise misread(f"the run `{run.name}` has ended before this step", fields[0].span)
    run.lines.append(line)
    if len(fields) == 2:
        run.reads.append(text_of(fields[0]))
        run.writes.append(text_of(fields[1]))
        return MEALY
    grid = [None if each.value is None else text_of(each) for each in fields[:2]]
    run.reads.append(None if grid[0] in BLANKS else grid[0])
    stuck = len(fields) == 1 or fields[2].value in (None, "")
    run.writes.append(None if stuck or grid[1] in BLANKS else grid[1])
    run.moves.append("" if stuck else move_of(text_of(fields[2]), fields[2].span))
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
