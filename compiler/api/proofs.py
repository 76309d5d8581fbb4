"""The API to proofs: does one agent or model do what another does, and what its `output` clause says?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from gridlang.compiler import arguments
from gridlang.compiler.api.agents import Correctness
from gridlang.compiler.api.comparison import Side, compared, side_of
from gridlang.compiler.arguments import NONE, AgentLike, ModelLike, Path, Say
from gridlang.compiler.proofs.certificates import Subject
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.prove import SCOPES
from gridlang.compiler.proofs.results.correctness import accepted_claims, claims_of
from gridlang.compiler.testing.output_search import searched_claims
from gridlang.diagnostics import fail
from gridlang.files import write_whole
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.terminal.notes import tell_once


def equiv(
    left: AgentLike | ModelLike,
    right: AgentLike | ModelLike,
    scope: str = "worlds",
    *,
    strict: bool = False,
    snap: bool = False,
    radius: int | None = None,
    longest: int | None = None,
    certificate: Path | None = None,
    seed: int = 0,
    progress: Say | None = None,
) -> Verdict:
    """Proves that RIGHT does what LEFT does, finds a world where it does not, or neither.

    LEFT is the specification: it asks nothing of RIGHT once it has halted, nor where it is stuck; with
    `strict`, RIGHT must be stuck there too. The scope is worlds (all of them), inputs (those that LEFT
    declares), observed (what RIGHT was seen on), or table (all sequences of reads). Learned weights are
    explored, on inputs of up to `longest` as `extract` does, and run again wherever that does not decide. A
    proof holds for the weights with snapped inference, at every length (`subject` is `snapped model`), and
    `drift` tells where the float weights alone err on long inputs; for weights that cannot be snapped it
    holds for the table of what was seen. A difference is one that the model itself shows; with `snap`, short
    ones of the float weights alone count as drift too. The decision is written to `certificate`, for
    `verify`; if there is none, or no table shows it, a note says so and nothing is written.

    >>> import gridlang as gl
    >>> agent = gl.load("examples/increment.grid")
    >>> gl.equiv(agent, gl.minimize(agent)).equivalent
    True
    >>> slip = gl.loads(agent.to_source().replace("write d + 1", "write d"))
    >>> gl.equiv(agent, slip, scope="inputs").input
    '0'
    """
    arguments.one_of("scope", scope, SCOPES)
    arguments.whole(0, 9, radius=radius)  # larger windows outgrow every limit
    arguments.whole(1, longest=longest)
    arguments.whole(seed=seed)
    both = compared(
        side_of(left),
        side_of(right),
        scope,
        partial(arguments.counting, arguments.listener(progress)),
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


def prove(
    agent: AgentLike | ModelLike,
    *,
    expert: AgentLike | None = None,
    certificate: Path | None = None,
    progress: Say | None = None,
) -> Correctness:
    """Proves of one agent, on every declared input of any length, that it is never stuck, does what its
    `output` clause says, and halts.

    Of a model, that it does what its `expert` does, and all of that of the expert; without one given, it is
    the source that the model carries. All that was proven is written to `certificate`, for `verify`; without
    a proof, nothing is written.

    >>> import gridlang as gl
    >>> [claim.answer for claim in gl.prove("examples/add10.grid").claims]
    ['proven', 'proven', 'proven']
    >>> gl.prove(gl.compile("examples/increment.grid")).claims[0].says
    'does what increment does'
    """
    if expert is not None and not arguments.is_weights(agent):
        raise TypeError("an expert is given for a model, and this is an agent")
    return proven(agent, expert, NONE, certificate, progress)


def proven(
    agent: AgentLike | ModelLike,
    expert: AgentLike | None,
    definitions: Mapping[str, str],
    certificate: Path | None,
    progress: Say | None,
) -> Correctness:
    """What `prove` says; definitions are for the agent, or for the expert of a model."""
    counter = partial(arguments.counting, arguments.listener(progress))
    if arguments.is_weights(agent):
        from gridlang.compiler.api.proven_weights import prove_weights

        theirs = side_of(agent)
        mine = _carried(theirs) if expert is None else side_of(arguments.as_program(expert, definitions))
        outcome = prove_weights(mine, theirs, counter)
        assert outcome.both is not None
        both = outcome.both.written(certificate if outcome.both.verdict.equivalent else None)
        return replace(outcome, both=both, certificate=both.certificate)
    program = arguments.as_program(agent, definitions)
    claims, text = accepted_claims(Subject.of(program), claims_of(program.table, counter("abstract states")))
    claims = searched_claims(program, claims, counter("inputs tried"))
    if certificate is None or not text:
        return Correctness(program, claims)
    write_whole(os.fspath(certificate), text)
    return Correctness(program, claims, certificate=certificate)


def _carried(model: Side) -> Side:
    """The agent that a model learned from, by its metadata; its source has the values of its parameters."""
    from gridlang.compiler.tensors.dfst import dfst_from_bytes

    source = dfst_from_bytes(model.source, model.file).metadata.get("source", "")
    if not source and model.table is not None:  # exact weights are an agent of their own
        return model._replace(program=Program(model.table, model.file))
    if not source:
        hint = "name the agent that it is to do the same as: --expert FILE, in Python expert=AGENT"
        raise fail("G110", "this model does not carry its source", hint, model.file)
    return side_of(load_source(Source(f"<source in {model.file}>", source)))._replace(arguments=NONE)
