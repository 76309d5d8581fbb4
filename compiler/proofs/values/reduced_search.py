"""Looks for words at the spots of a strip: where the head is, each says what the clause's word has become.

Going forwards from the start, a step changes a word as little as it can. What the head leaves behind must be
next to the unknown word that it becomes a part of; where that is not in the word yet, it may be any letter
that was written. Where ways meet, the longer word is kept: what it has more was empty on the other way. None
of this need be right: the checker of certificates decides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from compiler.proofs.abstractions.columns import FRESH, LEFT_SIDE, RIGHT_SIDE
from compiler.proofs.abstractions.first_columns import first_columns
from compiler.proofs.abstractions.strips import Node
from compiler.proofs.results.readings import Unsaid
from compiler.proofs.values.reduced_goals import PartPiece
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
from compiler.proofs.values.word_strips import Spot, WordStrip
from gridlang.table import DELTAS, Entry


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


class ReducedSearch(WordStrip):
    """Words of all spots, with images of the symbols; names that are `turned` are read from their ends.

    Names that come later are added to these, as not turned.
    """

    def __init__(self, turned: dict[Name, int], *of: Any) -> None:
        super().__init__(*of)
        self.turned = turned
        self.words: dict[Spot, Word | bool] = {}
        self.cores: dict[Spot, Word] = {}  # words without what was empty where they came from
        self.decided: dict[Spot, bool | None] = {}
        self.undecided: set[int] = set()  # states
        self.work: deque[Spot] = deque()

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
                    raise self._lost(state.number) from None
                self.undecided.add(state.number)
            else:
                return self.words

    def _follow(self) -> None:
        late: deque[tuple[Node, Arrival]] = deque()  # where it is not clear which letter was left behind
        heads = first_columns(self.columns.places, self.strip.labels.classes, 1).heads
        for left, label, right in heads:
            node = (0, 0, 0, left, label, right)
            word = self._at_start(node)
            self._come(node, Arrival([word], self._decided(word, node), self.empty(node)))
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
        """Where the agent ends, it must be known whether anything is left."""
        for node, symbol in self.ends():
            spot = self.spot[node]
            word = self.words[spot]
            if isinstance(word, bool) or self._decided([*self.read(word, node, symbol)], node) is not None:
                continue
            decided = self.decided[spot]
            if decided is None:
                raise self._lost(node[0])
            self.words[spot] = decided
            self.work.append(spot)

    def _lost(self, state: int) -> Unsaid:
        name = self.table.states[state]
        return Unsaid(f"what is left of its word cannot be told where it comes to state `{name}`")

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
            raise self._lost(spot[0])
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
            raise self._lost(spot[0])
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
        said = self.words[self.spot[node]]
        for symbol in self.reads(node):
            entry = self.table.rows[node[0]][symbol]
            if entry is None or entry.is_idle(symbol):
                continue
            if isinstance(said, bool):
                for later in self.follows(node, entry):
                    yield later, Arrival([], said, set())
            else:
                word = list(self.read(said, node, symbol))
                decided, dx = self._decided(word, node), DELTAS[entry.move][0]
                behind = LEFT_SIDE if dx > 0 else RIGHT_SIDE
                same = {name for name in self.empty(node) if dx == 0 or name[1] != behind}
                for later in self.follows(node, entry):
                    words = self._after(word, node, entry, later)
                    yield later, Arrival(words, decided, same | self.empty(later))

    def _decided(self, word: Sequence[Token], node: Node) -> bool | None:
        """Whether nothing is left of a word, if a verdict asks for it and it is known."""
        if self.goal.verdict is None:
            return None
        empty = self.empty(node)
        there = reduced([token for token in word if token[:-1] not in empty], self.goal, ())
        return is_empty(there, self.goal, lambda token: self.letters(token, node))

    def _after(self, word: list[Token], node: Node, entry: Entry, later: Node) -> list[Word]:
        """The words that one may become by a step; none if it cannot be followed."""
        p, _, row, _, label, _ = node
        image = self.images[entry.write]
        dx, _ = DELTAS[entry.move]
        if dx == 0:
            stays = self._instead(word, image, ("U", row, 0)) if image else [word]
            return self._reduced(stays, self.empty(node))
        behind, ahead = (LEFT_SIDE, RIGHT_SIDE) if dx > 0 else (RIGHT_SIDE, LEFT_SIDE)
        words = [word]
        written = self.classes(self.strip.written(label, row, entry.write, p))
        for y, c in zip(self.rows, written, strict=True):
            cells = [image] if y == row and image else []
            for cell in cells if y == row else self.read([("U", y, 0)], node, None):
                name = ("N", behind, y, c)
                words = [one for each in words for one in self._left(each, cell, name, dx, self.empty(node))]
        empty = {name for name in self.empty(node) if name[1] == ahead}
        empty |= {name for name in self.empty(later) if name[1] == behind}
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
