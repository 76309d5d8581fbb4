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
     one of the two. What cannot be counted is left out of a condition, and there are more inputs. Instead of
     (a) and (b), evidence of the kind `reduced acceptance` shows how runs end by (V15).
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.strips import STRIP_PARTS, check_strips
from gridlang.compiler.verifier.tables import Rules, Wrong, check
from gridlang.compiler.verifier.values.values import check_inequalities

ACCEPTANCE_KINDS = ("acceptance", "reduced acceptance", "runs acceptance")
PARTS = {"kind", "accept", "stuck"}
ALWAYS, NEVER = ["==", 0, 0], ["!=", 0, 0]


def check_acceptance(left: Rules, evidence: dict[str, Any]) -> None:
    """(a) and (b) of (V14)."""
    check(set(evidence) == PARTS, "total, output", "something is missing or unknown")
    whole = isinstance(left.output, dict) and set(left.output) == {"digits", "value"}
    check(whole, "left", "its output clause has other parts")
    accepts = _accepts(left.output["value"])
    for name, rules, condition in (
        ("accept", left, accepts),
        ("stuck", _ending_otherwise(left), ["not", accepts]),
    ):
        half = rules._replace(where=condition if left.where is None else ["and", left.where, condition])
        strip = evidence[name]
        if strip["kind"] == "inequalities":
            check_inequalities(half, strip)
            continue
        is_strip = strip["kind"] == "strips" and set(strip) == {"kind", *STRIP_PARTS}
        check(is_strip, f"total, {name}", "there is no strip")
        try:
            check_strips(half, half, "inputs", strip, "never")
        except Wrong as wrong:
            raise Wrong(f"total, {name}, {wrong.problem.where}", wrong.problem.message) from None


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
