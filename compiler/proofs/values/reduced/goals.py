"""Clauses in which letters cancel each other: a word of parts, what is crossed out, and what is asked."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.clauses.clause_values import in_base
from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.clause_trees import value_tree
from gridlang.compiler.proofs.results.readings import (
    Node,
    Unsaid,
    check_readable,
    frozen,
    operator_of,
    parts_of,
)
from gridlang.table import BLANK

Verdict = str | bool  # a text; of acceptors, whether it halts


class PartPiece(NamedTuple):
    """A part of the input, perhaps from its end."""

    part: int
    back: bool


class ReducedGoal(NamedTuple):
    """The clause's word; `erased` are letters that are left out of what is left."""

    word: list[str | PartPiece]
    images: dict[str, str]  # what symbols of parts become; "" for nothing
    pairs: frozenset[str]
    erased: frozenset[str]
    back: bool
    members: list[str]  # the symbols of each part
    verdict: tuple[Verdict, Verdict] | None = None  # for nothing, and for something that is left
    mirror: bool = False  # Nothing is left of a word that is its own mirror image, something of others.

    @property
    def accepts(self) -> bool:
        """Whether it says how runs end."""
        return self.verdict is not None and isinstance(self.verdict[0], bool)

    @property
    def texts(self) -> str:
        """All symbols of what is chosen."""
        return "" if self.verdict is None or self.accepts else "".join(map(str, self.verdict))

    @property
    def firsts(self) -> frozenset[str]:
        return frozenset(pair[0] for pair in self.pairs)


def is_of_reduced_words(rule: OutputRule) -> bool:
    """Whether a clause cancels or replaces anything, or asks whether a word is its own mirror image."""
    node = frozen(value_tree(rule))
    return bool({"cancel", "replace"} & _operators(node)) or (
        operator_of(node) == "if" and _mirrored(_condition_of(node[1])[0]) is not None
    )


def _operators(node: Node) -> set[str]:
    inner = node[1:] if isinstance(node, tuple) else ()
    return {operator_of(node)}.union(*map(_operators, inner))


def reduced_goal(rule: OutputRule) -> ReducedGoal:
    """What a clause asks for; Unsaid, and why, if it is of no known form."""
    node = frozen(value_tree(rule))
    check_readable(rule, node)
    if operator_of(node) != "if":
        return _Reader(rule).goal(node)
    _, condition, yes, no = node
    asked, empty = _condition_of(condition)
    texts = [_verdict(rule, text) for text in ((yes, no) if empty else (no, yes))]
    if len({isinstance(text, bool) for text in texts}) == 2:
        raise Unsaid("it has results beside `accept` and `stuck`")
    word = _mirrored(asked)
    goal = _Reader(rule).goal(_emptied(asked) if word is None else word)
    return goal._replace(verdict=(texts[0], texts[1]), mirror=word is not None)


def _condition_of(node: Node) -> tuple[Node, bool]:
    """An equality, and whether the condition holds where that does."""
    kind = operator_of(node)
    if kind == "not":
        asked, same = _condition_of(node[1])
        return asked, not same
    return node, kind != "!="


def _mirrored(node: Node) -> Node | None:
    """The part that is compared with its mirror image."""
    if operator_of(node) not in ("==", "!="):
        return None
    one, two = sorted(node[1:], key=operator_of)
    return one if operator_of(one) == "part" and two == ("reverse", one) else None


def _emptied(node: Node) -> Node:
    """The word of which it is asked whether nothing is left."""
    if operator_of(node) not in ("==", "!=") or "" not in node[1:]:
        raise Unsaid('of `cancel` in a condition, only whether nothing is left is proven, as in `… == ""`')
    return node[2] if node[1] == "" else node[1]


def _verdict(rule: OutputRule, node: Node) -> Verdict:
    if node in (("accept",), ("stuck",)):
        return bool(node == ("accept",))
    if isinstance(node, tuple) or (isinstance(node, int) and (node < 0 or len(rule.digits) < 2)):
        raise Unsaid(
            "it chooses something other than a text or number; proofs are for a choice between two of these"
        )
    return in_base(node, rule.digits) if isinstance(node, int) else node.strip(BLANK)


class _Reader:
    """From the outermost function inwards."""

    def __init__(self, rule: OutputRule) -> None:
        cells = list(zip(parts_of(rule.language), rule.language.cells, strict=False))
        self.members = ["".join(x for j, x in cells if j == part) for part in range(len(rule.language.parts))]
        self.images: dict[str, str] = {}

    def goal(self, node: Node) -> ReducedGoal:
        back, erased = False, frozenset[str]()
        while operator_of(node) in ("reverse", "cancel"):
            if operator_of(node) == "reverse":
                back = not back
            else:
                pairs, single = _patterns(node)
                if pairs:
                    word = self._word(node[1], dict.fromkeys(single, ""), False)
                    return ReducedGoal(word, self.images, pairs, erased, back, self.members)
                erased |= single
            node = node[1]
        word = self._word(node, dict.fromkeys(erased, ""), False)
        return ReducedGoal(word, self.images, frozenset(), frozenset(), back, self.members)

    def _word(self, node: Node, after: dict[str, str], back: bool) -> list[str | PartPiece]:
        """`after` is what becomes of letters later."""
        kind = operator_of(node)
        if isinstance(node, str):
            if BLANK in node:
                raise Unsaid("it has a blank in a text")
            return [letter for x in (node[::-1] if back else node) if (letter := after.get(x, x))]
        if kind == "part":
            for x in self.members[node[1]]:
                if self.images.setdefault(x, after.get(x, x)) != after.get(x, x):
                    raise Unsaid(f"`{x}` is replaced in one part of the input, and not so in another")
            return [PartPiece(node[1], back)]
        if kind == "reverse":
            return self._word(node[1], after, not back)
        if kind == "join":
            words = [self._word(inner, after, back) for inner in (node[:0:-1] if back else node[1:])]
            return [token for word in words for token in word]
        if kind == "replace":
            _, word, old, new = node
            if not (isinstance(old, str) and isinstance(new, str) and len(old) == 1 >= len(new)):
                raise Unsaid("`replace` is proven where it replaces one symbol by one, or by nothing")
            return self._word(word, {**after, old: after.get(new, new)}, back)
        if kind == "cancel":
            pairs, single = _patterns(node)
            if pairs:
                raise Unsaid("it changes or joins what `cancel` has left; only what is left itself is proven")
            return self._word(node[1], {**after, **dict.fromkeys(single, "")}, back)
        made = f"`{kind}`" if kind else "a number"
        raise Unsaid(f"it has {made} beside `cancel` or `replace`; proven are parts, joined and reversed")


def _patterns(node: Node) -> tuple[frozenset[str], frozenset[str]]:
    """Pairs that cancel, and single letters."""
    texts = node[2:]
    if not all(isinstance(text, str) and 0 < len(text) < 3 and BLANK not in text for text in texts):
        raise Unsaid("it cancels other texts than single symbols and pairs of two")
    pairs = frozenset(text for text in texts if len(text) == 2)
    single = frozenset(text for text in texts if len(text) == 1)
    firsts, seconds = (frozenset(pair[i] for pair in pairs) for i in (0, 1))
    if firsts & seconds:
        twice = min(firsts & seconds)
        raise Unsaid(f"`{twice}` is the first symbol of a pair that cancels and the second of one")
    if single & (firsts | seconds):
        raise Unsaid(f"`{min(single & (firsts | seconds))}` cancels alone and in a pair")
    return pairs, single
