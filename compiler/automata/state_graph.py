"""The state graph of a table as one networkx graph, which drawings and users compute on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from gridlang.table import MOVES, Table

if TYPE_CHECKING:
    import networkx as nx

    from gridlang.syntax.tree import Rule

Pair = tuple[int, int]  # state, symbol
NO_RULES: Mapping[Pair, Rule] = MappingProxyType({})


def to_networkx(table: Table, rules: Mapping[Pair, Rule] = NO_RULES) -> nx.MultiDiGraph:
    """The states of a table as nodes, and every entry of it as an edge.

    The graph has the attribute `name`. Nodes are the numbers of the states, in their order; the start is 0.
    A node has

    - `name`: as the table names it, `times(3,1)`
    - `start`: whether it is the start state
    - `halts`: whether it halts on some symbol
    - `family` and `parameters`: `times` and (3, 1); both are empty for a state that stands alone

    An edge leads from a state to the next one, and its key is the number of the symbol that is read, so that
    `graph.edges[state, next, symbol]` is the entry of `table.rows[state][symbol]`. An edge has

    - `read` and `write`: the symbols; `move`: one of the letters U D L R S
    - `halts`: whether this is the halt, which is a loop
    - `rule`: the rule of the source behind it, from `rules` (those of a `Program`), or None
    - `text` and `line`: that rule as it is written, and where; empty and None without a rule

    >>> from gridlang.table import Entry, Table
    >>> rows = ((Entry(1, 4, 1), None), (None, Entry(1, 4, 1)))
    >>> graph = to_networkx(Table("lamp", ("_", "#"), ("off", "on"), rows))
    >>> [graph.nodes[state]["name"] for state in graph]
    ['off', 'on']
    >>> graph.edges[0, 1, 0]["write"], graph.edges[1, 1, 1]["halts"]
    ('#', True)
    """
    import networkx as nx  # 0.2 s to load

    graph = nx.MultiDiGraph(name=table.name)
    instances = {
        member.state: (family.name, member.values) for family in table.families for member in family.members
    }
    for state, name in enumerate(table.states):
        family, parameters = instances.get(state, ("", ()))
        halts = any(table.is_halt(state, symbol) for symbol in range(len(table.symbols)))
        graph.add_node(state, name=name, start=state == 0, halts=halts, family=family, parameters=parameters)
    for state, symbol, entry in table.entries():
        rule = rules.get((state, symbol))
        graph.add_edge(
            state,
            entry.next,
            key=symbol,
            read=table.symbols[symbol],
            write=table.symbols[entry.write],
            move=MOVES[entry.move],
            halts=entry.is_idle(symbol),
            rule=rule,
            text=rule.span.text if rule else "",
            line=rule.span.line if rule else None,
        )
    return graph
