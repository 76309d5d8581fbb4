"""Looks for words at the spots of a strip: where the head is, each says what the clause's word has become.

Going forwards from the start, a step changes a word as little as it can. What the head leaves behind must be
next to the unknown word that it becomes a part of; where that is not in the word yet, it may be any letter
that was written. Where ways meet, the longer word is kept: what it has more was empty on the other way. None
of this need be right: the checker of certificates decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from compiler.proofs.abstractions.columns import FRESH, LEFT_SIDE, RIGHT_SIDE
from compiler.proofs.abstractions.first_columns import first_columns
from compiler.proofs.abstractions.strips import Node, StripAnalysis
from compiler.proofs.results.readings import Unsaid
from compiler.proofs.values.part_columns import PartColumns
from compiler.proofs.values.reduced_goals import PartPiece, ReducedGoal
from compiler.proofs.values.reduced_words import (
    Name,
    Read,
    Token,
    Word,
    backwards,
    is_cell,
    is_empty,
    is_part_of,
    reduced,
)
from gridlang.table import DELTAS, Entry, Table

Spot = tuple[int, int, tuple[int, ...], tuple[int, ...], tuple[int, ...], int]


class Arrival(NamedTuple):
    """Words that a step may lead to, the likeliest first, and whether nothing is left of them."""

    words: list[Word]
    decided: bool | None
    empty: set[Name]  # unknown words that are empty there


class _NotDecided(Exception):
    """Ways meet in a state, and only on one of them it is known whether anything is left."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


LOST = "what becomes of its word cannot be followed from step to step"


class ReducedSearch:
    """Words of all spots, with images of the symbols; names that are `turned` are read from their ends.

    Names that come later are added to these, as not turned.
    """

    def __init__(
        self,
        table: Table,
        goal: ReducedGoal,
        strip: StripAnalysis,
        columns: PartColumns,
        images: list[str],
        turned: dict[Name, int],
    ) -> None:
        self.table, self.goal, self.strip, self.columns = table, goal, strip, columns
        self.images, self.turned = images, turned
        self.rows = range(strip.rows[0], strip.rows[1] + 1)
        self.rough = {
            strip.labels.coarse[number]: (self._classes(number), place, mark)
            for number, (_, place, mark) in enumerate(strip.labels.labels)
        }
        self._names: dict[tuple[int, int, int], set[Name]] = {}
        sides = (LEFT_SIDE, RIGHT_SIDE)
        self.names: set[Name] = {name for side in sides for c in self.rough for name in self._own(side, c)}
        self.names |= {("F", side, part) for side in sides for part in range(columns.parts)}
        self.spot = {node: self._spot(node) for node in strip.nodes}
        self.spots: dict[Spot, list[Node]] = {}
        for node, spot in self.spot.items():
            self.spots.setdefault(spot, []).append(node)
        self._empty_at: dict[tuple[int, int, int], set[Name]] = {}
        self.words: dict[Spot, Word | bool] = {}
        self.cores: dict[Spot, Word] = {}  # words without what was empty where they came from
        self.decided: dict[Spot, bool | None] = {}
        self.undecided: set[int] = set()  # states
        self.work: deque[Spot] = deque()

    def _classes(self, label: int) -> tuple[int, ...]:
        classes = self.strip.labels.classes
        return tuple(classes[c] if c >= 0 else -1 - c for c in self.strip.labels.labels[label][0])

    def _spot(self, node: Node) -> Spot:
        p, _, row, (left,), label, (right,) = node
        part = self.columns.part(self.strip.labels.labels[label][1])
        return p, row, self.rough[left][0], self._classes(label), self.rough[right][0], part

    def found(self) -> dict[Spot, Word | bool]:
        """The words; Unsaid where one cannot be followed.

        What is known of a word stands for it, but in states where ways meet of which one does not know it.
        """
        while True:
            self.words, self.cores, self.decided = {}, {}, {}
            self.work.clear()
            try:
                self._follow()
            except _NotDecided as state:
                if state.number in self.undecided:
                    raise Unsaid(LOST) from None
                self.undecided.add(state.number)
            else:
                return self.words

    def _follow(self) -> None:
        late: deque[tuple[Node, Arrival]] = deque()  # where it is not clear which letter was left behind
        heads = first_columns(self.columns.places, self.strip.labels.classes, 1).heads
        for left, label, right in heads:
            node = (0, 0, 0, left, label, right)
            word = self._at_start(node)
            self._come(node, Arrival([word], self._decided(word, node), self._empty(node)))
        while self.work or late:
            if self.work:
                for node in self.spots[self.work.popleft()]:
                    for later, arrival in self._steps(node):
                        if len(arrival.words) < 2 or self.spot[later] in self.words:
                            self._come(later, arrival)
                        else:
                            late.append((later, arrival))
            else:
                self._come(*late.popleft())
            if not self.work and not late and self.goal.verdict:
                self._decide_ends()

    def _decide_ends(self) -> None:
        """Where the agent halts, it must be known whether anything is left."""
        for spot in (self.spot[node] for node in self.strip.halting):
            decided = self.decided[spot]
            if decided is None:
                raise Unsaid("it may halt where it is not known whether anything is left")
            if not isinstance(self.words[spot], bool):
                self.words[spot] = decided
                self.work.append(spot)

    def _at_start(self, node: Node) -> Word:
        here, word = self.spot[node][-1], list[Token]()
        for each in self.goal.word:
            if isinstance(each, PartPiece):
                cell: list[Token] = [("U", 0, 0)] if each.part == here else []
                piece: list[Token] = [*cell, ("F", RIGHT_SIDE, each.part, 0)]
                word += backwards(piece) if each.back else piece
            else:
                word.append(each)
        return tuple(word)

    def _come(self, node: Node, arrival: Arrival) -> None:
        """What the word may be where a step leads to."""
        spot, (words, decided, empty) = self.spot[node], arrival
        if decided is not None and (not words or spot[0] not in self.undecided):
            self._come_decided(spot, decided)
            return
        if not words:
            raise Unsaid(LOST)
        cores = [tuple(token for token in word if token[:-1] not in empty) for word in words]
        known = self.words.setdefault(spot, words[0])
        if isinstance(known, bool):
            raise _NotDecided(spot[0])
        if spot not in self.cores:
            self.cores[spot], self.decided[spot] = cores[0], decided
            self.work.append(spot)
        if self.decided[spot] is not decided:
            self.decided[spot] = None
        if any(is_part_of(core, known) for core in cores):
            return
        longer = next((i for i, word in enumerate(words) if is_part_of(self.cores[spot], word)), None)
        if longer is None:
            raise Unsaid(LOST)
        self.words[spot], self.cores[spot] = words[longer], cores[longer]
        self.work.append(spot)

    def _come_decided(self, spot: Spot, decided: bool) -> None:
        known = self.words.get(spot)
        if known is None:
            self.words[spot] = self.decided[spot] = decided
            self.work.append(spot)
        elif known is not decided:
            raise _NotDecided(spot[0])

    def _steps(self, node: Node) -> Iterator[tuple[Node, Arrival]]:
        p, _, row, _, label, _ = node
        said = self.words[self.spot[node]]
        for symbol in self.strip.labels.symbols(self.strip.labels.labels[label][0][row - self.rows[0]]):
            entry = self.table.rows[p][symbol]
            if entry is None or entry.is_idle(symbol):
                continue
            if isinstance(said, bool):
                for later in self._follows(node, entry):
                    yield later, Arrival([], said, set())
            else:
                word = list(self._read(said, node, symbol))
                decided, dx = self._decided(word, node), DELTAS[entry.move][0]
                behind = LEFT_SIDE if dx > 0 else RIGHT_SIDE
                same = {name for name in self._empty(node) if dx == 0 or name[1] != behind}
                for later in self._follows(node, entry):
                    words = self._after(word, node, entry, later)
                    yield later, Arrival(words, decided, same | self._empty(later))

    def _decided(self, word: Sequence[Token], node: Node) -> bool | None:
        """Whether nothing is left of a word, if a verdict asks for it and it is known."""
        if self.goal.verdict is None:
            return None
        empty = self._empty(node)
        there = reduced([token for token in word if token[:-1] not in empty], self.goal, ())
        return is_empty(there, self.goal, lambda token: self._letters(token, node))

    def _follows(self, node: Node, entry: Entry) -> Iterator[Node]:
        p, _, row, left, label, right = node
        after = self.strip.written(label, row, entry.write, p)
        dx, dy = DELTAS[entry.move]
        if dx == 0:
            yield entry.next, entry.next, row + dy, left, after, right
            return
        side, near = (RIGHT_SIDE, right) if dx > 0 else (LEFT_SIDE, left)
        behind = (self.strip.labels.coarse[after],)
        for x, beyond in self.strip.grams[side][self.strip.detail.kinds[p]].get(near, ()):
            sides = (behind, (beyond,)) if dx > 0 else ((beyond,), behind)
            yield entry.next, entry.next, row, sides[0], x, sides[1]

    def _after(self, word: list[Token], node: Node, entry: Entry, later: Node) -> list[Word]:
        """The words that one may become by a step; none if it cannot be followed."""
        p, _, row, _, label, _ = node
        image = self.images[entry.write]
        dx, _ = DELTAS[entry.move]
        if dx == 0:
            stays = self._instead(word, image, ("U", row, 0)) if image else [word]
            return self._reduced(stays, self._empty(node))
        behind, ahead = (LEFT_SIDE, RIGHT_SIDE) if dx > 0 else (RIGHT_SIDE, LEFT_SIDE)
        words = [word]
        written = self._classes(self.strip.written(label, row, entry.write, p))
        for y, c in zip(self.rows, written, strict=True):
            cells = [image] if y == row and image else []
            for cell in cells if y == row else self._read([("U", y, 0)], node, None):
                name = ("N", behind, y, c)
                words = [one for each in words for one in self._left(each, cell, name, dx, self._empty(node))]
        empty = {name for name in self._empty(node) if name[1] == ahead}
        empty |= {name for name in self._empty(later) if name[1] == behind}
        found = self._reduced([word for word in words if not any(map(is_cell, word))], empty)
        return [tuple(self._entered(word, later, ahead)) for word in found]

    def _reduced(self, words: list[list[Token]], empty: set[Name]) -> list[Word]:
        """Letters cancel only after a step: what the head leaves as it was is still to be seen there."""
        return list(dict.fromkeys(tuple(reduced(word, self.goal, empty)) for word in words))

    def _left(
        self, word: list[Token], cell: Token, name: Name, dx: int, empty: set[Name]
    ) -> list[list[Token]]:
        """A word in which what is left behind has become a part of an unknown word."""
        token = next((one for one in word if one[:-1] == name), None)
        if token is None or name in empty:
            others = [one for one in word if one[:-1] != name]
            return self._instead(others, cell, (*name, self.turned.setdefault(name, 0)))
        at = word.index(token)
        onward = range(at + 1, len(word)) if (dx > 0) != bool(token[-1]) else range(at - 1, -1, -1)
        beside = next((i for i in onward if word[i][:-1] not in empty), None)
        if beside is None or word[beside] != cell:
            return []
        return [[one for i, one in enumerate(word) if i != beside]]

    @staticmethod
    def _instead(word: list[Token], cell: Token, token: Token) -> list[list[Token]]:
        """Words with a token for one of its cells; what was read first. What is not there is not followed."""
        places = [at for at, one in enumerate(word) if one == cell]
        places.sort(key=lambda at: not isinstance(word[at], Read))
        return [[*word[:at], token, *word[at + 1 :]] for at in places] or [word]

    def _entered(self, word: Word, later: Node, ahead: int) -> list[Token]:
        """A word in which the column that the head comes to is one of its own."""
        cells, place, mark = self.rough[self.strip.labels.coarse[later[4]]]
        entered: dict[Name, Token] = {}
        for y, c in zip(self.rows, cells, strict=True):
            name = ("F", ahead, self.columns.part(place)) if mark == FRESH else ("N", ahead, y, c)
            if mark != FRESH or y == 0:
                entered[name] = ("U", y, 0)
        result: list[Token] = []
        for token in word:
            cell = None if isinstance(token, str) else entered.get(token[:-1])
            if cell is None:
                result.append(token)
            else:
                result += [cell, token] if (ahead == RIGHT_SIDE) != bool(token[-1]) else [token, cell]
        return result

    def _read(self, word: Iterable[Token], node: Node, symbol: int | None) -> Iterator[Token]:
        """A word with letters for cells that are known."""
        for token in word:
            if not is_cell(token):
                yield token
            elif symbol is not None and token[1] == node[2]:
                yield from [Read(self.images[symbol])] if self.images[symbol] else []
            else:
                letters = self._letters(token, node)
                yield from [token] if len(letters) > 1 else filter(None, letters)

    def _letters(self, token: Token, node: Node) -> frozenset[str]:
        if isinstance(token, str):
            return frozenset([token])
        if is_cell(token):
            cell = self.strip.labels.labels[node[4]][0][token[1] - self.rows[0]]
            return frozenset(self.images[s] for s in self.strip.labels.symbols(cell))
        return self._images(token[:-1])

    def _images(self, name: Name) -> frozenset[str]:
        if name[0] == "F":
            return frozenset(self.goal.images.get(x, "") for x in self.goal.members[name[2]])
        return frozenset(self.images[s] for s in self.strip.labels.members[name[3]])

    def _empty(self, node: Node) -> set[Name]:
        """Names of what cannot stand beside the head, or has no letters."""
        p, _, _, (left,), _, (right,) = node
        key = self.strip.detail.kinds[p], left, right
        if key not in self._empty_at:
            there = self._chain(LEFT_SIDE, key[0], left) | self._chain(RIGHT_SIDE, key[0], right)
            self._empty_at[key] = self.names - there
        return self._empty_at[key]

    def _chain(self, side: int, kind: int, near: int) -> set[Name]:
        """Names of what may stand on a side."""
        key = side, kind, near
        if key not in self._names:
            seen, work = {near}, [near]
            for coarse in work:
                new = {beyond for _, beyond in self.strip.grams[side][kind].get((coarse,), ())} - seen
                seen |= new
                work += new
            names = {name for coarse in seen for name in self._own(side, coarse)}
            self._names[key] = {name for name in names if self._images(name) != {""}}
        return self._names[key]

    def _own(self, side: int, coarse: int) -> Iterator[Name]:
        cells, place, mark = self.rough[coarse]
        part = self.columns.part(place)
        if mark == FRESH:
            yield from [("F", side, part)] if 0 <= part < self.columns.parts else []
        else:
            yield from (("N", side, y, c) for y, c in zip(self.rows, cells, strict=True))
