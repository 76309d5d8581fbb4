"""The part of `verify` that checks pairs of states, windows, and differences."""

from __future__ import annotations

from typing import Any

from compiler.verifier.input_clauses import is_input
from compiler.verifier.tables import MOVES, Rules, check, cut, follow, in_range, known_cells, moved


def check_pairs(left: Rules, right: Rules, pairs: list[list[int]], observed: bool) -> tuple[int, int, int]:
    """Pairs of states closed under every symbol; counts them, and the branches left open."""
    listed = {(p, q) for p, q in pairs}
    check((0, 0) in listed, "evidence", "the pair of start states is missing")
    check(len(listed) == len(pairs), "evidence", "a pair stands twice")
    stuck = unobserved = 0
    for index, (p, q) in enumerate(pairs):
        where = f"evidence, pair {index}"
        check(in_range(p, q, left, right), where, "there are no such states")
        for symbol in range(len(left.symbols)):
            if (p, symbol) not in left.does:
                stuck += 1
            elif observed and (q, symbol) not in right.does:
                unobserved += 1
            else:
                step = follow(left, right, p, q, symbol, where)
                check(step is None or step[2:] in listed, where, "the pair after it is missing")
    return len(pairs), stuck, unobserved


def check_windows(left: Rules, right: Rules, evidence: dict[str, Any]) -> tuple[int | None, int, int]:
    """Elements closed under every step, up to forgetting cells beyond one of the radii."""
    radii, every = evidence["radii"], range(len(left.symbols))
    elements = []
    for index, (p, q, *numbers) in enumerate(evidence["elements"]):
        where = f"evidence, element {index}"
        check(in_range(p, q, left, right), where, "there are no such states")
        elements.append((p, q, known_cells(numbers, len(every), where)))
    listed = {(p, q, frozenset(cells.items())) for p, q, cells in elements}
    check(len(listed) == len(elements), "evidence", "an element stands twice")
    check((0, 0, frozenset()) in listed, "evidence", "the start, where nothing is known, is missing")
    stuck = 0
    for index, (p, q, cells) in enumerate(elements):
        where = f"evidence, element {index}"
        for symbol in every if (0, 0) not in cells else (cells[0, 0],):
            stuck += (p, symbol) not in left.does
            step = follow(left, right, p, q, symbol, where)
            if step is not None:
                write, move, p2, q2 = step
                after = moved({**cells, (0, 0): write}, move)
                found = any((p2, q2, frozenset(cut(after, radius).items())) in listed for radius in radii)
                check(found, where, f"what follows it on `{left.symbols[symbol]}` is missing")
    return None if None in radii else max(radii), len(elements), stuck


def check_difference(left: Rules, right: Rules, scope: str, evidence: dict[str, Any]) -> None:
    """Both traces, step by step, and the world that they happen on."""
    steps = list(zip(evidence["reads"], evidence["left"], evidence["right"], strict=True))
    check(steps, "evidence", "there is no step")
    world = None if evidence["cells"] is None else {(x, y): symbol for x, y, symbol in evidence["cells"]}
    check(world is not None or scope in ("table", "observed"), "evidence", "the world is missing")
    strange = set((world or {}).values()) - set(left.symbols)
    check(not strange, "evidence", "the world holds symbols that the tables do not know")
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
        check(entry is not None, where, "LEFT is stuck here, so nothing is asked of RIGHT")
        seen = [[left.symbols[e[0]], e[1]] if e else None for e in (entry, other)]
        check(seen == [mine, theirs], where, "the tables do something else")
        last = index == len(steps) - 1
        check(last or mine == theirs, where, "they differ here, so it must be the last step")
        check(not last or mine != theirs, where, "they do not differ")
        if last:
            check(scope != "observed" or other is not None, where, "RIGHT was not observed here")
            return
        assert entry is not None and other is not None
        check((mine[0], mine[1]) != (read, "S"), where, "LEFT has halted, so nothing is asked of RIGHT")
        if world is not None:
            world[head] = mine[0]
        dx, dy = MOVES[mine[1]]
        head, p, q = (head[0] + dx, head[1] + dy), entry[2], other[2]
