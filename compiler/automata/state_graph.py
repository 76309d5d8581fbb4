"""The state graph of a table as one networkx graph, to compute on."""

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
    """The states of a table as nodes, and every entry of it as an edge, as `gridlang.to_networkx` says.

    The start is node 0, and the graph has the attribute `name`. `rules` are those of a `Program`.
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
