"""Names that say what a state does: what it carries, where it walks, what it writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count

from gridlang.compiler.weights.families.families import MOVE, words_of
from gridlang.compiler.weights.families.formulas import READ, VARIABLES
from gridlang.compiler.weights.families.nodes import Key, Node
from gridlang.compiler.weights.families.rules import HALTS, Rule, Rules
from gridlang.table import BLANK
from gridlang.vocabulary import HALT, RESERVED, is_name

WAYS = {"U": "up", "D": "down", "L": "left", "R": "right"}
SIGNS = ("blank", "plus", "minus", "star", "colon", "equals", "hash", "question", "slash", "dot", "bar")
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
WORDS = dict(zip("_+-*:=#?/.|0123456789", SIGNS + DIGITS, strict=True))


def names_of(
    rules: Rules, nodes: Mapping[Key, Node], said: Mapping[Key, list[Rule]], votes: Counter[tuple[Key, str]]
) -> dict[Key, str]:
    """A name for each node: the one most voted for, else the plainest that nobody else wants, or is free."""
    taken = {HALT, *RESERVED, *(known.name for known in rules.classes)}
    options = {key: list(dict.fromkeys(_Role(rules, nodes[key], said, key).names())) for key in said}
    names: dict[Key, str] = {}
    for (key, name), _ in votes.most_common():
        if key in said and key not in names and name not in taken and is_name(name):
            names[key] = name
            taken.add(name)
    for level in range(max(map(len, options.values()), default=0)):
        asked: dict[str, list[Key]] = {}
        for key in said:
            if key not in names and level < len(options[key]):
                asked.setdefault(options[key][level], []).append(key)
        for name, keys in asked.items():
            if len(keys) == 1 and name not in taken and is_name(name):
                names[keys[0]] = name
                taken.add(name)
    for key in said:
        if key not in names:
            last = (f"{options[key][0]}_{number}" for number in count(2))
            ways = (*options[key], *_by_neighbours(options[key][0], said, key, names))
            free = (name for part in (ways, last) for name in part if name not in taken and is_name(name))
            names[key] = next(free)
            taken.add(names[key])
    return names


def _by_neighbours(
    name: str, said: Mapping[Key, list[Rule]], key: Key, names: Mapping[Key, str]
) -> Iterator[str]:
    before = [other for other in said if any(rule.action.to == key for rule in said[other])]
    for other in before:
        if other in names and other != key:
            yield f"{name}_after_{names[other]}"
    for rule in said[key]:
        if rule.action.to and rule.action.to in names and rule.action.to != key:
            yield f"{name}_before_{names[rule.action.to]}"


class _Role:
    """What a node does, as far as its name may say it."""

    def __init__(self, rules: Rules, node: Node, said: Mapping[Key, list[Rule]], key: Key) -> None:
        self.symbols, self.kinds, self.rules, self.key = rules.symbols, node.kinds, said[key], key
        self.words = words_of(node.kinds)
        stays = [rule for rule in self.rules if rule.action.to is None]
        self.leaves = [rule for rule in self.rules if rule.action.to not in (None, HALTS)]
        self.halts = len(stays) + len(self.leaves) < len(self.rules)
        self.walks = [rule for rule in stays if not rule.action.write]
        self.wipes = [rule for rule in stays if rule.action.write == BLANK]
        self.texts = [rule.action.write for rule in self.rules if rule.action.write]
        self.fans = [r for r in self.leaves if "d" in r.action.args and r.action.to != key]
        ways = [rule.action.move for rule in (*self.walks, *self.wipes, *self.leaves, *stays)]
        self.way = next((WAYS[move] for move in ways if move in WAYS), "on")

    def names(self) -> Iterator[str]:
        if MOVE in self.kinds:
            turns = {way.split("(")[0] for rule in self.rules if "(" in (way := rule.action.move)}
            yield from (
                ("face", "head")
                if len(turns) > 1
                else (f"turn_{turn}" for turn in turns)
                if turns
                else ("go",)
            )
        elif self.kinds:
            yield from self.of_families()
        else:
            yield from self.of_states()
        yield f"step_{self.way}"
        for word in [*map(self.word, {rule.symbols[0]: 0 for rule in self.rules})]:
            yield from (f"see_{word}", f"from_{word}_{self.way}")

    def of_families(self) -> Iterator[str]:
        word, holds = self.words[0], self.kinds[0] >= 0
        told = [
            *self.texts,
            *(arg for rule in self.rules if rule.action.to == self.key for arg in rule.action.args),
        ]
        both = [text for text in told if {"d"} < {"d", *self.words} & set(VARIABLES.findall(text))]
        plain = " ".join(re.sub(r"base - 1|'.'", "", text) for text in both)
        if any(rule.action.args[:1] == ("d",) and rule.action.write == word for rule in self.rules):
            yield "push"
        if "-" in plain:
            yield "subtract" if holds else "borrow"
        elif "*" in plain or "+" in plain:
            ripples = not holds and any(rule.action.to is None and rule.action.write for rule in self.rules)
            yield "times" if "*" in plain else "ripple" if ripples else "add"
        if self.walks:
            yield from ("carry", f"carry_{self.way}")
        if any({word, "d"} <= set(VARIABLES.findall(test)) for rule in self.rules for test in rule.tests):
            yield "compare"
        if self.texts and all(
            re.sub(r"\w+\((\w)\)", r"\1", text) in (*self.words, "0") for text in self.texts
        ):
            yield from ("put", f"put_{self.way}")
        if not holds:
            yield from self.of_marks()
            yield from self.of_fans()
            yield from ("pass", f"pass_{self.way}")
        yield from ("hold", f"hold_{self.way}")

    def of_states(self) -> Iterator[str]:
        if not self.leaves and not self.walks and not self.wipes:
            yield "done"
        if sum(len(rule.symbols) for rule in self.wipes) > 1:
            yield from ("clear", f"clear_{self.way}")
        for rule in self.wipes:
            yield f"erase_{self.word(rule.symbols[0])}"
        yield from self.of_fans()
        if any(rule.action.to is None and rule.action.write not in ("", BLANK) for rule in self.rules):
            yield "ripple"
        if any(rule.action.write == BLANK and len(self.rules) > 1 for rule in self.leaves) and not self.walks:
            yield "strip"
        changes = [text for text in self.texts if READ.search(text)]
        for sign, name in ((r"d \+ 1", "ripple"), ("d - 1", "borrow"), ("1 - d", "flip"), ("", "change")):
            if any(re.search(sign, text) for text in changes):
                yield name
        if self.walks:
            yield from self.of_walks()
        yield from self.of_marks()
        if self.halts and self.leaves:
            yield from ("look", "check")

    def of_fans(self) -> Iterator[str]:
        """What is read here is held from here on."""
        if self.fans:
            name = "take" if any(rule.action.write for rule in self.fans) else "fetch"
            yield from (name, f"{name}_{WAYS.get(self.fans[0].action.move, 'on')}")

    def of_walks(self) -> Iterator[str]:
        over = {x for rule in self.walks for x in rule.symbols}
        ends = [rule.symbols[0] for rule in self.leaves if len(rule.symbols) == 1]
        stop = next((self.word(x) for x in ends if self.symbols[x] != BLANK), "")
        if self.symbols.index(BLANK) not in over:
            yield f"to_{self.way}_end"
        if stop:
            yield f"{self.way}_to_{stop}"
        yield f"walk_{self.way}"

    def of_marks(self) -> Iterator[str]:
        for text in dict.fromkeys(self.texts):
            if text.startswith("'") or text.isdigit():
                yield from (f"mark_{self.said(text)}", f"mark_{self.said(text)}_{self.way}")
            elif text == BLANK and not self.kinds:
                yield from ("erase", f"erase_{self.word(self.rules[0].symbols[0])}")

    def word(self, x: int) -> str:
        return self.said(self.symbols[x])

    @staticmethod
    def said(symbol: str) -> str:
        bare = symbol.strip("'") or "'"
        return WORDS.get(bare) or (bare if bare.isascii() and bare.isalnum() else "sign")
