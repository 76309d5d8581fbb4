"""How long the float32 weights themselves decide as the extracted graph does: a bound on their errors.

A run in the graph is followed by references (9): vectors, each with a state. Around each there is a set; a
step of the model leads from the set of one reference into that of the next. While the outputs that lead at
a reference lead in its whole set, the model does what the graph does, on every run that stays in the graph.
Directed rounding is (1) to (3), the bases B are (6), the induction is (18) to (22).

Below, |v| is the length of a vector, and abs v, abs M are absolute values, number by number.

(10) Sets. With a reference x, the basis B of its state, W = [x B], |z| ≤ u, and a scale s > 0, which argmax
     does not see,
         h = s (x + B z) = s W (1, z).
(11) float32. A product M h, in any order of summation, with or without fused operations, and also where
     tiny numbers are flushed to zero, is s (M W (1, z) + e). With wᵢ the length of row i of B, number by
     number,
         abs h ≤ s (abs x + w u),  abs e ≤ e₀ + e₁ u,
         e₀ = γ abs M abs x + η,  e₁ = γ abs M w,
         γ = d 2⁻²⁴ / (1 - d 2⁻²⁴),  η = 2 d (1 + m) 2⁻¹²⁶ 2⁶⁰,  m the largest weight.
     γ: each term passes through d roundings. η: of 2 d - 1 results and d numbers of h each may lose 2⁻¹²⁶,
     the latter times m, and s ≥ 2⁻⁶⁰; what η has to spare pays for weights that are flushed, and for
     roundings of what was lost (d up to 2000).
(12) Step. A step with the matrix A to a reference x', W' = [x' B'], gives the vector s W'(c₀, c), where
         (c₀, c) = W'⁻¹(A W (1, z) + e):
     the next scale is s c₀, and the next z is c / c₀.
(13) Inverse. R is W'⁻¹ as float64 has it, and R W' = I + E. In the Frobenius norm, if |E| < ½,
         |W'⁻¹v - R v| ≤ κ |R v|,  κ = |E| / (1 - |E|);  else κ is infinite.
(14) Bounds. So |c| ≤ rest + grow u and least - less u ≤ c₀ ≤ most + less u. With index 0 for the first
     number of a vector or the first row of a matrix, and + for all others,
         rest  = |(R A x)₊| + |(abs R e₀)₊| + κ (|R A x| + |abs R e₀|),
         grow  = ‖(R A B)₊‖₂ + |(abs R e₁)₊| + κ (‖R A B‖F + |abs R e₁|),
         least = (R A x)₀ - (abs R e₀)₀ - κ (|R A x| + |abs R e₀|),  most likewise with + for -,
         less  = |(R A B)₀| + (abs R e₁)₀ + κ (‖R A B‖F + |abs R e₁|).
(15) Leads. Let row i of M be the output that the graph takes, and j another. In float32 i leads j by at
     least
         s (lead - loss u),  lead = (Mᵢ - Mⱼ) x - e₀ᵢ - e₀ⱼ,  loss = |(Mᵢ - Mⱼ) B| + e₁ᵢ + e₁ⱼ:
     argmax takes i if u < lead / loss for all j, the room of the reference.
(16) Margin. That lead, as a part of what output i is without rounding, is at least
         (lead - loss u) / (top + more u),  top = |Mᵢ x|, more = |Mᵢ B|.
(17) Range. If also u wᵢ < 2¹⁰, and s ≤ 2⁶⁰, no sum in float32 is larger than
         2⁶⁰ 2 d m (m + 2¹⁰),
     if m covers h₀ too: other references have length 1. Unless that is below 2¹²⁷ nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from gridlang.compiler.extraction.explorer import NONE, Rules, rules_for
from gridlang.compiler.extraction.extract import EXACT, Extraction
from gridlang.compiler.extraction.float_bounds.error_norms import StateNorms, edges_of, state_norms
from gridlang.compiler.extraction.float_bounds.error_propagation import (
    ALL,
    ARGMAX,
    RANGE,
    SCALE,
    OutputLeads,
    StepBounds,
    StepCount,
    count_steps,
)
from gridlang.compiler.extraction.float_bounds.interval_matrices import (
    FLUSHED,
    HALF_ULP,
    UNIT,
    Doubles,
    Enclosed,
    frobenius_norm,
    length,
    less_identity,
    lowered,
    product,
    raised,
    spectral_norm,
)
from gridlang.compiler.extraction.float_bounds.reference_vectors import ReferenceGraph, reference_graph
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.diagnostics import fail
from gridlang.table import Table

TOO_LARGE = 2.0**127  # float32 ends just below 2**128: (17)
WIDEST = 2.0**10  # of a number of B z; a bound that wide has failed long before: (17)
# References are fewer and rougher, or more and finer; the best bound counts.
MERGE_DISTANCES = (1e-2, 1e-3, 1e-4, 1e-5)
CHUNK = 256  # references or steps at once: stacks of d x d that fit in a cache


@dataclass(frozen=True, slots=True)
class FloatBound:
    """For how many steps the argmax provably cannot change, on every run that stays in the raw graph.

    `steps` is a number, None if not even the first step is certain, or "all". Where it is a number and the
    bound is `closed`, no argmax can change at any length, but the scale may leave the range of float32 later.
    `margin` is the least lead of an output over the second largest, as a part of it, within these steps.
    `ended` says what stopped the count: argmax, scale, or limit.

    >>> import gridlang as gl
    >>> bound = gl.bound(gl.compile("examples/increment.grid"))
    >>> bound.steps, bound.margin
    ('all', 1.0)
    """

    steps: int | str | None
    margin: float | None = None
    closed: bool = False
    ended: str = ""

    @property
    def length(self) -> float:
        """The steps as a number, by which bounds are compared."""
        return np.inf if self.steps == ALL else float(self.steps or 0)


def bound_of(
    dfst: Dfst, extraction: Extraction, progress: Callable[[int], None] = lambda _: None
) -> FloatBound:
    """The best bound that is known for a model and its extraction, which must not be refused."""
    if extraction.raw is None:
        raise ValueError("a model that is refused has no graph to be bounded on")
    if extraction.scope == EXACT:
        return FloatBound(ALL, 1.0, closed=True)  # Sums of zeros and one 1 are exact in any order.
    if dfst.strict:
        hint = "leave --bound out, or run it with --snap"
        raise fail("G155", "no bound is known for a model that was taught where to be stuck", hint)
    if _may_overflow(dfst):
        return FloatBound(None, ended=SCALE)
    rules = rules_for(dfst, extraction.raw)
    edges = edges_of(dfst, rules)
    best = FloatBound(None, ended=ARGMAX)
    try:
        with np.errstate(all="ignore"):
            norms = state_norms(dfst, edges, _mean_directions(extraction, extraction.raw))
    except np.linalg.LinAlgError:  # The vectors of a state are opposite to each other, and have no direction.
        return best
    for near in MERGE_DISTANCES:
        with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError, FloatingPointError):
            references = reference_graph(dfst, edges, norms, near)
            bound = ErrorAnalysis(dfst, rules, norms, references).bound(progress)
            best = bound if bound.length > best.length else best
    return best


def _may_overflow(dfst: Dfst) -> bool:
    """Whether sums in float32 may come near its end: (17) does not hold."""
    m = max(float(np.abs(array).max(initial=0)) for array in (dfst.A, dfst.B, dfst.C, dfst.h0))
    return not 2.0**RANGE * 2 * len(dfst.h0) * m * (m + WIDEST) < TOO_LARGE


def _mean_directions(extraction: Extraction, raw: Table) -> Doubles:
    """The mean direction of the points of each raw state."""
    total = np.zeros((len(raw.states), extraction.centres.shape[1]))
    np.add.at(total, extraction.home, extraction.centres.astype(np.float64))
    return np.asarray(total / np.linalg.norm(total, axis=1, keepdims=True))


class ErrorAnalysis:
    """What a step of float32 does to the set of each reference, and how long all outputs lead."""

    def __init__(self, dfst: Dfst, rules: Rules, norms: StateNorms, references: ReferenceGraph) -> None:
        d = len(dfst.h0)
        self.dfst, self.rules, self.references = dfst, rules, references
        self.A = dfst.A.astype(np.float64)
        self.outputs = np.concatenate([dfst.B, dfst.C], 1).astype(np.float64)  # (k, k + moves, d)
        self.W = np.concatenate([references.vector[:, :, None], norms.basis[references.state]], 2)
        self.w = length(self.W[:, :, 1:])  # (references, d)
        self.gamma = raised(d * HALF_ULP / (1 - d * HALF_ULP))
        m = max(float(np.abs(self.A).max()), float(np.abs(self.outputs).max()))
        self.eta = raised(2 * d * (1 + m) * FLUSHED * 2.0**RANGE)

    def count(self, progress: Callable[[int], None]) -> tuple[StepCount, OutputLeads]:
        """For how many steps everything holds, and what must lead."""
        leads = [self._output_leads(chunk) for chunk in _chunks(len(self.references.vector))]
        steps = [self._step_bounds(chunk) for chunk in _chunks(len(self.references.source))]
        all_leads = OutputLeads(*map(np.concatenate, zip(*leads, strict=True)))
        all_steps = StepBounds(*map(np.concatenate, zip(*steps, strict=True)))
        room = lowered(WIDEST / self.w.max(1, initial=1))  # (17)
        return count_steps(self.references, all_steps, all_leads, room, progress), all_leads

    def bound(self, progress: Callable[[int], None]) -> FloatBound:
        count, leads = self.count(progress)
        if count.steps == 0:
            return FloatBound(None, ended=count.ended)
        at = np.maximum(count.u, 0)[leads.reference]
        margins = lowered(
            (leads.lead - raised(leads.loss * at)) / raised(leads.top + leads.more * at)
        )  # (16)
        reached = count.u[leads.reference] >= 0
        margin = float(margins[reached].min(initial=np.inf))
        return FloatBound(count.steps, margin, count.closed, count.ended)

    def _step_bounds(self, chunk: slice) -> StepBounds:
        """(14) for a chunk of the steps between references."""
        source, symbol, target = (array[chunk] for array in self.references[2:])
        A, W, W_next = self.A[symbol], self.W[source], self.W[target]
        R = np.linalg.inv(W_next)
        E = frobenius_norm(less_identity(product(R, W_next)))
        kappa = np.where(E < 0.5, raised(E / (1 - np.minimum(E, 0.5))), np.inf)  # (13)
        RAW = product(R, product(A, W))
        RAx, RAB = RAW.part(..., 0), RAW.part(..., slice(1, None))
        abs_A, abs_R = np.abs(A), np.abs(R)
        e0 = self.gamma * (abs_A @ np.abs(W[:, :, :1])) + self.eta  # (11)
        e1 = self.gamma * (abs_A @ self.w[source][:, :, None])
        Re0, Re1 = raised(abs_R @ e0)[:, :, 0], raised(abs_R @ e1)[:, :, 0]
        lacking = raised(kappa * (RAx.length() + length(Re0)))
        lacking_u = raised(kappa * (frobenius_norm(RAB) + length(Re1)))
        # The radius of (R A x)₀; 2 ε of it pay for the subtraction in `least`.
        loose = RAx.rad[:, 0] + Re0[:, 0] + lacking
        return StepBounds(
            rest=raised(RAx.part(..., slice(1, None)).length() + length(Re0[:, 1:]) + lacking),
            grow=raised(
                spectral_norm(RAB.part(slice(None), slice(1, None))) + length(Re1[:, 1:]) + lacking_u
            ),
            least=RAx.mid[:, 0] - raised(loose + 2 * UNIT * np.abs(RAx.mid[:, 0])),
            most=raised(np.abs(RAx.mid[:, 0]) + loose),
            less=raised(RAB.part(slice(None), 0).length() + Re1[:, 0] + lacking_u),
        )

    def _output_leads(self, chunk: slice) -> OutputLeads:
        """(15), (16) of every output that must overtake no other, on every symbol that the graph allows."""
        numbers = np.arange(len(self.references.vector))[chunk]
        states = self.references.state[numbers]
        which, symbol = np.nonzero(self.rules["write"][states] != NONE)
        at, rule = numbers[which], self.rules[states[which], symbol]
        k, rows = len(self.dfst.symbols), np.arange(len(at))
        M, abs_x = self.outputs[symbol], np.abs(self.references.vector[at])
        MW = product(M, self.W[at])  # (pairs, k + moves, d)
        e0 = raised(self.gamma * (np.abs(M) @ abs_x[:, :, None])[:, :, 0] + self.eta)
        e1 = raised(self.gamma * (np.abs(M) @ self.w[at][:, :, None])[:, :, 0])
        parts: list[OutputLeads] = []
        for part, i in ((slice(0, k), rule["write"]), (slice(k, None), k + rule["move"])):
            best = MW.part(rows, i)
            # gap is (Mᵢ - Mⱼ) W, (pairs, part, d); 2 ε |gap| pays for this subtraction, 4 ε for the next.
            gap = best.mid[:, None] - MW.mid[:, part]
            slack = best.rad[:, None] + MW.rad[:, part] + 2 * UNIT * np.abs(gap)
            e0_both = e0[rows, i][:, None] + e0[:, part]
            e1_both = e1[rows, i][:, None] + e1[:, part]
            lead = gap[..., 0] - raised(slack[..., 0] + e0_both + 4 * UNIT * np.abs(gap[..., 0]))
            loss = raised(Enclosed(gap, slack).part(..., slice(1, None)).length() + e1_both)
            others = np.arange(M.shape[1])[part] != i[:, None]
            top = raised(np.abs(best.mid[:, 0]) + best.rad[:, 0])
            more = best.part(..., slice(1, None)).length()
            at_all, top_all, more_all = (
                np.broadcast_to(array[:, None], lead.shape)[others] for array in (at, top, more)
            )
            parts.append(OutputLeads(at_all, lead[others], loss[others], top_all, more_all))
        return OutputLeads(*map(np.concatenate, zip(*parts, strict=True)))


def _chunks(count: int) -> Iterator[slice]:
    return (slice(first, first + CHUNK) for first in range(0, max(count, 1), CHUNK))
