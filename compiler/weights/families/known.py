"""A table whose families and names are known, as source that reads back as the same table."""

from __future__ import annotations

from gridlang.compiler.weights.families.families import MOVE, NUMBER, Kinds, Values
from gridlang.compiler.weights.families.graph import classes_of, rows_of
from gridlang.compiler.weights.families.nodes import Act, Agent, Key, Node, Place
from gridlang.compiler.weights.families.printing import to_text
from gridlang.compiler.weights.families.readable import Readable, broken_in, told
from gridlang.compiler.weights.families.rules import Rules
from gridlang.diagnostics import GridError
from gridlang.loading import load_source
from gridlang.printer import table_to_source, target_name
from gridlang.source import Source
from gridlang.table import MOVES, Family, Table, Value
from gridlang.vocabulary import HALT, is_name

MOST_VALUES = 2_000  # Larger families are printed state by state.


def table_to_families(table: Table) -> Readable:
    """Source of the table, with its families where a formula says what they do."""
    rules = Rules(table.symbols, classes_of(table))
    agent, names = _with_families(table, rules)
    said = {key: rules.of(key, agent.nodes)[1] for key in agent.nodes}
    text, same = to_text(table, agent, rules, said, names), tuple(range(len(table.states)))
    if not _reads_back(text, table):
        return Readable(table_to_source(table), table, same, frozenset())
    return Readable(text, table, same, frozenset(), told(broken_in(agent, said, said), table, same))


def _reads_back(text: str, table: Table) -> bool:
    try:
        return load_source(Source("<families>", text), {}).table == table
    except GridError:
        return False


def _with_families(table: Table, rules: Rules) -> tuple[Agent, dict[Key, str]]:
    home: dict[int, Place] = {}
    kinds: dict[Key, Kinds] = {}
    names: dict[Key, str] = {}
    for f, family in enumerate(table.families):
        found = _kinds_of(family, rules)
        if found is not None and is_name(family.name) and 1 < len(family.members) < MOST_VALUES:
            key = ("family", f)
            kinds[key], names[key] = found, family.name
            for state, values in family.members:
                home[state] = key, _numbers(values, found, rules)
    for state in range(len(table.states)):
        if state not in home:
            key = ("state", state)
            home[state], kinds[key], names[key] = (key, ()), (), target_name(table, state)
    nodes = {key: Node(kinds[key], {}) for key in dict.fromkeys(key for key, _ in home.values())}
    missing = set(table.missing())
    for state, row in rows_of(table, missing).items():
        key, values = home[state]
        if names[key] != HALT:
            for x, step in row.items():
                after = None if step.after is None else home[step.after]
                nodes[key].cells[values, x] = Act(step.write, step.move, after)
    return Agent(nodes, home[0], home), names


def _kinds_of(family: Family, rules: Rules) -> Kinds | None:
    """The range of each parameter; None if one is not a number, a move or a symbol of a class."""
    kinds = []
    for column in zip(*(values for _, values in family.members), strict=True):
        symbols = [rules.symbols.index(v) if v in rules.symbols else -1 for v in column]
        groups = {rules.class_of.get(x) for x in symbols}
        if all(isinstance(value, int) and value >= 0 for value in column):
            kinds.append(NUMBER)
        elif len(groups) == 1 and None not in groups:
            kinds.append(groups.pop() or 0)
        elif all(value in tuple(MOVES) for value in column):
            kinds.append(MOVE)
        else:
            return None
    return tuple(kinds)


def _numbers(values: tuple[Value, ...], kinds: Kinds, rules: Rules) -> Values:
    def number(value: Value, kind: int) -> int:
        if isinstance(value, int):
            return value
        return MOVES.index(value) if kind == MOVE else rules.classes[kind].number[rules.symbols.index(value)]

    return tuple(number(value, kind) for value, kind in zip(values, kinds, strict=True))
