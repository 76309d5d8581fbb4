"""Inputs drawn from the `input` clause of any agent: all short ones, repeated ones, random ones.

A repetition is a `+`, a `*` or a count of the clause; its length is how often its body stands in the input.
What is drawn meets the condition of the clause: where it has one, texts are drawn until one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from itertools import islice
from math import prod
from random import Random

from gridlang.clauses.inputs import InputLanguage, RareInputs, rare_inputs
from gridlang.clauses.position_automaton import Bounds
from gridlang.compiler.simulation.clause_folding import fold_clause
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.random_worlds import FreshCell, Growth
from gridlang.source import Source, Span
from gridlang.table import BLANK, Table
from gridlang.world import World, picture_rows, picture_world, string_world


def stuck_worlds(table: Table, random: Random, steps: int) -> Iterator[World]:
    """Worlds on which the agent gets stuck, which shows a learner that there is no rule; there may be none.

    Of the symbols with a rule and of those without, the ones used less so far in a state are likelier.
    """
    growth = Growth(table, steps)
    unruled = [[x for x, entry in enumerate(row) if entry is None] for row in table.rows]
    tries = 0

    def choose(fresh: FreshCell) -> int | None:
        nonlocal tries
        counts, missing = growth.uses[fresh.state], unruled[fresh.state]
        ends = missing and (not fresh.known or random.randrange(LIMITS.stuck_odds) == 0)
        among = missing if ends else fresh.known
        chosen = random.choices(among, [1 / (1 + counts[symbol]) for symbol in among])[0]
        if ends:
            counts[chosen] += 1
            tries = 0
        return chosen

    while tries < LIMITS.stuck_tries:
        tries += 1
        world = growth.world(choose)
        if not tries:
            yield world


def world_text(world: str | World) -> str:
    """An input as it is; a world as its picture, every row of it ended by a newline."""
    if isinstance(world, str):
        return world
    return "".join(f"{row}\n" for row in picture_rows(world))


def text_world(text: str, symbols: tuple[str, ...]) -> World:
    """The world of what `world_text` wrote, up to where it lies on the plane."""
    if not text.endswith("\n"):
        return string_world(text)
    return picture_world(Span(Source("<picture>", text), 0, len(text)), symbols)


def square_world(symbols: tuple[str, ...], side: int, random: Random) -> World:
    """A square with a density of its own, filled from one to four symbols; the head starts in it."""
    palette = random.sample(symbols[1:], min(random.randint(1, 4), len(symbols) - 1)) or [BLANK]
    density = random.random()
    places = [(x, y) for y in range(side) for x in range(side) if random.random() < density]
    cells = dict(zip(places, random.choices(palette, k=len(places)), strict=True))
    return World(cells, (random.randrange(side), random.randrange(side)))


Lengths = Callable[[Bounds], range]  # the lengths of a repetition with these bounds


def lengths_up_to(longest: int) -> Lengths:
    """A `+` has 1 to `longest`, a `*` 0 to `longest`, a `?` 0 or 1; what must be longer is."""

    @cache
    def lengths(bounds: Bounds) -> range:
        least, most = bounds
        high = max(longest, least) if most is None else min(most, max(longest, least, 1))
        return range(least, high + 1)

    return lengths


def lengths_of(length: int) -> Lengths:
    """Every repetition has exactly this length, or the next that its bounds allow; a `?` has 0 or 1."""

    @cache
    def lengths(bounds: Bounds) -> range:
        if bounds == (0, 1):
            return range(2)
        fixed = length_within(bounds, length)
        return range(fixed, fixed + 1)

    return lengths


def length_within(bounds: Bounds, length: int) -> int:
    """The length that bounds allow, and that is next to one that is wanted."""
    least, most = bounds
    return max(length, least) if most is None else min(max(length, least), most)


def count_inputs(language: InputLanguage, lengths: Lengths) -> int:
    """How many ways there are to draw an input, at least as many as inputs; counting ends at a limit."""

    def many(body: int, bounds: Bounds) -> int:
        ways = 0
        for n in lengths(bounds):
            ways += body**n
            if ways > LIMITS.counted:
                break
        return ways

    def row(parts: list[int]) -> int:
        return prod(parts)

    def either(options: list[int]) -> int:
        return sum(options)

    return min(fold_clause(language, len, many, either, row), LIMITS.counted)


def all_inputs(language: InputLanguage, longest: int) -> Iterator[str]:
    """Every input whose repetitions have at most this length; one may come twice."""
    lengths = lengths_up_to(longest)

    def many(body: _Texts, bounds: Bounds) -> _Texts:
        return lambda: (text for n in lengths(bounds) for text in _row([body] * n)())

    return _allowed(language, fold_clause(language, _cell, many, _either, _row)())


def _allowed(language: InputLanguage, texts: Iterator[str]) -> Iterator[str]:
    """The inputs among texts; where they are very rare, those that come soon."""
    with suppress(RareInputs):
        yield from language.allowed(texts)


def repeating_inputs(language: InputLanguage, length: int) -> Iterator[str]:
    """Every input whose repetitions repeat one thing `length` times: `111+444` for `digit+, sign, digit+`."""
    lengths = lengths_of(length)

    def many(body: _Texts, bounds: Bounds) -> _Texts:
        return lambda: (text * n for n in lengths(bounds) for text in islice(body(), None if n else 1))

    return _allowed(language, fold_clause(language, _cell, many, _either, _row)())


def random_input(language: InputLanguage, lengths: Lengths, random: Random) -> str:
    """Each repetition's length uniform in its lengths, each symbol uniform in its class.

    Where the condition of the clause is hardly ever met at these lengths, shorter or longer ones are drawn.
    """
    return input_drawer(language, random)(lengths)


def input_drawer(language: InputLanguage, random: Random) -> Callable[[Lengths], str]:
    """`random_input` for many inputs: most of its time is that of going through the clause."""
    draw = _text_drawer(language, random)

    def drawn(lengths: Lengths) -> str:
        met, twins = _drawing(language, lengths(Bounds(0, None)))
        symbols = 0
        for _ in range(LIMITS.draws):
            text = draw(met)
            allowed = _allowed_text(language, text, random, twins)
            if allowed is not None:
                return allowed
            symbols += len(text)
            if symbols > LIMITS.symbols_drawn:
                break
        raise rare_inputs(language)

    return draw if language.condition is None else drawn


@lru_cache(maxsize=1024)
def _drawing(language: InputLanguage, span: range) -> tuple[Lengths, bool]:
    """The first lengths at which a condition is met now and then, and whether a part needs another's text.

    These are the lengths asked for, shorter ones, then longer ones; a single length is kept. The answer is
    the same however often it is asked, so what is drawn depends on nothing but the seed.
    """
    wanted = lengths_of(span[-1]) if len(span) == 1 else lengths_up_to(span[-1])
    others = [] if len(span) == 1 else _other_lengths(span[-1])
    for lengths in (wanted, *map(lengths_up_to, others)):
        for twins in (False, True):
            random = Random(0)
            draw = _text_drawer(language, random)
            texts = (draw(lengths) for _ in range(LIMITS.probes))
            if any(_allowed_text(language, text, random, twins) is not None for text in texts):
                return lengths, twins
    return wanted, False


def _other_lengths(longest: int) -> list[int]:
    """Shorter lengths by halves, then longer ones by doubles."""
    shorter = [longest >> halved for halved in range(1, longest.bit_length())]
    return [*shorter, *(max(1, longest) << doubled for doubled in range(1, LIMITS.most_doubled + 1))]


def _allowed_text(language: InputLanguage, text: str, random: Random, twins: bool) -> str | None:
    """The text if it meets the condition, or else, for `twins`, if it does once two parts are equal."""
    if language.allows(text):
        return text
    if not twins:
        return None
    texts, members = language.pieces(text), [part.members for part in language.parts]
    pairs = [(i, j) for i, m in enumerate(members) for j, n in enumerate(members) if i != j and m and m == n]
    if not pairs:
        return None
    into, of = random.choice(pairs)
    texts[into] = texts[of]
    twin = "".join(texts)
    return twin if language.declares(twin) else None


_Draw = Callable[[int, Lengths], str]  # draws this many bodies after each other


def _text_drawer(language: InputLanguage, random: Random) -> Callable[[Lengths], str]:
    """Draws texts of the form of a clause, whatever its condition says."""
    choice, number = random.choice, random.random

    def cell(members: str) -> _Draw:
        count = len(members)  # What follows is `choices`, number by number, in half the time.
        return lambda n, _: "".join([members[int(number() * count)] for _ in range(n)])

    def many(body: _Draw, bounds: Bounds) -> _Draw:
        def drawn(n: int, lengths: Lengths) -> str:
            if n == 1:
                return body(choice(lengths(bounds)), lengths)
            return "".join([body(choice(lengths(bounds)), lengths) for _ in range(n)])

        return drawn

    def either(options: list[_Draw]) -> _Draw:
        return lambda n, lengths: "".join([choice(options)(1, lengths) for _ in range(n)])

    def row(parts: list[_Draw]) -> _Draw:
        return lambda n, lengths: "".join([part(1, lengths) for _ in range(n) for part in parts])

    whole = fold_clause(language, cell, many, either, row)
    return lambda lengths: whole(1, lengths)


_Texts = Callable[[], Iterator[str]]


def _cell(members: str) -> _Texts:
    return lambda: iter(members)


def _either(options: list[_Texts]) -> _Texts:
    return lambda: (text for option in options for text in option())


def _row(parts: list[_Texts]) -> _Texts:
    """Products that are made one item at a time."""
    if not parts:
        return lambda: iter([""])
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2  # By halves, so that a thousand parts are ten deep.
    left, right = _row(parts[:middle]), _row(parts[middle:])
    return lambda: (first + after for first in left() for after in right())


_Drawn = Callable[[], str]


def repeated_input(language: InputLanguage, length: int, random: Random) -> str:
    """One of the inputs whose every repetition repeats one thing `length` times.

    Where hardly any of them meets the condition, a random input of up to this length.
    """
    return repeated_drawer(language, length, random)()


def repeated_drawer(language: InputLanguage, length: int, random: Random) -> Callable[[], str]:
    return _periodic(language, 1, length, random, lambda options: random.choice([each() for each in options]))


def periodic_input(language: InputLanguage, period: int, length: int, random: Random) -> str:
    """An input whose every repetition has this length and repeats a word of `period` things: `101101`.

    Where hardly any of them meets the condition, a random input of up to this length.
    """
    return _periodic(language, period, length, random, lambda options: random.choice(options)())()


def _periodic(
    language: InputLanguage, period: int, length: int, random: Random, choose: Callable[[list[_Drawn]], str]
) -> _Drawn:
    def many(body: _Drawn, bounds: Bounds) -> _Drawn:
        def drawn() -> str:
            word = [body() for _ in range(period)]
            times = random.randint(0, 1) if bounds == (0, 1) else length_within(bounds, length)
            return "".join(word[n % period] for n in range(times))

        return drawn

    def cell(members: str) -> _Drawn:
        return lambda: random.choice(members)

    def row(parts: list[_Drawn]) -> _Drawn:
        return lambda: "".join([part() for part in parts])

    draw: _Drawn = fold_clause(
        language, cell, many, lambda options: lambda: choose(options), row, one_cell=False
    )

    def allowed() -> str:
        for _ in range(LIMITS.probes):
            text = draw()
            if language.allows(text):
                return text
        return random_input(language, lengths_up_to(length), random)

    return allowed


def longest_input(language: InputLanguage, length: int) -> int:
    """The symbols in a longest input whose repetitions have this length."""

    def many(body: int, bounds: Bounds) -> int:
        return body * length_within(bounds, length)

    longest: int = fold_clause(language, lambda _: 1, many, max, sum)
    return longest
