"""The kinds of expressions: values, conditions, moves, classes and states cannot stand for each other."""

from __future__ import annotations

from gridlang.checking.names import NameChecker, Scope
from gridlang.diagnostics import respelt
from gridlang.syntax import tree as s
from gridlang.values import ARITHMETIC
from gridlang.vocabulary import HALT, NUMBER_FUNCTIONS, TURNS

# the kinds of both sides, by operator
SIDES_OF_CLASSES = {"except": ("class", "class"), "..": ("value", "value")}
SIDES_OF_TRUTH = {
    **dict.fromkeys(("and", "or"), ("truth", "truth")),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), ("value", "value")),
    "in": ("value", "class"),
}


class KindChecker(NameChecker):
    """Checks expressions against the kind that their place needs."""

    def target(self, node: s.Expr, scope: Scope) -> None:
        named = s.state_of(node)
        if named is None or (isinstance(node, s.Direction) and node.move not in self.states):
            self.wrong(node, "state")
            return
        (span, name), args = named
        if isinstance(node, s.Name) and name in scope and scope[name].kind == "state":
            self.touch(name, scope)
            return
        if isinstance(node, s.Name) and name == HALT:
            self.halts = self.halts or span
            return
        decl = self.states.get(name)
        if decl is None:
            self.unknown_state(name, span, node, scope)
            return
        self.touch(name, self.places)
        params = decl.header.params
        if len(args) != len(params):
            self.argument_count(name, node.span, len(args), decl)
            return
        for param, arg in zip(params, args, strict=True):
            self.expect(arg, self.kind_of(param), scope)

    def kind_of(self, param: s.Param) -> str:
        if param.relation != ":":
            return "value"
        if param.kind in ("class", "state", "word"):
            return param.kind
        return "move" if is_move_set(param.domain) else ""

    def expect(self, node: s.Expr, kind: str, scope: Scope) -> None:
        if not kind:  # reported already
            return
        if kind == "state":
            self.target(node, scope)
        elif isinstance(node, s.Name):
            self.name(node, kind, scope)
        elif isinstance(node, s.Conditional) and kind in ("value", "move"):
            self.expect(node.condition, "truth", scope)
            self.expect(node.then, kind, scope)
            self.expect(node.otherwise, kind, scope)
        else:
            check = {
                "value": self.value,
                "truth": self.truth,
                "class": self.klass,
                "move": self.move,
                "word": self.word,
            }[kind]
            check(node, scope)

    def value(self, node: s.Expr, scope: Scope) -> None:
        if isinstance(node, s.Number | s.Symbol):
            return
        if isinstance(node, s.Unary) and node.op == "-":
            self.expect(node.operand, "value", scope)
        elif isinstance(node, s.Binary) and node.op in ARITHMETIC:
            self.sides(node, ("value", "value"), scope)
        elif isinstance(node, s.Call):
            self.value_call(node, scope)
        elif isinstance(node, s.Index | s.Slice):
            self.letters(node, scope)
        else:
            self.wrong(node, "value")

    def letters(self, node: s.Index | s.Slice, scope: Scope) -> None:
        self.word(node.word, scope)
        for place in s.children(node)[1:]:
            self.expect(place, "value", scope)

    def is_word(self, node: s.Expr, scope: Scope) -> bool:
        """Whether an expression stands for a word, not for one of its letters."""
        if isinstance(node, s.Name):
            return node.name in scope and scope[node.name].kind == "word"
        return isinstance(node, s.Text | s.Slice)

    def word(self, node: s.Expr, scope: Scope) -> None:
        if isinstance(node, s.Text):
            return
        if isinstance(node, s.Name):
            self.name(node, "word", scope)
        elif isinstance(node, s.Index | s.Slice):
            self.letters(node, scope)
        else:
            self.wrong(node, "word")

    def value_call(self, node: s.Call, scope: Scope) -> None:
        name, args = node.name.name, node.args
        if name not in (*self.classes, *NUMBER_FUNCTIONS, "length"):
            self.unknown_function(node)
            return
        self.touch(name, self.classes)
        if len(args) != 1 and (name in self.classes or name == "length"):
            self.report("G024", f"`{name}` takes 1 argument, not {len(args)}", node.span)
        for arg in args:
            self.expect(arg, "word" if name == "length" and name not in self.classes else "value", scope)

    def truth(self, node: s.Expr, scope: Scope) -> None:
        if isinstance(node, s.Unary) and node.op == "not":
            self.expect(node.operand, "truth", scope)
        elif isinstance(node, s.Binary) and node.op in ("==", "!=") and self.moves(node, scope):
            self.sides(node, ("move", "move"), scope)
        elif isinstance(node, s.Binary) and node.op in SIDES_OF_TRUTH:
            self.sides(node, SIDES_OF_TRUTH[node.op], scope)
        else:
            self.wrong(node, "truth")

    def moves(self, node: s.Binary, scope: Scope) -> bool:
        return self.is_move(node.right if isinstance(node.left, s.Index | s.Slice) else node.left, scope)

    def sides(self, node: s.Binary, kinds: tuple[str, str], scope: Scope) -> None:
        for side, kind in zip((node.left, node.right), kinds, strict=True):
            self.expect(side, kind, scope)

    def is_move(self, node: s.Expr, scope: Scope) -> bool:
        if isinstance(node, s.Conditional):
            return self.is_move(node.then, scope)
        if isinstance(node, s.Name):
            return node.name in scope and scope[node.name].kind == "move"
        return isinstance(node, s.Direction) or (isinstance(node, s.Call) and node.name.name in TURNS)

    def klass(self, node: s.Expr, scope: Scope) -> None:
        if isinstance(node, s.AnySymbol):
            return
        if isinstance(node, s.Number) and node.value > 9:
            hint = "a symbol is a single character; a sequence is written with commas, as in 1, 0"
            self.report("G031", f"{node.value} is not a symbol", node.span, hint=hint)
        elif isinstance(node, s.Union):
            for part in node.parts:
                self.expect(part, "class", scope)
        elif isinstance(node, s.Binary) and node.op in SIDES_OF_CLASSES:
            self.sides(node, SIDES_OF_CLASSES[node.op], scope)
        elif isinstance(node, s.Direction | s.Text | s.Unary) or (
            isinstance(node, s.Binary) and node.op not in ARITHMETIC
        ):
            self.wrong(node, "class")
        else:
            self.expect(node, "value", scope)

    def move(self, node: s.Expr, scope: Scope) -> None:
        if isinstance(node, s.Direction):
            return
        if isinstance(node, s.Call) and node.name.name in TURNS:
            if len(node.args) != 1:
                self.report("G024", f"`{node.name.name}` takes 1 argument, not {len(node.args)}", node.span)
            for arg in node.args:
                self.expect(arg, "move", scope)
        elif isinstance(node, s.Call):
            name, span = node.name.name, node.name.span
            if self.is_doubtful(name, TURNS, "move"):
                return
            hint, fixes = respelt(name, TURNS, span, "turns are left(…), right(…) and back(…)")
            if name in self.states:
                hint, fixes = f"to go to a state, write `-> {name}(…)` behind the move", ()
            self.report("G021", f"there is no turn named `{name}`", span, "", hint, fixes)
        elif isinstance(node, s.Index | s.Slice):
            self.letters(node, scope)
        else:
            self.wrong(node, "move")


def is_move_set(node: s.Expr) -> bool:
    if isinstance(node, s.Union):
        return all(map(is_move_set, node.parts))
    if isinstance(node, s.Binary):
        return node.op == "except" and is_move_set(node.left) and is_move_set(node.right)
    return isinstance(node, s.Direction) or (isinstance(node, s.Name) and node.name == "move")
