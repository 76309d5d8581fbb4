"""The labels of a state graph's edges: few words for many rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gridlang.compiler.automata.state_graph import Pair
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression, target
from gridlang.table import MOVES, Entry, Table

KEEP, HALT = "keep", "halt"
FEW = 2  # exceptions named; with more, listing the symbols is shorter
RUN = 3  # symbols in a row that become a range: `0..2` is shorter than `0 | 1 | 2`, `0..1` is not
_UNCLEAR = "|/,.…'\" "  # symbols that would make a label unclear


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a label: what is read, what is done, and the pairs that it stands for.

    `quiet` lines only walk. `mark` says how a line of a difference fares: same, differs, missing, extra.
    """

    reads: str
    action: str
    pairs: tuple[Pair, ...]
    quiet: bool = False
    mark: str = ""

    @property
    def text(self) -> str:
        return f"{self.reads} / {self.action}" if self.action else self.reads


def in_words(table: Table, symbols: Iterable[int]) -> str:
    """Shortens a set of symbols by the classes of the alphabet: `digit except 0 | +`."""
    wanted = {table.symbols[x] for x in symbols}
    if wanted == set(table.symbols):
        return "any"
    classes = []
    left = [symbol for symbol in table.symbols if symbol in wanted]
    for name, members in sorted(table.classes, key=lambda named: -len(named[1])):
        here = wanted & set(members)
        words = name if len(here) == len(set(members)) > 1 else _with_exceptions(name, members, here)
        if words and here & set(left):
            classes.append(words)
            left = [symbol for symbol in left if symbol not in here]
    by_class = " | ".join([*classes, *_ranges(table, left)])
    but_few = _with_exceptions("any", table.symbols, wanted)
    return but_few if but_few and len(but_few) < len(by_class) else by_class


def _with_exceptions(name: str, members: Sequence[str], wanted: set[str]) -> str:
    """`digit except 0`; empty where too few are left for that to be shorter."""
    missing = [symbol for symbol in members if symbol not in wanted]
    if not 0 < len(missing) <= FEW or len(members) < 4 + len(missing):
        return ""
    return f"{name} except {' | '.join(map(_shown, missing))}"


def _ranges(table: Table, symbols: Sequence[str]) -> list[str]:
    """Symbols one by one; successive ones as `2..6`."""
    runs: list[list[str]] = []
    place = {symbol: number for number, symbol in enumerate(table.symbols)}
    for symbol in symbols:
        if runs and place[symbol] == place[runs[-1][-1]] + 1 and _like(symbol, runs[-1][-1]):
            runs[-1].append(symbol)
        else:
            runs.append([symbol])
    words = []
    for run in runs:
        long = len(run) >= RUN
        words += [f"{_shown(run[0])}..{_shown(run[-1])}"] if long else list(map(_shown, run))
    return words


def _like(one: str, other: str) -> bool:
    """Whether two symbols may be ends of a range: both digits, or both letters."""
    return ord(one) == ord(other) + 1 and one.isalnum() and other.isalnum()


def _shown(symbol: str) -> str:
    return f"'{symbol}'" if symbol in _UNCLEAR else symbol


def instance_lines(table: Table, pairs: Iterable[Pair]) -> list[Line]:
    """The rules from one state to another; rules that do alike share a line."""
    kept: dict[int, list[Pair]] = {}
    written: dict[tuple[int, int], list[Pair]] = {}
    for pair in pairs:
        entry = _entry(table, pair)
        if entry.write == pair[1]:
            kept.setdefault(entry.move, []).append(pair)
        else:
            written.setdefault((entry.write, entry.move), []).append(pair)
    lines = [_line(table, same, f"{KEEP}, {MOVES[move]}") for move, same in kept.items()]
    single: dict[int, list[Pair]] = {}
    for (write, move), same in written.items():
        if len(same) == 1:
            single.setdefault(move, []).extend(same)
        else:
            lines.append(_line(table, same, f"{_shown(table.symbols[write])}, {MOVES[move]}"))
    for move, each in single.items():
        lines.append(_mapped(table, sorted(each, key=lambda pair: pair[1]), MOVES[move]))
    return lines


def _entry(table: Table, pair: Pair) -> Entry:
    entry = table.rows[pair[0]][pair[1]]
    assert entry is not None
    return entry


def _line(table: Table, pairs: list[Pair], action: str, quiet: bool = False) -> Line:
    return Line(in_words(table, (x for _, x in pairs)), action, tuple(pairs), quiet)


def _mapped(table: Table, pairs: list[Pair], move: str) -> Line:
    """Each symbol becomes another: `0..6 / 3..9, D`, or both as lists in the same order."""
    reads = [table.symbols[x] for _, x in pairs]
    writes = [table.symbols[_entry(table, pair).write] for pair in pairs]
    both = [_ranges(table, reads), _ranges(table, writes)]
    if any(len(words) > 1 for words in both) or len(set(writes)) < len(writes):
        both = [list(map(_shown, reads)), list(map(_shown, writes))]
    return Line(" ".join(both[0]), f"{' '.join(both[1])}, {move}", tuple(pairs))


def family_lines(table: Table, rules: Mapping[Pair, s.Rule], pairs: Iterable[Pair]) -> list[Line]:
    """The rules of a family that lead to one node, by the words of the source where that is known."""
    by_rule: dict[tuple[str, str], list[Pair]] = {}
    bare: list[Pair] = []
    for pair in pairs:
        rule = rules.get(pair)
        if rule is None:
            bare.append(pair)
        else:
            by_rule.setdefault((rule_reads(rule), rule_action(rule)), []).append(pair)
    lines = [Line(reads, action, tuple(same)) for (reads, action), same in by_rule.items()]
    return lines + (_summed(table, bare) if bare else [])


def rule_reads(rule: s.Rule) -> str:
    pattern = rule.pattern
    members = "else" if pattern.members is None else _spelt(pattern.members)
    bound = f"{pattern.variable.name} in {members}" if pattern.variable else members
    return f"{bound} if {expression(rule.guard)}" if rule.guard else bound


def _spelt(node: s.Expr) -> str:
    """An expression; symbols that stand alone without their quotes."""
    if isinstance(node, s.Union):
        return " | ".join(map(_spelt, node.parts))
    return _shown(node.char) if isinstance(node, s.Symbol) else expression(node)


def rule_action(rule: s.Rule) -> str:
    action = rule.action
    if isinstance(action, s.Halt):
        return HALT
    if isinstance(action, s.As):
        return f"as {target(action.target)}"
    write = _spelt(action.write) if action.write else KEEP
    return f"{write}, {expression(action.move)}" if action.move else write


def _summed(table: Table, pairs: list[Pair]) -> list[Line]:
    """Without source: by move, what all states of the family read and write."""
    by_move: dict[tuple[int, str], list[Pair]] = {}
    for pair in pairs:
        entry = _entry(table, pair)
        by_move.setdefault((entry.move, KEEP if entry.write == pair[1] else "write"), []).append(pair)
    lines = []
    for (move, what), same in by_move.items():
        written = {_entry(table, pair).write for pair in same}
        word = KEEP if what == KEEP else _shown(table.symbols[written.pop()]) if len(written) == 1 else "edit"
        lines.append(_line(table, same, f"{word}, {MOVES[move]}"))
    return lines
