"""The fifteen tasks of Delétang et al. in plain Python: inputs and right answers.

Nothing here knows the agents in examples/suite: these definitions judge them, and what is learned from them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from math import isqrt
from random import Random
from typing import NamedTuple

MODULUS = 5


class Task(NamedTuple):
    """A task: an input of about a given length at random, and what must be left of any input."""

    name: str
    level: str
    draw: Callable[[Random, int], str]
    answer: Callable[[str], str]


def word(random: Random, length: int, letters: str = "ab") -> str:
    return "".join(random.choice(letters) for _ in range(max(1, length)))


def parity(text: str) -> str:
    return "ba"[text.count("b") % 2]


def even_pairs(text: str) -> str:
    changes = sum(left != right for left, right in pairwise(text))
    return "ba"[changes % 2]


def cycle(text: str) -> str:
    return str(sum({"0": 0, "1": 1, "2": -1}[move] for move in text) % MODULUS)


def flat_expression(random: Random, length: int) -> str:
    text = word(random, 1, "01234")
    while len(text) + 2 <= length:
        text += word(random, 1, "+-*") + word(random, 1, "01234")
    return text


def bracketed(random: Random, length: int, signs: str) -> str:
    """As the authors' code draws it: each operation stands in brackets of its own."""
    if length < 5:
        digit = word(random, 1, "01234")
        return {2: f"-{digit}", 3: f"({digit})", 4: f"(-{digit})"}.get(length, digit)
    left = random.randint(1, length - 4)
    parts = bracketed(random, left, signs), bracketed(random, length - 3 - left, signs)
    return f"({parts[0]}{random.choice(signs)}{parts[1]})"


def free_expression(random: Random, length: int, signs: str) -> str:
    """As the authors' text has it: products come before sums, and a minus may stand before a bracket."""
    if length < 3:
        return bracketed(random, length, signs)
    kind = random.randrange(4)
    if kind == 0:
        return f"-{free_expression(random, length - 1, signs)}"
    if kind == 1:
        return f"({free_expression(random, length - 2, signs)})"
    left = random.randint(1, length - 2)
    first = free_expression(random, left, signs)
    return f"{first}{random.choice(signs)}{free_expression(random, length - 1 - left, signs)}"


def any_expression(random: Random, length: int, signs: str = "+-*") -> str:
    return random.choice((bracketed, free_expression))(random, length, signs)


def value(text: str, x: int = 0) -> int:
    """An expression modulo five, by recursive descent: sums of products of signed numbers and brackets."""

    def total(at: int) -> tuple[int, int]:
        amount, at = product(at)
        while at < len(text) and text[at] in "+-":
            sign = 1 if text[at] == "+" else -1
            term, at = product(at + 1)
            amount += sign * term
        return amount % MODULUS, at

    def product(at: int) -> tuple[int, int]:
        amount, at = factor(at)
        while at < len(text) and text[at] == "*":
            term, at = factor(at + 1)
            amount *= term
        return amount % MODULUS, at

    def factor(at: int) -> tuple[int, int]:
        sign = 1
        while text[at] == "-":
            sign, at = -sign, at + 1
        if text[at] == "(":
            amount, at = total(at + 1)
        else:
            amount = x if text[at] == "x" else int(text[at])
        return sign * amount, at + 1

    amount, end = total(0)
    if end != len(text):
        raise ValueError(f"not an expression: {text}")
    return amount


def equation(random: Random, length: int) -> str:
    """An expression with + and - in which one number is called x, and its value."""
    text = any_expression(random, max(1, length - 2), "+-")
    at = random.choice([place for place, symbol in enumerate(text) if symbol.isdigit()])
    return f"{text[:at]}x{text[at + 1 :]}={value(text)}"


def solution(text: str) -> str:
    left, right = text.split("=")
    (x,) = (x for x in range(MODULUS) if value(left, x) == int(right))
    return str(x)


def orders(random: Random, length: int) -> str:
    stack = random.randint(1, max(1, length - 1))
    return word(random, stack) + "".join(random.choice("AB-") for _ in range(length - stack))


def stack_after(text: str) -> str:
    stack: list[str] = []
    for symbol in text:
        if symbol != "-":
            stack.append(symbol.lower())
        elif stack:
            stack.pop()
    return "".join(reversed(stack))


def hidden(random: Random, length: int) -> str:
    text = 2 * word(random, length // 2)
    at = random.randrange(len(text))
    return f"{text[:at]}?{text[at + 1 :]}"


def uncovered(text: str) -> str:
    half, at = len(text) // 2, text.index("?")
    return text[(at + half) % len(text)]


def two_numbers(random: Random, length: int, sign: str) -> str:
    left = random.randint(1, max(1, length - 2))
    return f"{word(random, left, '01')}{sign}{word(random, length - 1 - left, '01')}"


def lowest_first(text: str) -> int:
    return int(text[::-1], 2)


def added(text: str) -> str:
    left, right = map(lowest_first, text.split("+"))
    return f"{left + right:b}"[::-1]


def multiplied(text: str) -> str:
    left, right = map(lowest_first, text.split("*"))
    return f"{left * right:b}"[::-1]


def root(text: str) -> str:
    return f"{isqrt(int(text, 2)):b}".zfill((len(text) + 1) // 2)


TASKS = {
    task.name: task
    for task in (
        Task("even_pairs", "R", word, even_pairs),
        Task(
            "modular_arithmetic",
            "R",
            flat_expression,
            lambda text: str(value(text)),
        ),
        Task("parity_check", "R", word, parity),
        Task(
            "cycle_navigation",
            "R",
            partial(word, letters="012"),
            cycle,
        ),
        Task("stack_manipulation", "DCF", orders, stack_after),
        Task("reverse_string", "DCF", word, lambda text: text[::-1]),
        Task(
            "modular_arithmetic_brackets",
            "DCF",
            any_expression,
            lambda text: str(value(text)),
        ),
        Task("solve_equation", "DCF", equation, solution),
        Task("duplicate_string", "CS", word, lambda text: 2 * text),
        Task("missing_duplicate", "CS", hidden, uncovered),
        Task("odds_first", "CS", word, lambda text: text[::2] + text[1::2]),
        Task("binary_addition", "CS", partial(two_numbers, sign="+"), added),
        Task(
            "binary_multiplication",
            "CS",
            partial(two_numbers, sign="*"),
            multiplied,
        ),
        Task("compute_sqrt", "CS", partial(word, letters="01"), root),
        Task(
            "bucket_sort",
            "CS",
            partial(word, letters="01234"),
            lambda text: "".join(sorted(text)),
        ),
    )
}
