"""The way in to proofs: does one agent or model do what another does?"""

from __future__ import annotations

import os
from functools import partial

from compiler.arguments import AgentLike, ModelLike, Path, Say, counting, one_of
from compiler.proofs.equivalence import Verdict
from compiler.proofs.prove import SCOPES
from learners.learning.comparison import compared, side_of, write_certificate


def prove(
    left: AgentLike | ModelLike,
    right: AgentLike | ModelLike,
    scope: str = "worlds",
    *,
    radius: int | None = None,
    certificate: Path | None = None,
    seed: int = 0,
    progress: Say | None = None,
) -> Verdict:
    """A proof that RIGHT does what LEFT does, a world where it does not, or unknown.

    LEFT is the specification: nothing is asked of RIGHT where it halts or is stuck. The scope is worlds (all
    of them), inputs (those that LEFT declares), observed (what RIGHT was seen on), or table (all sequences of
    reads). From learned weights a table is extracted, and a proof is about that table; a difference is one
    that the model itself shows. What was decided is written to a `certificate`, for `verify`.

    >>> import gridlang as gl
    >>> agent = gl.load("examples/increment.grid")
    >>> gl.prove(agent, gl.minimize(agent)).equivalent
    True
    >>> slip = gl.loads(agent.to_source().replace("write d + 1", "write d"))
    >>> gl.prove(agent, slip, scope="inputs").input
    '0'
    """
    one_of("scope", scope, SCOPES)
    both = compared(side_of(left), side_of(right), scope, radius, seed, partial(counting, progress))
    if certificate is not None:
        write_certificate(os.fspath(certificate), both)
    return both.verdict
