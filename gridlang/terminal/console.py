"""Output of commands: diagnostics for people, JSON for machines."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from gridlang.diagnostics import Diagnostic, Fix, first_of, in_order, render, replacing
from gridlang.printable import printable
from gridlang.terminal.notes import counting

if TYPE_CHECKING:
    from gridlang.program import Program
    from gridlang.syntax.tree import StateDecl

SCHEMA = "gridlang-cli/1"
WRITTEN_AT_ONCE = 1 << 20  # characters; a call per line would be slow


def emit(data: dict[str, Any]) -> None:
    show_progress.clear()
    click.echo(json_text({"schema": SCHEMA, **data}))


def json_text(data: Any) -> str:
    """Data as JSON in one line; terminal control characters are escaped, which JSON itself allows."""
    import json

    text = json.dumps(data, ensure_ascii=False)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    return text


def write_out(pieces: Iterable[str]) -> None:
    """Text of any length to stdout, as it comes; it is a result, and printable."""
    show_progress.clear()
    held, size = [], 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > WRITTEN_AT_ONCE:
            sys.stdout.write("".join(held))
            held, size = [], 0
    sys.stdout.write("".join(held))
    sys.stdout.flush()  # before anything on stderr


def say(*lines: str, err: bool = False) -> None:
    """Lines for people. Each stays one line: see `printable`.

    All that is printed for people goes through here, so no text from a file commands a terminal.
    """
    show_progress.clear()
    click.echo("\n".join(map(printable, lines)), err=err)


def say_source(text: str) -> None:
    """A text that is a command's result: unchanged into a file or pipe, printable on a terminal."""
    show_progress.clear()
    if sys.stdout.isatty():
        text = "\n".join(map(printable, text.split("\n")))
    sys.stdout.write(text)  # A pipe gets every character; `click.echo` would leave some out.


def report(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics on stderr, for people."""
    show_progress.clear()
    first, left = first_of(in_order(diagnostics))
    for diagnostic in first:
        click.echo(_coloured(render(diagnostic), diagnostic), err=True)  # What it renders is printable.
        say("", err=True)
    if left:
        say(f"{left}; --json lists all", err=True)


def plain_output(stream: Any) -> bool:
    """Whether a stream wants no colour: no terminal, a simple one, or NO_COLOR is set."""
    return bool(os.environ.get("NO_COLOR")) or not has_cursor(stream)


def has_cursor(stream: Any) -> bool:
    """Whether a line of a stream can be written over."""
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def _coloured(text: str, diagnostic: Diagnostic) -> str:
    if plain_output(sys.stderr):
        return text
    colour = {"error": "red", "warning": "yellow"}.get(diagnostic.severity, "cyan")
    first, _, rest = text.partition("\n")
    head, _, message = first.partition(": ")
    lines = [click.style(head, fg=colour, bold=True) + click.style(f": {message}", bold=True)]
    for line in rest.split("\n") if rest else []:
        bare = line.strip().lstrip("|").strip()
        lines.append(click.style(line, fg=colour) if bare.startswith("^") else line)
    return "\n".join(lines)


def tally(diagnostics: list[Diagnostic]) -> str:
    """`2 errors, 1 warning`."""
    counts = [(sum(d.severity == kind for d in diagnostics), kind) for kind in ("error", "warning", "note")]
    return ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in counts if n)


def missing_pairs(program: Program) -> Iterable[Diagnostic]:
    """A note for each state that has no rule for some symbols, at the state's own line."""
    table = program.table
    agent = program.definition.agent if program.definition else None
    states = {name.name: s for s in (agent.states if agent else ()) for name in s.header.names}
    family = table.family_by_state()
    for state, name in enumerate(table.states):
        gaps = [table.symbols[x] for x, entry in enumerate(table.rows[state]) if entry is None]
        if gaps:
            declared = states.get(family[state].name if state in family else name)
            message = f"state `{name}` has no rule for {' '.join(gaps)}"
            span, fixes = (declared.header.span, _rest_fixes(declared)) if declared else (None, ())
            yield Diagnostic("G063", message, span, severity="note", file=program.file, fixes=fixes)


def _rest_fixes(state: StateDecl) -> tuple[Fix, ...]:
    """The fix that lets a state halt on what it has no rule for, unless it has an `else` with a guard."""
    if any(rule.pattern.members is None for rule in state.rules):
        return ()
    last = state.rules[-1].span if state.rules else state.header.span
    return (replacing(last.after(), "\n  else : halt", sure=False, title="add `else : halt`"),)


class _ProgressLine:
    """A line of a terminal that each text overwrites, and all other output wipes; none elsewhere."""

    seconds = 0.2  # A line that changes more often cannot be read.
    visible = False

    def __call__(self, text: str) -> None:
        if has_cursor(sys.stderr):
            click.echo(f"\r{printable(text)}\033[K\r", err=True, nl=False)
            self.visible = True

    def clear(self) -> None:
        if self.visible and has_cursor(sys.stderr):
            click.echo("\r\033[K", err=True, nl=False)
        self.visible = False


show_progress = _ProgressLine()


def progress_line(what: str) -> Callable[[int], None]:
    return counting(show_progress, what)
