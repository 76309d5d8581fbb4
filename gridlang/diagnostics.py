"""Diagnostics: errors as values first, prose second."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from gridlang.printable import printable
from gridlang.source import Span

LONGEST_LINE = (
    120  # A longer line of source is shown in part: a terminal would break it, and the caret with it.
)


class Label(NamedTuple):
    """A second place that a diagnostic points at."""

    span: Span
    text: str


class Diagnostic(NamedTuple):
    """One finding: a stable code, the fact, the place, and what to type instead.

    >>> import gridlang as gl
    >>> gl.try_load("no-such.grid").diagnostics[0].code
    'G001'
    """

    code: str
    message: str
    span: Span | None
    label: str = ""
    hint: str = ""
    severity: str = "error"
    also: tuple[Label, ...] = ()
    file: str = ""

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def as_json(self) -> dict[str, Any]:
        place: dict[str, Any] = {"file": self.file or None}
        for key in ("line", "column", "end_line", "end_column"):
            place[key] = None
        if self.span is not None:
            source = self.span.source
            line, column = source.position(self.span.start)
            end_line, end_column = source.position(max(self.span.end, self.span.start))
            place = {
                "file": source.path,
                "line": line,
                "column": column,
                "end_line": end_line,
                "end_column": end_column,
            }
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            **place,
            "hint": self.hint or None,
        }


class GridError(Exception):
    """Input that cannot be used; carries every diagnostic found.

    >>> import gridlang as gl
    >>> try:
    ...     gl.load("examples/add.grid", bass=2)
    ... except gl.GridError as error:
    ...     print(error.diagnostics[0].message)
    `add` has no parameter `bass`
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        super().__init__("\n\n".join(render(d) for d in self.diagnostics))


def fail(code: str, message: str, hint: str = "", file: str = "") -> GridError:
    """An error about something that has no place in a source file."""
    return GridError([Diagnostic(code, message, None, hint=hint, file=file)])


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By file, then place, errors before warnings, duplicates removed."""

    def key(d: Diagnostic) -> tuple[str, int, bool, str, str]:
        where = (d.span.source.path, d.span.start) if d.span else (d.file, -1)
        return (*where, not d.is_error, d.code, d.message)

    return sorted(dict.fromkeys(diagnostics), key=key)


def render(diagnostic: Diagnostic) -> str:
    """The diagnostic as printable text with the source line and a caret, without colour."""
    message, hint, file = map(printable, (diagnostic.message, diagnostic.hint, diagnostic.file))
    d = diagnostic._replace(message=message, hint=hint, file=file)
    lines = [f"{d.severity}[{d.code}]: {d.message}"]
    if d.span is None:
        if d.file:
            lines.append(f"  --> {d.file}")
        if d.hint:
            lines.append(f"   = hint: {d.hint}")
        return "\n".join(lines)
    places = [Label(d.span, d.label), *d.also]
    width = max(len(str(place.span.line)) for place in places)
    pad = " " * width
    for index, place in enumerate(places):
        lines += _excerpt(place, width, first=index == 0)
    if d.hint:
        lines += [f"{pad} |", f"{pad} = hint: {d.hint}"]
    return "\n".join(lines)


def _excerpt(place: Label, width: int, first: bool) -> list[str]:
    source = place.span.source
    row, column = source.position(place.span.start)
    text = source.line(row)
    until = min(max(place.span.end - place.span.start, 1), max(len(text) - column + 1, 1), LONGEST_LINE)
    before, shown = _fit(text, column, until)
    pad = " " * width
    caret = f"{before}{'^' * until if first else '-' * until} {printable(place.text)}".rstrip()
    arrow = "-->" if first else ":::"
    return [
        f"{pad}{arrow} {printable(source.path)}:{row}:{column}",
        f"{pad} |",
        f"{row:>{width}} | {shown}".rstrip(),
        f"{pad} | {caret}",
    ]


def _fit(text: str, column: int, until: int, limit: int = LONGEST_LINE) -> tuple[str, str]:
    """The blanks before the caret, and the line, cut around the caret when it is very long."""
    shown = "".join(c if c.isprintable() else " " if c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
    start = 0 if len(shown) <= limit else max(0, min(column - 1 - limit // 2, len(shown) - limit))
    cut = shown[start : start + limit + max(0, until - limit // 2)]
    lead = "…" if start else ""
    return " " * (column - 1 - start + len(lead)), lead + cut + ("…" if start + len(cut) < len(shown) else "")


def suggest(word: str, known: Iterable[str]) -> str:
    """The known name nearest to a misspelt one, or the empty string."""
    import difflib

    names = sorted(set(known))
    folded = {name.lower(): name for name in names}
    if word.lower() in folded:
        return folded[word.lower()]
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return close[0] if close else ""


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint that offers the nearest known name."""
    near = suggest(word, known)
    return f"did you mean `{near}`?" if near else otherwise


def counted(number: int, what: str) -> str:
    """`1 state`, `2 states`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def listing(words: Iterable[str], last: str = "or") -> str:
    """`a`, `b` or `c`."""
    quoted = [w if " " in w else f"`{w}`" for w in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"
