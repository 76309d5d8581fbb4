"""Looks for words at the spots of a strip: where the head is, each says what the clause's word has become.

Going forwards from the start, a step changes a word as little as it can. What the head leaves behind must be
next to the unknown word that it becomes a part of; where that is not in the word yet, it may be any letter
that was written. Where ways meet, a word is kept that is right on both.
None of this need be right: the checker of certificates decides.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gridlang.compiler.proofs.abstractions.columns import FRESH, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.first_columns import FirstColumns
from gridlang.compiler.proofs.abstractions.strips import Move, Node
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.values.reduced.strips import Spot, WordStrip
from gridlang.compiler.proofs.values.reduced.words import (
    Name,
    Read,
    Token,
    Word,
    backwards,
    core,
    is_cell,
    is_empty,
    reduced,
)
from gridlang.compiler.verifier.values.reduced.clauses import PartWord


class Arrival(NamedTuple):
    """Words that a step may lead to, the likeliest first, and whether nothing is left of them."""

    words: list[Word]
    decided: bool | None
    empty: set[Name]  # unknown words that are empty there
    origin: tuple[Spot, Word | bool] | None = None  # where a step was made, and what was said there


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
        self.empty_for: dict[Spot, set[Name]] = {}  # what was empty where its word came from
        self.origins: dict[Spot, tuple[Spot, Word | bool] | None] = {}  # of its word
        self.decided: dict[Spot, bool | None] = {}
        self.deciders: dict[Spot, int | None] = {}  # the states before those that know it
        self.undecided: set[int] = set()  # states
        self.replaced: Counter[Spot] = Counter()
        self.work: deque[Spot] = deque()

    def found(self) -> dict[Spot, Word | bool]:
        """The words; Unsaid where one cannot be followed.

        What is known of a word stands for it, but in states where ways meet of which one does not know it.
        """
        while True:
            self.words, self.empty_for, self.origins, self.decided = {}, {}, {}, {}
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
        """From spot to spot; what is not clear comes last, if what it comes from is still said then."""
        late: deque[tuple[Node, Arrival]] = deque()
        lost: list[tuple[Node, Arrival]] = []  # what did not fit, perhaps as other ways were still to come
        for left, label, right in FirstColumns(self.columns.places, self.strip.labels, 1).heads():
            node = (0, 0, 0, left, label, right)
            word = self._at_start(node)
            self._come(node, Arrival([word], self._decided(word, node), self.empty(node)))
        while self.work or late:
            if self.work:
                spot = self.work.popleft()
                for later, arrival in (each for node in self.spots[spot] for each in self._steps(node)):
                    if self._is_clear(later, arrival):
                        self._come(later, arrival)
                    else:
                        late.append((later, arrival))
            else:
                later, arrival = late.popleft()
                try:
                    if not self._is_stale(arrival.origin):
                        self._come(later, arrival)
                except Unsaid:
                    lost.append((later, arrival))
            if not self.work and not late:
                for later, arrival in lost:
                    if not self._is_stale(arrival.origin):
                        self._come(later, arrival)
                lost.clear()
            if not self.work and not late and self.goal.verdict:
                self._decide_ends()

    def _is_stale(self, origin: tuple[Spot, Word | bool] | None) -> bool:
        """Whether something else is said by now where a word comes from, or where that comes from."""
        seen: set[Spot] = set()
        while origin is not None and origin[0] not in seen:
            spot, said = origin
            if self.words[spot] != said:
                return True
            seen.add(spot)
            origin = self.origins[spot]
        return False

    def _is_clear(self, later: Node, arrival: Arrival) -> bool:
        """Whether it is known which letter was left behind, and that of the head's column is in the word."""
        if not arrival.words or (arrival.decided is not None and not self.goal.mirror):
            return arrival.decided is not None
        if len(arrival.words) > 1 and self.spot[later] not in self.words:
            return False
        cells: list[Token] = [("U", y, 0) for y in self.rows]
        return all(cell in arrival.words[0] or self.letters(cell, later) == {""} for cell in cells)

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
            self.words[spot], self.deciders[spot] = decided, None
            self.work.append(spot)

    def _lost(self, state: int) -> Unsaid:
        name = self.table.states[state]
        return Unsaid(f"what is left of the word cannot be told in state `{name}`")

    def _at_start(self, node: Node) -> Word:
        here, word = self.spot[node][-1], list[Token]()
        for each in self.goal.word:
            if isinstance(each, PartWord):
                cell: list[Token] = [("U", 0, 0)] if each.part == here else []
                piece: list[Token] = [*cell, ("F", RIGHT_SIDE, each.part, 0)]
                word += backwards(piece) if each.back else piece
            else:
                word.append(each)
        return tuple(word)

    def _come(self, node: Node, arrival: Arrival) -> None:
        """What the word may be where a step leads to."""
        spot, (words, decided, empty, origin) = self.spot[node], arrival
        if decided is not None and (not words or spot[0] not in self.undecided):
            self._come_decided(spot, decided, origin)
            return
        if not words:
            if self._is_stale(origin):
                return
            raise self._lost(spot[0])
        known = self.words.setdefault(spot, words[0])
        if isinstance(known, bool):
            raise self._not_decided(spot, self.deciders[spot])
        if spot not in self.empty_for:
            self.empty_for[spot], self.origins[spot], self.decided[spot] = empty, origin, decided
            self.work.append(spot)
        if self.decided[spot] is not decided:
            self.decided[spot] = None
        if core(known, self.goal, empty) in [core(word, self.goal, empty) for word in words]:
            return
        before = self.goal, self.empty_for[spot]
        fit = [word for word in words if core(word, *before) == core(known, *before)]
        if not fit and self._is_stale(origin):
            return
        if not fit and (
            not self._is_stale(self.origins[spot]) or self.replaced[spot] > LIMITS.most_words_replaced
        ):
            raise self._lost(spot[0])
        self.replaced[spot] += 1
        self.words[spot], self.empty_for[spot], self.origins[spot] = (fit or words)[0], empty, origin
        self.work.append(spot)

    def _not_decided(self, spot: Spot, decider: int | None) -> _NotDecided:
        """The state that must keep its word: this one, or the one before, from which none came."""
        return _NotDecided(spot[0] if spot[0] not in self.undecided or decider is None else decider)

    def _come_decided(self, spot: Spot, decided: bool, origin: tuple[Spot, Word | bool] | None) -> None:
        decider = None if origin is None else origin[0][0]
        known = self.words.get(spot)
        if known is None:
            self.words[spot] = self.decided[spot] = decided
            self.origins[spot], self.deciders[spot] = None, decider
            self.work.append(spot)
        elif known is not decided:
            raise self._not_decided(spot, decider)

    def _steps(self, node: Node) -> Iterator[tuple[Node, Arrival]]:
        said = self.words[self.spot[node]]
        for symbol, move in self.strip.steps(node):
            if not isinstance(move, Move):
                continue
            if isinstance(said, bool):
                for later in self.strip.after(node, move):
                    yield later, Arrival([], said, set(), (self.spot[node], said))
            else:
                word = list(self.read(said, node, symbol))
                decided, side = self._decided(word, node), move.side
                same = {name for name in self.empty(node) if side is None or name[1] == side}
                for later in self.strip.after(node, move):
                    words = self._after(word, node, move, later)
                    yield later, Arrival(words, decided, same | self.empty(later), (self.spot[node], said))

    def _decided(self, word: Sequence[Token], node: Node) -> bool | None:
        """Whether nothing is left of a word, if a verdict asks for it and it is known."""
        if self.goal.verdict is None:
            return None
        return is_empty(
            core(word, self.goal, self.empty(node)), self.goal, lambda token: self.letters(token, node)
        )

    def _after(self, word: list[Token], node: Node, move: Move, later: Node) -> list[Word]:
        """The words that one may become by a step; none if it cannot be followed."""
        row, image, ahead = node[2], self.images[move.entry.write], move.side
        if ahead is None:
            stays = self._instead(word, image, ("U", row, 0)) if image else [word]
            return self._reduced(stays, self.empty(node))
        behind, words = 1 - ahead, [word]
        for y, c in zip(self.rows, self.rough[move.coarse][0], strict=True):
            cells = [image] if y == row and image else []
            for cell in cells if y == row else self.read([("U", y, 0)], node, None):
                name = ("N", behind, y, c)
                words = [one for each in words for one in self._left(each, cell, name, self.empty(node))]
        empty = {name for name in self.empty(node) if name[1] == ahead}
        empty |= {name for name in self.empty(later) if name[1] == behind}
        found = self._reduced([word for word in words if not any(map(is_cell, word))], empty)
        return [tuple(self._entered(word, later, ahead)) for word in found]

    def _reduced(self, words: list[list[Token]], empty: set[Name]) -> list[Word]:
        """Letters cancel only after a step: what the head leaves as it was is still to be seen there."""
        return list(dict.fromkeys(tuple(reduced(word, self.goal, empty)) for word in words))

    def _left(self, word: list[Token], cell: Token, name: Name, empty: set[Name]) -> list[list[Token]]:
        """A word in which what is left behind has become a part of an unknown word."""
        token = next((one for one in word if one[:-1] == name), None)
        if token is None or name in empty:
            others = [one for one in word if one[:-1] != name]
            return self._instead(others, cell, (*name, self.turned.setdefault(name, 0)))
        at = word.index(token)
        onward = range(at + 1, len(word)) if name[1] == token[-1] else range(at - 1, -1, -1)
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
