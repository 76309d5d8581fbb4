"""The part of `verify` that reads a proof of (V15): images of symbols, and words of its spots."""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, are_numbers, check
from gridlang.compiler.verifier.values.facts import Surroundings
from gridlang.compiler.verifier.values.reduced.clauses import reduced_clause
from gridlang.compiler.verifier.values.reduced.words import Name, Reducing, Tokens, Unknown
from gridlang.compiler.verifier.values.strips import WHERE, Element, ValueStrip

REDUCED_PARTS = {"rows", "row", "near", "far", "dim", "classes", "marks", "kinds", "images", "invariants"}
Classes = tuple[int, ...]  # or cells
Head = tuple[int, int, Classes, int]  # state, row, the head's column, its part
Sides = tuple[Classes, Classes]  # the columns beside it
LEFT_SIDE, RIGHT_SIDE = 0, 1


class ReducedProof:
    """A strip with words at its spots."""

    def __init__(self, left: Rules, part: dict[str, Any]) -> None:
        check(set(part) == REDUCED_PARTS, WHERE, "something is missing or unknown")
        self.strip = ValueStrip(left, part, False)
        self.surroundings = Surroundings(self.strip)
        self.clause = reduced_clause(
            left, [{left.symbols[s] for s in some} for some in self.strip.places.symbols_of]
        )
        self.reducing = Reducing(self.clause)
        self.images = self._images(part["images"])
        self.names = self._names()
        self.invariants = self._invariants(part["invariants"])
        self._said: dict[tuple[Head, Sides], Tokens | bool] = {}
        self.row = part["row"]
        check(type(self.row) is int and self.row in self.strip.rows, WHERE, "its row is not of the strip")

    def _images(self, images: Any) -> list[str]:
        symbols = self.strip.left.symbols
        texts = isinstance(images, list) and all(isinstance(image, str) for image in images)
        check(texts and len(images) == len(symbols), WHERE, "its images are not one for each symbol")
        letters = images[0] == "" and set(images) <= {"", *symbols[1:]}
        check(letters, WHERE, "an image is not a symbol, or the blank has one")
        same = all(images[symbols.index(symbol)] == image for symbol, image in self.clause.images.items())
        check(same, WHERE, "its images are not those of the output clause")
        return list(images)

    def _names(self) -> dict[Name, frozenset[str]]:
        """All unknown words beside the head, with the images that their cells may have."""
        names: dict[Name, frozenset[str]] = {}
        for side in (LEFT_SIDE, RIGHT_SIDE):
            for j, symbols in enumerate(self.strip.places.symbols_of):
                names["F", side, j] = frozenset(self.images[s] for s in symbols)
            for y in self.strip.rows:
                for c, members in enumerate(self.strip.members):
                    names["N", side, y, c] = frozenset(self.images[s] for s in members)
        return names

    def _invariants(self, listed: Any) -> dict[Head, list[tuple[Sides, Tokens | bool]]]:
        """What is said where the head's column is the same, what stands last first."""
        whole = isinstance(listed, list) and len(listed) <= LIMITS.value_elements
        check(whole, WHERE, "its invariants are none, or too many")
        invariants: dict[Head, list[tuple[Sides, Tokens | bool]]] = {}
        for entry in reversed(listed):
            check(isinstance(entry, list) and len(entry) == 7, WHERE, "an entry of its invariants is none")
            p, y, left, cells, right, part, says = entry
            one = type(y) is int and are_numbers([p], 0) and are_numbers([part], -1)
            columns = are_numbers(left, 0) and are_numbers(right, 0) and are_numbers(cells, -LIMITS.number)
            check(one and columns, WHERE, "there is no such spot")
            known = isinstance(says, bool) or (isinstance(says, list) and len(says) <= LIMITS.tokens)
            check(known, WHERE, "a spot has no word, or one that is too long")
            word = says if isinstance(says, bool) else [self._token(token) for token in says]
            at = invariants.setdefault((p, y, tuple(cells), part), [])
            at.append(((tuple(left), tuple(right)), word))
        return invariants

    def _token(self, token: Any) -> str | Unknown:
        if isinstance(token, str):
            check(len(token) == 1, WHERE, "a token is not one letter")
            return token
        known = isinstance(token, list) and len(token) > 1 and isinstance(token[0], str)
        check(known and are_numbers(token[1:], -LIMITS.number), WHERE, "a token is none")
        *name, back = token
        cell = len(name) == 2 and name[0] == "U" and name[1] in self.strip.rows
        check((cell or tuple(name) in self.names) and back in (0, 1), WHERE, "there is no such word")
        return Unknown(tuple(name), back == 1)

    def at(self, element: Element) -> Tokens | bool:
        """What the certificate says at an element."""
        p, y, left, label, right = element
        _, _, cells, part = self.strip.node(element)
        if not self.strip.grain.dim:
            cells = self.strip.labels[label].cells
        sides = self.strip.rough[left].cells, self.strip.rough[right].cells
        spot = (p, y, cells, part), sides
        if spot not in self._said:
            self._said[spot] = self._found(*spot)
        return self._said[spot]

    def _found(self, head: Head, sides: Sides) -> Tokens | bool:
        """Of a spot that is not listed, the longest word where the head's column is the same."""
        some = self.invariants.get(head, [])
        check(some, WHERE, "a spot has no word")
        words = [word for beside, word in some if beside == sides]
        return words[0] if words else max((word for _, word in some), key=_length)


def _length(word: Tokens | bool) -> int:
    return 0 if isinstance(word, bool) else len(word)
