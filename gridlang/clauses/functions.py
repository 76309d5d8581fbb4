"""The parts of `output` and `where` clauses: kinds, functions, arithmetic, words, names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, replacing, respelt
from gridlang.syntax import tree as s

NUMBER, TEXT, TRUTH, VERDICT = "number", "text", "truth", "verdict"


class Acceptance(Enum):
    """A verdict in an output clause: the run halts, or gets stuck."""

    ACCEPT = "accept"
    STUCK = "stuck"


ACCEPTANCES = tuple(each.value for each in Acceptance)
# Other words for them, and the one that is meant.
OTHER_WORDS = {
    **dict.fromkeys(("accepts", "accepted", "halt", "halts", "halted", "yes"), "accept"),
    **dict.fromkeys(("reject", "rejects", "rejected", "fail", "fails", "no"), "stuck"),
}


class Function(NamedTuple):
    """Kinds of the arguments (the last repeats if `more`), and the kind of the result."""

    takes: tuple[str, ...]
    gives: str
    more: bool = False


FUNCTIONS = {
    "reverse": Function((TEXT,), TEXT),
    "sorted": Function((TEXT,), TEXT),
    "join": Function((TEXT,), TEXT, more=True),
    "repeat": Function((TEXT, NUMBER), TEXT),
    "cancel": Function((TEXT, TEXT), TEXT, more=True),
    "replace": Function((TEXT, TEXT, TEXT), TEXT),
    "every": Function((TEXT, NUMBER, NUMBER), TEXT),
    "count": Function((TEXT, TEXT), NUMBER),
    "length": Function((TEXT,), NUMBER),
    "number": Function((TEXT,), NUMBER),
    "value": Function((TEXT,), NUMBER),
    "text": Function((NUMBER,), TEXT),
    "sqrt": Function((NUMBER,), NUMBER),
}
SAME_SYMBOLS = ("reverse", "sorted", "every", "cancel")  # functions that only leave out or move symbols
ORDER = ("<", "<=", ">", ">=")


def counts(chars: str) -> bool:
    """Whether a class counts 0, 1, 2 … in order, so that its strings are numbers."""
    return len(chars) > 1 and all(c == str(i) if i < 10 else not c.isdigit() for i, c in enumerate(chars))


def check_names(agent: s.Agent) -> Iterator[Diagnostic]:
    """Complaints that need no alphabet: unknown parts and functions, wrong numbers of arguments."""
    if agent.input is None:
        assert agent.output is not None
        hint = "add a line such as `input a = digit+, '+', b = digit+`"
        yield Diagnostic("G090", "an `output` needs an `input`", agent.output.span, "", hint)
        return
    known = [part.name.name for part in agent.input.parts if part.name]
    known += [param.name.name for param in agent.header.params]
    known += [let.name.name for let in agent.lets]
    for node in (agent.input.condition, agent.output and agent.output.value):
        if node is not None:
            yield from check_names_in(node, known)


def check_names_in(output: s.Expr, known: Sequence[str]) -> Iterator[Diagnostic]:
    """Complaints about names and functions in an output that are not known."""
    stack: list[s.Expr] = [output]
    while stack:
        node = stack.pop()
        if isinstance(node, s.Name) and node.name not in known and node.name not in ACCEPTANCES:
            named = f"name it in the input, as in `{node.name} = digit+`"
            hint, fixes = respelt(node.name, known, node.span, named)
            if node.name in OTHER_WORDS:
                hint = f"did you mean `{OTHER_WORDS[node.name]}`? A run halts, `accept`, or gets `stuck`"
                fixes = (replacing(node.span, OTHER_WORDS[node.name]),)
            message = f"the input has no part named `{node.name}`"
            yield Diagnostic("G090", message, node.span, "", hint, fixes=fixes)
        elif isinstance(node, s.Call):
            yield from _check_call(node)
        stack += s.children(node)


def _check_call(node: s.Call) -> Iterator[Diagnostic]:
    function = FUNCTIONS.get(node.name.name)
    if function is None:
        name, span = node.name.name, node.name.span
        hint, fixes = respelt(name, FUNCTIONS, span, f"there are {', '.join(FUNCTIONS)}")
        yield Diagnostic("G090", f"there is no function named `{name}`", span, "", hint, fixes=fixes)
    elif len(node.args) < len(function.takes) or (len(node.args) > len(function.takes) and not function.more):
        wanted = f"{'at least ' if function.more else ''}{len(function.takes)}"
        message = f"`{node.name.name}` takes {wanted} argument{'s' if len(function.takes) > 1 else ''}"
        yield Diagnostic("G090", message, node.span, f"{len(node.args)} given")


def names_in(node: s.Expr, functions: bool = False) -> Iterator[s.Name]:
    """The names in an expression, with `functions` those of functions too."""
    if isinstance(node, s.Name):
        yield node
    elif isinstance(node, s.Call) and functions:
        yield node.name
    for child in s.children(node):
        yield from names_in(child, functions)
