"""Data for AALpy's learners: a list of runs as JSON or as Python writes it, or lines of `input/output`.

A run is `[(input, output), …]`, a Moore machine's output first; a labelled word `([input, …], label)`.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import Any

from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.logs.jsonl_log import Part, add_steps, listed, text_of
from gridlang.learners.traces.logs.log_to_traces import MEALY, WORDS, ObservedLog, ObservedRun, misread
from gridlang.source import Source, Span

MOORE = "the first output of each run, before any input, is left out: a Mealy machine says nothing there"


def read(source: Source) -> ObservedLog:
    """The runs in a file of either form."""
    return _read_list(source) if source.text.lstrip()[:1] in ("[", "(") else _read_lines(source)


def _read_list(source: Source) -> ObservedLog:
    log = ObservedLog(source)
    for number, part in enumerate(_members(source), 1):
        run = ObservedRun(f"{number}", line=source.position(part.start)[0])
        if not isinstance(part.value, list):
            raise misread("a run is a list", part.span)
        kind = WORDS
        if _is_labelled(part.value):
            word, label = part.parts
            letters = [text_of(letter) for letter in word.parts]
            run.over(letters, letters, None if label.value is None else text_of(label))
        else:
            moore = bool(part.value) and not isinstance(part.value[0], list)
            log.notes = [MOORE] if moore else log.notes
            kind = add_steps(run, part.parts[moore:])
        log.runs.append(run)
        log.tell(kind, Span(source, part.start, part.start + 1))
    return log


def _is_labelled(run: list[Any]) -> bool:
    """Whether this is a word and its label: a list, and something that is none."""
    return len(run) == 2 and isinstance(run[0], list) and not isinstance(run[1], list)


def _members(source: Source) -> list[Part]:
    """The members of the list that the file is, as JSON if it is that."""
    try:
        return [Part(source, start, value) for start, value in listed(source)]
    except (ValueError, RecursionError):
        return list(_literals(source))


def _literals(source: Source) -> Iterator[Part]:
    """The members of a list that is written as Python writes it; nothing of it is run."""
    if len(source.text) > LIMITS.most_literal:
        message = f"this is not JSON, and beyond {LIMITS.most_literal:,} characters"
        raise misread(message, Span(source, 0, 1), "write it with `json.dump`")
    hint = "it is a list of runs, as JSON or as Python writes it"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text.strip(), mode="eval").body
        if not isinstance(tree, ast.List | ast.Tuple):
            raise misread("this is not a list", Span(source, 0, 1), hint)
        skipped = source.position(len(source.text) - len(source.text.lstrip()))[0] - 1
        for node in tree.elts:
            start = source.starts[node.lineno - 1 + skipped] + node.col_offset
            yield Part(source, min(start, len(source.text)), _constant(source, start, node))
    except SyntaxError as error:
        line = min(max(error.lineno or 1, 1), len(source.starts))
        at = min(source.starts[line - 1] + max((error.offset or 1) - 1, 0), len(source.text))
        raise misread(f"this list cannot be read: {error.msg}", Span(source, at, at), hint) from None
    except (MemoryError, RecursionError):
        raise misread("this list is nested too deeply", Span(source, 0, 1), hint) from None


def _constant(source: Source, start: int, node: ast.expr) -> Any:
    """The value of a run; GridError if something in it would have to be computed."""
    try:
        return _lists(ast.literal_eval(node))
    except ValueError:
        hint = "runs hold texts, numbers, and tuples or lists of them"
        raise misread("this run is not a constant", Span(source, start, start + 1), hint) from None


def _lists(value: Any) -> Any:
    """Tuples as lists."""
    return [_lists(each) for each in value] if isinstance(value, list | tuple) else value


def _read_lines(source: Source) -> ObservedLog:
    """Lines of `input/output,input/output`, as AALpy's tokenizer for them reads."""
    log = ObservedLog(source, MEALY)
    for number, start in enumerate(source.starts, 1):
        text = source.line(number)
        if not text.strip():
            continue
        run, at = ObservedRun(f"{len(log.runs) + 1}", line=number), start
        for place, pair in enumerate(text.split(",")):
            letter, slash, output = (part.strip() for part in pair.partition("/"))
            if not slash and not place:
                log.notes = [MOORE]
            elif not slash or not letter or not output:
                span = Span(source, at, at + len(pair))
                raise misread(f"`{pair.strip()}` is not input and output", span, "write `input/output`")
            else:
                run.add(letter, output, number)
            at += len(pair) + 1
        log.runs.append(run)
    return log
