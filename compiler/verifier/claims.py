"""The part of `verify` that checks claims of LEFT alone: no run on a declared input comes to some ends.

A claim is {"assume": choices, "ends": ends, "evidence": …}. `assume` says of each condition by which the
output clause chooses, from the outside in, whether it holds: the claim is of LEFT with these conditions of
its inputs, and the branch of its clause that they choose. Ends are

    "stuck"          LEFT is stuck;
    "endless"        the run does not end;
    "wrong"          it ends otherwise than the clause says: with `accept` it is stuck, with `stuck` it halts,
                     with any other it halts and has left something else;
    [state, symbol]  LEFT comes to this rule. LEFT° is LEFT without such rules.

(V14) Theorem, acceptors. LEFT' is LEFT, but stuck where LEFT halts, and halted where LEFT is stuck. If LEFT'
      is never stuck (V8, V16), no run of LEFT halts: LEFT' does what LEFT does until that ends.
(V17) Theorem, cases. Let the choices of claims be all that there are: none; or a condition that holds, with
      all choices after it, and one that does not, with all after it. Let each be comparisons of numbers, put
      together with `and`, `or` and `not`; a number is one in the clause, that of a part, its length, the
      count of a text in it, or a sum, difference or product of these, or one divided by a number that is not
      0, with or without its remainder. Then no run comes to an end that is in all of these claims: on every
      declared input each condition has a value.
(V18) Theorem, unused rules. If LEFT° is never stuck on declared inputs, all that is shown of it on these is
      so of LEFT: a run of LEFT° is one of LEFT, and it does not end before that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import COMPARISONS, Node, OutputClause
from gridlang.compiler.verifier.folds.folds import FOLD_KINDS, FOLD_PARTS, check_folds
from gridlang.compiler.verifier.rankings import check_ranking
from gridlang.compiler.verifier.results import RESULT_PARTS, results_strip
from gridlang.compiler.verifier.runs import check_ends
from gridlang.compiler.verifier.strips import check_strips
from gridlang.compiler.verifier.tables import Rules, are_lists, are_numbers, check
from gridlang.compiler.verifier.values.values import VALUE_KINDS, check_inequalities, check_values
from gridlang.compiler.verifier.windows import Windows

STUCK, ENDLESS, WRONG = "stuck", "endless", "wrong"
ACCEPTANCES = ["accept"], ["stuck"]
SHOWS = {  # the ends that each kind of evidence shows: these, or some of them
    **{kind: {STUCK} for kind in ("windows", "strips", "inequalities")},
    **{kind: {WRONG} for kind in VALUE_KINDS},
    **{kind: {STUCK, WRONG} for kind in ("results", *FOLD_KINDS)},
    "ranking": {STUCK, ENDLESS},
    "runs": {STUCK, ENDLESS, WRONG},
}
Part = dict[str, Any]
Rule = tuple[int, int]


class Claim(NamedTuple):
    """What is claimed of LEFT, with what is assumed as conditions of its inputs."""

    left: Rules
    assume: tuple[bool, ...]
    ends: set[str]
    evidence: Part


def without_unused(left: Rules, parts: Any) -> Rules:
    """LEFT without the rules that the claims of a certificate say are unused."""
    check(isinstance(parts, list), "claims", "there is no list of them")
    unused = {rule for part in parts for rule in _unused(part)}
    return (
        left._replace(does={rule: step for rule, step in left.does.items() if rule not in unused})
        if unused
        else left
    )


def claims_of(left: Rules, parts: list[Part]) -> list[Claim]:
    return [_claim(left, part) for part in parts]


def _claim(left: Rules, part: Part) -> Claim:
    assume, unused = part["assume"], _unused(part)
    choices = isinstance(assume, list) and all(type(choice) is bool for choice in assume)
    check(set(part) == {"assume", "ends", "evidence"} and choices, "claims", "one has other parts")
    for choice in assume:
        left = branches(left)[not choice]
    ends = {end for end in part["ends"] if isinstance(end, str)}
    known = ends or unused, len(ends) + len(unused) == len(part["ends"])
    check(all(known) and ends <= {STUCK, ENDLESS, WRONG}, "claims", "one has ends that are none")
    check(not unused or (STUCK in ends and not assume), "claims", "one of unused rules is not about all runs")
    return Claim(left, tuple(assume), ends, part["evidence"])


def _unused(part: Part) -> list[Rule]:
    rules = [end for end in part["ends"] if not isinstance(end, str)]
    listed = are_lists(rules) and all(len(rule) == 2 and are_numbers(rule, 0) for rule in rules)
    check(isinstance(part["ends"], list) and listed, "claims", "one has ends that are none")
    return [(state, symbol) for state, symbol in rules]


def covered(choices: Collection[tuple[bool, ...]]) -> bool:
    """Whether these are all choices that there are (V17)."""
    ways = ([rest for first, *rest in choices if first is way] for way in (True, False))
    return () in choices or (bool(choices) and all(covered([*map(tuple, way)]) for way in ways))


def check_claim(claim: Claim) -> None:
    """Wrong if the evidence of a claim does not show it."""
    left, _, ends, evidence = claim
    kind = evidence["kind"]
    check(kind in SHOWS, "claims", f"there is no evidence of the kind {kind!r}")
    verdict = left.output["value"] if WRONG in ends and isinstance(left.output, dict) else None
    if kind != "runs" and verdict in ACCEPTANCES:  # That it ends is shown apart.
        left, ends = left if verdict == ["accept"] else ending_otherwise(left), ends - {WRONG} | {STUCK}
        check(len(claim.ends) == 1, "claims", "one is of an acceptor, and of more")
    check(ends <= SHOWS[kind], "claims", f"evidence of the kind {kind!r} does not show that")
    parts = {name: part for name, part in evidence.items() if name != "kind"}
    if kind == "windows":
        check(set(parts) == {"radius"} and are_numbers([parts["radius"]], 0), "claims", "its radius is none")
        InputClause(left)
        Windows(left, left, parts["radius"], "never")
    elif kind == "strips":
        check_strips(left, left, "inputs", evidence, "never")
    elif kind == "inequalities":
        check_inequalities(left, evidence)
    elif kind in VALUE_KINDS:
        check_values(left, parts, kind)
    elif kind == "ranking":
        check(set(parts) == {"strip", "ranking"}, "claims", "something of it is missing or unknown")
        stuck = "never" if STUCK in ends else "unasked"
        check_ranking(check_strips(left, left, "inputs", parts["strip"], stuck), parts["ranking"])
    elif kind == "runs":
        check_ends(left, evidence, ends)
    else:
        needed = RESULT_PARTS if kind == "results" else FOLD_PARTS
        check(set(parts) == needed, "claims", "something of it is missing or unknown")
        (results_strip if kind == "results" else check_folds)(left, evidence)


def accepts(left: Rules) -> bool:
    """Whether all that the output clause says is `accept` and `stuck`."""

    def leaves(tree: Any) -> Iterator[Any]:
        if isinstance(tree, list) and len(tree) == 4 and tree[0] == "if":
            yield from leaves(tree[2])
            yield from leaves(tree[3])
        else:
            yield tree

    clause = left.output["value"] if isinstance(left.output, dict) and "value" in left.output else None
    return all(leaf in ACCEPTANCES for leaf in leaves(clause))


def ending_otherwise(left: Rules) -> Rules:
    """LEFT': it halts where LEFT is stuck, and is stuck where it halts."""
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


def branches(left: Rules) -> tuple[Rules, Rules]:
    """LEFT with its clause and inputs, for either choice."""
    tree: Any = left.output["value"] if isinstance(left.output, dict) and "value" in left.output else None
    chooses = isinstance(tree, list) and len(tree) == 4 and tree[0] == "if"
    check(chooses, "left", "its output clause has no branches")
    _, condition, one, other = tree
    clause = OutputClause(left._replace(output={**left.output, "value": 0}), InputClause(left))
    check(_has_value(clause.read(condition)), "left", "its output clause chooses by what may have no value")
    return _where(left, condition, one), _where(left, ["not", condition], other)


def _where(left: Rules, condition: Any, value: Any) -> Rules:
    both = condition if left.where is None else ["and", left.where, condition]
    return left._replace(where=both, output={**left.output, "value": value})


def _has_value(node: Node) -> bool:
    if node[0] in ("and", "or", "not"):
        return all(map(_has_value, node[1:]))
    return node[0] in COMPARISONS and all(map(_is_number, node[1:]))


def _is_number(node: Node) -> bool:
    if node[0] in ("+", "-", "*"):
        return all(map(_is_number, node[1:]))
    if node[0] in ("div", "mod"):
        return all(map(_is_number, node[1:])) and node[2][0] == "constant" and node[2][1] != 0
    if node[0] == "constant":
        return not isinstance(node[1], str)
    return node[0] in ("number", "backwards", "length", "count")
