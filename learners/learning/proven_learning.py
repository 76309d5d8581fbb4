"""The proof about what was learned: the expert's claims, joined to the proof of its best model."""

from __future__ import annotations

import json
from dataclasses import replace

from gridlang.compiler.api.agents import Correctness
from gridlang.compiler.api.certified_files import certificate_table
from gridlang.compiler.api.comparison import certified, side_of
from gridlang.compiler.api.proven_weights import follows_claim, in_one_verdict, prove_weights
from gridlang.compiler.arguments import Counter
from gridlang.compiler.program_files import read_file
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.results.claims import PROVEN
from gridlang.compiler.proofs.results.correctness import claims_of
from gridlang.compiler.testing.output_search import searched_claims
from gridlang.diagnostics import GridError
from gridlang.files import write_whole
from gridlang.learners.learning.rounds import Learned
from gridlang.program import Program


def prove_learned(program: Program, learned: Learned, counter: Counter) -> Correctness | None:
    """Proves the expert, and joins that to the proof of its best model; None without a model or a clause.

    There is a certificate if all is proven.
    """
    best = learned.best
    if best is None or not program.table.output:
        return None
    try:
        claims = claims_of(program.table, counter("abstract states of the expert"))
        claims = searched_claims(program, claims, counter("inputs of the expert tried"))
    except GridError:  # its input clause is too large to compare on
        return None
    model, subject = _model(learned, best)
    written = learned.file(best, "output.certificate.json")
    accepts = any(each.verdict is not None and each.verdict.total.accepts for each in claims)
    # Finer clusters may be those of a codebook; an acceptor must also be stuck where its expert is.
    if accepts or (subject == "table" and model.extraction is not None):
        proven = prove_weights(side_of(program), side_of(model.file), counter, claims)
        if not proven or proven.both is None:
            return proven
        return replace(proven, certificate=certified(proven.both, written).certificate)
    # A proof on worlds may have branches that end stuck where no input leads.
    verdict = Verdict(True, "inputs", 0, stuck_branches=1, subject=subject)
    if all(each.answer == PROVEN for each in claims):
        verdict = in_one_verdict(program.table, model.table, verdict, claims, counter("product states"))
    follows = follows_claim(program.name, verdict, exact=model.extraction is None)
    correctness = Correctness(program, (follows, *claims), model.file, subject)
    if not correctness:
        return correctness
    write_whole(written, certificate(Subject.of(program), model, verdict))
    return replace(correctness, certificate=written)


def _model(learned: Learned, seed: int) -> tuple[Subject, str]:
    """The weights of a seed, with the table and the codebook of their proof; exact ones are their table."""
    path, weights = (learned.file(seed, ending) for ending in ("certificate.json", "safetensors"))
    model, proof = side_of(weights), json.loads(read_file(path))
    if model.table is not None:
        return Subject(model.table, weights, model.source), "table"
    right = proof["right"]
    known = {name: right[name] for name in ("extraction", "snapping")}
    return Subject(certificate_table(right["table"], path), weights, model.source, **known), proof["claim"][
        "subject"
    ]
