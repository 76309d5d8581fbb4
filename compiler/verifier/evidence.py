"""The part of `verify` that checks pairs of states, windows, and differences.

(V3) Theorem, pairs. Let P be a set of pairs (p, q) of a state of LEFT and one of RIGHT, with (0, 0) in it.
     Let, for each of its pairs and each symbol on which LEFT is not stuck, RIGHT write and move as LEFT
     does, and the pair of the next states be in P, unless LEFT halts; and let the claim allow it where LEFT
     is stuck. Then RIGHT does what LEFT does on every sequence of reads: by induction, both are at a pair of
     P after each step. For "observed", sequences end where RIGHT has no entry.
(V4) Theorem, windows. An element (p, q, K) stands for all worlds, heads and states p, q in which each cell
     of K, counted from the head, holds the symbol that K gives it. Let the elements have (0, 0, {}), which
     stands for every start. Let, for each element and each symbol that may be under its head, the joint
     step be as in (V3), and lead to an element again: K with what was written, seen from where the head
     goes, less what is known beyond some radius. Then RIGHT does what LEFT does on every world: by
     induction, what there is after each step is among what an element stands for. Forgetting is sound, as
     it stands for more.
(V6) Difference. Both tables are run on the reads of the certificate, and on its world where it has one.
     They do the same up to the last step, LEFT has not halted before it, and at the last step it does
     something that RIGHT does not, or is stuck where the claim does not allow it. For "inputs" the world is
     the row of a declared input, and the head starts on its first cell.
"""

from __future__ import annotations

from typing import Any

from compiler.verifier.input_clauses import is_input
from compiler.verifier.tables import (
    MOVES,
    Rules,
    are_lists,
    are_numbers,
    are_states,
    check,
    forget_beyond,
    joint_step,
    known_cells,
    seen_after_move,
)

FARTHEST = 1 << 40  # Cells of worlds are nearer than this, so that steps from them can be counted anywhere.


def check_pairs(
    left: Rules, right: Rules, pairs: list[list[int]], observed: bool, stuck: str
) -> tuple[int, int, int]:
    """(V3); counts the pairs, and the branches on which LEFT is stuck, or RIGHT was not observed."""
    listed = {(p, q) for p, q in pairs}
    check((0, 0) in listed, "evidence", "the pair of start states is missing")
    check(len(listed) == len(pairs), "evidence", "a pair stands twice")
    stuck_branches = unobserved = 0
    for index, (p, q) in enumerate(pairs):
        where = f"evidence, pair {index}"
        check(are_states(p, q, left, right), where, "there are no such states")
        for symbol in range(len(left.symbols)):
            stuck_branches += (p, symbol) not in left.does
            if observed and (p, symbol) in left.does and (q, symbol) not in right.does:
                unobserved += 1
                continue
            step = joint_step(left, right, p, q, symbol, stuck, where)
            check(step is None or step[2:] in listed, where, "the pair after it is missing")
    return len(pairs), stuck_branches, unobserved


def check_windows(
    left: Rules, right: Rules, evidence: dict[str, Any], stuck: str
) -> tuple[int | None, int, int]:
    """(V4); the largest radius, and how many elements and stuck branches there are."""
    radii, every = evidence["radii"], range(len(left.symbols))
    known = are_numbers([radius for radius in radii if radius is not None], 0)
    check(radii and known, "evidence, radii", "they are not whole numbers from 0 on")
    elements = []
    for index, (p, q, *numbers) in enumerate(evidence["elements"]):
        where = f"evidence, element {index}"
        check(are_states(p, q, left, right), where, "there are no such states")
        elements.append((p, q, known_cells(numbers, len(every), where)))
    listed = {(p, q, frozenset(cells.items())) for p, q, cells in elements}
    check(len(listed) == len(elements), "evidence", "an element stands twice")
    check((0, 0, frozenset()) in listed, "evidence", "the start, where nothing is known, is missing")
    stuck_branches = 0
    for index, (p, q, cells) in enumerate(elements):
        where = f"evidence, element {index}"
        for symbol in every if (0, 0) not in cells else (cells[0, 0],):
            stuck_branches += (p, symbol) not in left.does
            step = joint_step(left, right, p, q, symbol, stuck, where)
            if step is not None:
                write, move, p2, q2 = step
                after = seen_after_move({**cells, (0, 0): write}, move)
                kept = (frozenset(forget_beyond(after, radius).items()) for radius in radii)
                check(
                    any((p2, q2, window) in listed for window in kept),
                    where,
                    f"what follows it on `{left.symbols[symbol]}` is missing",
                )
    return None if None in radii else max(radii), len(elements), stuck_branches


def check_difference(left: Rules, right: Rules, scope: str, evidence: dict[str, Any], stuck: str) -> None:
    """(V6): both traces, step by step, and the world that they happen on."""
    traces = [evidence["reads"], evidence["left"], evidence["right"]]
    check(are_lists(traces), "evidence", "its traces are no lists")
    steps = list(zip(*traces, strict=True))
    check(steps, "evidence", "there is no step")
    world = _world(evidence["cells"], evidence["start"])
    check(world is not None or scope in ("table", "observed"), "evidence", "the world is missing")
    unknown = set((world or {}).values()) - set(left.symbols)
    check(not unknown, "evidence", "the world holds symbols that the tables do not know")
    if scope == "inputs":
        text = evidence["input"]
        check(isinstance(text, str), "evidence", "the input is missing")
        row = {(x, 0): symbol for x, symbol in enumerate(text) if symbol != "_"}
        check(world == row and evidence["start"] == [0, 0], "evidence", "the world is not that of the input")
        check(is_input(left, text), "evidence", "the input is not a declared one")
    else:
        check(evidence["input"] is None, "evidence", "only a declared input is one")
    p = q = 0
    head = tuple(evidence["start"] or (0, 0))
    number = {symbol: index for index, symbol in enumerate(left.symbols)}
    for index, (read, mine, theirs) in enumerate(steps):
        where = f"evidence, step {index + 1}"
        check(world is None or world.get(head, "_") == read, where, f"`{read}` is not what stands there")
        entry, other = left.does.get((p, number[read])), right.does.get((q, number[read]))
        seen = [[left.symbols[e[0]], e[1]] if e else None for e in (entry, other)]
        check(seen == [mine, theirs], where, "the tables do something else")
        last = index == len(steps) - 1
        if entry is None:
            asked = stuck == "never" or (stuck == "same" and other is not None)
            check(last and asked, where, "LEFT is stuck here, and the claim allows it")
            return
        check(last or mine == theirs, where, "they differ here, so it must be the last step")
        check(not last or mine != theirs, where, "they do not differ")
        if last:
            check(scope != "observed" or other is not None, where, "RIGHT was not observed here")
            return
        assert other is not None
        check((mine[0], mine[1]) != (read, "S"), where, "LEFT has halted, so nothing is asked of RIGHT")
        if world is not None:
            world[head] = mine[0]
        dx, dy = MOVES[mine[1]]
        head, p, q = (head[0] + dx, head[1] + dy), entry[2], other[2]


def _world(cells: Any, start: Any) -> dict[tuple[int, int], str] | None:
    """The world of a difference, each of its cells once; None where there is none, and then no start."""
    if cells is None:
        check(start is None, "evidence", "there is a start, but no world")
        return None
    check(are_lists(cells), "evidence", "the world is no list of cells")
    world = {(x, y): symbol for x, y, symbol in cells}
    places = [number for x, y, _ in cells for number in (x, y)]
    ok = are_numbers(places, -FARTHEST, FARTHEST) and are_numbers(start, -FARTHEST, FARTHEST)
    check(ok and len(start) == 2, "evidence", "a cell of the world is nowhere")
    check(len(world) == len(cells), "evidence", "a cell of the world stands twice")
    return world
