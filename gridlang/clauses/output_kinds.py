"""The kinds of the `output` and `where` clauses: which expressions are numbers, texts and conditions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
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
    "gcd": Function((NUMBER,), NUMBER, more=True),
    "xor": Function((NUMBER,), NUMBER, more=True),
    "sum": Function((NUMBER,), NUMBER, more=True),
    "fold": Function((TEXT,), TEXT),  # only as a loop
}
FOLD = "fold"
LOOPS = (FOLD, *(name for name, function in FUNCTIONS.items() if function.more and len(function.takes) == 1))
SAME_SYMBOLS = ("reverse", "sorted", "every", "cancel")  # functions that only leave out or move symbols
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "^": lambda a, b: a**b,
}
ORDER = ("<", "<=", ">", ">=")
HOW_TO_FOLD = "write fold(STEP for x in WORD from s = START)"
_IN_WORDS = {NUMBER: "a number", TEXT: "text", TRUTH: "a condition", ROW: "a sequence of parts"}


@lru_cache(maxsize=1_000)  # asked for each symbol that a loop goes through
def counts(chars: str) -> bool:
    """Whether a class counts 0, 1, 2 … in order, so that its strings are numbers."""
    return len(chars) > 1 and all(c == str(i) if i < 10 else not c.isdigit() for i, c in enumerate(chars))


class Local(NamedTuple):
    """A name of a loop: a symbol with the class of its word, a number, or what a fold has so far."""

    kind: str
    members: str = ""
    value: int | str = 0


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
        stack += _children(node) if not isinstance(node, s.Each) else _around(node)


def _bare_tables(node: s.Expr, tables: Collection[str]) -> Iterator[Diagnostic]:
    """Complaints about tables that stand where one of their words should."""
    indexed = {id(each.word) for each in _nodes(node) if isinstance(each, s.Index | s.Tail)}
    for name in _nodes(node):
        if isinstance(name, s.Name) and name.name in tables and id(name) not in indexed:
            message, hint = f"`{name.name}` is a table of words", f"`{name.name}[0]` is the first of them"
            yield Diagnostic("G090", message, name.span, "expected one of its words", hint)


def _nodes(node: s.Expr) -> Iterator[s.Expr]:
    yield node
    for child in (node.body, *_around(node)) if isinstance(node, s.Each) else _children(node):
        yield from _nodes(child)


def is_based(node: s.Expr) -> bool:
    """Whether a node is a number in a base, `a in 10`."""
    return isinstance(node, s.Binary) and node.op == "in"


def _around(node: s.Each) -> tuple[s.Expr, ...]:
    """What stands in a loop and does not know its names."""
    return (node.over, node.start) if node.start is not None else (node.over,)


def _check_loop(node: s.Each) -> Iterator[Diagnostic]:
    name, span = node.name.name, node.name.span
    if name not in LOOPS:
        hint, fixes = respelt(name, LOOPS, span, f"there are {', '.join(LOOPS)}")
        yield Diagnostic("G090", f"`{name}` is not a function of many values", span, "", hint, fixes=fixes)
    elif (name == FOLD) != (node.state is not None):
        message = "a fold has a start" if name == FOLD else "only a fold has a start"
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


def _children(node: s.Expr) -> tuple[s.Expr, ...]:
    if isinstance(node, s.Call):
        return node.args
    if isinstance(node, s.Unary):
        return (node.operand,)
    if isinstance(node, s.Binary):
        return (node.left, node.right)
    if isinstance(node, s.Conditional):
        return (node.then, node.condition, node.otherwise)
    if isinstance(node, s.Index | s.Tail):
        return (node.word, node.place)
    if isinstance(node, s.Rows):
        return node.rows
    return node.parts if isinstance(node, s.Row | s.Union) else ()


def names_in(node: s.Expr, functions: bool = False) -> Iterator[s.Name]:
    """All names that an expression mentions; those of functions only if asked for."""
    if isinstance(node, s.Name):
        yield node
    elif isinstance(node, s.Call) and functions:
        yield node.name
    elif isinstance(node, s.Each):
        own = {name.name for name in (node.variable, node.state) if name}
        yield from (name for name in names_in(node.body, functions) if name.name not in own)
        for child in _around(node):
            yield from names_in(child, functions)
    for child in _children(node):
        yield from names_in(child, functions)


def _common(kinds: set[str]) -> str:
    """The kind of an expression whose branches are of these."""
    return next(kind for kind in (TRUTH, ROW, TEXT, NUMBER, VERDICT) if kind in kinds)


class Kinds:
    """Infers the kind of every expression of a clause."""

    def __init__(
        self,
        parts: Mapping[str, str],
        values: Mapping[str, int],
        classes: Mapping[str, str] | None = None,
        symbols: Collection[str] = (),
        local: Mapping[str, Local] | None = None,
    ) -> None:
        self.parts = parts
        self.values = values
        self.classes, self.symbols = classes, symbols  # known where a clause is checked
        self.local: Mapping[str, Local] = local or {}  # names of the loops around
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
        if not isinstance(node, s.Name) or node.name in {**self.parts, **self.values, **self.local}:
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
            if node.name in self.local:
                return self.local[node.name].kind
            if node.name in self.parts:
                self.used.add(node.name)
            return NUMBER if node.name in self.values or counts(self.parts.get(node.name, "")) else TEXT
        if isinstance(node, s.Call):
            function = FUNCTIONS.get(node.name.name, Function((NUMBER,), TEXT))
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
        if isinstance(node, s.Row | s.Rows):
            self.laid(node)
            return ROW
        if isinstance(node, s.Each):
            return self.loop(node)
        if isinstance(node, s.Index | s.Tail):
            return self.letters(node)
        if isinstance(node, s.Binary):
            return self.binary(node)
        self.error("this cannot stand in a clause", node)
        return TEXT

    def laid(self, node: s.Row | s.Rows) -> None:
        for part in node.parts if isinstance(node, s.Row) else node.rows:
            if isinstance(node, s.Rows) and isinstance(part, s.Row):
                self.laid(part)
            else:
                self.expect(part, TEXT)

    def letters(self, node: s.Index | s.Tail) -> str:
        """A letter of a text, some letters of it, or a text of a table."""
        for word in node.word.parts if isinstance(node.word, s.Row) else (node.word,):
            self.expect(word, TEXT)
        for place in _ends(node.place):
            self.expect(place, NUMBER)
        return TEXT

    def loop(self, node: s.Each) -> str:
        """The kind of a loop; its body knows the symbol or number, and what a fold has so far."""
        if is_range(node.over):
            for end in _ends(node.over):
                self.expect(end, NUMBER)
            local = {node.variable.name: Local(NUMBER)}
        else:
            self.expect(node.over, TEXT)
            members = self.members(node.over)
            local = {node.variable.name: Local(NUMBER if counts(members) else TEXT, members)}
        gives = FUNCTIONS[node.name.name].takes[0]
        if node.state is not None and node.start is not None:
            gives = self.kind(node.start)
            if gives not in (NUMBER, TEXT):
                self.error(f"a fold starts from a number or text, not {_IN_WORDS[gives]}", node.start)
                gives = TEXT
            local[node.state.name] = Local(gives)
        outer, self.local = self.local, {**self.local, **local}
        self.expect(node.body, gives)
        self.local = outer
        return gives

    def members(self, node: s.Expr) -> str:
        """The class of the symbols of a text, if it is known."""
        if isinstance(node, s.Name):
            return self.local[node.name].members if node.name in self.local else self.parts.get(node.name, "")
        if isinstance(node, s.Call) and node.name.name in SAME_SYMBOLS:
            return self.members(node.args[0])
        return self.members(node.word) if isinstance(node, s.Index | s.Tail) else ""

    def base(self, node: s.Binary) -> None:
        """Complains unless BASE of `a in BASE` is a class or a number of digits."""
        if self.classes is not None and not digits_of(node.right, self.classes, self.symbols, self.values):
            hint = "write a class of two symbols at least, or how many digits: `a in 10`"
            self.error("there are no such digits to write this number in", node.right, hint)

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
        elif not isinstance(node, s.Number | s.Name) and not is_based(node):
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
        if node.op == "in":
            self.expect(node.left, NUMBER)
            self.base(node)
            return NUMBER
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


def is_range(node: s.Expr) -> bool:
    return isinstance(node, s.Binary) and node.op == ".."


def _ends(node: s.Expr) -> tuple[s.Expr, ...]:
    return (node.left, node.right) if isinstance(node, s.Binary) and node.op == ".." else (node,)


def digits_of(
    base: s.Expr,
    classes: Mapping[str, str],
    symbols: Collection[str],
    values: Mapping[str, int] | None = None,
) -> str:
    """The digits that `a in BASE` names: of a class, or the first BASE from 0 on; empty if it is neither."""
    if isinstance(base, s.Name) and base.name not in (values or {}):
        chars = classes.get(base.name, "")
        return chars if len(chars) > 1 else ""
    count = base.value if isinstance(base, s.Number) else (values or {}).get(getattr(base, "name", ""), 0)
    if count < 2:
        return ""
    plain = "0123456789"[:count] if count <= 10 and set("0123456789"[:count]) <= set(symbols) else ""
    return next((chars for chars in classes.values() if counts(chars) and len(chars) == count), plain)
