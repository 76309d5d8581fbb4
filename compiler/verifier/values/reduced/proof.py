"""The part of `verify` that reads a proof of (V15): images of symbols, and words of its spots."""

from __future__ import annotations

from typing import Any

from compiler.verifier.limits import LIMITS
from compiler.verifier.tables import Rules, are_numbers, check
from compiler.verifier.values.facts import Surroundings
from compiler.verifier.values.reduced.clauses import reduced_clause
from compiler.verifier.values.reduced.words import Name, Reducing, Tokens, Unknown
from compiler.verifier.values.strips import WHERE, Element, ValueStrip

REDUCED_PARTS = {"rows", "row", "near", "far", "dim", "classes", "marks", "kinds", "images", "invariants"}
Classes = tuple[int, ...]  # or cells
Spot = tuple[int, int, Classes, Classes, Classes, int]  # state, row, left, head and right column, part
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

    def _invariants(self, listed: Any) -> dict[Spot, Tokens | bool]:
        whole = isinstance(listed, list) and len(listed) <= LIMITS.value_elements
        check(whole, WHERE, "its invariants are none, or too many")
        invariants: dict[Spot, Tokens | bool] = {}
        for entry in listed:
            check(isinstance(entry, list) and len(entry) == 7, WHERE, "an entry of its invariants is none")
            p, y, *columns, part, says = entry
            classes = all(are_numbers(column, -LIMITS.number, LIMITS.number) for column in columns)
            check(are_numbers([p, y, part], -LIMITS.number) and classes, WHERE, "there is no such spot")
            left, head, right = (tuple(column) for column in columns)
            spot = p, y, left, head, right, part
            check(spot not in invariants, WHERE, "a spot stands twice")
            known = isinstance(says, bool) or (isinstance(says, list) and len(says) <= LIMITS.tokens)
            check(known, WHERE, "a spot has no word, or one that is too long")
            invariants[spot] = says if isinstance(says, bool) else [self._token(token) for token in says]
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
        p, y, left, _, right = element
        rough = self.strip.rough
        _, _, head, part = self.strip.node(element)
        if not self.strip.grain.dim:
            head = self.strip.labels[element[3]].cells
        spot = p, y, rough[left].cells, head, rough[right].cells, part
        check(spot in self.invariants, WHERE, "a spot has no word")
        return self.invariants[spot]
