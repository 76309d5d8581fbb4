"""The part of `verify` that calculates with words of letters and of what is unknown: (V15).

A token is a letter, or an unknown word with its name, perhaps read from its end. Names are
  ("N", side, y, c)  the images of the cells in row y, of class c, of the columns on a side of the head that
                     were acted on, from left to right; side 0 is left, 1 right
  ("F", side, j)     the same of the columns of part j that were never acted on
  ("U", y)           the image of the cell in row y of the head's column; ("T", y) of the one it comes to
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from gridlang.compiler.verifier.values.reduced.clauses import ReducedClause

Name = tuple[Any, ...]
Images = Callable[[Name], "frozenset[str]"]  # of one cell of an unknown word, "" for none
CELLS = ("U", "T")  # kinds of names of one cell


class Unknown(NamedTuple):
    """A word by its name."""

    name: Name
    back: bool

    @property
    def is_cell(self) -> bool:
        return self.name[0] in CELLS


Token = str | Unknown
Tokens = list[Token]


def put_into(tokens: Iterable[Token], words: Mapping[Name, Tokens]) -> Tokens:
    result: Tokens = []
    for token in tokens:
        if isinstance(token, str) or token.name not in words:
            result.append(token)
        else:
            result += backwards(words[token.name]) if token.back else words[token.name]
    return result


def backwards(tokens: Iterable[Token]) -> Tokens:
    turned = [token if isinstance(token, str) else token._replace(back=not token.back) for token in tokens]
    return turned[::-1]


def known(tokens: Iterable[Token], images: Images) -> Tokens:
    """Tokens without those that are empty, and letters for cells that have one image."""
    result: Tokens = []
    for token in tokens:
        if isinstance(token, str):
            result.append(token)
            continue
        found = images(token.name)
        if token.is_cell and len(found) == 1:
            result += filter(None, found)
        elif found - {""}:
            result.append(token._replace(back=False) if token.is_cell else token)
    return result


class Reducing(NamedTuple):
    """Tokens with equal words are not told apart where their clause has the same value on them."""

    clause: ReducedClause

    def reduced(self, tokens: Iterable[Token]) -> Tokens:
        """The same value: without letters that cancel, and without a first letter that is never left.

        Letters that are erased at last, and are the first of no pair, never cancel where nothing is before
        them.
        """
        if self.clause.mirror:
            return _between(list(tokens))
        result: Tokens = []
        for token in tokens:
            last = result[-1] if result else None
            if isinstance(token, str) and isinstance(last, str) and last + token in self.clause.pairs:
                result.pop()
            else:
                result.append(token)
        lost = self.clause.erased - self.clause.firsts
        while result and result[0] in lost:
            result.pop(0)
        return result

    def is_irreducible(self, tokens: Tokens, images: Images) -> bool:
        """Whether no two letters can be next to each other that cancel."""
        for i, token in enumerate(tokens):
            if isinstance(token, Unknown) and not token.is_cell and self._cancel(token, token, images):
                return False
            for other in tokens[i + 1 :]:
                if self._cancel(token, other, images):
                    return False
                if _is_there(other, images):
                    break
        return True

    def _cancel(self, token: Token, other: Token, images: Images) -> bool:
        firsts, seconds = _letters(token, images), _letters(other, images)
        return any(a + b in self.clause.pairs for a in firsts for b in seconds)

    def is_empty(self, tokens: Tokens, images: Images) -> bool | None:
        """Whether nothing is left of reduced tokens; None if that is not known.

        A letter that is the first of no pair stays if all up to it is irreducible: it could only cancel with
        what is before it. It, or any letter of what is irreducible, is left if it is not erased at last.
        """
        if self.clause.mirror:
            return self._is_mirrored(tokens, images)
        if not tokens:
            return True
        erased, firsts = self.clause.erased, self.clause.firsts
        for i, token in enumerate(tokens, 1):
            found = _letters(token, images)
            stays = _is_there(token, images) and not found & (erased | firsts)
            if stays and self.is_irreducible(tokens[:i], images):
                return False
        some = any(_is_there(token, images) and not _letters(token, images) & erased for token in tokens)
        return False if some and self.is_irreducible(tokens, images) else None

    @staticmethod
    def _is_mirrored(tokens: Tokens, images: Images) -> bool | None:
        """Words of one letter, or none, are their mirror images; those whose ends differ are not."""
        if not tokens or (len(tokens) == 1 and (isinstance(tokens[0], str) or tokens[0].is_cell)):
            return True
        first, last = tokens[0], tokens[-1]
        there = len(tokens) > 1 and _is_there(first, images) and _is_there(last, images)
        return False if there and not _letters(first, images) & _letters(last, images) else None

    def is_left(self, tokens: Tokens, images: Images) -> bool:
        """Whether nothing of these tokens is crossed out or erased."""
        erased = any(_letters(token, images) & self.clause.erased for token in tokens)
        return not erased and self.is_irreducible(tokens, images)


def _between(tokens: Tokens) -> Tokens:
    """Without letters that are the same at both ends."""
    while len(tokens) > 1 and isinstance(tokens[0], str) and tokens[0] == tokens[-1]:
        tokens = tokens[1:-1]
    return tokens


def _letters(token: Token, images: Images) -> frozenset[str]:
    return frozenset(token) if isinstance(token, str) else images(token.name) - {""}


def _is_there(token: Token, images: Images) -> bool:
    """Whether it has one letter at least."""
    return isinstance(token, str) or (token.is_cell and "" not in images(token.name))
