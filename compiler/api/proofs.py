"""The API to proofs: does one agent or model do what another does, and what its `output` clause says?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from gridlang.compiler import given
from gridlang.compiler.api.comparison import Side, compared, side_of
from gridlang.compiler.api.correctness import Correctness
from gridlang.compiler.given import NONE, AgentLike, ModelLike, Path, Say
from gridlang.compiler.proofs.certificates import Subject
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.prove import SCOPES
from gridlang.compiler.proofs.results.correctness import accepted_claims, claims_of
from gridlang.compiler.testing.output_search import searched_claims
from gridlang.files import write_whole
from gridlang.options import Option, checked
from gridlang.program import Program
from gridlang.terminal.notes import tell_once


@checked
def equiv(
    left: AgentLike | ModelLike,
    right: AgentLike | ModelLike,
    scope: Annotated[
        str,
        Option(
            "Compare on all worlds, LEFT's inputs, what RIGHT has rules for, or all sequences of reads.",
            choices=SCOPES,
        ),
    ] = "worlds",
    *,
    strict: Annotated[bool, Option("RIGHT must also be stuck wherever LEFT is.")] = False,
    snap: Annotated[bool, Option("Judge the model only by snapped inference, as `run --snap` does.")] = False,
    radius: Annotated[
        int | None,
        Option("Distance from the head within which cells are known.", 0, 9, usual="as needed"),
    ] = None,  # larger windows outgrow every limit
    longest: Annotated[int | None, Option("", 1)] = None,
    certificate: Annotated[
        Path | None, Option("Write the proof or the difference here, for `verify`.")
    ] = None,
    seed: Annotated[int, Option("Seed of the worlds that a learned model is explored on.")] = 0,
    progress: Say | None = None,
) -> Verdict:
    """Proves that RIGHT does what LEFT does, or finds a world where it does not.

    LEFT is the specification: RIGHT may do anything once LEFT has halted, and where LEFT is stuck, unless
    `strict` is given. Learned weights are explored, and run again wherever that does not decide. A proof
    holds for the weights with snapped inference, at every length, or, if they cannot be snapped, for the
    table of what was seen. A difference is one that the model itself shows.

    In Python, `subject` says what the proof is about, and `drift` where the float weights alone err on long
    inputs; with `snap`, short ones too. Without a decision that tables show, a note says so, and nothing is
    written to `certificate`.

    >>> import gridlang as gl
    >>> agent = gl.load("examples/increment.grid")
    >>> gl.equiv(agent, gl.minimize(agent)).equivalent
    True
    >>> slip = gl.loads(agent.to_source().replace("write d + 1", "write d"))
    >>> gl.equiv(agent, slip, scope="inputs").input
    '0'
    """
    both = compared(
        side_of(left),
        side_of(right),
        scope,
        given.counter(progress),
        strict=strict,
        snap=snap,
        radius=radius,
        longest=longest,
        seed=seed,
    ).accepted(seed)
    if certificate is not None and both.written(certificate).certificate is None:
        nothing = "no proof and no difference of two tables was found"
        tell_once(f"{os.fspath(certificate)} was not written: {nothing}")
    return both.verdict


@checked
def prove(
    agent: AgentLike | ModelLike,
    *,
    expert: Annotated[AgentLike | None, Option("Agent of a model.", usual="the source in its file")] = None,
    certificate: Annotated[Path | None, Option("Write all that is proven here, for `verify`.")] = None,
    progress: Say | None = None,
) -> Correctness:
    """Proves that an agent is never stuck, leaves what its output clause says, and halts.

    All claims cover every declared input, of any length. Many clauses can be proven, such as a + 1, a + b,
    a * b, a verdict or a copy; the others are tested. Each claim is proven, tested, refuted with an input, or
    unknown. A model is proven to do what its `expert` does, and the expert to meet its clause.

    >>> import gridlang as gl
    >>> [claim.answer for claim in gl.prove("examples/add10.grid").claims]
    ['proven', 'proven', 'proven']
    >>> gl.prove(gl.compile("examples/increment.grid")).claims[0].says
    'does what increment does'
    """
    if expert is not None and not given.is_weights(agent):
        raise TypeError("an expert is given for a model, and this is an agent")
    return proven(agent, expert, NONE, certificate, progress)


def proven(
    agent: AgentLike | ModelLike,
    expert: AgentLike | None,
    definitions: Mapping[str, str],
    certificate: Path | None,
    progress: Say | None,
) -> Correctness:
    """As `prove`; definitions are for the agent, or for the expert of a model."""
    counter = given.counter(progress)
    if given.is_weights(agent):
        from gridlang.compiler.api.proven_weights import prove_weights

        theirs = side_of(agent)
        mine = _carried(theirs) if expert is None else side_of(given.as_program(expert, definitions))
        outcome = prove_weights(mine, theirs, counter)
        assert outcome.both is not None
        both = outcome.both.written(certificate if outcome.both.verdict.equivalent else None)
        return replace(outcome, both=both, certificate=both.certificate)
    program = given.as_program(agent, definitions)
    claims, text = accepted_claims(Subject.of(program), claims_of(program.table, counter("abstract states")))
    claims = searched_claims(program, claims, counter("inputs tried"))
    if certificate is None or not text:
        return Correctness(program, claims)
    write_whole(os.fspath(certificate), text)
    return Correctness(program, claims, certificate=certificate)


def _carried(model: Side) -> Side:
    """The agent that a model learned from; its source has the values of its parameters."""
    from gridlang.compiler.tensors.dfst import dfst_from_bytes

    dfst = dfst_from_bytes(model.source, model.file)
    if model.table is not None and "source" not in dfst.metadata:  # exact weights are an agent of their own
        return model._replace(program=Program(model.table, model.file))
    hint = "name the agent that it is to do the same as: --expert FILE, in Python expert=AGENT"
    return side_of(given.carried_agent(dfst, model.file, hint))._replace(arguments=NONE)
