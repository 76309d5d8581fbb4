"""Labels: what the symbols of a machine are called outside, as `coin` for the symbol `c`.

A symbol is one character; the words of other tools are longer. Where a machine has labels, they
count: two machines are compared label by label, whatever their characters.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from string import ascii_letters, digits
from typing import NamedTuple

from gridlang.diagnostics import did_you_mean, fail
from gridlang.printable import printable
from gridlang.vocabulary import BLANK

MAX_SYMBOLS = 1_000  # exact tensors grow with its square
# stand for labels: more than any agent has symbols
SPARE = ascii_letters + digits + "".join(map(chr, range(0x4E00, 0x4E00 + 2 * MAX_SYMBOLS)))
SHOWN = 40  # labels of a hint
_COMMENT = re.compile(r"""^# `(.)` stands for ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")[ \t\r]*$""", re.MULTILINE)
_WORD = re.compile(r'"([^"]*)"(?!\S)|(\S+)')


class Alphabet(NamedTuple):
    """Symbols, and the label of each but the blank, in their order; no labels where symbols suffice."""

    symbols: tuple[str, ...]
    labels: tuple[str, ...] = ()

    def by_symbol(self) -> dict[str, str]:
        """The label of each symbol; empty where there are no labels."""
        own = (symbol for symbol in self.symbols if symbol != BLANK)
        return dict(zip(own, self.labels, strict=True)) if self.labels else {}

    def legend(self) -> dict[str, str]:
        """Labels that differ from their symbols."""
        return {symbol: label for symbol, label in self.by_symbol().items() if symbol != label}

    def letters(self, other: Alphabet) -> dict[str, str]:
        """For each symbol of another alphabet the one with its label here, or a free one where none has it.

        If one side has no labels, a symbol is itself; GridError where it is a label of the other side, too.
        """
        here, there = self.by_symbol(), other.by_symbol()
        if not here or not there:
            plain = other if here else self
            for symbol, label in (here or there).items():
                if label != symbol and label in plain.symbols:
                    told = f"`{label}` is a symbol of one side, and of the other the label of `{symbol}`"
                    raise fail("G085", told, "give both sides labels, or neither")
            return {symbol: symbol for symbol in other.symbols}
        known = {label: symbol for symbol, label in here.items()}
        taken = {*self.symbols, *(symbol for symbol, label in there.items() if label not in known)}
        free = (char for char in SPARE if char not in taken and char not in other.symbols)
        letters = {BLANK: BLANK}
        for symbol, label in there.items():
            letters[symbol] = known.get(label) or (symbol if symbol not in self.symbols else next(free))
        return letters

    def spelling(self, other: Alphabet) -> Alphabet:
        """Another alphabet in the symbols of this one."""
        letters = self.letters(other)
        return other._replace(symbols=tuple(letters[symbol] for symbol in other.symbols))

    def shown(self, symbols: Iterable[str]) -> list[str]:
        """Symbols as people know them: by their labels, if they have some."""
        labels = self.by_symbol()
        return [_shown(labels.get(symbol, symbol)) for symbol in symbols]

    def line(self, text: str) -> str:
        """A row of symbols as people read it: as it stands, or its labels with spaces between them."""
        return " ".join(self.shown(text)) if self.legend() else text

    def symbols_of(self, text: str) -> str:
        """The symbols that an input means: labels with spaces between them, or the symbols themselves.

        A label that holds spaces is put in quotes. GridError for a word that is not a label.
        """
        known = {label: symbol for symbol, label in self.by_symbol().items()}
        words = [quoted or word for quoted, word in _WORD.findall(text)]
        if not self.legend() or not (len(words) > 1 or text.strip('"') in known):
            return text
        for word in words:
            if word not in known:
                listed = f"the labels are {', '.join(self.shown(list(known.values())[:SHOWN]))}"
                hint = did_you_mean(word, known, listed + (", …" if len(known) > SHOWN else ""))
                raise fail("G070", f"`{printable(word)}` is not a label of this machine", hint)
        return "".join(known[word] for word in words)


UNLABELLED = Alphabet(())  # whose symbols are shown as they are


def _shown(label: str) -> str:
    return printable(label) if label and not re.search(r"\s", label) else f'"{printable(label)}"'


def labelled(symbols: Iterable[str], legend: Mapping[str, str]) -> tuple[str, ...]:
    """The labels of all symbols but the blank, given those that are called otherwise; none for no legend."""
    own = [symbol for symbol in symbols if symbol != BLANK]
    return tuple(legend.get(symbol, symbol) for symbol in own) if legend.keys() & {*own} else ()


def label_problems(symbols: tuple[str, ...], labels: tuple[str, ...]) -> Iterator[str]:
    """Why these texts cannot be labels of symbols."""
    if labels and len(labels) != sum(symbol != BLANK for symbol in symbols):
        yield "it must have a label for every symbol but the blank, or none"
    if not all(isinstance(label, str) for label in labels) or len(set(labels)) != len(labels):
        yield "its labels are not texts, each for one symbol"


def older_labels(legend: object, source: str, symbols: tuple[str, ...]) -> tuple[str, ...]:
    """The labels of a file from before files had labels: those of a legend, or of the source it carries."""
    kept = labelled(symbols, legend) if isinstance(legend, dict) else ()
    labels = kept or source_labels(source, symbols)
    return () if any(label_problems(symbols, labels)) else labels


def source_labels(text: str, symbols: tuple[str, ...]) -> tuple[str, ...]:
    """The labels that a source has as comments, as `legend_comments` writes them."""
    legend = {}
    for symbol, label in _COMMENT.findall(text):
        with suppress(ValueError, SyntaxError):
            legend[symbol] = str(ast.literal_eval(label))
    return labelled(symbols, legend)


def legend_comments(alphabet: Alphabet) -> list[str]:
    """A line for each symbol that is called otherwise: `c` stands for 'coin'."""
    return [f"`{symbol}` stands for {label!r}" for symbol, label in alphabet.legend().items()]


def legend_line(alphabet: Alphabet) -> str:
    """`c coin, t tea`, on one line."""
    return ", ".join(f"{symbol} {_shown(label)}" for symbol, label in alphabet.legend().items())


def refuse_other_symbols(left: Alphabet, right: Alphabet, names: tuple[str, str] = ("LEFT", "RIGHT")) -> None:
    """GridError unless both have the same symbols, in any order."""
    only = [
        f"only {who} knows {' '.join(mine.shown(sorted({*mine.symbols} - {*other.symbols})))}"
        for who, mine, other in ((names[0], left, right), (names[1], right, left))
        if {*mine.symbols} - {*other.symbols}
    ]
    if only:
        raise fail("G085", f"the alphabets differ: {'; '.join(only)}")
