"""Words of letters and of unknown words, as invariants of clauses in which letters cancel each other.

A token is a letter, or the name of an unknown word and whether that is read from its end; which names there
are: `compiler/verifier/values/reduced/words`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

from gridlang.compiler.verifier.values.reduced.clauses import ReducedClause

Token = str | tuple[Any, ...]
Word = tuple[Token, ...]
Name = tuple[Any, ...]  # a token without its last
Letters = Callable[[Token], frozenset[str]]  # that a token may have, "" where it may have none


class Read(str):
    """The letter that the head has read, so that it is known where that stands in a word."""


def is_cell(token: Token) -> bool:
    return token[0] == "U" and not isinstance(token, str)


def backwards(word: Iterable[Token]) -> list[Token]:
    turned = [token if isinstance(token, str) else (*token[:-1], 1 - token[-1]) for token in word]
    return turned[::-1]


def reduced(word: Iterable[Token], goal: ReducedClause, empty: Container[Name]) -> list[Token]:
    """Without letters that cancel; words with `empty` names stay where they are."""
    if goal.mirror:
        return _between([*word], empty)
    result: list[Token] = []
    for token in word:
        last = next((i for i in range(len(result) - 1, -1, -1) if result[i][:-1] not in empty), None)
        beside = "" if last is None else result[last]
        if isinstance(token, str) and isinstance(beside, str) and beside + token in goal.pairs:
            del result[last or 0]
        else:
            result.append(token)
    return result


def _between(word: list[Token], empty: Container[Name]) -> list[Token]:
    """Without letters that are the same at both ends."""
    while True:
        there = [at for at, token in enumerate(word) if token[:-1] not in empty]
        if len(there) < 2 or not isinstance(word[there[0]], str) or word[there[0]] != word[there[-1]]:
            return word
        word = [token for at, token in enumerate(word) if at not in (there[0], there[-1])]


def core(word: Iterable[Token], goal: ReducedClause, empty: Container[Name]) -> list[Token]:
    """Also without these words, and without letters that are first of all and erased at last."""
    there = reduced([token for token in word if token[:-1] not in empty], goal, ())
    lost = goal.erased - goal.firsts
    return there[next((i for i, token in enumerate(there) if token not in lost), len(there)) :]


def is_empty(word: Sequence[Token], goal: ReducedClause, letters: Letters) -> bool | None:
    """Whether nothing is left of a word; None if it is not known."""
    if not word or (goal.mirror and len(word) == 1 and _is_one(word[0])):
        return True
    if goal.mirror:
        ends = letters(word[0]), letters(word[-1])
        sure = len(word) > 1 and all(_is_one(token) for token in (word[0], word[-1]))
        return False if sure and not ends[0] & ends[1] and not any("" in end for end in ends) else None
    stuck = _stuck(word, goal, letters)
    for token in word[:stuck]:
        lasts = goal.firsts if stuck < len(word) else frozenset()
        if "" not in letters(token) and not letters(token) & (goal.erased | lasts) and _is_one(token):
            return False
    return None


def _is_one(token: Token) -> bool:
    return isinstance(token, str) or is_cell(token)


def _stuck(word: Sequence[Token], goal: ReducedClause, letters: Letters) -> int:
    """The tokens at the beginning of which no letters can cancel."""
    before: set[str] = set()  # letters that may be last
    for at, token in enumerate(word):
        found = letters(token) - {""}
        within = () if _is_one(token) else found
        if any(a + b in goal.pairs for a in (*before, *within) for b in found):
            return at
        there = _is_one(token) and "" not in letters(token)
        before = set(found) if there else before | found
    return len(word)
