"""Evaluates expressions over one alphabet, to numbers, symbols, classes and moves."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from gridlang.diagnostics import Fault
from gridlang.source import Span
from gridlang.syntax import tree as s
from gridlang.syntax.unparse import expression
from gridlang.table import MAX_SYMBOLS
from gridlang.values import ARITHMETIC, COMPARISONS, Env, Klass, Val, Word, member, numbers
from gridlang.vocabulary import NUMBER_FUNCTIONS, TURNS, quote

NO_RANGE = "a range goes from number to number or from symbol to symbol"
LARGEST = 10**9  # number: unchecked, a multiplied parameter grows without end


@lru_cache(maxsize=4096)
def _unnamed(chars: str) -> Klass:
    """A class without a name, called by its symbols."""
    return Klass("|".join(map(quote, chars)), chars)


class Evaluator:
    def __init__(self, symbols: tuple[str, ...] = ()) -> None:
        self.symbols = symbols
        self.place = {symbol: index for index, symbol in enumerate(symbols)}
        self.everything = Klass("any", "".join(symbols))
        self.classes: dict[str, Klass] = {}
        self.homes: dict[str, Klass] = {}  # symbol -> its first class
        self._by_chars: dict[str, Klass] = {}

    @classmethod
    def of(cls, symbols: tuple[str, ...], classes: Iterable[tuple[str, str]]) -> Evaluator:
        """That of a table, by its symbols and classes."""
        evaluator = cls(symbols)
        for name, members in classes:
            evaluator.declare(Klass(name, members))
        return evaluator

    def cell(self, node: s.Expr) -> str:
        """The symbols of a cell of an input clause; Fault if there are none."""
        for each in s.inside(node):
            if isinstance(each, s.Name) and each.name not in self.classes:
                message = f"the input clause names a class `{each.name}` that does not exist"
                raise Fault("G021", message, each.span)
        ends = (node.left, node.right) if isinstance(node, s.Binary) and node.op == ".." else ()
        if not all(isinstance(end, s.Number | s.Symbol) for end in ends):
            raise Fault("G025", NO_RANGE, node.span)
        chars = self.klass(node, {}).chars
        if not chars:
            raise Fault("G033", "no symbol can stand here", node.span, "this is empty")
        return chars

    def declare(self, klass: Klass) -> None:
        self.classes[klass.name] = klass
        self._by_chars.setdefault(klass.chars, klass)
        for char in klass.chars:
            self.homes.setdefault(char, klass)

    def value(self, node: s.Expr, env: Env) -> Val:
        """A number or a symbol; frequent nodes first: large families call this a million times."""
        if isinstance(node, s.Name):
            bound = env[node.name]
            assert isinstance(bound, Val)
            return bound
        if isinstance(node, s.Binary):
            return self._arithmetic(node, env)
        if isinstance(node, s.Number):
            return Val(node.value)
        if isinstance(node, s.Symbol):
            return self.symbol_value(self.known(node.char, node.span))
        if isinstance(node, s.Unary):
            inner = self.value(node.operand, env)
            return Val(-inner.number, "", inner.home)
        if isinstance(node, s.Conditional):
            return self.value(node.then if self.truth(node.condition, env) else node.otherwise, env)
        if isinstance(node, s.Call):
            return self._call(node, env)
        assert isinstance(node, s.Index | s.Slice)
        return self._letter_value(node, env)

    def symbol_value(self, char: str, home: Klass | None = None) -> Val:
        """A symbol with its number in the given class, or in the first class that has it."""
        home = home or self.homes.get(char)
        number = numbers(home)[char] if home else int(char) if char.isdigit() and char.isascii() else 0
        return Val(number, char, home)

    def word(self, node: s.Expr, env: Env) -> str | None:
        """The letters of a word: a string, a parameter, or a part of one; else None."""
        if isinstance(node, s.Text):
            return node.value
        if isinstance(node, s.Slice):
            return self._slice(node, env)
        bound = env.get(node.name) if isinstance(node, s.Name) else None
        return bound.letters if isinstance(bound, Word) else None

    def _slice(self, node: s.Slice, env: Env) -> str:
        letters = self.word(node.word, env) or ""
        first = self.value(node.first, env).number
        last = self.value(node.last, env).number if node.last else len(letters) - 1
        if not 0 <= first <= len(letters) or last >= len(letters):
            raise self._no_letter(node, letters, first if not 0 <= first <= len(letters) else last)
        return letters[first : max(last + 1, first)]

    def _no_letter(self, node: s.Index | s.Slice, letters: str, place: int) -> Fault:
        message = f"`{expression(node.word)}` has no letter number {place}"
        hint = f'"{letters[:40]}" has the letters 0..{len(letters) - 1}: the first is number 0'
        if not letters:
            hint = f"it is empty here: test `if length({expression(node.word)}) > 0` first"
        places = s.children(node)[1:]
        return Fault("G035", message, places[0].span.to(places[-1].span), f"this is {place}", hint)

    def letter(self, node: s.Symbol | s.Index | s.Slice, env: Env) -> str:
        """A symbol, the letter of a word at a place that it has, or the only letter of a part of one."""
        if isinstance(node, s.Symbol):
            return node.char
        if isinstance(node, s.Slice):
            whole = self._slice(node, env)
            if len(whole) == 1:
                return whole
            message = f"`{whole[:40]}` is a word, not a symbol"
            hint = f"{expression(node)}[0] is its first letter"
            raise Fault("G035", message, node.span, f"this has {len(whole)} letters", hint)
        letters, place = self.word(node.word, env) or "", self.value(node.place, env).number
        if 0 <= place < len(letters):
            return letters[place]
        raise self._no_letter(node, letters, place)

    def _letter_value(self, node: s.Index | s.Slice, env: Env) -> Val:
        """A letter as its symbol; a digit outside the alphabet is still a number."""
        char = self.letter(node, env)
        if char in self.place:
            return self.symbol_value(char)
        if char.isascii() and char.isdigit():
            return Val(int(char))
        message = f"`{char}`, a letter of `{expression(node.word)}`, is not a symbol of the alphabet"
        hint = f"add it to a class below `alphabet`, as in NAME = {quote(char)}"
        raise Fault("G035", message, node.span, f"this is {quote(char)}", hint)

    def _call(self, node: s.Call, env: Env) -> Val:
        if node.name.name == "length" and "length" not in self.classes:
            return Val(len(self.word(node.args[0], env) or ""))
        values = [self.value(arg, env) for arg in node.args]
        name = node.name.name
        if name in NUMBER_FUNCTIONS:
            return NUMBER_FUNCTIONS[name](values, key=lambda v: v.number)
        klass = self.classes[name]
        char = member(klass, values[0].number)
        if not char:
            message = f"class `{name}` has no symbol number {values[0].number}"
            raise Fault("G031", message, node.span, hint=self._members(klass))
        return self.symbol_value(char, klass)

    def _arithmetic(self, node: s.Binary, env: Env) -> Val:
        a, b = self.value(node.left, env), self.value(node.right, env)
        home = a.home if b.home is None or a.home == b.home else b.home if a.home is None else None
        return Val(_computed(node, a.number, b.number), "", home)

    def number(self, node: s.Expr, env: Env) -> int:
        """The number of a value, without the class it came from; a large family needs one a symbol."""
        if isinstance(node, s.Name):
            bound = env[node.name]
            assert isinstance(bound, Val)
            return bound.number
        if isinstance(node, s.Number):
            return node.value
        if isinstance(node, s.Binary):
            return _computed(node, self.number(node.left, env), self.number(node.right, env))
        return self.value(node, env).number

    def truth(self, node: s.Expr, env: Env) -> bool:
        if isinstance(node, s.Unary):
            return not self.truth(node.operand, env)
        assert isinstance(node, s.Binary)
        if node.op == "and":
            return self.truth(node.left, env) and self.truth(node.right, env)
        if node.op == "or":
            return self.truth(node.left, env) or self.truth(node.right, env)
        if node.op == "in":
            symbol = self.to_symbol(self.value(node.left, env), node.left.span)
            return symbol in self.klass(node.right, env).chars
        if is_move(node.left, env) or (isinstance(node.left, s.Index | s.Slice) and is_move(node.right, env)):
            return COMPARISONS[node.op](self.move(node.left, env), self.move(node.right, env))
        return self._compare(node, env)

    def _compare(self, node: s.Binary, env: Env) -> bool:
        letters = [self.letter(each, env) for each in _letters(node)] if node.op in ("==", "!=") else []
        if letters:
            return COMPARISONS[node.op](*letters)
        left, right = self.value(node.left, env), self.value(node.right, env)
        if left.char and right.char and node.op in ("==", "!="):
            return COMPARISONS[node.op](left.char, right.char)
        return COMPARISONS[node.op](left.number, right.number)

    def klass(self, node: s.Expr, env: Env) -> Klass:
        """The symbols that a pattern or a class stands for, each once."""
        if isinstance(node, s.AnySymbol):
            return self.everything
        if isinstance(node, s.Name) and node.name in self.classes:
            return self.classes[node.name]
        if isinstance(node, s.Name) and isinstance(env.get(node.name), Klass):
            bound = env[node.name]
            assert isinstance(bound, Klass)
            return bound
        chars: list[str]
        if isinstance(node, s.Union):
            chars = [c for part in node.parts for c in self.klass(part, env).chars]
        elif isinstance(node, s.Binary) and node.op == "except":
            without = self.klass(node.right, env).chars
            chars = [c for c in self.klass(node.left, env).chars if c not in without]
        elif isinstance(node, s.Binary) and node.op == "..":
            chars = self.symbol_range(node, env)
        else:
            chars = [self.to_symbol(self.value(node, env), node.span)]
        return self.class_with("".join(dict.fromkeys(chars)))

    def class_with(self, chars: str) -> Klass:
        """The declared class of exactly these symbols, in this order; else one that is called by them."""
        return self._by_chars.get(chars) or _unnamed(chars)

    def symbol_range(self, node: s.Binary, env: Env) -> list[str]:
        """`0..base-1` or `'a'..'z'`; an upside-down range is empty."""
        low, high = self._end(node.left, env), self._end(node.right, env)
        if isinstance(low, str) and isinstance(high, str):
            codes = range(ord(low), ord(high) + 1)
            if len(codes) > MAX_SYMBOLS:
                raise Fault(
                    "G033", f"this range has {len(codes):,} symbols", node.span, f"at most {MAX_SYMBOLS:,}"
                )
            return [self.known(chr(code), node.span) for code in codes]
        if isinstance(low, int) and isinstance(high, int):
            if high > 9 or low < 0:
                hint = "numbers are symbols only from 0 to 9; name others, as in 'a'..'z'"
                raise Fault("G031", f"{high if high > 9 else low} is not a symbol", node.span, hint=hint)
            return [self.known(str(n), node.span) for n in range(low, high + 1)]
        raise Fault("G025", NO_RANGE, node.span)

    def _end(self, node: s.Expr, env: Env) -> int | str:
        return node.char if isinstance(node, s.Symbol) else self.value(node, env).number

    def move(self, node: s.Expr, env: Env) -> str:
        if isinstance(node, s.Direction):
            return node.move
        if isinstance(node, s.Name):
            bound = env[node.name]
            assert isinstance(bound, str)
            return bound
        if isinstance(node, s.Conditional):
            return self.move(node.then if self.truth(node.condition, env) else node.otherwise, env)
        if isinstance(node, s.Index | s.Slice):
            letter = self.letter(node, env)
            if letter in tuple("UDLRS"):
                return letter
            message = f"`{letter}`, a letter of `{expression(node.word)}`, is not a move"
            hint = "moves are U D L R S; a word of moves is made of these letters"
            raise Fault("G035", message, node.span, f"this is {quote(letter)}", hint)
        assert isinstance(node, s.Call)
        return TURNS[node.name.name][self.move(node.args[0], env)]

    def move_set(self, node: s.Expr) -> str:
        """The moves a parameter may take: `move`, `move except S`, `L | R`."""
        if isinstance(node, s.Direction):
            return node.move
        if isinstance(node, s.Union):
            return "".join(self.move_set(part) for part in node.parts)
        if isinstance(node, s.Binary):
            return "".join(m for m in self.move_set(node.left) if m not in self.move_set(node.right))
        return "UDLRS"

    def to_symbol(self, value: Val, span: Span) -> str:
        if value.char:
            return value.char
        if value.home:
            char = member(value.home, value.number)
            if char:
                return char
            message = f"{value.number} is not a symbol of class `{value.home.name}`"
            raise Fault("G031", message, span, f"this is {value.number}", self._members(value.home))
        char = str(value.number)
        if char in self.symbols:
            return char
        hint = f"the alphabet is {' '.join(self.symbols)}" if len(self.symbols) <= 40 else ""
        raise Fault(
            "G031", f"{value.number} is not a symbol of the alphabet", span, f"this is {value.number}", hint
        )

    def known(self, char: str, span: Span) -> str:
        """The symbol, which the alphabet must have."""
        if char not in self.symbols:
            hint = f"add it to a class below `alphabet`, as in NAME = {quote(char)}"
            raise Fault("G031", f"{quote(char)} is not a symbol of the alphabet", span, hint=hint)
        return char

    def _members(self, klass: Klass) -> str:
        return f"its symbols: {' '.join(klass.chars[:40])}"


def _computed(node: s.Binary, a: int, b: int) -> int:
    if b == 0 and node.op in ("div", "mod"):
        raise Fault("G032", f"`{node.op}` by zero", node.right.span, "this is 0 here")
    if b < 0 and node.op == "^":
        label = f"this is {b} here"
        raise Fault("G030", "a power with a negative exponent is not a whole number", node.right.span, label)
    result = _power(a, b) if node.op == "^" else ARITHMETIC[node.op](a, b)
    if not -LARGEST <= result <= LARGEST:
        raise Fault("G030", "this number grows too large", node.span, f"more than {LARGEST:,}")
    return result


def _power(base: int, exponent: int) -> int:
    """A power, or if it is too large, some other number that is."""
    return int(base**exponent) if abs(base) <= 1 or exponent <= LARGEST.bit_length() else LARGEST + 1


def is_move(node: s.Expr, env: Env) -> bool:
    """Whether a comparison speaks of moves."""
    if isinstance(node, s.Conditional):
        return is_move(node.then, env)
    if isinstance(node, s.Name):
        return type(env.get(node.name)) is str
    return isinstance(node, s.Direction) or (isinstance(node, s.Call) and node.name.name in TURNS)


def _letters(node: s.Binary) -> list[s.Symbol | s.Index | s.Slice]:
    """Both sides of a comparison of letters, which may stand outside the alphabet: `rule[0] == 'x'`."""
    sides = [side for side in (node.left, node.right) if isinstance(side, s.Symbol | s.Index | s.Slice)]
    return sides if len(sides) == 2 and not all(isinstance(side, s.Symbol) for side in sides) else []
