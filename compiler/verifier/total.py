"""The part of `verify` that checks what is claimed of LEFT alone: that every run ends, how, what it leaves.

(V18) Theorem, unused rules. Let LEFT° be LEFT without some rules, and let (V16) show that it is never stuck
      on declared inputs. Then all that is shown of LEFT° on declared inputs is so of LEFT.
      For a run of LEFT° is one of LEFT, and it does not end before that.

A fold that shows what LEFT leaves shows by (V10) that it is never stuck: the evidence need not.
The strip of the evidence may be the certificate's own, or one of LEFT against itself. RIGHT does what LEFT
does up to its halt, so it halts where LEFT does.
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.acceptance import ACCEPTANCE_KINDS, check_acceptance
from gridlang.compiler.verifier.branches import branches
from gridlang.compiler.verifier.folds.folds import FOLD_KINDS, FOLD_PARTS, check_folds
from gridlang.compiler.verifier.rankings import check_ranking
from gridlang.compiler.verifier.results import RESULT_PARTS, check_results
from gridlang.compiler.verifier.runs import check_ends, check_runs
from gridlang.compiler.verifier.strips import Strip, apart, check_strips
from gridlang.compiler.verifier.tables import Rules, Wrong, are_lists, are_numbers, check
from gridlang.compiler.verifier.values.values import VALUE_KINDS, check_inequalities, check_values

PARTS = {"halting", "output"}
STUCK_PART = "stuck"  # Only certificates have it that show with inequalities that LEFT is never stuck.
HALTING_PARTS = {"strip", "ranking"}


def without_unused(left: Rules, data: dict[str, Any]) -> Rules:
    """LEFT°, if the certificate has one, else LEFT."""
    total = data["total"]
    stuck = total.get(STUCK_PART) if isinstance(total, dict) else None
    pairs = stuck.get("without", []) if isinstance(stuck, dict) else []
    listed = are_lists(pairs) and all(len(pair) == 2 and are_numbers(pair, 0) for pair in pairs)
    check(listed, "total", "its unused rules are none")
    unused = set(map(tuple, pairs))
    return left._replace(does={key: step for key, step in left.does.items() if key not in unused})


def check_total(left: Rules, data: dict[str, Any], strip: Strip | None) -> None:
    """Wrong unless the evidence, whose strip this is, shows what is claimed of LEFT alone."""
    total, claim = data["total"], data["claim"]
    check(set(total) - {STUCK_PART} == PARTS, "total", "something is missing or unknown")
    if STUCK_PART in total:
        check_inequalities(left, total[STUCK_PART])
    if total["output"] is not None:
        _check_output(left, total["output"])
    shown = total["halting"] is not None
    check(claim["halts"] is shown, "claim", "its `total` does not show what is claimed of halting")
    if shown:
        check(claim["equivalent"] and claim["scope"] == "inputs", "claim", "it halts on inputs, if at all")
        _check_halting(left, strip, total["halting"])


def _check_output(left: Rules, output: dict[str, Any]) -> None:
    """Evidence of the kinds that a certificate of one table has, of values or words, or of how runs end."""
    kind = output["kind"]
    if kind == "branches":
        check(
            set(output) == {"kind", "then", "otherwise"}, "total, output", "something is missing or unknown"
        )
        for branch, evidence in zip(branches(left), (output["then"], output["otherwise"]), strict=True):
            check(evidence["kind"] not in ACCEPTANCE_KINDS, "total, output", "a branch says how a run ends")
            _check_output(branch, evidence)
        return
    if kind in VALUE_KINDS:
        parts = {name: part for name, part in output.items() if name != "kind"}
        check_values(left, parts, kind)
        return
    if kind in ("runs", "runs acceptance"):
        check_ends(left, output)
        return
    if kind == "acceptance":
        check_acceptance(left, output)
        return
    check(kind in ("results", *FOLD_KINDS), "total, output", "it is evidence of no known kind")
    needed = RESULT_PARTS if kind == "results" else FOLD_PARTS
    check(set(output) == {"kind", *needed}, "total, output", "something is missing or unknown")
    (check_results if kind == "results" else check_folds)(left, output, "never")


def _check_halting(left: Rules, strip: Strip | None, halting: dict[str, Any]) -> None:
    if halting.get("kind") == "runs":
        check_runs(left, left, halting, "unasked")
        return
    check(set(halting) == HALTING_PARTS, "total", "something is missing or unknown")
    try:
        if halting["strip"] is not None:
            strip = check_strips(left, left, "inputs", halting["strip"], "unasked")
        if strip is None:
            raise Wrong("evidence", "it has no strip that is ranked")
        check_ranking(strip, halting["ranking"])
    except Wrong as wrong:
        raise apart("total", wrong) from None
