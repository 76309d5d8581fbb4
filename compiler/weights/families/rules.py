"""What a node does as few rules: the cheapest formula that holds at all cells that were seen, else by cases.

A cell is a member and a symbol; one that was not seen may do anything that is allowed. Where a formula holds
for nearly all cells, the few others are exceptions that are told apart.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.weights.families.families import MOVE, NUMBER, ODDITIES, Kinds, Values, words_of
from gridlang.compiler.weights.families.formulas import (
    ATOM,
    CHOICE,
    VARIABLES,
    Column,
    Condition,
    Formula,
    Formulas,
    Truth,
    Word,
    conditions,
)
from gridlang.compiler.weights.families.graph import SymbolClass, class_by_symbol, groups_of
from gridlang.compiler.weights.families.nodes import Act, Key, Node
from gridlang.table import MOVES
from gridlang.vocabulary import TURNS, quote

HALTS, STUCK = ("halt", 0), ("stuck", 0)  # in place of a target
CASES = 2  # conditions of a rule, nested, at most
MOST_TRIED = 2_000  # actions that are tried for one group of symbols
MOST_WORK = 200_000  # After that cells are put one by one: it takes some seconds.
TURN = 0.5
CHEAP = 9.0  # An action that costs no more is not put by cases.
EXCEPTION = 9.0
Indices = npt.NDArray[np.intp]


class Action(NamedTuple):
    cost: float
    move: str
    write: str  # empty: keeps the symbol
    to: Key | None  # None: keeps the state
    args: tuple[str, ...]
    bad: Truth  # cells at which it would not be allowed
    formula: str  # the longest in it


class Exceptional(NamedTuple):
    formula: str  # that holds everywhere else
    among: int  # entries, with those that break it
    cell: tuple[Values, int]


class Rule(NamedTuple):
    symbols: tuple[int, ...]
    group: int | None  # their class
    tests: tuple[str, ...]
    action: Action
    odd: Exceptional | None = None


Case = tuple[list[Condition], Action]


class Domain(NamedTuple):
    """The members that a node is declared with."""

    values: list[Values]
    text: str


class Rules:
    """Rules of nodes; each is found once."""

    def __init__(self, symbols: tuple[str, ...], classes: list[SymbolClass]) -> None:
        self.symbols, self.classes = symbols, classes
        digits = [g for g in range(len(classes)) if self.is_digits(g)]
        self.base = classes[digits[0]].size if digits else 0  # 0: there are no digits
        self.class_of = class_by_symbol(classes)
        self.work = 0  # actions tried so far, by cells
        self._formulas: dict[object, Formulas] = {}
        self._conditions: dict[object, list[Condition]] = {}
        self._known: dict[object, tuple[float, list[Rule]]] = {}

    def formulas(self, words: dict[str, Column], base: int) -> Formulas:
        key = (base, *((word, column.tobytes()) for word, column in words.items()))
        if key not in self._formulas:
            self._formulas[key] = Formulas(words, base)
        return self._formulas[key]

    def conditions(self, words: list[Word]) -> list[Condition]:
        key = tuple((word.name, word.sort, word.values.tobytes()) for word in words)
        if key not in self._conditions:
            self._conditions[key] = conditions(words, self.literal)
        return self._conditions[key]

    def is_digits(self, g: int) -> bool:
        return all(self.symbols[x] == str(number) for x, number in self.classes[g].number.items())

    def literal(self, kind: int, value: int) -> str:
        """A value as it is written: a move, a symbol of a class, or a number."""
        if kind == MOVE:
            return MOVES[value]
        symbol = self.classes[kind].symbol(value) if kind != NUMBER else None
        if symbol is None:
            return "base" if value == self.base > 0 else str(value)
        return quote(self.symbols[symbol])

    def of(self, key: Key, nodes: dict[Key, Node], cases: int = CASES) -> tuple[float, list[Rule]]:
        """The cost of a node, and its rules."""
        domains = self.domains(nodes)
        node = nodes[key]
        near = {act.after[0] for act in node.cells.values() if act.after}
        there = tuple((to, nodes[to].kinds, domains[to].text) for to in sorted(near | {key}))
        known = (cases, key, node.kinds, frozenset(node.cells.items()), there)
        if known not in self._known:
            self._known[known] = self._of(key, nodes, domains, cases)
        return self._known[known]

    def _of(
        self, key: Key, nodes: dict[Key, Node], domains: dict[Key, Domain], cases: int
    ) -> tuple[float, list[Rule]]:
        rules: list[Rule] = []
        for g, symbols in groups_of({x for _, x in nodes[key].cells}, self.classes):
            whole = list(self.classes[g].number) if g is not None else symbols
            covered = whole if 2 * len(symbols) >= len(whole) else symbols
            rules += _Group(self, key, nodes, domains, g, covered).rules(cases)
        rules = [rule for rule in rules if rule.action.to != STUCK]
        cost = sum(rule.action.cost + 5 * len(rule.tests) for rule in rules)
        return cost + 6 + 3 * len(nodes[key].kinds), rules

    def domains(self, nodes: dict[Key, Node]) -> dict[Key, Domain]:
        used: dict[Key, set[Values]] = {key: {v for v, _ in node.cells} for key, node in nodes.items()}
        for node in nodes.values():
            for act in node.cells.values():
                if act.after:
                    used[act.after[0]].add(act.after[1])
        return {key: self._domain(node.kinds, used[key]) for key, node in nodes.items()}

    def _domain(self, kinds: Kinds, used: set[Values]) -> Domain:
        if not kinds:
            return Domain([()], "")
        words, texts = words_of(kinds), list[str]()
        ranges: list[list[int]] = []
        for j, kind in enumerate(kinds):
            values = {v[j] for v in used}
            if kind == MOVE:
                ranges.append(sorted(values))
                ways = " | ".join(MOVES[v] for v in sorted(values))
                texts.append(f"{words[j]}: {'move except S' if len(values) == 4 else ways}")
            elif kind != NUMBER and values <= set(self.classes[kind].number.values()):
                ranges.append(sorted(self.classes[kind].number.values()))
                texts.append(f"{words[j]} in {self.classes[kind].name}")
            else:
                most = max(values)
                ranges.append(list(range(most + 1)))
                texts.append(f"{words[j]} in 0..{'base' if most == self.base > 0 else most}")
        members = list(product(*ranges))
        if len(kinds) == 2 and kinds[1] == NUMBER and max(v[1] for v in used):
            below = [v for v in members if v[1] <= max(v[0] - 1, 0)]
            if used <= set(below):
                members, texts[1] = below, f"{words[1]} in 0..max({words[0]} - 1, 0)"
        return Domain(members, f"({', '.join(texts)})")


def target_of(act: Act) -> Key:
    return act.after[0] if act.after else HALTS if act.write >= 0 else STUCK


class _Group:
    """One node on the symbols of one class, or on a symbol of no class."""

    def __init__(
        self,
        made: Rules,
        key: Key,
        nodes: dict[Key, Node],
        domains: dict[Key, Domain],
        g: int | None,
        symbols: list[int],
    ) -> None:
        self.made, self.key, self.nodes, self.domains, self.g, self.symbols = (
            made,
            key,
            nodes,
            domains,
            g,
            symbols,
        )
        kinds, values = nodes[key].kinds, domains[key].values
        self.cells = [(v, x) for v in values for x in symbols]
        self.acts: list[Act | None] = [nodes[key].cells.get(cell) for cell in self.cells]
        self.seen = np.array([act is not None for act in self.acts])
        self.kinds = dict(zip(words_of(kinds), kinds, strict=True))
        self.numbers = {
            word: np.array([v[j] for v, _ in self.cells])
            for j, (word, kind) in enumerate(self.kinds.items())
            if kind != MOVE
        }
        self.moves = {
            word: np.array([v[j] for v, _ in self.cells])
            for j, word in enumerate(self.kinds)
            if self.kinds[word] == MOVE
        }
        if g is not None and len(symbols) > 1:
            number = made.classes[g].number
            self.numbers["d"] = np.array([number[x] for _, x in self.cells])
            self.kinds["d"] = g
        self.modulus = made.classes[g].size if g is not None else made.base or 2
        self.formulas = made.formulas(self.numbers, self.modulus) if self.numbers else None
        sort = {w: NUMBER if k >= 0 and made.is_digits(k) else k for w, k in self.kinds.items()}
        self.tests = made.conditions(
            [Word(word, sort[word], column) for word, column in {**self.numbers, **self.moves}.items()]
        )
        self.known: dict[tuple[bytes, int], tuple[float, list[Case]] | None] = {}
        self.tried = 0
        self.loose = False  # whether cells that are left may be put one by one

    def rules(self, most_cases: int) -> list[Rule]:
        whole = np.ones(len(self.cells), bool)
        got, odd = self.cover(whole, 0), None
        if got is None:
            odd = self.cover_most()
            most_cases = 0 if self.made.work > MOST_WORK else 1 if odd else most_cases
            for cases in range(1, most_cases + 1):
                got = got or self.cover(whole, cases)
            if got is None and most_cases:
                self.loose = True
                self.known.clear()
                got = self.cover(whole, most_cases)
        if odd and (got is None or odd[0] < got[0]):
            return odd[1]
        return [self.rule(tests, action) for tests, action in (got or self.one_by_one(whole))[1]]

    def cover(self, mask: Truth, cases: int) -> tuple[float, list[Case]] | None:
        """The cheapest rules that do what was seen at the cells of a mask."""
        key = mask.tobytes(), cases
        if key in self.known:
            return self.known[key]
        at = np.flatnonzero(mask & self.seen)
        best = self.guarded(mask, at)
        if cases and (best is None or best[0] > CHEAP):
            best = self.parted(mask, cases, best)
        self.known[key] = best
        return best

    def guarded(self, mask: Truth, at: Indices) -> tuple[float, list[Case]] | None:
        """One action, with a condition that keeps it from cells where it is not allowed."""
        action = self.action(at)
        if action is None:
            return None
        bad = action.bad & mask & ~self.seen
        if not bad.any():
            return action.cost, [([], action)]
        for each in self.tests:
            for test in (each, each.negated()):
                if test.holds[at].all() and not test.holds[bad].any():
                    return action.cost + test.cost + 1, [([test], action)]
        return None

    def parted(
        self, mask: Truth, cases: int, best: tuple[float, list[Case]] | None
    ) -> tuple[float, list[Case]] | None:
        for each in self.tests:
            if self.tried > MOST_TRIED or (best and each.cost + 6 >= best[0]):
                break
            for test in (each, each.negated()):
                one, other = mask & test.holds, mask & ~test.holds
                if not (one & self.seen).any() or not (other & self.seen).any():
                    continue
                self.tried += 1
                first = self.cover(one, 0)
                if first is None or (best and first[0] + test.cost >= best[0]):
                    continue
                rest = self.cover(other, cases - 1) or (self.one_by_one(other) if self.loose else None)
                if rest is None:
                    continue
                cost = first[0] + rest[0] + 2 * test.cost + 2
                if best is None or cost < best[0]:
                    parts = ((test, first), (test.negated(), rest))
                    best = cost, [([t, *tests], action) for t, part in parts for tests, action in part[1]]
        return best

    def one_by_one(self, mask: Truth) -> tuple[float, list[Case]]:
        cases = [self.alone(i) for i in np.flatnonzero(mask & self.seen)]
        return sum(action.cost + 5 * len(tests) for tests, action in cases), cases

    def alone(self, i: np.intp) -> Case:
        """The rule of one cell."""
        action, tests = self.action(np.array([i])), []
        assert action is not None
        for word, column in {**self.numbers, **self.moves}.items():
            said = self.made.literal(self.kinds[word], int(column[i]))
            tests.append(Condition(3, f"{word} == {said}", f"{word} != {said}", column == column[i]))
        return tests, action

    def cover_most(self) -> tuple[float, list[Rule]] | None:
        """One action for nearly all cells, and the few others one by one."""
        at = np.flatnonzero(self.seen)
        held = self.majority(at)
        odd = [i for i in at if i not in set(held.tolist())]
        if not odd or len(odd) * ODDITIES > len(at):
            return None
        action = self.action(held)
        if action is None or (action.bad & ~self.seen).any():
            return None
        excluded = []
        rules = []
        for i in odd:
            tests, own = self.alone(i)
            broken = Exceptional(action.formula, len(at), self.cells[i]) if action.formula else None
            rules.append(self.rule(tests, own)._replace(odd=broken))
            excluded.append(f"not ({' and '.join(test.text for test in tests)})")
        main = self.rule([], action)._replace(tests=tuple(excluded))
        return action.cost + 2 * EXCEPTION * len(odd), [main, *rules]

    def majority(self, at: Indices) -> Indices:
        """The cells at which one action is done, as far as formulas can tell."""
        acts = {i: act for i in at.tolist() if (act := self.acts[i])}
        kind = {i: (act.move, target_of(act)) for i, act in acts.items()}
        often = Counter(kind.values()).most_common(1)[0][0]
        held = np.array([i for i in at.tolist() if kind[i] == often])
        columns = [self.numbers_of([acts[i].write for i in held.tolist()])]
        if often[1] in (HALTS, STUCK):
            return held
        size = len(self.nodes[often[1]].kinds)
        columns += [np.array([acts[i].after[1][j] for i in held.tolist()]) for j in range(size)]
        ok = np.ones(len(held), bool)
        for column in columns:
            if column is not None and self.formulas and len(set(column.tolist())) > 1:
                wanted = np.zeros(len(self.cells), np.int64)
                wanted[held] = column
                ok &= self.formulas.most_fitting(wanted, held)[1]
        return held[ok]

    def numbers_of(self, symbols: list[int]) -> Column | None:
        """The numbers of symbols of one class."""
        groups = {self.made.class_of.get(x) for x in symbols}
        if len(groups) > 1 or None in groups:
            return None
        number = self.made.classes[groups.pop() or 0].number
        return np.array([number[x] for x in symbols])

    def action(self, at: Indices) -> Action | None:
        """What is done at all these cells, or None."""
        self.made.work += 1 + len(at)
        acts = [self.acts[i] for i in at.tolist()]
        assert all(acts)
        known = [act for act in acts if act]
        targets = {target_of(act) for act in known}
        if len(targets) > 1:
            return None
        bad = np.zeros(len(self.cells), bool)
        to = targets.pop()
        if to in (HALTS, STUCK):
            return Action(3, "S", "", to, (), bad, "")
        way = self.direction(at, np.array([act.move for act in known]))
        written = self.written(at, [act.write for act in known], bad)
        if way is None or written is None:
            return None
        write, cost, formula = written
        move, text = way[0], self.text(formula) if formula else ""
        places = [act.after[1] for act in known if act.after]
        if to == self.key and places == [self.cells[i][0] for i in at.tolist()]:
            return Action(3 + cost, move, write, None, (), bad, text)
        args = self.arguments(at, to, places, formula)
        if args is None:
            return None
        allowed = set(self.domains[to].values)
        if args:
            places_at = zip(*(arg.values.tolist() for arg in args), strict=True)
            bad |= np.array([place not in allowed for place in places_at])
        cost += 5 + sum(arg.cost for arg in args)
        texts = tuple(arg.text for arg in args)
        cost += TURN * sum(
            "(" in way
            for way, kind in zip((move, *texts), (MOVE, *self.nodes[to].kinds), strict=True)
            if kind == MOVE
        )
        return Action(cost, move, write, to, texts, bad, max(text, *texts, "", key=len))

    def direction(self, at: Indices, moves: Column) -> tuple[str, Column] | None:
        """A move as a parameter, turned perhaps, or as a letter where the parameter is one."""
        for word, column in self.moves.items():
            for turn, way in TURNED.items():
                if len(set(column[at].tolist())) > 1 and np.array_equal(way[column[at]], moves):
                    return (f"{turn}({word})" if turn else word), way[column]
        if len(set(moves.tolist())) > 1:
            return None
        return MOVES[moves[0]], np.full(len(self.cells), moves[0])

    def written(
        self, at: Indices, symbols: list[int], bad: Truth
    ) -> tuple[str, float, Formula | None] | None:
        """The symbol written: its text, cost and formula; empty where all cells keep theirs."""
        if symbols == [self.cells[i][1] for i in at.tolist()]:
            return "", 0, None
        if len(set(symbols)) == 1:
            return quote(self.made.symbols[symbols[0]]), 3, None
        numbers = self.numbers_of(symbols)
        formula = self.fitting(at, numbers) if numbers is not None else None
        g = self.made.class_of.get(symbols[0], NUMBER)
        if formula is None or self.is_strange(formula, g):
            return None
        bad |= ~np.isin(formula.values, list(self.made.classes[g].number.values()))
        return self.as_symbol(formula, g), 2 + formula.cost, formula

    def arguments(
        self, at: Indices, to: Key, places: list[Values], written: Formula | None
    ) -> list[Formula] | None:
        """Of a target, as they are written."""
        made: list[Formula] = []
        for j, kind in enumerate(self.nodes[to].kinds):
            wanted = np.array([place[j] for place in places])
            if kind == MOVE:
                way = self.direction(at, wanted)
                if way is None:
                    return None
                made.append(Formula(1, *way, 0))
                continue
            formula = self.fitting(at, wanted, written)
            fixed = formula is None or formula.cost > 1 or len(set(formula.values.tolist())) > 1
            if fixed and len(set(wanted.tolist())) == 1:
                value = int(wanted[0])
                text = str(value) if kind == NUMBER else self.made.literal(kind, value)
                formula = Formula(1, text, np.full(len(self.cells), wanted[0]), 0)
            elif formula is None or self.is_strange(formula, kind):
                return None
            else:
                text = self.text(formula) if kind == NUMBER else self.as_symbol(formula, kind)
                formula = formula._replace(text=text)
            made.append(formula)
        return made

    def fitting(self, at: Indices, values: Column, written: Formula | None = None) -> Formula | None:
        """The shortest formula; the carry of what is written is as short as a word."""
        if self.formulas is None:
            return None
        wanted = np.zeros(len(self.cells), np.int64)
        wanted[at] = values
        carry = self.formulas.carry_of(written)
        if carry and np.array_equal(carry.values[at], values):
            return carry
        return self.formulas.fitting(wanted, at)

    def is_strange(self, formula: Formula | None, kind: int) -> bool:
        """Whether places of symbols are counted with, for anything but a symbol of their class."""
        if formula is None or formula.binds == ATOM:
            return False
        words = VARIABLES.findall(formula.text)
        kinds = {self.kinds[word] for word in words}
        alike = formula.binds == CHOICE and len(kinds) < len(words)
        return not alike and any(own not in (kind, NUMBER) and not self.made.is_digits(own) for own in kinds)

    def text(self, formula: Formula) -> str:
        """With the base as a number where it is not that of the agent."""
        if self.modulus == self.made.base:
            return formula.text
        return re.sub(r"\bbase\b", str(self.modulus), formula.text.replace("base - 1", str(self.modulus - 1)))

    def as_symbol(self, formula: Formula, g: int) -> str:
        """A formula for a symbol of a class, which is named unless the formula says it."""
        digits = self.made.is_digits(g)
        words = VARIABLES.findall(formula.text)
        kinds = {self.kinds[word] for word in words}
        plain = kinds == {g} and formula.text in words
        if plain or (digits and all(kind == NUMBER or self.made.is_digits(kind) for kind in kinds)):
            return self.text(formula)
        return f"{self.made.classes[g].name}({self.text(formula)})"

    def rule(self, tests: list[Condition], action: Action) -> Rule:
        """Conditions on the symbol alone narrow the symbols."""
        mine = {test.text: test.holds for test in tests if set(VARIABLES.findall(test.text)) == {"d"}}
        row = np.logical_and.reduce([holds[: len(self.symbols)] for holds in mine.values()], initial=True)
        others = dict.fromkeys(test.text for test in tests if test.text not in mine)
        plain = [text for text in others if len(VARIABLES.findall(text)) == 1]
        fixed = {text.split(" == ")[0] for text in plain if " == " in text}
        texts = tuple(t for t in others if t not in plain or t.split(" != ")[0] not in fixed)
        kept = np.array(self.symbols)[np.broadcast_to(row, len(self.symbols))]
        return Rule(tuple(kept.tolist()), self.g, texts, action)


TURNED = {"": np.arange(5)} | {
    turn: np.array([MOVES.index(way[move]) for move in MOVES]) for turn, way in TURNS.items()
}
