"""Families of states, found in a graph in which nothing has been merged: merging would tear them.

A member goes by its values, one for each parameter. A family is found in four ways:

hub       a state sends the symbols of a class to different states: these are a family, by that symbol
shifted   the same, where some are members of a known family, by a constant more than the symbol
onwards   the members of a family go to different states on one symbol: these are a family, by the same values
computed  members and symbols of a class lead to states that a formula of both tells apart
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import pairwise

import numpy as np

from gridlang.compiler.weights.families.formulas import Column, Formulas
from gridlang.compiler.weights.families.graph import Rows, SymbolClass, class_by_symbol, renamed

Values = tuple[int, ...]
Members = dict[Values, int]  # the state that each member is
NUMBER, MOVE = -1, -2  # kinds of parameters; others are a class, by its number
Kinds = tuple[int, ...]
Led = dict[tuple[Values, int], int]  # where a member goes on a symbol, by its number
MOST_PARAMETERS = 2
MOST_TRIES = 5  # formulas by which groups of states are made one
ODDITIES = 8  # one cell of eight may break a formula

# (words, base) to formulas
Formulary = Callable[[dict[str, Column], int], Formulas]


def words_of(kinds: Kinds) -> list[str]:
    """A letter for each parameter: v is a symbol, c a number, m a move."""
    words: list[str] = []
    for kind in kinds:
        letters = {NUMBER: "cknj", MOVE: "mpqr"}.get(kind, "vuwz")
        words.append(next(letter for letter in letters if letter not in words))
    return words


class Families:
    def __init__(self, rows: Rows, classes: list[SymbolClass], formulary: Formulary) -> None:
        self.rows, self.classes, self.formulary = rows, classes, formulary
        self.members: list[Members] = []
        self.kinds: list[Kinds] = []
        self.home: dict[int, tuple[int, Values]] = {}
        self.class_of = class_by_symbol(classes)
        self.differ = cache(self._differ)
        self._failed: set[object] = set()

    def search(self) -> Families:
        while (
            self._onwards(of_class=False)
            or self._computed(self._told_by_formula)
            or self._hubs(self._hub)
            or self._hubs(self._shifted)
            or self._computed(self._told_in_groups)
            or self._computed(self._told_by_most)
            or self._onwards(of_class=True)
            or self._hubs(self._whole, own=True)
        ):
            pass
        return self

    def _admit(self, members: Members, kinds: Kinds, start: bool = False) -> bool:
        """Makes members a family, or adds them to theirs; False where nothing is new, or they do not fit.

        The start is a member only where nothing else is.
        """
        states = list(members.values())
        homes = {self.home[s][0] for s in states if s in self.home}
        if len(states) < 2 or len(set(states)) < len(states) or (0 in states and not start) or len(homes) > 1:
            return False
        if homes:
            f = homes.pop()
            known = self.members[f]
            strange = any(
                self.home.get(s, (f, v)) != (f, v) or known.get(v, s) != s for v, s in members.items()
            )
            if strange or len(kinds) != len(self.kinds[f]):
                return False
        else:
            apart = sum(self.differ(a, b) for a, b in pairwise(states))
            if 2 * apart < len(states) - 1 or not self._alike(states):
                return False
            f = len(self.members)
            self.members.append({})
            self.kinds.append(kinds)
        return self._add(f, members)

    def _add(self, f: int, members: Members) -> bool:
        fresh = {v: s for v, s in members.items() if v not in self.members[f]}
        self.members[f].update(fresh)
        self.home.update({s: (f, v) for v, s in fresh.items()})
        return bool(fresh)

    def _alike(self, states: list[int]) -> bool:
        """Whether all states make a common move on most kinds of symbols that two of them read."""
        kinds: dict[int, dict[int, set[tuple[int, bool]]]] = defaultdict(lambda: defaultdict(set))
        for s in states:
            for x, step in self.rows[s].items():
                kinds[self.class_of.get(x, -1 - x)][s].add((step.move, step.after is None))
        shared = [bool(set.intersection(*by.values())) for by in kinds.values() if len(by) > 1]
        return 2 * sum(shared) >= len(shared)

    def _differ(self, one: int, other: int) -> bool:
        """Whether two states cannot be one, with all that follows from it."""
        return self._united([(one, other)]) is None

    def _united(self, pairs: list[tuple[int, int]]) -> tuple[dict[int, int], Rows] | None:
        """What states become if these are one, with all that follows, and their steps; None if two differ."""
        first: dict[int, int] = {}
        rows: Rows = {}

        def find(q: int) -> int:
            while q in first:
                q = first[q]
            return q

        while pairs:
            p, q = sorted(map(find, pairs.pop()))
            if p == q:
                continue
            first[q] = p
            mine = rows[p] = dict(rows.get(p, self.rows[p]))
            for x, step in rows.pop(q, self.rows[q]).items():
                known = mine.setdefault(x, step)
                if known[:2] != step[:2] or (known.after is None) != (step.after is None):
                    return None
                if known.after is not None and step.after is not None:
                    pairs.append((known.after, step.after))
        return {q: find(q) for q in first}, rows

    def _unite(self, groups: Iterable[Collection[int]]) -> bool:
        """Makes one state of each group, unless two differ, or are different members."""
        made = self._united([pair for group in groups for pair in pairwise(sorted(group))])
        if made is None:
            return False
        first, rows = made
        homes: dict[int, set[tuple[int, Values]]] = defaultdict(set)
        for q in (*first, *first.values()):
            homes[first.get(q, q)] |= {self.home[q]} if q in self.home else set()
        if any(len(home) > 1 for home in homes.values()):
            return False
        kept = {q: rows.get(q, row) for q, row in self.rows.items() if q not in first}
        self.rows = renamed(kept, lambda q: first.get(q, q), kept)
        for q, home in homes.items():
            for f, v in home:
                self.home[q], self.members[f][v] = (f, v), q
        self.differ.cache_clear()
        self._failed.clear()
        return True

    def _leads(self, states: Members, g: int) -> Iterator[Led]:
        """Where states go on the symbols of a class, by their values and the symbol's number; by move."""
        parts: dict[int, dict[tuple[Values, int], int]] = defaultdict(dict)
        for v, s in states.items():
            for x, number in self.classes[g].number.items():
                step = self.rows[s].get(x)
                if step is not None and step.after is not None:
                    parts[step.move][v, number] = step.after
        yield from parts.values()

    def _hubs(self, admit: Callable[[Members, int], bool], own: bool = False) -> bool:
        """Whether there is a state whose targets are admitted; not one of a large family."""
        for q in sorted(self.rows):
            if q in self.home and len(self.members[self.home[q][0]]) > 2:
                continue
            for g, known in enumerate(self.classes):
                for part in self._leads({(): q}, g):
                    led: Members = {(number,): s for (_, number), s in part.items() if own or s != q}
                    if 2 * len(led) >= len(known.number) and len(led) > 1 and admit(self._told_apart(led), g):
                        return True
        return False

    def _told_apart(self, led: Members) -> Members:
        """Without the few that go where another goes."""
        first = {s: v for v, s in reversed(led.items())}
        few = (len(led) - len(first)) * ODDITIES <= len(led)
        return {v: s for v, s in led.items() if first[s] == v} if few else led

    def _hub(self, members: Members, g: int) -> bool:
        return self._admit(members, (g,))

    def _whole(self, members: Members, g: int) -> bool:
        """With itself, if the others are of a family."""
        return not self.home.keys().isdisjoint(members.values()) and self._admit(members, (g,), start=True)

    def _shifted(self, members: Members, g: int) -> bool:
        homes = {v: self.home[s] for v, s in members.items() if s in self.home}
        families = {f for f, _ in homes.values()}
        if len(families) != 1 or len(homes) == len(members) or len(set(members.values())) < len(members):
            return False
        f = families.pop()
        shifts = {values[0] - v[0] for v, (_, values) in homes.items() if len(values) == 1}
        if len(self.kinds[f]) != 1 or len(shifts) != 1 or (shift := shifts.pop()) <= 0:
            return False
        fresh: Members = {(v[0] + shift,): s for v, s in members.items() if s not in self.home}
        if not self.members[f].keys().isdisjoint(fresh):
            return False
        if max(fresh)[0] >= self.classes[g].size:
            self.kinds[f] = (NUMBER,)
        return self._add(f, fresh)

    def _onwards(self, of_class: bool) -> bool:
        grown = False
        for f, members in enumerate(self.members):
            for x in sorted(
                {x for s in members.values() for x in self.rows[s] if (x in self.class_of) == of_class}
            ):
                parts: dict[int, Members] = defaultdict(dict)
                for v, s in members.items():
                    step = self.rows[s].get(x)
                    if step is not None and step.after is not None:
                        parts[step.move][v] = step.after
                for part in parts.values():
                    if len(part) > 2 or not of_class:
                        grown |= self._admit(part, self.kinds[f], start=of_class)
        return grown

    def _computed(self, told: Callable[[int, int, Led], bool]) -> bool:
        for f, members in enumerate(self.members):
            for g in range(len(self.classes)):
                for led in self._leads(members, g):
                    seen = (told, f, g, *led.items(), *map(self.home.get, led.values()))
                    if len(set(led.values())) == 1 or 0 in led.values() or seen in self._failed:
                        continue
                    if told(f, g, led):
                        return True
                    self._failed.add(seen)
        return False

    def _told_by_formula(self, f: int, g: int, led: Led) -> bool:
        targets = set(led.values())
        if targets.isdisjoint(self.home) and self._by_itself(f, g, led):
            return True
        owners: dict[int, set[int]] = defaultdict(set)
        for (v, _), s in led.items():
            owners[s].add(v[0])
        if len(self.kinds[f]) > MOST_PARAMETERS or any(len(own) > 1 for own in owners.values()):
            return False
        return (self._extended if len(self.kinds[f]) == 1 else self._filled)(f, g, led, targets)

    def _groupings(self, f: int, g: int, led: Led) -> Iterator[tuple[str, list[int], Column]]:
        """Formulas with values from 0 on, the shortest first; how often each value leads to which state."""
        place = {s: i for i, s in enumerate(dict.fromkeys(led.values()))}
        column = np.array([place[s] for s in led.values()])
        for formula in self._formulas(f, g, led).all:
            if (
                formula.values.min()
                == 0
                < (most := formula.values.max())
                < min(len(led), self.classes[g].size)
            ):
                pairs = np.bincount(formula.values * len(place) + column, minlength=(most + 1) * len(place))
                counts = pairs.reshape(most + 1, len(place))
                if counts.any(1).all():
                    yield formula.text, list(place), counts

    def _by_itself(self, f: int, g: int, led: Led) -> bool:
        """A new family, by the shortest formula that tells all targets apart."""
        for text, targets, counts in self._groupings(f, g, led):
            if len(targets) == len(counts) == np.count_nonzero(counts):
                members: Members = {(value,): targets[i] for value, i in enumerate(counts.argmax(1))}
                return self._admit(members, (g if text == "d" else NUMBER,))
        return False

    def _told_in_groups(self, f: int, g: int, led: Led) -> bool:
        """By a formula that tells groups of targets apart, each of which may be one state."""
        tries = 0
        for _, targets, counts in self._groupings(f, g, led):
            if np.count_nonzero(counts) == len(targets) > len(counts):
                groups = [[targets[i] for i in np.flatnonzero(row)] for row in counts]
                if all(self.differ(min(one), min(other)) for one, other in pairwise(groups)):
                    tries += 1
                    if self._unite(groups):
                        return True
            if tries == MOST_TRIES:
                break
        return False

    def _told_by_most(self, f: int, g: int, led: Led) -> bool:
        """By a formula that holds but for a few cells, which lead elsewhere."""
        for _, targets, counts in self._groupings(f, g, led):
            if (len(led) - counts.max(1).sum()) * ODDITIES <= len(led):
                held: Members = {(value,): targets[i] for value, i in enumerate(counts.argmax(1))}
                return self._admit(held, (NUMBER,))
        return False

    def _formulas(self, f: int, g: int, led: Led) -> Formulas:
        columns = zip(*((*v, number) for v, number in led), strict=True)
        words = zip([*words_of(self.kinds[f]), "d"], columns, strict=True)
        return self.formulary({word: np.array(column) for word, column in words}, self.classes[g].size)

    def _extended(self, f: int, g: int, led: Led, targets: set[int]) -> bool:
        """The parameter stays, and a formula is the second: of a new family, or of this one."""
        inside = {s for s in targets if s in self.home}
        if any(self.home[s][0] != f for s in inside) or inside == targets:
            return False
        for formula in self._formulas(f, g, led).all:
            place: Members = {}
            for ((v, _), s), value in zip(led.items(), formula.values.tolist(), strict=True):
                if value < 0 or place.setdefault((v[0], value), s) != s:
                    break
                if s in inside and (value != 0 or self.home[s][1] != v):
                    break
            else:
                distinct = len(set(place.values())) == len(place) == len(targets)
                if not distinct or not any(value for _, value in place):
                    continue
                if not inside:
                    return self._admit(place, (self.kinds[f][0], NUMBER))
                self.members[f] = {(*v, 0): s for v, s in self.members[f].items()}
                self.kinds[f] = (self.kinds[f][0], NUMBER)
                self.home.update({s: (f, v) for v, s in self.members[f].items()})
                return self._add(f, place)
        return False

    def _filled(self, f: int, g: int, led: Led, targets: set[int]) -> bool:
        """Members that are reached for the first time get the values that the formula of the others gives."""
        at = np.array([i for i, s in enumerate(led.values()) if self.home.get(s, (None,))[0] == f])
        fresh = {s for s in targets if s not in self.home}
        if not fresh or not len(at):
            return False
        wanted = np.array(
            [self.home[s][1][1] if self.home.get(s, (None,))[0] == f else 0 for s in led.values()]
        )
        formula = self._formulas(f, g, led).fitting(wanted, at)
        if formula is None:
            return False
        cells = zip(led.items(), formula.values.tolist(), strict=True)
        return self._admit({(v[0], value): s for ((v, _), s), value in cells if s in fresh}, self.kinds[f])
