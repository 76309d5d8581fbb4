"""Words in the format of the Abbadingo competition: `count letters`, then `label length letter letter …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gridlang.diagnostics import counted
from gridlang.learners.traces.logs.log_to_traces import (
    ACCEPT,
    REJECT,
    WORDS,
    ObservedLog,
    ObservedRun,
    misread,
)
from gridlang.source import Source, Span

LABELS = {"1": ACCEPT, "0": REJECT, "-1": None}  # The last is a word whose label is to be found.


def read(source: Source) -> ObservedLog:
    """The words of a file; GridError where a count is wrong, for then something is missing."""
    lines = _lines(source)
    head = next(lines, [])
    numbers = [_number(token) for token in head[:2]]
    if len(head) != 2:
        where = head[0].to(head[-1]) if head else Span(source, 0, 0)
        raise misread("the first line has two numbers", where, "how many words, and how many letters")
    runs: list[ObservedRun] = []
    letters: set[str] = set()
    for label, *rest in lines:
        if label.text not in LABELS:
            raise misread(f"`{label.text}` is not a label", label, "1 accepts, 0 rejects, -1 is unknown")
        if not rest:
            raise misread("this word has no length", label.after(), "a line is `label length letters`")
        word = [token.text for token in rest[1:]]
        if _number(rest[0]) != len(word):
            raise misread(f"this word has {len(word)} letters, not {rest[0].text}", rest[0])
        letters.update(word)
        runs.append(ObservedRun(f"{len(runs) + 1}", line=label.line).over(word, word, LABELS[label.text]))
    if numbers[0] != len(runs):
        raise misread(f"{counted(numbers[0], 'word')} are announced, and there are {len(runs)}", head[0])
    if numbers[1] < len(letters):
        raise misread(f"{counted(numbers[1], 'letter')} are announced, and there are {len(letters)}", head[1])
    return ObservedLog(source, WORDS, runs)


def _lines(source: Source) -> Iterator[list[Span]]:
    """The tokens of each line that has some."""
    for number, start in enumerate(source.starts, 1):
        words = re.finditer(r"\S+", source.line(number))
        tokens = [Span(source, start + word.start(), start + word.end()) for word in words]
        if tokens:
            yield tokens


def _number(token: Span) -> int:
    if not (token.text.isascii() and token.text.isdigit() and len(token.text) <= 9):
        raise misread(f"`{token.text}` is not a number", token)
    return int(token.text)
