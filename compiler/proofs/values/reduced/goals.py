"""Clauses in which letters cancel each other: a word of parts, what is crossed out, and what is asked."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.clauses.clause_tree import (
    Constant,
    Node,
    Operation,
    Part,
    nodes_in,
    operation,
    operator_of,
)
from gridlang.clauses.clause_values import in_base
from gridlang.clauses.outputs import OutputRule
from gridlang.compiler.proofs.results.readings import Unsaid, check_readable, parts_of
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
    if any(operator_of(node) in ("cancel", "replace") for node in nodes_in(rule.node)):
        return True
    match rule.node:
        case Operation("if", (condition, _, _)):
            return _mirrored(_condition_of(condition)[0]) is not None
    return False


def reduced_goal(rule: OutputRule) -> ReducedGoal:
    """What a clause asks for; Unsaid, and why, if it is of no known form."""
    check_readable(rule, rule.node)
    match rule.node:
        case Operation("if", (condition, yes, no)):
            asked, empty = _condition_of(condition)
        case _:
            return _Reader(rule).goal(rule.node)
    texts = [_verdict(rule, text) for text in ((yes, no) if empty else (no, yes))]
    if len({isinstance(text, bool) for text in texts}) == 2:
        raise Unsaid("it has results beside `accept` and `stuck`")
    word = _mirrored(asked)
    goal = _Reader(rule).goal(_emptied(asked) if word is None else word)
    return goal._replace(verdict=(texts[0], texts[1]), mirror=word is not None)


def _condition_of(node: Node) -> tuple[Node, bool]:
    """An equality, and whether the condition holds where that does."""
    match node:
        case Operation("not", (inner,)):
            asked, same = _condition_of(inner)
            return asked, not same
    return node, operator_of(node) != "!="


def _mirrored(node: Node) -> Part | None:
    """The part that is compared with its mirror image."""
    match node:
        case Operation("==" | "!=", sides):
            for one, other in (sides, sides[::-1]):
                if isinstance(one, Part) and other == operation("reverse", one):
                    return one
    return None


def _emptied(node: Node) -> Node:
    """The word of which it is asked whether nothing is left."""
    match node:
        case Operation("==" | "!=", (Constant(""), word)) | Operation("==" | "!=", (word, Constant(""))):
            return word
    raise Unsaid('of `cancel` in a condition, only whether nothing is left is proven, as in `… == ""`')


def _verdict(rule: OutputRule, node: Node) -> Verdict:
    match node:
        case Operation("accept" | "stuck" as verdict):
            return verdict == "accept"
        case Constant(str(text)):
            return text.strip(BLANK)
        case Constant(int(number)) if number >= 0 and len(rule.digits) > 1:
            return in_base(number, rule.digits)
    raise Unsaid(
        "it chooses something other than a text or number; proofs are for a choice between two of these"
    )


class _Reader:
    """From the outermost function inwards."""

    def __init__(self, rule: OutputRule) -> None:
        cells = list(zip(parts_of(rule.language), rule.language.cells, strict=False))
        self.members = ["".join(x for j, x in cells if j == part) for part in range(len(rule.language.parts))]
        self.images: dict[str, str] = {}

    def goal(self, node: Node) -> ReducedGoal:
        back, erased = False, frozenset[str]()
        while isinstance(node, Operation) and node.operator in ("reverse", "cancel"):
            inner = node.operands[0]
            if node.operator == "reverse":
                back = not back
            else:
                pairs, single = _patterns(node)
                if pairs:
                    word = self._word(inner, dict.fromkeys(single, ""), False)
                    return ReducedGoal(word, self.images, pairs, erased, back, self.members)
                erased |= single
            node = inner
        word = self._word(node, dict.fromkeys(erased, ""), False)
        return ReducedGoal(word, self.images, frozenset(), frozenset(), back, self.members)

    def _word(self, node: Node, after: dict[str, str], back: bool) -> list[str | PartPiece]:
        """`after` is what becomes of letters later."""
        match node:
            case Constant(str(text)):
                if BLANK in text:
                    raise Unsaid("it has a blank in a text")
                return [letter for x in (text[::-1] if back else text) if (letter := after.get(x, x))]
            case Part(index):
                for x in self.members[index]:
                    if self.images.setdefault(x, after.get(x, x)) != after.get(x, x):
                        raise Unsaid(f"`{x}` is replaced in one part of the input, and not so in another")
                return [PartPiece(index, back)]
            case Operation("reverse", (word,)):
                return self._word(word, after, not back)
            case Operation("join", texts):
                words = [self._word(inner, after, back) for inner in (texts[::-1] if back else texts)]
                return [token for word in words for token in word]
            case Operation("replace", (word, Constant(str(old)), Constant(str(new)))) if (
                len(old) == 1 >= len(new)
            ):
                return self._word(word, {**after, old: after.get(new, new)}, back)
            case Operation("replace"):
                raise Unsaid("`replace` is proven where it replaces one symbol by one, or by nothing")
            case Operation("cancel", (word, *_)):
                pairs, single = _patterns(node)
                if pairs:
                    raise Unsaid(
                        "it changes or joins what `cancel` has left; only what is left itself is proven"
                    )
                return self._word(word, {**after, **dict.fromkeys(single, "")}, back)
        made = f"`{node.operator}`" if isinstance(node, Operation) else "a number"
        raise Unsaid(f"it has {made} beside `cancel` or `replace`; proven are parts, joined and reversed")


def _patterns(node: Operation) -> tuple[frozenset[str], frozenset[str]]:
    others = node.operands[1:]
    texts = [other.value for other in others if isinstance(other, Constant) and isinstance(other.value, str)]
    if len(texts) < len(others) or not all(0 < len(text) < 3 and BLANK not in text for text in texts):
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
