"""The API to proofs: does one agent or model do what another does?"""

from __future__ import annotations

import os
from functools import partial

from compiler.arguments import AgentLike, ModelLike, Path, Say, counting, listener, one_of, whole
from compiler.proofs.equivalence import Verdict
from compiler.proofs.joint_step import STRICT, UNASKED
from compiler.proofs.prove import SCOPES
from gridlang.terminal.notes import tell_once
from learners.learning.comparison import Compared, Side, compared, side_of, write_certificate


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
    both = both_sides(left, right, scope, strict, snap, radius, longest, certificate, seed, progress)
    if certificate is not None and both.certificate is None:
        nothing = "no proof and no difference of two tables was found"
        tell_once(f"{os.fspath(certificate)} was not written: {nothing}")
    return both.verdict


def both_sides(
    left: AgentLike | ModelLike | Side,
    right: AgentLike | ModelLike | Side,
    scope: str = "worlds",
    strict: bool = False,
    snap: bool = False,
    radius: int | None = None,
    longest: int | None = None,
    certificate: Path | None = None,
    seed: int = 0,
    progress: Say | None = None,
) -> Compared:
    """The verdict of `equiv` with both sides, and the certificate that was written."""
    one_of("scope", scope, SCOPES)
    whole(0, 9, radius=radius)  # larger windows outgrow every limit
    whole(1, longest=longest)
    whole(seed=seed)
    counter = partial(counting, listener(progress))
    stuck = STRICT if strict else UNASKED
    mine, theirs = (side if isinstance(side, Side) else side_of(side) for side in (left, right))
    both = compared(mine, theirs, scope, radius, seed, counter, longest, stuck=stuck, snapped=snap)
    written = certificate is not None and write_certificate(os.fspath(certificate), both, seed)
    return both._replace(certificate=certificate) if written else both
