"""The part of `verify` that checks acceptors: LEFT halts where its output clause says so, else it is stuck.

The clause chooses, by conditions, between ["accept"] and ["stuck"]; the inputs are split by what it chooses.

(V14) Theorem, acceptance. Let every run of LEFT on a declared input end (V11). Let the conditions of (V8)
       (a) show that LEFT is never stuck on declared inputs for which the clause says `accept`;
       (b) show the same of LEFT' on those for which it says `stuck`. LEFT' is LEFT, but stuck where LEFT
           halts, and halted where LEFT is stuck.
     Then every run of LEFT on a declared input ends as the clause says. Either may be shown by (V16) instead.
     A run that ends has halted or is stuck. LEFT' does what LEFT does until that ends, so where LEFT' is
     never stuck, LEFT does not halt. (a) and (b) are about tables with a condition of their inputs: that of
     LEFT, if it has one, and what the clause says, or its contrary (`conditions`). Every declared input meets
     one of the two. What cannot be counted is left out of a condition, and there are more inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gridlang.compiler.verifier.strips import apart, check_strips
from gridlang.compiler.verifier.tables import Rules, Wrong, check
from gridlang.compiler.verifier.values.values import check_inequalities

ACCEPTANCE_KINDS = ("acceptance", "runs acceptance")
PARTS = {"kind", "accept", "stuck"}
ALWAYS, NEVER = ["==", 0, 0], ["!=", 0, 0]


def check_acceptance(left: Rules, evidence: dict[str, Any]) -> None:
    """(a) and (b) of (V14)."""
    check(set(evidence) == PARTS, "total, output", "something is missing or unknown")
    for name, half in halves(left):
        strip = evidence[name]
        if strip["kind"] == "inequalities":
            check_inequalities(half, strip)
            continue
        try:
            check_strips(half, half, "inputs", strip, "never")
        except Wrong as wrong:
            raise apart(f"total, {name}", wrong) from None


def halves(left: Rules) -> Iterator[tuple[str, Rules]]:
    """What is never stuck: LEFT where its clause says `accept`, LEFT' where it says `stuck`."""
    whole = isinstance(left.output, dict) and set(left.output) == {"digits", "value"}
    check(whole, "left", "its output clause has other parts")
    accepts = _accepts(left.output["value"])
    for name, rules, condition in (
        ("accept", left, accepts),
        ("stuck", _ending_otherwise(left), ["not", accepts]),
    ):
        where = condition if left.where is None else ["and", left.where, condition]
        yield name, rules._replace(where=where)


def _accepts(tree: Any) -> Any:
    """The condition under which a clause says `accept`; Wrong if it says anything but that and `stuck`."""
    if tree in (["accept"], ["stuck"]):
        return ALWAYS if tree == ["accept"] else NEVER
    chooses = isinstance(tree, list) and len(tree) == 4 and tree[0] == "if"
    check(chooses, "left", "its output clause says more than how a run ends")
    _, condition, one, other = tree
    return ["or", ["and", condition, _accepts(one)], ["and", ["not", condition], _accepts(other)]]


def _ending_otherwise(left: Rules) -> Rules:
    """LEFT': it halts where LEFT is stuck, and is stuck where LEFT halts."""
    goes_on = {
        (state, symbol): step
        for (state, symbol), step in left.does.items()
        if (step[0], step[1]) != (symbol, "S")
    }
    halts = {
        (state, symbol): (symbol, "S", state)
        for state in range(left.states)
        for symbol in range(len(left.symbols))
        if (state, symbol) not in left.does
    }
    return left._replace(does=goes_on | halts)
