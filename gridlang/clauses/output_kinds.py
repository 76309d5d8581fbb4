"""The kinds of the `output` and `where` clauses: which expressions are numbers, texts and conditions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from gridlang.clauses.functions import (
    ACCEPTANCES,
    ARITHMETIC,
    FUNCTIONS,
    NUMBER,
    ORDER,
    ROW,
    SAME_SYMBOLS,
    TEXT,
    TRUTH,
    VERDICT,
    Acceptance,
    Function,
    counts,
    is_based,
)
from gridlang.diagnostics import Diagnostic
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression

_IN_WORDS = {NUMBER: "a number", TEXT: "text", TRUTH: "a condition", ROW: "a sequence of parts"}


class Local(NamedTuple):
    """A name of a loop: a symbol with the class of its word, a number, or what a fold has so far."""

    kind: str
    members: str = ""
    value: int | str = 0


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
            self.error("this number cannot be written in these digits", node.right, hint)

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
        if actual in (kind, VERDICT) or (kind == TEXT and actual == NUMBER):  # reported before
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
