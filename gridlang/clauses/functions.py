"""The parts of `output` and `where` clauses: kinds, functions, arithmetic, words, names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, replacing, respelt
from gridlang.syntax import tree as s

NUMBER, TEXT, TRUTH, ROW, VERDICT = "number", "text", "truth", "row", "verdict"


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
    "abs": Function((NUMBER,), NUMBER),
    "min": Function((NUMBER,), NUMBER, more=True),
    "max": Function((NUMBER,), NUMBER, more=True),
    "gcd": Function((NUMBER,), NUMBER, more=True),
    "xor": Function((NUMBER,), NUMBER, more=True),
    "sum": Function((NUMBER,), NUMBER, more=True),
    "fold": Function((TEXT,), TEXT),  # only as a loop
}
FOLD = "fold"
LOOPS = (FOLD, *(name for name, function in FUNCTIONS.items() if function.more and len(function.takes) == 1))
SAME_SYMBOLS = ("reverse", "sorted", "every", "cancel")  # functions that only leave out or move symbols
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
    "^": operator.pow,
}
ORDER = ("<", "<=", ">", ">=")
HOW_TO_FOLD = "write fold(STEP for x in WORD from s = START)"


@lru_cache(maxsize=1_000)  # asked for each symbol that a loop goes through
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
    classes = [decl.name.name for decl in agent.classes if decl.name]
    tables = [let.name.name for let in agent.lets if isinstance(let.value, s.Row)]
    for node in (agent.input.condition, agent.output and agent.output.value):
        if node is not None:
            yield from check_names_in(node, known, classes)
            yield from _bare_tables(node, tables)


def check_names_in(
    output: s.Expr, known: Sequence[str], classes: Collection[str] = ()
) -> Iterator[Diagnostic]:
    """Complaints about names and functions in an output that are not known."""
    stack: list[s.Expr] = [output]
    while stack:
        node = stack.pop()
        if isinstance(node, s.Each):
            wrong = list(_check_loop(node))
            own = [name.name for name in (node.variable, node.state) if name]
            yield from wrong or check_names_in(node.body, [*own, *known], classes)
        elif is_based(node):
            assert isinstance(node, s.Binary)
            if isinstance(node.right, s.Name):
                stack.append(node.left)
                yield from _check_base(node.right, (*classes, *known))
                continue
        elif isinstance(node, s.Name) and node.name not in known and node.name not in ACCEPTANCES:
            named = f"name it in the input, as in `{node.name} = digit+`"
            hint, fixes = respelt(node.name, known, node.span, named)
            if node.name in OTHER_WORDS:
                hint = f"did you mean `{OTHER_WORDS[node.name]}`? A run halts, `accept`, or gets `stuck`"
                fixes = (replacing(node.span, OTHER_WORDS[node.name]),)
            message = f"the input has no part named `{node.name}`"
            yield Diagnostic("G090", message, node.span, "", hint, fixes=fixes)
        elif isinstance(node, s.Call):
            yield from _check_call(node, classes)
        stack += s.children(node)


def _bare_tables(node: s.Expr, tables: Collection[str]) -> Iterator[Diagnostic]:
    """Complaints about tables that stand where one of their words should."""
    indexed = {id(each.word) for each in _nodes(node) if isinstance(each, s.Index | s.Tail)}
    for name in _nodes(node):
        if isinstance(name, s.Name) and name.name in tables and id(name) not in indexed:
            message, hint = f"`{name.name}` is a table of words", f"`{name.name}[0]` is the first of them"
            yield Diagnostic("G090", message, name.span, "expected one of its words", hint)


def _nodes(node: s.Expr) -> Iterator[s.Expr]:
    yield node
    for child in (*([node.body] if isinstance(node, s.Each) else []), *s.children(node)):
        yield from _nodes(child)


def is_based(node: s.Expr) -> bool:
    """Whether a node is a number in a base, `a in 10`."""
    return isinstance(node, s.Binary) and node.op == "in"


def _check_loop(node: s.Each) -> Iterator[Diagnostic]:
    name, span = node.name.name, node.name.span
    if name not in LOOPS:
        hint, fixes = respelt(name, LOOPS, span, f"there are {', '.join(LOOPS)}")
        yield Diagnostic("G090", f"`{name}` is not a function of many values", span, "", hint, fixes=fixes)
    elif (name == FOLD) != (node.state is not None):
        message = "a fold needs a start" if name == FOLD else "only a fold has a start"
        yield Diagnostic("G090", message, node.span, "", HOW_TO_FOLD)


def _check_base(base: s.Name, known: Sequence[str]) -> Iterator[Diagnostic]:
    if base.name not in known:
        hint, fixes = respelt(base.name, known, base.span, "write how many digits, `a in 10`, or a class")
        yield Diagnostic("G090", f"there is no class named `{base.name}`", base.span, "", hint, fixes=fixes)


def _check_call(node: s.Call, classes: Collection[str]) -> Iterator[Diagnostic]:
    function = FUNCTIONS.get(node.name.name)
    if function is None and node.name.name in classes:
        function = Function((NUMBER,), TEXT)
    if node.name.name == FOLD:
        yield Diagnostic("G090", "a fold goes through a word or a range", node.span, "", HOW_TO_FOLD)
    elif function is None:
        name, span = node.name.name, node.name.span
        hint, fixes = respelt(name, [*FUNCTIONS, *classes], span, f"there are {', '.join(FUNCTIONS)}")
        yield Diagnostic("G090", f"there is no function named `{name}`", span, "", hint, fixes=fixes)
    elif len(node.args) < len(function.takes) or (len(node.args) > len(function.takes) and not function.more):
        wanted = f"{'at least ' if function.more else ''}{len(function.takes)}"
        message = f"`{node.name.name}` takes {wanted} argument{'s' if len(function.takes) > 1 else ''}"
        yield Diagnostic("G090", message, node.span, f"{len(node.args)} given")


def names_in(node: s.Expr, functions: bool = False) -> Iterator[s.Name]:
    """All names that an expression mentions; those of functions only if asked for."""
    if isinstance(node, s.Name):
        yield node
    elif isinstance(node, s.Call) and functions:
        yield node.name
    elif isinstance(node, s.Each):
        own = {name.name for name in (node.variable, node.state) if name}
        yield from (name for name in names_in(node.body, functions) if name.name not in own)
    for child in s.children(node):
        yield from names_in(child, functions)
