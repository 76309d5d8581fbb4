"""The kinds of the `output` and `where` clauses: which expressions are numbers, texts and conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, replacing, respelt
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression

NUMBER, TEXT, TRUTH, ROW, VERDICT = "number", "text", "truth", "row", "verdict"


class Acceptance(Enum):
    """What an output clause may ask for instead of a result: that a run halts, or that it gets stuck."""

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
}
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "^": lambda a, b: a**b,
}
ORDER = ("<", "<=", ">", ">=")
_IN_WORDS = {NUMBER: "a number", TEXT: "text", TRUTH: "a condition", ROW: "a sequence of parts"}


def counts(chars: str) -> bool:
    """Whether a class counts 0, 1, 2 … in order, so that its strings are numbers."""
    return len(chars) > 1 and all(c == str(i) if i < 10 else not c.isdigit() for i, c in enumerate(chars))


def check_names(agent: s.Agent) -> Iterator[Diagnostic]:
    """Complaints that need no alphabet: unknown parts and functions, wrong numbers of arguments."""
    if agent.input is None:
        assert agent.output is not None
        hint = "add a line such as `input a = digit+, '+', b = digit+`"
        yield Diagnostic("G090", "an `output` needs an `input` to speak of", agent.output.span, "", hint)
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
        stack += _children(node)


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


def _children(node: s.Expr) -> tuple[s.Expr, ...]:
    if isinstance(node, s.Call):
        return node.args
    if isinstance(node, s.Unary):
        return (node.operand,)
    if isinstance(node, s.Binary):
        return (node.left, node.right)
    if isinstance(node, s.Conditional):
        return (node.then, node.condition, node.otherwise)
    if isinstance(node, s.Index):
        return (node.place,)
    return node.parts if isinstance(node, s.Row | s.Union) else ()


def names_in(node: s.Expr, functions: bool = False) -> Iterator[s.Name]:
    """All names that an expression mentions; those of functions only if asked for."""
    if isinstance(node, s.Name):
        yield node
    elif isinstance(node, s.Index):
        yield node.word
    elif isinstance(node, s.Call) and functions:
        yield node.name
    for child in _children(node):
        yield from names_in(child, functions)


def _common(kinds: set[str]) -> str:
    """The kind of an expression whose branches are of these."""
    return next(kind for kind in (TRUTH, ROW, TEXT, NUMBER, VERDICT) if kind in kinds)


class Kinds:
    """Infers the kind of every expression of a clause."""

    def __init__(self, parts: Mapping[str, str], values: Mapping[str, int]) -> None:
        self.parts = parts
        self.values = values
        self.used: set[str] = set()
        self.written: dict[int, s.Expr] = {}  # numbers that stand where text is wanted, by where they are
        self.diagnostics: list[Diagnostic] = []

    def error(self, message: str, node: s.Expr, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic("G090", message, node.span, "", hint))

    def result(self, node: s.Expr) -> str:
        """The kind of a whole clause: verdicts may stand in its branches, beside results of one kind."""
        if isinstance(node, s.Conditional):
            self.expect(node.condition, TRUTH)
            return self.chosen(node, self.result(node.then), self.result(node.otherwise))
        return VERDICT if self.acceptance(node) else self.kind(node)

    def acceptance(self, node: s.Expr) -> Acceptance | None:
        """The verdict that a node is; a part or parameter of that name comes first."""
        if not isinstance(node, s.Name) or node.name in self.parts or node.name in self.values:
            return None
        return Acceptance(node.name) if node.name in ACCEPTANCES else None

    def kind(self, node: s.Expr) -> str:
        if self.acceptance(node):
            hint = "as in `output accept if a mod 3 == 0 else stuck`"
            self.error(f"`{expression(node)}` stands alone, or in a branch of `if … else`", node, hint)
            return VERDICT
        if isinstance(node, s.Number):
            return NUMBER
        if isinstance(node, s.Symbol | s.Text):
            return TEXT
        if isinstance(node, s.Name):
            if node.name in self.parts:
                self.used.add(node.name)
            return NUMBER if node.name in self.values or counts(self.parts.get(node.name, "")) else TEXT
        if isinstance(node, s.Call):
            function = FUNCTIONS[node.name.name]
            for place, arg in enumerate(node.args):
                self.expect(arg, function.takes[min(place, len(function.takes) - 1)])
            if node.name.name == "text":
                self.written[node.span.start] = node
            return function.gives
        if isinstance(node, s.Unary):
            self.expect(node.operand, TRUTH if node.op == "not" else NUMBER)
            return TRUTH if node.op == "not" else NUMBER
        if isinstance(node, s.Conditional):
            self.expect(node.condition, TRUTH)
            return self.chosen(node, self.kind(node.then), self.kind(node.otherwise))
        if isinstance(node, s.Row):
            for part in node.parts:
                self.expect(part, TEXT)
            return ROW
        if isinstance(node, s.Binary):
            return self.binary(node)
        hint = "letters of words are looked up in rules" if isinstance(node, s.Index) else ""
        self.error("this cannot stand in a clause", node, hint)
        return TEXT

    def chosen(self, node: s.Conditional, then: str, otherwise: str) -> str:
        """The kind of a choice between two; a number beside a text is written as one."""
        kind = _common({then, otherwise})
        for branch, own in ((node.then, then), (node.otherwise, otherwise)):
            if (own, kind) == (NUMBER, TEXT):
                self.write(branch)
        return kind

    def write(self, node: s.Expr) -> None:
        """Notes a number that is written as text; a literal and a part are written already."""
        if isinstance(node, s.Conditional):
            self.write(node.then)
            self.write(node.otherwise)
        elif not isinstance(node, s.Number | s.Name):
            self.written[node.span.start] = node

    def check_digits(self, digits: str) -> None:
        """Complains about numbers that are written as text where there are no digits to write them in."""
        for node in () if digits else self.written.values():
            self.no_digits(node)

    def no_digits(self, node: s.Expr) -> None:
        hint = "declare a class such as `digit = 0..9`, of at least two digits from 0 on"
        self.error("there are no digits to write this number in", node, hint)

    def is_number(self, node: s.Expr) -> bool:
        return self.kind(node) == NUMBER

    def binary(self, node: s.Binary) -> str:
        if node.op in ("and", "or"):
            self.expect(node.left, TRUTH)
            self.expect(node.right, TRUTH)
            return TRUTH
        if node.op in ("==", "!="):
            for side in (node.left, node.right):
                kind = self.kind(side)
                if kind in (TRUTH, ROW):
                    self.error(f"`{node.op}` compares numbers or texts, not {_IN_WORDS[kind]}", side)
                elif kind == NUMBER and not all(map(self.is_number, (node.left, node.right))):
                    self.write(side)
            return TRUTH
        if node.op in ARITHMETIC or node.op in ORDER:
            self.expect(node.left, NUMBER)
            self.expect(node.right, NUMBER)
            return NUMBER if node.op in ARITHMETIC else TRUTH
        self.error(f"`{node.op}` cannot stand in a clause", node)
        return TEXT

    def expect(self, node: s.Expr, kind: str) -> None:
        actual = self.kind(node)
        if (actual, kind) == (NUMBER, TEXT):
            self.write(node)
        if actual in (kind, VERDICT) or (kind == TEXT and actual == NUMBER):  # A verdict is told of already.
            return
        hint = "number(…) reads text as a number by its class" if (kind, actual) == (NUMBER, TEXT) else ""
        self.error(f"expected {_IN_WORDS[kind]}, found {_IN_WORDS[actual]}", node, hint)
