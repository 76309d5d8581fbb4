"""The rest of a file with broken lines, and the names that those lines may declare."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gridlang.source import Span
from gridlang.syntax import tree as s

_NAMES = re.compile(r"[^\W\d]\w*|\"([^\"\n]*)\"?")
_DECLARE_NOTHING = {"rule", "start", "output", "test"}
# lines that say what they declare before anything can be wrong with them
_NAMED = {
    "class": re.compile(r"\s*[^\W\d]\w*\s*="),
    "let": re.compile(r"let\s+[^\W\d]\w*\s*[=(]"),
    "state": re.compile(r"\w+\s+[^\W\d]\w*\s*(?:$|[(,#])"),
}


class Doubt(NamedTuple):
    """Names that broken lines may declare, and the kinds of lines that hide theirs."""

    names: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()


class BrokenLine(NamedTuple):
    """A line with an error; `kind` is its declaring word, `rule` or `class`, or empty if it may be any."""

    span: Span
    kind: str


class Partial(NamedTuple):
    """A file without its broken lines."""

    agent: s.Agent
    broken: tuple[BrokenLine, ...] = ()
    holes: frozenset[int] = frozenset()  # places of states that lack a rule

    @property
    def doubt(self) -> Doubt:
        declaring = [line for line in self.broken if line.kind not in _DECLARE_NOTHING]
        names = (
            name
            for line in declaring
            for match in _NAMES.finditer(line.span.text)
            for name in (match.group(), match.group(1))
            if name
        )
        hidden = (
            line.kind
            for line in declaring
            if line.kind not in _NAMED or not _NAMED[line.kind].match(line.span.text)
        )
        return Doubt(frozenset(names), frozenset(hidden))


def lacks(broken: Iterable[BrokenLine], *kinds: str) -> bool:
    return any(not line.kind or line.kind in kinds for line in broken)


def broken_header(line: BrokenLine | None, top: Span) -> s.Header:
    """A placeholder for the broken first line of a file."""
    span = line.span if line else top
    return s.Header(span, s.Name(span, "unnamed"), (), None, library=bool(line and line.kind == "library"))
