"""The proof about what was learned: its best model does what the expert does, which its clause says."""

from __future__ import annotations

from dataclasses import replace

from gridlang.compiler.api.comparison import side_of
from gridlang.compiler.api.correctness import Correctness
from gridlang.compiler.api.proven_weights import prove_weights
from gridlang.compiler.given import Counter
from gridlang.diagnostics import GridError
from gridlang.learners.learning.rounds import Learned
from gridlang.program import Program


def prove_learned(program: Program, learned: Learned, counter: Counter) -> Correctness | None:
    """Proves the best model on the expert's inputs, and the expert; None without a model or a clause.

    There is a certificate if all is proven.
    """
    best = learned.best
    if best is None or not program.table.output:
        return None
    try:
        proven = prove_weights(side_of(program), side_of(learned.file(best, "safetensors")), counter)
    except GridError:  # its input clause is too large to compare on
        return None
    if not proven or proven.both is None:
        return proven
    both = proven.both.written(learned.file(best, "output.certificate.json"))
    return replace(proven, certificate=both.certificate)
