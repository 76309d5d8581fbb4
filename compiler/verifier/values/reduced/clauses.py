"""The part of `verify` that reads clauses in which letters cancel each other: (V15).

`cancel(w, "ab", …)` crosses out adjacent letters, again and again. The pairs may be crossed out in any order:
no first letter of one is a second letter of one, so no two pairs overlap, and what is left is the same. Texts
of one letter are erased; such a letter is in no pair. The word w is made from parts and texts by `join`,
`reverse`, `replace` of one letter by one or none, and erasing. So each symbol of a part stands for a letter,
its *image*, or for nothing. Known clauses are what is left, perhaps reversed and without some letters; and
one of two texts or numbers, or of `accept` and `stuck`, by whether nothing is left; or by whether a part is
its own mirror image, where we say that nothing is left of such a word, and something of others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gridlang.compiler.verifier.clauses.outputs import digits_of, in_digits
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, Wrong, check

UNKNOWN = "its output clause is of none of the known forms"
BLANK = "its output clause has a blank in a text"


Verdict = str | bool  # the text that is to stand; of acceptors, whether LEFT halts


class PartWord(NamedTuple):
    """The text of a part, perhaps from its end."""

    part: int
    back: bool


class ReducedClause(NamedTuple):
    """A word of letters and parts, what is crossed out in it, and what is made of the rest."""

    word: tuple[str | PartWord, ...]
    images: dict[str, str]  # of the symbols of parts
    pairs: frozenset[str]
    erased: frozenset[str]  # letters that are left out at last
    back: bool
    verdict: tuple[Verdict, Verdict] | None  # where nothing is left, and where something is
    mirror: bool = False  # Nothing is left of a word that is its own mirror image, something of others.

    @property
    def accepts(self) -> bool:
        """Whether it says how runs end, and nothing else."""
        return self.verdict is not None and isinstance(self.verdict[0], bool)

    @property
    def firsts(self) -> frozenset[str]:
        return frozenset(pair[0] for pair in self.pairs)


def reduced_clause(left: Rules, members: list[set[str]]) -> ReducedClause:
    """LEFT's clause, `members` the symbols of its parts; Wrong if it is none of these."""
    return _Reader(left, members, digits_of(left)).clause(left.output["value"])


class _Reader:
    def __init__(self, left: Rules, members: list[set[str]], digits: str) -> None:
        self.left, self.members, self.digits = left, members, digits
        self.images: dict[str, str] = {}
        self.size = 0

    def clause(self, tree: Any) -> ReducedClause:
        if _kind(tree) != "if":
            return self._reduced(tree)
        check(len(tree) == 4, "left", UNKNOWN)
        word, empty, mirror = self._condition(tree[1])
        texts = [self._text(one) for one in (tree[2:] if empty else tree[:1:-1])]
        same = len({isinstance(text, bool) for text in texts}) == 1
        check(same, "left", "its output clause has results beside `accept` and `stuck`")
        return self._reduced(word)._replace(verdict=(texts[0], texts[1]), mirror=mirror)

    def _condition(self, tree: Any) -> tuple[Any, bool, bool]:
        """A word, whether the condition holds where nothing is left, and whether it is of mirror images."""
        self._count()
        if _kind(tree) == "not":
            check(len(tree) == 2, "left", UNKNOWN)
            word, empty, mirror = self._condition(tree[1])
            return word, not empty, mirror
        asked = 'of `cancel` in a condition, only whether nothing is left is proven, as in `… == ""`'
        check(_kind(tree) in ("==", "!=") and len(tree) == 3, "left", asked)
        for one, other in (tree[1:], tree[:0:-1]):
            if _kind(one) == "part" and other == ["reverse", one]:
                return one, tree[0] == "==", True
        check("" in tree[1:], "left", asked)
        return tree[2] if tree[1] == "" else tree[1], tree[0] == "==", False

    def _text(self, tree: Any) -> Verdict:
        """A text without blanks, also of a number; or whether a run halts."""
        if tree in (["accept"], ["stuck"]):
            return bool(tree == ["accept"])
        if type(tree) is int:
            known = self.digits and 0 <= tree <= LIMITS.literal
            check(known, "left", "its output clause has a number and no digits")
            tree = in_digits(tree, self.digits)
        message = (
            "chooses something other than a text or number; proofs are for a choice between two of these"
        )
        check(isinstance(tree, str), "left", f"its output clause {message}")
        text = str(tree).strip("_")
        check("_" not in text, "left", BLANK)
        self._check_symbols(text)
        return text

    def _check_symbols(self, *texts: str) -> None:
        known = all(set(text) <= set(self.left.symbols) for text in texts)
        check(known, "left", "its output clause has a text of other symbols")

    def _reduced(self, tree: Any) -> ReducedClause:
        back, erased, pairs = False, frozenset[str](), frozenset[str]()
        while not pairs:
            self._count()
            if _kind(tree) == "reverse":
                check(len(tree) == 2, "left", UNKNOWN)
                back, tree = not back, tree[1]
            elif _kind(tree) == "cancel":
                pairs, single = self._patterns(tree)
                tree = tree[1]
                if pairs:
                    return self._whole(tree, pairs, single, erased, back)
                erased |= single
            else:
                break
        return self._whole(tree, pairs, erased, frozenset(), back)

    def _whole(
        self, tree: Any, pairs: frozenset[str], single: frozenset[str], erased: frozenset[str], back: bool
    ) -> ReducedClause:
        word = tuple(self._word(tree, dict.fromkeys(single, ""), False))
        return ReducedClause(word, self.images, pairs, erased, back, None)

    def _patterns(self, tree: list[Any]) -> tuple[frozenset[str], frozenset[str]]:
        """The pairs and the single letters that are crossed out together."""
        texts = tree[2:]
        known = texts and all(isinstance(text, str) and 0 < len(text) < 3 for text in texts)
        check(known, "left", "its output clause cancels other texts than single symbols and pairs of two")
        self._check_symbols(*texts)
        self.size += len(texts)
        pairs = frozenset(text for text in texts if len(text) == 2)
        single = frozenset(text for text in texts if len(text) == 1)
        firsts, seconds = ({pair[i] for pair in pairs} for i in (0, 1))
        for both in sorted(firsts & seconds):
            raise Wrong("left", f"`{both}` is the first symbol of a pair that cancels and the second of one")
        for both in sorted(single & (firsts | seconds)):
            raise Wrong("left", f"`{both}` cancels alone and in a pair")
        return pairs, single

    def _word(self, tree: Any, after: dict[str, str], back: bool) -> list[str | PartWord]:
        """Its letters and parts; `after` is what becomes of letters later."""
        self._count()
        if isinstance(tree, str):
            check("_" not in tree, "left", BLANK)
            self._check_symbols(tree)
            letters = [after.get(letter, letter) for letter in tree]
            return [letter for letter in (letters[::-1] if back else letters) if letter]
        kind, inner = _kind(tree), tree[1:] if isinstance(tree, list) else []
        if kind == "part":
            exists = len(inner) == 1 and type(inner[0]) is int and 0 <= inner[0] < len(self.members)
            check(exists, "left", "its output clause names what is no part")
            for symbol in sorted(self.members[inner[0]]):
                image = after.get(symbol, symbol)
                same = self.images.setdefault(symbol, image) == image
                check(same, "left", f"`{symbol}` is replaced in one part of the input, and not so in another")
            return [PartWord(inner[0], back)]
        if kind == "reverse" and len(inner) == 1:
            return self._word(inner[0], after, not back)
        if kind == "join" and inner:
            words = [self._word(each, after, back) for each in (inner[::-1] if back else inner)]
            return [letter for word in words for letter in word]
        if kind == "replace" and len(inner) == 3:
            word, old, new = inner
            one = all(isinstance(text, str) for text in (old, new)) and len(old) == 1 >= len(new)
            message = "`replace` is proven where it replaces one symbol by one, or by nothing"
            check(one and "_" not in (old, new), "left", message)
            self._check_symbols(old, new)
            return self._word(word, {**after, old: after.get(new, str(new))}, back)
        made = f"`{kind}`" if isinstance(kind, str) else "a number"
        message = f"{made} beside `cancel` or `replace`; proven are parts, joined and reversed"
        check(kind == "cancel", "left", f"its output clause has {message}")
        pairs, single = self._patterns(tree)
        message = "changes or joins what `cancel` has left; only what is left itself is proven"
        check(not pairs, "left", f"its output clause {message}")
        return self._word(inner[0], {**after, **dict.fromkeys(single, "")}, back)

    def _count(self) -> None:
        self.size += 1
        check(self.size <= LIMITS.nodes, "left", "its output clause is too long")


def _kind(tree: Any) -> Any:
    return tree[0] if isinstance(tree, list) and tree else None
