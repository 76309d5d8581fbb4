"""What `verify` knows of tables: their rules, and one step of both sides."""

from __future__ import annotations

from typing import Any, NamedTuple

# Each move in cells; y grows downwards.
MOVES = {"U": (0, -1), "D": (0, 1), "L": (-1, 0), "R": (1, 0), "S": (0, 0)}
WHERE_STUCK = ("unasked", "same", "never")  # what a claim may say of where LEFT is stuck
TABLE_PARTS = {
    *("name", "symbols", "blank", "moves"),
    *("states", "start", "classes", "input", "output", "rules"),
}


class Problem(NamedTuple):
    """Where a certificate is wrong, and how."""

    where: str
    message: str


class Wrong(Exception):
    """Ends the check: the certificate is not valid."""

    def __init__(self, where: str, message: str, at: Any = None) -> None:
        super().__init__(message)
        self.problem, self.at = Problem(where, message), at


class TooMuch(Wrong):
    """More would have to be told apart than there may be."""


class LeavesRows(Wrong):
    """The head may leave the rows of a strip; `at` is the row that it comes to."""


class Differs(Wrong):
    """(V2) may fail; `at` has both states, and the symbol that is read."""


class Rules(NamedTuple):
    """The table of one side, by numbers; state 0 is the start, symbol 0 the blank, symbols are LEFT's."""

    states: int
    symbols: tuple[str, ...]
    does: dict[tuple[int, int], tuple[int, str, int]]  # (state, symbol): (write, move, next)
    input: Any  # the clause of the inputs that it declares, as a tree; None for none
    output: Any = None  # the clause of its results
    where: Any = None  # the condition that inputs meet, as an expression; None for none


def check(holds: object, where: str, message: str) -> None:
    """Wrong unless it holds."""
    if not holds:
        raise Wrong(where, message)


def rules_of(table: dict[str, Any], where: str, names: tuple[str, ...] | None) -> Rules:
    """The table in a certificate, `names` LEFT's symbols; Wrong if it is none.

    Every entry is read once, has states and symbols that there are, and stays in its state if it is idle.
    """
    lists = [table[part] for part in ("symbols", "states", "classes", "rules")]
    check(are_lists([*lists, *table["classes"], *table["rules"]]), where, "its table has no lists")
    symbols, states, classes = tuple(table["symbols"]), table["states"], dict(table["classes"])
    check(
        set(table) - {"where"} == TABLE_PARTS and table["moves"] == list(MOVES),
        where,
        "its table has other parts",
    )
    clauses = isinstance(table["input"], list | str | None) and isinstance(table["output"], dict | str | None)
    check(clauses, where, "its table has clauses that are none")
    texts = [table["name"], *states, *classes, *classes.values()]
    check(all(isinstance(text, str) for text in texts), where, "its table has names that are none")
    letters = all(isinstance(symbol, str) and len(symbol) == 1 for symbol in symbols)
    check(letters and len(set(symbols)) == len(symbols), where, "its alphabet is wrong")
    check(symbols[0] == "_" == table["blank"], where, "its first symbol is not the blank")
    check(names is None or sorted(names) == sorted(symbols), where, "its alphabet is not LEFT's")
    check(len(set(states)) == len(states), where, "a state is named twice")
    check(table["start"] == states[0], where, "its start is not its first state")
    members = all(set(chars) <= set(symbols) for chars in classes.values())
    check(members and len(classes) == len(table["classes"]), where, "its classes are wrong")
    number = {symbol: index for index, symbol in enumerate(names or symbols)}
    state = {name: index for index, name in enumerate(states)}
    does: dict[tuple[int, int], tuple[int, str, int]] = {}
    for index, (before, read, write, move, after) in enumerate(table["rules"]):
        key = (state[before], number[read])
        check(key not in does and move in MOVES, where, f"rule {index} of its table is wrong")
        idle = read == write and move == "S"
        check(not idle or before == after, where, f"rule {index} of its table is idle but changes the state")
        does[key] = (number[write], move, state[after])
    return Rules(len(state), names or symbols, does, table["input"], table["output"], table.get("where"))


def joint_step(
    left: Rules, right: Rules, p: int, q: int, symbol: int, stuck: str, where: str
) -> tuple[int, str, int, int] | None:
    """Write, move and both next states; None where LEFT is stuck or halts; Wrong where (V2) fails."""
    mine, theirs = left.does.get((p, symbol)), right.does.get((q, symbol))
    if mine is None:
        if stuck == "never" or (stuck == "same" and theirs is not None):
            also = ", and RIGHT is not" if stuck == "same" else ""
            raise Differs(where, f"LEFT is stuck on `{left.symbols[symbol]}`{also}", (p, q, symbol))
        return None
    if theirs is None or theirs[:2] != mine[:2]:
        message = f"RIGHT does not do what LEFT does on `{left.symbols[symbol]}`"
        raise Differs(where, message, (p, q, symbol))
    if mine[0] == symbol and mine[1] == "S":
        return None
    return (*mine, theirs[2])


def are_lists(parts: object) -> bool:
    """Whether this is a list of lists; a text, or an object, would also be read one by one."""
    return isinstance(parts, list) and all(isinstance(part, list) for part in parts)


def are_numbers(numbers: object, least: int, top: int | None = None) -> bool:
    """Whether this is a list of whole numbers, none below the least, all below `top`; not of booleans."""
    return isinstance(numbers, list) and all(
        type(n) is int and least <= n and (top is None or n < top) for n in numbers
    )
