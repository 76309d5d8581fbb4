"""The part of `verify` that checks pairs of states.

(V3) Theorem, pairs. Let P be a set of pairs (p, q) of a state of LEFT and one of RIGHT, with (0, 0) in it.
     Let, for each of its pairs and each symbol on which LEFT is not stuck, RIGHT write and move as LEFT
     does, and the pair of the next states be in P, unless LEFT halts; and let the claim allow it where LEFT
     is stuck. Then RIGHT does what LEFT does on every sequence of reads: by induction, both are at a pair of
     P after each step. For "observed", sequences end where RIGHT has no entry.
"""

from __future__ import annotations

from gridlang.compiler.verifier.tables import Rules, are_states, check, joint_step


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
