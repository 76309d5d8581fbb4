"""`next_words`: what a log of words leaves open about the machine learned from it, and what to log next.

Some words settle what is open; others continue at random from known states, where another state may show.

A state is known by the shortest word that leads to it, its access. Two words are *apart* where the log shows
that the same letters after them are answered differently: they lead to different states. If every transition
was seen after its access, and is apart from all accesses but that of its target, no other machine of at most
this size agrees with the log: accesses lead to all states there are, and each transition to one of them
(Vaandrager, Garhewal, Rot and Wißmann 2022, whose L# asks in the same way).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from gridlang.compiler.traces.dataset import Traces
from gridlang.diagnostics import counted
from gridlang.learners.methods.prefix_tree import prefix_tree
from gridlang.learners.traces.choosing.reads import StatePairs, without_beginnings
from gridlang.learners.traces.logs.log_to_traces import CLAUSE, LETTER, walk_over_words
from gridlang.table import BLANK, Table

MOST_STATES = 300  # pairs of states are compared
MOST_WORDS = 2_000  # asked at once, the shortest first
WORDS_A_TRANSITION = 5  # asked at least while something is open: fewer take more rounds
WORDS_WHERE_SETTLED = 1_000  # that look for another state
FEW_LETTERS = (
    1,
    2,
    3,
)  # different letters of some random words: repeated letters show what a protocol counts
EXTRA_LETTERS = 2, 20  # of a random word: with six on average, states that a log reaches late were missed
SHOWN = 5  # states with letters never read there

Word = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NextWords:
    """What the log leaves open: transitions it never shows, those it shows without telling where they lead.

    `settled` says that nothing is left open up to this size: all words look for another state.
    """

    states: int
    transitions: int
    unseen: tuple[tuple[str, tuple[str, ...]], ...]  # an access, and the letters that were never read there
    unsure: int
    apart: int  # pairs of states
    words: tuple[str, ...]  # each as `gridlang run` takes it
    longest: int
    settled: bool

    def lines(self, written: str = "") -> list[str]:
        """The open transitions, and the words: in a file, or how to get them."""
        count = sum(len(letters) for _, letters in self.unseen)
        states, seen = counted(self.states, "state"), counted(self.transitions, "transition")
        if self.settled:
            lines = [
                f"{states} are the fewest that explain this log, in one way only; all {seen} were seen",
                "the system may have more states: see whether it answers other words as predicted",
            ]
        else:
            told = f"{self.transitions - count:,} of {seen} were seen"
            pairs = self.states * (self.states - 1) // 2
            lines = [
                f"{states} explain this log so far, not in one way only; the system may have more",
                f"{told}, {self.unsure:,} of them lead where several states fit",
                f"{self.apart:,} of {counted(pairs, 'pair')} of states are told apart by shortest words",
            ]
        for access, letters in self.unseen[:SHOWN]:
            lines.append(f"  never {', '.join(letters)} after {f'`{access}`' if access else 'the start'}")
        if len(self.unseen) > SHOWN:
            lines.append(f"  nor some letters in {counted(len(self.unseen) - SHOWN, 'more state')}")
        return [*lines, self._asked(written)]

    def _asked(self, written: str) -> str:
        words = f"{counted(len(self.words), 'word')} of up to {counted(self.longest, 'letter')} to log next"
        return f"wrote {written}: {words}" if written else f"--ask writes {words}"


def is_of_words(traces: Traces) -> bool:
    """Whether these are words with answers, so that any other word could have been logged too."""
    return traces.input == CLAUSE and LETTER in dict(traces.classes)


def next_words(table: Table, traces: Traces) -> NextWords | None:
    """What to log next of a machine that does what the traces of words show; None if it is too large."""
    if len(table.states) > MOST_STATES:
        return None
    log = _Log(table, traces)
    unseen, unsure = log.transitions()
    settled = not log.asked
    words = log.words()
    symbols, alphabet = traces.symbols, traces.alphabet

    def line(word: Word) -> str:
        return alphabet.line("".join(symbols[letter] for letter in word if letter))

    return NextWords(
        states=len(log.access),
        transitions=len(log.access) * len(log.letters),
        unseen=tuple(
            (line(log.access[state]), tuple(line((letter,)) for letter in letters))
            for state, letters in unseen.items()
        ),
        unsure=unsure,
        apart=len(log.apart) // 2,
        words=tuple(map(line, words)),
        longest=max((sum(map(bool, word)) for word in words), default=0),
        settled=settled,
    )


class _Log:
    """The tree of a log beside a table, and the words to ask."""

    def __init__(self, table: Table, traces: Traces) -> None:
        blank = traces.symbols.index(BLANK)
        self.letters = [traces.symbols.index(symbol) for symbol in dict(traces.classes)[LETTER]]
        # A Mealy machine says nothing behind a word; there the label of a word is written.
        self.ends = [] if walk_over_words(traces) else [blank]
        self.table = _on(table, [*self.letters, *self.ends])
        tree = prefix_tree(traces)
        self.tree: list[dict[int, tuple[int, int]]] = [{} for _ in range(tree.nodes)]
        for parent, read, act, child in tree.edges():
            self.tree[parent][read] = act, child
        self.asked: set[Word] = set()
        self.access = self._accesses()
        self.nodes = {state: self._node(word) for state, word in self.access.items()}
        self.apart = {
            (one, other)
            for one, node in self.nodes.items()
            for other, rival in self.nodes.items()
            if one != other and self._apart(node, rival)
        }
        pairs = StatePairs(self.table)
        self.telling = {(one, other): pairs.word(one, other) for one in self.access for other in self.access}
        self.all_telling = sorted(set(self.telling.values()) - {()}, key=_shortest_first)

    def transitions(self) -> tuple[dict[int, list[int]], int]:
        """The letters never read in each state, and how many transitions lead where several states fit."""
        seen, unseen, unsure = self._seen(), dict[int, list[int]](), 0
        for state, access in self.access.items():
            for end in self.ends:
                self._ask((*access, end))
            for letter in self.letters:
                entry = self.table.rows[state][letter]
                if entry is not None and (state, letter) in seen:
                    unsure += self._is_unsure((*access, letter), entry.next)
                    continue
                unseen.setdefault(state, []).append(letter)
                for word in ((), *self.all_telling):
                    self._ask((*access, letter, *word))
        return unseen, unsure

    def words(self) -> list[Word]:
        """The words asked, shortest first, then random words."""
        while_open = min(WORDS_A_TRANSITION * len(self.access) * len(self.letters), MOST_WORDS)
        fewest = while_open if self.asked else WORDS_WHERE_SETTLED
        needed = sorted(without_beginnings(self.asked), key=_shortest_first)[:MOST_WORDS]
        self.asked, random = set(needed), Random(f"{len(self.tree)} nodes")
        for _ in range(2 * (fewest - len(needed))):
            if len(self.asked) < fewest:
                self._ask(self._random_word(random))
        return sorted(without_beginnings(self.asked), key=_shortest_first)

    def _random_word(self, random: Random) -> Word:
        """A word: to a known state, some letters, then letters that tell two states apart."""
        many = min(random.choice((*FEW_LETTERS, len(self.letters))), len(self.letters))
        letters = random.sample(self.letters, many)
        middle = random.choices(letters, k=random.randint(*EXTRA_LETTERS))
        end = random.choice(self.all_telling or [()])
        return (*random.choice([*self.access.values()]), *middle, *end)

    def _is_unsure(self, word: Word, target: int) -> bool:
        """Whether a word may lead to another state than the target; adds the words that would tell."""
        self._ask(word)
        node = self._node(word)
        rivals = [
            other for other in self.access if other != target and not self._apart(node, self.nodes[other])
        ]
        for other in rivals:
            telling = self.telling[target, other]
            self._ask((*word, *telling))
            self._ask((*self.access[other], *telling))
        return any((target, other) in self.apart for other in rivals)

    def _ask(self, word: Word) -> None:
        if word and self._node(word) is None:
            self.asked.add(word)

    def _node(self, word: Word) -> int | None:
        """The node of a word, negative behind the end of a run; None if the log does not show it."""
        node = 0
        for letter in word:
            step = self.tree[node].get(letter) if node >= 0 else None
            if step is None:
                return None
            node = step[1]
        return node

    def _apart(self, one: int | None, other: int | None) -> bool:
        """Whether the log shows that two words lead to different states."""
        if one is None or other is None:
            return False
        waiting = [(one, other)]
        while waiting:
            left, right = waiting.pop()
            if left < 0 or right < 0:
                continue
            for letter, (act, after) in self.tree[left].items():
                step = self.tree[right].get(letter)
                if step is not None:
                    if step[0] != act:
                        return True
                    waiting.append((after, step[1]))
        return False

    def _accesses(self) -> dict[int, Word]:
        """The shortest word to each state; of equally short ones, one that the log shows."""
        access: dict[int, Word] = {0: ()}
        level = [0]
        while level:
            found: dict[int, Word] = {}
            for state in level:
                for letter in self.letters:
                    entry, word = self.table.rows[state][letter], (*access[state], letter)
                    if entry is None or entry.next in access:
                        continue
                    if entry.next not in found or self._node(found[entry.next]) is None:
                        found[entry.next] = word
            access |= found
            level = list(found)
        return access

    def _seen(self) -> set[tuple[int, int]]:
        """The transitions that some run takes."""
        seen: set[tuple[int, int]] = set()
        waiting = [(0, 0)]
        while waiting:
            node, state = waiting.pop()
            for letter, (_, child) in self.tree[node].items():
                if (entry := self.table.rows[state][letter]) is not None:
                    seen.add((state, letter))
                    if child >= 0:
                        waiting.append((child, entry.next))
        return seen


def _shortest_first(word: Word) -> tuple[int, Word]:
    return len(word), word


def _on(table: Table, symbols: Iterable[int]) -> Table:
    """The table without rules for any other symbol."""
    kept = set(symbols)
    rows = tuple(tuple(entry if at in kept else None for at, entry in enumerate(row)) for row in table.rows)
    return replace(table, rows=rows)
