"""The syntax of a `.grid` file as frozen nodes, each with its span.

Named tuples are cheap to build, and three times faster to import than dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from gridlang.source import Span
from gridlang.vocabulary import MARKED


class Number(NamedTuple):
    span: Span
    value: int


class Symbol(NamedTuple):
    """A quoted symbol or the bare blank."""

    span: Span
    char: str


class Text(NamedTuple):
    """A double-quoted string."""

    span: Span
    value: str


class Picture(NamedTuple):
    """A triple-quoted block of rows."""

    span: Span
    value: str

    @property
    def inside(self) -> Span:
        return Span(self.span.source, self.span.start + 3, self.span.end - 3)


class Direction(NamedTuple):
    span: Span
    move: str


class Name(NamedTuple):
    span: Span
    name: str


class AnySymbol(NamedTuple):
    span: Span


class Call(NamedTuple):
    span: Span
    name: Name
    args: tuple[Expr, ...]


class Index(NamedTuple):
    """`rule[c]`: the letter of a word at a place, counted from 0."""

    span: Span
    word: Expr
    place: Expr


class Slice(NamedTuple):
    """`rule[1..3]`, `rule[1..]`: the letters of a word from a place on, up to another or to its end."""

    span: Span
    word: Expr
    first: Expr
    last: Expr | None


class Unary(NamedTuple):
    """`-x` and `not x`."""

    span: Span
    op: str
    operand: Expr


class Binary(NamedTuple):
    """Arithmetic, comparisons, `and`, `or`, `in`, `..` and `except`."""

    span: Span
    op: str
    left: Expr
    right: Expr


class Union(NamedTuple):
    """`a | b | c`."""

    span: Span
    parts: tuple[Expr, ...]


class Conditional(NamedTuple):
    """`then if condition else otherwise`."""

    span: Span
    then: Expr
    condition: Expr
    otherwise: Expr


Atom: TypeAlias = Number | Symbol | Text | Direction | Name | AnySymbol
Expr: TypeAlias = Atom | Call | Index | Slice | Unary | Binary | Union | Conditional


def children(node: Expr) -> tuple[Expr, ...]:
    """The expressions that one is made of; the name of a function is none of them."""
    parts: Any = node.args if isinstance(node, Call) else node.parts if isinstance(node, Union) else node
    return tuple(filter(is_node, parts))


class Param(NamedTuple):
    """`n in 0..3`, `n < m`, `way: move`; `relation` is the word between name and domain.

    That of a word, `rule = "LR"`, is `=`, and its domain is its default.
    """

    span: Span
    name: Name
    relation: str
    domain: Expr
    default: Expr | None

    @property
    def kind(self) -> str:
        """The name behind a colon: `class`, `state`, `word` or `move`; empty for other parameters."""
        return self.domain.name if self.relation == ":" and isinstance(self.domain, Name) else ""


class Binding(NamedTuple):
    """An argument given to an imported agent, `base = 10` or just `10`."""

    span: Span
    name: Name | None
    value: Expr


class Origin(NamedTuple):
    """`= add(base = 10) from "add.grid"`."""

    span: Span
    agent: Name
    bindings: tuple[Binding, ...]
    path: Text


class Header(NamedTuple):
    span: Span
    name: Name
    params: tuple[Param, ...]
    origin: Origin | None
    library: bool = False  # states alone, for other files to use


class Use(NamedTuple):
    """`use walk, back from "walks.grid"`."""

    span: Span
    names: tuple[Name, ...]
    path: Text


class AlphabetLine(NamedTuple):
    span: Span


class ClassDecl(NamedTuple):
    span: Span
    name: Name | None
    members: Expr


class Repeat(NamedTuple):
    """`piece+`, `piece*` or `piece?` in an input clause."""

    span: Span
    piece: Piece
    quantifier: str


class Times(NamedTuple):
    """`piece{3}`, `piece{1,3}` or `piece{2,}` in an input clause; `most` is None where there is no limit."""

    span: Span
    piece: Piece
    least: Expr
    most: Expr | None


class Choice(NamedTuple):
    """`a | b` in an input clause."""

    span: Span
    options: tuple[Piece, ...]


class Sequence(NamedTuple):
    """`a, b` in an input clause."""

    span: Span
    parts: tuple[Part, ...]


class One(NamedTuple):
    """One cell holding any symbol of a class."""

    span: Span
    members: Expr


Piece: TypeAlias = Repeat | Times | Choice | Sequence | One


class Part(NamedTuple):
    """A piece of the input, perhaps named so that `output` can speak of it."""

    span: Span
    name: Name | None
    piece: Piece


class InputClause(NamedTuple):
    """The parts of an input, and the condition that they must meet, if there is one."""

    span: Span
    parts: tuple[Part, ...]
    condition: Expr | None = None


class OutputClause(NamedTuple):
    span: Span
    value: Expr


class Let(NamedTuple):
    """`let n = 3`: a constant with a name."""

    span: Span
    name: Name
    value: Expr


class StartLine(NamedTuple):
    span: Span
    target: Expr


class Pattern(NamedTuple):
    """The symbols that a rule matches; `members` is None for `else`."""

    span: Span
    variable: Name | None
    members: Expr | None


class Halt(NamedTuple):
    span: Span


class As(NamedTuple):
    span: Span
    target: Expr


class Step(NamedTuple):
    span: Span
    write: Expr | None
    move: Expr | None
    target: Expr | None


Action: TypeAlias = Halt | As | Step


class Rule(NamedTuple):
    span: Span
    pattern: Pattern
    guard: Expr | None
    action: Action


class StateLine(NamedTuple):
    """The header of a state: one or more names for it, and its parameters."""

    span: Span
    names: tuple[Name, ...]
    params: tuple[Param, ...]


class StateDecl(NamedTuple):
    header: StateLine
    rules: tuple[Rule, ...]


class Limit(NamedTuple):
    """`in 9 steps` (exactly) or `within 9 steps` (at most)."""

    span: Span
    relation: str
    steps: Number


class Test(NamedTuple):
    """`expected` is one of `result`, `halts`, `stuck`, `loops`, `after`; `state` is where it halts."""

    span: Span
    world: Text | Picture
    expected: str
    result: Text | Picture | None = None
    limit: Limit | None = None
    state: Expr | None = None
    name: Name | None = None


class Agent(NamedTuple):
    """A whole file. `start` and `header` are there whenever no error was found."""

    header: Header
    classes: tuple[ClassDecl, ...]
    input: InputClause | None
    output: OutputClause | None
    start: StartLine | None
    states: tuple[StateDecl, ...]
    tests: tuple[Test, ...]
    lets: tuple[Let, ...] = ()
    uses: tuple[Use, ...] = ()


Clause: TypeAlias = InputClause | OutputClause
Node: TypeAlias = Header | Use | AlphabetLine | ClassDecl | Let | Clause | StartLine | StateLine | Rule | Test


def is_node(part: object) -> bool:
    """Whether a part of a tree is a node, or several nodes in a row."""
    return isinstance(part, tuple) and not isinstance(part, Span)


def inside(node: Any) -> Iterator[Any]:
    yield node
    for part in filter(is_node, node):
        yield from inside(part)


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with all its nodes changed, from the inside out."""
    if not is_node(node):
        return node
    parts = (rebuilt(part, change) for part in node)
    return change(type(node)(*parts) if hasattr(node, "_fields") else tuple(parts))


def state_of(node: Expr) -> tuple[Name, tuple[Expr, ...]] | None:
    """The state that a target names, and its arguments; None where it names none."""
    match node:
        case Text(span, name) | Direction(span, name):
            return Name(span, name), ()
        case Name():
            return node, ()
        case Call(_, name, args):
            return name, args
    return None


def is_marked(members: Expr) -> bool:
    """Whether a class is declared as the marked copy of another: `seen = marked(digit, 'A')`."""
    return isinstance(members, Call) and members.name.name == MARKED
