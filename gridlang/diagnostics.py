"""Diagnostics: errors as values first, prose second."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from gridlang.printable import printable
from gridlang.source import Span

LONGEST_LINE = 120  # longer source lines are cut around the caret
MOST_OFFERED = 3  # suggested names
SHORTEST_SURE = 3  # letters; a shorter misspelt name may mean several
MOST_SHOWN = 20  # printed at once


class Label(NamedTuple):
    """A second place that a diagnostic points at."""

    span: Span
    text: str


class Edit(NamedTuple):
    """A place in a source and its new text; an empty place is an insertion."""

    span: Span
    replacement: str


class Fix(NamedTuple):
    """Edits that mend the cause of a diagnostic, and their title.

    A `sure` fix leaves no choice, and `check --fix` makes it; a diagnostic has at most one.
    """

    title: str
    edits: tuple[Edit, ...]
    sure: bool = True


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
    fixes: tuple[Fix, ...] = ()
    severity: str = "error"
    also: tuple[Label, ...] = ()
    file: str = ""
    otherwise: str | None = None  # the hint if no fix helps

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    @property
    def place(self) -> tuple[str, int]:
        """Its file and offset; -1 if it is about the whole file."""
        return (self.span.source.path, self.span.start) if self.span else (self.file, -1)

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            **_place(self.span, self.file),
            "hint": self.hint or None,
            "fixes": [
                {
                    "title": fix.title,
                    "sure": fix.sure,
                    "edits": [{**_place(edit.span), "replacement": edit.replacement} for edit in fix.edits],
                }
                for fix in self.fixes
            ],
        }


def _place(span: Span | None, file: str = "") -> dict[str, Any]:
    """A place in JSON: lines and columns from 1 on, the end exclusive."""
    names = "line", "column", "end_line", "end_column"
    if span is None:
        return {"file": file or None, **dict.fromkeys(names)}
    start, end = map(span.source.position, (span.start, max(span.end, span.start)))
    return {"file": span.source.path, **dict(zip(names, (*start, *end), strict=True))}


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
        super().__init__()
        self.diagnostics = in_order(diagnostics)

    def __str__(self) -> str:
        first, more = first_of(self.diagnostics)
        return "\n\n".join((*map(render, first), *([more] if more else [])))

    def __reduce__(self) -> tuple[type[GridError], tuple[list[Diagnostic]]]:
        return type(self), (self.diagnostics,)


class Fault(GridError):
    """One thing that is wrong at one place, given as a Diagnostic is."""

    def __init__(self, *found: Any, **more: Any) -> None:
        super().__init__([Diagnostic(*found, **more)])

    def __reduce__(self) -> tuple[type[GridError], tuple[list[Diagnostic]]]:
        return GridError, (self.diagnostics,)

    @property
    def diagnostic(self) -> Diagnostic:
        return self.diagnostics[0]


def fail(code: str, message: str, hint: str = "", file: str = "") -> GridError:
    """An error without a place in a source."""
    return Fault(code, message, None, hint=hint, file=file)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By file, then place, errors before warnings, duplicates removed."""

    return sorted(dict.fromkeys(diagnostics), key=lambda d: (*d.place, not d.is_error, d.code, d.message))


def first_of(diagnostics: Sequence[Diagnostic]) -> tuple[Sequence[Diagnostic], str]:
    """The first few, and a line that counts the others, if there are any."""
    left = len(diagnostics) - MOST_SHOWN
    if left <= 0:
        return diagnostics, ""
    return diagnostics[:MOST_SHOWN], f"{left:,} more {'is' if left == 1 else 'are'} not shown"


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
    start = 0 if len(text) <= limit else max(0, min(column - 1 - limit // 2, len(text) - limit))
    # only the shown part: thousands of diagnostics may be about one long line
    cut = text[start : start + limit + max(0, until - limit // 2)]
    shown = "".join(c if c.isprintable() else " " if c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in cut)
    lead, rest = "…" if start else "", "…" if start + len(cut) < len(text) else ""
    return " " * (column - 1 - start + len(lead)), lead + shown + rest


def nearest(word: str, known: Iterable[str], most: int = MOST_OFFERED) -> list[str]:
    """The known names near to a misspelt one, the nearest first."""
    import difflib

    names = sorted(set(known))
    lower, wanted = [name.lower() for name in names], word.lower()
    near = [wanted] if wanted in lower else difflib.get_close_matches(wanted, lower, n=most, cutoff=0.6)
    near = near or [name for name in lower if sorted(name) == sorted(wanted)]
    return [names[at] for each in dict.fromkeys(near) for at in range(len(names)) if lower[at] == each][:most]


def suggest(word: str, known: Iterable[str]) -> str:
    """The known name nearest to a misspelt one, or the empty string."""
    return next(iter(nearest(word, known, most=1)), "")


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint that offers the nearest known name."""
    near = suggest(word, known)
    return f"did you mean `{near}`?" if near else otherwise


def respelt(
    word: str, known: Iterable[str], span: Span, otherwise: str = "", spell: Callable[[str], str] = str
) -> tuple[str, tuple[Fix, ...]]:
    """The hint that offers the nearest known name, and the fixes that put a near one in its place."""
    near = nearest(word, known)
    if not near:
        return otherwise, ()
    sure = len(near) == 1 and len(word) >= SHORTEST_SURE
    return f"did you mean `{near[0]}`?", tuple(replacing(span, spell(n), sure) for n in near)


def replacing(span: Span, text: str, sure: bool = True, title: str = "") -> Fix:
    """The fix that replaces, inserts or removes a text; its title says which unless given."""
    does = f"write `{text.strip()}`" if text else f"remove `{span.text}`"
    return Fix(title or does, (Edit(span, text),), sure)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits, none of which touches another."""
    pieces, done = [], 0
    for edit in sorted(edits, key=lambda edit: edit.span[1:]):
        pieces += [text[done : edit.span.start], edit.replacement]
        done = edit.span.end
    return "".join([*pieces, text[done:]])


def counted(number: int, one: str, many: str = "") -> str:
    """`1 state`, `2 states`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def listing(words: Iterable[str], last: str = "or") -> str:
    """`a`, `b` or `c`."""
    quoted = [w if " " in w else f"`{w}`" for w in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"
