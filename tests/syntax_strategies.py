"""Hypothesis strategies: random syntax, every line and expression that the grammar has."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from gridlang.clauses.position_automaton import check_size
from gridlang.diagnostics import GridError
from gridlang.source import Source, Span
from gridlang.syntax import tree as s
from gridlang.table import MOVES
from gridlang.vocabulary import RESERVED

NOWHERE = Span(Source("<nowhere>", ""), 0, 0)
COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "in"]
OPERATORS = ["or", "and", *COMPARISONS, "except", "..", "+", "-", "*", "div", "mod", "^"]
TEXTS = st.text('ab"\\ é', max_size=3).map(lambda value: s.Text(NOWHERE, value))
NUMBERS = st.integers(0, 99).map(lambda value: s.Number(NOWHERE, value))
SYMBOLS = st.sampled_from("+a1'\\_é").map(lambda char: s.Symbol(NOWHERE, char))
NAMES = st.sampled_from(["n", "digit", "base", "steps", "from", "accept", "stuck", "é"]).map(
    lambda name: s.Name(NOWHERE, name)
)
STATE_NAMES = st.sampled_from(["n", "from", "a b", "", '"', "S", "_", "f(0)", *sorted(RESERVED)])


def expressions() -> st.SearchStrategy[s.Expr]:
    """Expressions as the parser makes them: a union has parts, a call has arguments."""
    leaves = st.one_of(
        NUMBERS,
        SYMBOLS,
        NAMES,
        TEXTS,
        st.sampled_from(MOVES).map(lambda move: s.Direction(NOWHERE, move)),
        st.just(s.AnySymbol(NOWHERE)),
    )

    def grow(inner: st.SearchStrategy[s.Expr]) -> st.SearchStrategy[s.Expr]:
        return st.one_of(
            st.builds(lambda op, a, b: s.Binary(NOWHERE, op, a, b), st.sampled_from(OPERATORS), inner, inner),
            st.builds(lambda op, a: s.Unary(NOWHERE, op, a), st.sampled_from(["-", "not"]), inner),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: s.Union(NOWHERE, tuple(parts))),
            st.builds(lambda a, b, c: s.Conditional(NOWHERE, a, b, c), inner, inner, inner),
            _calls(inner),
            st.builds(lambda word, place: s.Index(NOWHERE, word, place), inner, inner.filter(_is_no_range)),
            st.builds(lambda a, b, c: s.Slice(NOWHERE, a, b, c), inner, inner, st.none() | inner),
        )

    return st.recursive(leaves, grow, max_leaves=12)


def _is_no_range(place: s.Expr) -> bool:
    return not (isinstance(place, s.Binary) and place.op == "..")


def _calls(inner: st.SearchStrategy[s.Expr]) -> st.SearchStrategy[s.Call]:
    arguments = st.lists(inner, min_size=1, max_size=2).map(tuple)
    return st.builds(lambda name, args: s.Call(NOWHERE, name, args), NAMES, arguments)


EXPRESSIONS = expressions()
# A call's own name may be a move's letter here, as a state's may; `halt` is the target that needs no state.
BARE_STATES = NAMES | st.sampled_from([*MOVES, "halt"]).map(lambda name: s.Name(NOWHERE, name))
TARGETS = st.one_of(
    BARE_STATES,
    _calls(EXPRESSIONS),
    st.builds(lambda call, name: call._replace(name=name), _calls(EXPRESSIONS), BARE_STATES),
    STATE_NAMES.map(lambda name: s.Text(NOWHERE, name)),
)


def _maybe(strategy: st.SearchStrategy[s.Expr]) -> st.SearchStrategy[s.Expr | None]:
    return st.one_of(st.none(), strategy)


@st.composite
def parameters(draw: st.DrawFn) -> tuple[s.Param, ...]:
    relations = st.sampled_from(["in", ":", "<", "<="])
    each = st.builds(s.Param, st.just(NOWHERE), NAMES, relations, EXPRESSIONS, _maybe(EXPRESSIONS))
    words = st.builds(lambda name, word: s.Param(NOWHERE, name, "=", word, word), NAMES, EXPRESSIONS)
    return tuple(draw(st.lists(each | words, max_size=2)))


@st.composite
def headers(draw: st.DrawFn) -> s.Header:
    binding = st.builds(s.Binding, st.just(NOWHERE), _maybe(NAMES), EXPRESSIONS)
    origin = None
    if draw(st.booleans()):
        origin = s.Origin(NOWHERE, draw(NAMES), tuple(draw(st.lists(binding, max_size=2))), draw(TEXTS))
    return s.Header(NOWHERE, draw(NAMES), draw(parameters()), origin)


@st.composite
def uses(draw: st.DrawFn) -> s.Use:
    names = draw(st.lists(STATE_NAMES, min_size=1, max_size=2))
    return s.Use(NOWHERE, tuple(s.Name(NOWHERE, name) for name in names), draw(TEXTS))


@st.composite
def state_lines(draw: st.DrawFn) -> s.StateLine:
    names = draw(st.lists(STATE_NAMES, min_size=1, max_size=2))
    return s.StateLine(NOWHERE, tuple(s.Name(NOWHERE, name) for name in names), draw(parameters()))


@st.composite
def rules(draw: st.DrawFn) -> s.Rule:
    """Every pattern, guard and action."""
    members = draw(_maybe(EXPRESSIONS))
    variable = draw(_maybe(NAMES)) if members is not None else None
    write, move, target = draw(_maybe(EXPRESSIONS)), draw(_maybe(EXPRESSIONS)), draw(_maybe(TARGETS))
    step = s.Step(NOWHERE, write, move, target)
    actions: list[s.Action] = [s.Halt(NOWHERE), s.As(NOWHERE, draw(TARGETS))]
    action = step if write or move or target else draw(st.sampled_from(actions))
    return s.Rule(NOWHERE, s.Pattern(NOWHERE, variable, members), draw(_maybe(EXPRESSIONS)), action)


def _groups(
    cells: st.SearchStrategy[s.Piece], inner: st.SearchStrategy[s.Piece], counts: st.SearchStrategy[s.Expr]
) -> st.SearchStrategy[s.Piece]:
    """A choice may stand only in a part, and only a cell or a group is repeated; counts are of these numbers."""
    part = st.builds(s.Part, st.just(NOWHERE), _maybe(NAMES), _choices(inner))
    group = st.lists(part, min_size=1, max_size=3).map(lambda parts: s.Sequence(NOWHERE, tuple(parts)))
    times = st.builds(s.Times, st.just(NOWHERE), cells | group, counts, _maybe(counts))
    return group | st.builds(s.Repeat, st.just(NOWHERE), cells | group, st.sampled_from("+*?")) | times


def _choices(inner: st.SearchStrategy[s.Piece]) -> st.SearchStrategy[s.Piece]:
    many = st.lists(inner, min_size=2, max_size=3).map(lambda options: s.Choice(NOWHERE, tuple(options)))
    return inner | many


@st.composite
def input_clauses(
    draw: st.DrawFn,
    classes: Sequence[str] = ("n", "digit"),
    symbols: str = "+a'\\_é",
    most: int = 99,
    counts: st.SearchStrategy[s.Expr] = EXPRESSIONS,
) -> s.InputClause:
    """Clauses that name these classes and symbols, and numbers up to `most`; some have a condition."""
    named = st.sampled_from(classes).map(lambda name: s.Name(NOWHERE, name))
    char = st.sampled_from(symbols).map(lambda symbol: s.Symbol(NOWHERE, symbol))
    number = st.integers(0, most).map(lambda value: s.Number(NOWHERE, value))
    simple = st.one_of(number, char, named, st.just(s.AnySymbol(NOWHERE)))
    cells: st.SearchStrategy[s.Piece] = st.one_of(
        simple,
        st.builds(lambda a, b: s.Binary(NOWHERE, "..", a, b), simple, simple),
        st.builds(lambda b: s.Binary(NOWHERE, "except", s.AnySymbol(NOWHERE), b), simple),
    ).map(lambda members: s.One(NOWHERE, members))
    pieces = st.recursive(cells, lambda inner: _groups(cells, inner, counts), max_leaves=8)
    part = st.builds(s.Part, st.just(NOWHERE), _maybe(NAMES), _choices(pieces))
    parts = tuple(draw(st.lists(part, min_size=1, max_size=3)))
    return s.InputClause(NOWHERE, parts, draw(_maybe(EXPRESSIONS)))


def counted_clauses(classes: Sequence[str], symbols: str, most: int) -> st.SearchStrategy[s.InputClause]:
    """Clauses without a condition, whose counts are small and make sense."""
    few = st.integers(0, 3).map(lambda value: s.Number(NOWHERE, value))
    clauses = input_clauses(classes, symbols, most, few)
    return clauses.map(lambda clause: clause._replace(condition=None)).filter(_makes_sense)


def _makes_sense(clause: s.InputClause) -> bool:
    try:
        check_size(clause)
    except GridError:
        return False
    return True


@st.composite
def tests(draw: st.DrawFn) -> s.Test:
    rows = st.lists(st.text("_1 []\"'#", max_size=4), max_size=3).map("\n".join)
    pictures = rows.filter(lambda text: '"""' not in text).map(lambda text: s.Picture(NOWHERE, f"{text}\n"))
    worlds = TEXTS | pictures
    expected = draw(st.sampled_from(["result", "halts", "stuck", "loops", "after"]))
    result = draw(worlds) if expected in ("result", "after") else None
    limit = s.Limit(NOWHERE, draw(st.sampled_from(["in", "within"])), draw(NUMBERS))
    limited = (
        limit._replace(relation="after") if expected == "after" else draw(st.sampled_from([None, limit]))
    )
    state = draw(_maybe(TARGETS)) if expected == "halts" else None
    titles = NAMES | st.sampled_from(["a b", "", '"', "S", "test"]).map(lambda name: s.Name(NOWHERE, name))
    name = draw(st.none() | titles)
    limited = None if expected == "loops" else limited
    return s.Test(NOWHERE, draw(worlds), expected, result, limited, state, name)


LINES: dict[str, st.SearchStrategy[s.Node]] = {
    "agent": headers(),
    "library": NAMES.map(lambda name: s.Header(NOWHERE, name, (), None, library=True)),
    "use": uses(),
    "class": st.builds(s.ClassDecl, st.just(NOWHERE), _maybe(NAMES), EXPRESSIONS),
    "input": input_clauses(),
    "output": EXPRESSIONS.map(lambda value: s.OutputClause(NOWHERE, value)),
    "let": st.builds(s.Let, st.just(NOWHERE), NAMES, EXPRESSIONS),
    "start": TARGETS.map(lambda target: s.StartLine(NOWHERE, target)),
    "state": state_lines(),
    "rule": rules(),
    "test": tests(),
}
