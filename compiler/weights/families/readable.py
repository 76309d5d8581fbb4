"""From a state graph to a program that a person can read, compiled again and held against the graph.

Everything that was seen is done the same: a step towards families after which that does not hold is undone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from gridlang.compiler.weights.families.families import Families
from gridlang.compiler.weights.families.graph import classes_of, resting, rows_of, shrunk
from gridlang.compiler.weights.families.joins import joined
from gridlang.compiler.weights.families.names import names_of
from gridlang.compiler.weights.families.nodes import Agent, Key, Node, merged
from gridlang.compiler.weights.families.printing import in_order, laid_out, to_text
from gridlang.compiler.weights.families.rules import HALTS, Rule, Rules, target_of
from gridlang.diagnostics import GridError
from gridlang.loading import load_source
from gridlang.printer import table_to_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.table import STAY, Table, families_for
from gridlang.vocabulary import HALT

MOST_STATES = 600  # Larger graphs are printed state by state.
MOST_NAMED = 5


class Odd(NamedTuple):
    """Entries, each a state and a symbol, that break a formula which all others of a rule obey."""

    formula: str
    broken: int
    entries: int
    pairs: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        which, breaks = ("this 1", "breaks") if self.broken == 1 else (f"these {self.broken:,}", "break")
        shown = ", ".join(f"`{state}` on {symbol}" for state, symbol in self.pairs[:MOST_NAMED])
        more = f" and {self.broken - MOST_NAMED:,} more" if self.broken > MOST_NAMED else ""
        return f"{which} of {self.entries:,} entries {breaks} `{self.formula}`: {shown}{more}"


@dataclass(frozen=True, slots=True)
class Readable:
    """A program that does what was seen; `home` is its state for each state of the graph.

    That is -1 where no run comes. On the pairs of its states and symbols that are `guesses` nothing was seen.
    """

    text: str
    table: Table
    home: tuple[int, ...]
    guesses: frozenset[tuple[int, int]]
    odd: tuple[Odd, ...] = ()


Pairs = frozenset[tuple[int, int]]
Broken = Mapping[tuple[Key, str, int], list[tuple[int, int]]]  # by rule, its formula and its entries


class InStep(NamedTuple):
    home: dict[int, int]  # of each state of the graph, the first state that is in step with it
    seen: set[tuple[int, int]]  # pairs of the other's states and symbols


def in_step(raw: Table, table: Table, stuck: Pairs = frozenset()) -> InStep | None:
    """Both in step wherever the first is defined; None where the other does not do the same.

    After a step that stays, what it wrote is read.

    At the pairs where the first is stuck the other has to be so, too.
    """
    home, seen = {0: 0}, set[tuple[int, int]]()
    todo: list[tuple[int, int, int | None]] = [(0, 0, None)]
    known = dict.fromkeys(todo)
    for p, q, written in todo:
        for x in range(len(raw.symbols)) if written is None else [written]:
            entry, other = raw.rows[p][x], table.rows[q][x]
            if entry is None:
                if other is not None and (p, x) in stuck:
                    return None
                continue
            if other is None or entry[:2] != other[:2]:
                return None
            seen.add((q, x))
            after = entry.next, other.next, entry.write if entry.move == STAY else None
            if not entry.is_idle(x) and after not in known:
                known[after] = None
                home.setdefault(*after[:2])
                todo.append(after)
    return InStep(home, seen)


def named_in(found: Readable, raw: Table) -> Table:
    """The graph with the names of its program; `walk/1` and `walk/2` are one state there."""
    names = [found.table.states[state] if state >= 0 else "unreached" for state in found.home]
    times, seen = Counter(names), Counter[str]()
    for q, name in enumerate(names):
        seen[name] += 1
        names[q] = f"{name}/{seen[name]}" if times[name] > 1 else name
    return replace(raw, states=tuple(names), families=families_for(names, found.table))


def named(table: Table) -> Table:
    """The table with names and families for what its states do."""
    bare = replace(table, states=tuple(map(str, range(len(table.states)))), families=())
    return named_in(readable(bare, frozenset(table.missing())), table)


def readable(
    raw: Table, stuck: Pairs = frozenset(), offered: Mapping[int, str] = MappingProxyType({})
) -> Readable:
    """The program of a graph in which nothing was merged, with families and names that are found.

    A model was asked at the pairs where it is stuck, and decided nothing. Names that are `offered` for states
    come before those by role.
    """
    for text, broken in _texts(raw, stuck, offered):
        try:
            program = load_source(Source(f"<{raw.name}>", text), {})
        except GridError:
            continue
        found = in_step(raw, program.table, stuck) if program.table.symbols == raw.symbols else None
        if found is not None:
            return _noted(raw, program, text, found, broken)
    text = table_to_source(raw)
    program = load_source(Source(f"<{raw.name}>", text), {})
    return _noted(raw, program, text, InStep({q: q for q in range(len(raw.states))}, _defined(raw)))


def _defined(table: Table) -> set[tuple[int, int]]:
    return {(state, x) for state, x, _ in table.entries()}


def _texts(raw: Table, stuck: Pairs, offered: Mapping[int, str]) -> Iterator[tuple[str, Broken]]:
    """Sources, the one with the most done first; state by state where the graph is large."""
    if len(raw.states) > MOST_STATES:
        return
    classes = classes_of(raw)
    rules = Rules(raw.symbols, classes)
    agent = merged(Families(shrunk(resting(rows_of(raw, stuck))), classes, rules.formulas).search())
    yield _text(raw, joined(agent, rules), rules, offered)
    yield _text(raw, agent, rules, offered)


def _halts(node: Node) -> bool:
    return all(target_of(act) == HALTS for act in node.cells.values())


def _text(raw: Table, agent: Agent, rules: Rules, offered: Mapping[int, str]) -> tuple[str, Broken]:
    said = {key: rules.of(key, agent.nodes)[1] for key in agent.nodes}
    order = in_order(agent, said)
    ends = [key for key in order if key != agent.start[0] and _halts(agent.nodes[key])]
    votes = Counter((agent.home[q][0], name) for q, name in offered.items() if q in agent.home)
    names = names_of(rules, agent.nodes, {key: said[key] for key in order if key not in ends}, votes)
    return to_text(raw, agent, rules, said, names | dict.fromkeys(ends, HALT)), broken_in(agent, said, order)


def broken_in(agent: Agent, said: Mapping[Key, Sequence[Rule]], order: Iterable[Key]) -> Broken:
    """Pairs of a state of the graph and a symbol at which the formula of a rule does not hold."""
    found: dict[tuple[Key, str, int], list[tuple[int, int]]] = {}
    state = {place: q for q, place in reversed(agent.home.items())}
    for key in order:
        for rule in said[key]:
            if rule.odd:
                values, x = rule.odd.cell
                found.setdefault((key, *rule.odd[:2]), []).append((state[key, values], x))
    return found


def told(broken: Broken, table: Table, home: Mapping[int, int] | Sequence[int]) -> tuple[Odd, ...]:
    """With the names of a program's states, by the state of each that the graph has."""
    return tuple(
        Odd(formula, len(pairs), entries, tuple((table.states[home[q]], table.symbols[x]) for q, x in pairs))
        for (_, formula, entries), pairs in broken.items()
    )


def _noted(
    raw: Table, program: Program, text: str, found: InStep, broken: Broken = MappingProxyType({})
) -> Readable:
    """With a remark at each rule that also says what was not seen."""
    guesses = _defined(program.table) - found.seen
    home = tuple(found.home.get(state, -1) for state in range(len(raw.states)))
    odd = told(broken, program.table, found.home)
    return Readable(noted(text, program, guesses), program.table, home, frozenset(guesses), odd)


def line_of(program: Program, pair: tuple[int, int]) -> int:
    """The line of the rule that a pair of a state and a symbol is from."""
    span = program.rules[pair].span
    return span.source.position(span.start)[0]


def noted(text: str, program: Program, guesses: set[tuple[int, int]]) -> str:
    entries = Counter(line_of(program, pair) for pair in _defined(program.table) if pair in program.rules)
    guessed = Counter(line_of(program, pair) for pair in guesses if pair in program.rules)
    lines = text.split("\n")
    for line, many in guessed.items():
        sign = ", " if "#" in lines[line - 1].replace("'#'", "") else "  # "
        lines[line - 1] += f"{sign}{many} of {entries[line]} not seen"
    return laid_out("\n".join(lines)) if guesses else text
