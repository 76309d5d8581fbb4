"""The way in to proofs: does one agent or model do what another does?"""

from __future__ import annotations

import os
from functools import partial

from compiler.arguments import (
    AgentLike,
    ModelLike,
    Path,
    Say,
    at_least,
    at_most,
    counting,
    listener,
    one_of,
    whole,
)
from compiler.proofs.equivalence import Verdict
from compiler.proofs.joint_step import STRICT, UNASKED
from compiler.proofs.prove import SCOPES
from gridlang.terminal.notes import tell_once
from learners.learning.comparison import compared, side_of, write_certificate


def prove(
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
    """A proof that RIGHT does what LEFT does, a world where it does not, or unknown.

    LEFT is the specification: nothing is asked of RIGHT where it has halted, nor where it is stuck, unless
    the claim is `strict`: then RIGHT must be stuck there too. The scope is worlds (all
    of them), inputs (those that LEFT declares), observed (what RIGHT was seen on), or table (all sequences of
    reads). Learned weights are explored, on inputs of up to `longest` as `extract` does, and asked wherever
    what they showed does not decide. A proof is about the weights with snapped inference, at every length
    (`subject` is `snapped model`), and `drift` tells where the float weights alone err on long inputs; if
    they cannot be snapped, it is about the table of what was seen. A difference is one that the model itself
    shows; with `snap`, short ones of the float weights alone count as drift too. What was decided is written
    to a `certificate`, for `verify`; nothing is written, and a note says so, where it is unknown or no table
    shows it.

    >>> import gridlang as gl
    >>> agent = gl.load("examples/increment.grid")
    >>> gl.prove(agent, gl.minimize(agent)).equivalent
    True
    >>> slip = gl.loads(agent.to_source().replace("write d + 1", "write d"))
    >>> gl.prove(agent, slip, scope="inputs").input
    '0'
    """
    one_of("scope", scope, SCOPES)
    at_least(0, radius=radius)
    at_most(9, radius=radius)  # Windows beyond it outgrow every limit.
    at_least(1, longest=longest)
    whole(seed=seed)
    counter = partial(counting, listener(progress))
    stuck = STRICT if strict else UNASKED
    sides = side_of(left), side_of(right)
    both = compared(*sides, scope, radius, seed, counter, longest, stuck=stuck, snapped=snap)
    if certificate is not None and not write_certificate(os.fspath(certificate), both, seed):
        nothing = "no proof and no difference of two tables was found"
        tell_once(f"{os.fspath(certificate)} was not written: {nothing}")
    return both.verdict
