"""The recurrences of stacked GRUs and LSTMs with their gradients written out, in PyTorch.

Autograd would take some thirty small operations a step, and a product for the gradient of the weights at each.
Here a step back is four to six, because all that does not depend on the gradient is computed for all steps at
once, and the gradient of the weights is one product at the end. Time comes first: a step lies in one piece.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class GruRecurrence(Function):
    """From what enters the gates (T, models, traces, 3d): the states after each step, (T, models, traces, d)."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, recur: Tensor, bias: Tensor, start: Tensor) -> Tensor:
        steps, d = gates.shape[0], start.shape[-1]
        states = gates.new_empty(steps + 1, *start.shape)
        states[0] = start
        opened = gates.new_empty(*gates.shape[:-1], 2 * d)
        asked, fresh = (gates.new_empty(*gates.shape[:-1], d) for _ in range(2))
        doors, inner, shift = recur[..., : 2 * d], recur[..., 2 * d :], bias[:, None]
        for t in range(steps):
            h, gate = states[t], gates[t]
            torch.sigmoid(torch.baddbmm(gate[..., : 2 * d], h, doors), out=opened[t])
            torch.baddbmm(shift, h, inner, out=asked[t])
            torch.tanh(torch.addcmul(gate[..., 2 * d :], opened[t, ..., :d], asked[t]), out=fresh[t])
            torch.lerp(fresh[t], h, opened[t, ..., d:], out=states[t + 1])
        ctx.save_for_backward(states, opened, asked, fresh, recur)
        return states[1:]

    @staticmethod
    @once_differentiable  # type: ignore[misc,untyped-decorator]
    def backward(ctx: Any, wanted: Tensor) -> tuple[Tensor | None, ...]:
        states, opened, asked, fresh, recur = ctx.saved_tensors
        before, (reset, keep) = states[:-1], opened.chunk(2, -1)
        steps, d = fresh.shape[0], fresh.shape[-1]
        inner = (1 - keep) * (1 - fresh.square())
        # Each is what a gradient of the state is multiplied by, for what comes from the product and for the
        # last gate: reset, keep, what is asked, and fresh.
        factors = torch.stack(
            [inner * asked * reset * (1 - reset), (before - fresh) * keep * (1 - keep), inner * reset, inner], -2
        )
        back = torch.empty_like(factors)  # (T, models, traces, 4, d)
        flat = back.flatten(-2)
        turned, gradient = recur.transpose(1, 2), torch.zeros_like(fresh[0])
        for t in range(steps - 1, -1, -1):
            gradient = gradient + wanted[t]
            torch.mul(gradient[..., None, :], factors[t], out=back[t])
            gradient = torch.baddbmm(gradient * keep[t], flat[t, ..., : 3 * d], turned)
        product = flat[..., : 3 * d]
        of_gates = torch.cat([flat[..., : 2 * d], flat[..., 3 * d :]], -1)
        return of_gates, _of_weights(before, product), flat[..., 2 * d : 3 * d].sum((0, 2)), None


class LstmRecurrence(Function):
    """From what enters the gates (T, models, traces, 4d): states (T, ...) and cells, the last of which go on."""

    @staticmethod
    def forward(
        ctx: Any, gates: Tensor, recur: Tensor, start: Tensor, cell: Tensor
    ) -> tuple[Tensor, Tensor]:
        steps, d = gates.shape[0], start.shape[-1]
        states, cells = (gates.new_empty(steps + 1, *start.shape) for _ in range(2))
        states[0], cells[0] = start, cell
        opened, shown = torch.empty_like(gates), torch.empty_like(cells[1:])
        for t in range(steps):
            torch.baddbmm(gates[t], states[t], recur, out=opened[t])
            entering, keep, fresh, show = opened[t].chunk(4, -1)
            opened[t, ..., : 2 * d].sigmoid_()
            fresh.tanh_()
            show.sigmoid_()
            torch.addcmul(keep * cells[t], entering, fresh, out=cells[t + 1])
            torch.tanh(cells[t + 1], out=shown[t])
            torch.mul(show, shown[t], out=states[t + 1])
        ctx.save_for_backward(states, cells, opened, shown, recur)
        ctx.mark_non_differentiable(cells)
        return states[1:], cells

    @staticmethod
    @once_differentiable  # type: ignore[misc,untyped-decorator]
    def backward(ctx: Any, wanted: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        states, cells, opened, shown, recur = ctx.saved_tensors
        entering, keep, fresh, show = opened.chunk(4, -1)
        d = shown.shape[-1]
        factors = torch.stack(
            [
                fresh * entering * (1 - entering),
                cells[:-1] * keep * (1 - keep),
                entering * (1 - fresh.square()),
            ],
            -2,
        )
        of_cell, of_show = show * (1 - shown.square()), shown * show * (1 - show)
        back = torch.empty_like(opened)  # (T, models, traces, 4d)
        inner = back[..., : 3 * d].unflatten(-1, (3, d))
        turned = recur.transpose(1, 2)
        gradient, cell = torch.zeros_like(shown[0]), torch.zeros_like(shown[0])
        for t in range(shown.shape[0] - 1, -1, -1):
            gradient = gradient + wanted[t]
            cell = torch.addcmul(cell, gradient, of_cell[t])
            torch.mul(cell[..., None, :], factors[t], out=inner[t])
            torch.mul(gradient, of_show[t], out=back[t, ..., 3 * d :])
            cell = cell * keep[t]
            gradient = torch.bmm(back[t], turned)
        return back, _of_weights(states[:-1], back), None, None


def _of_weights(before: Tensor, product: Tensor) -> Tensor:
    """The gradient (models, d, wide) of weights that states were multiplied by, over all steps and traces."""
    rows = (part.transpose(0, 1).flatten(1, 2) for part in (before, product))  # (models, T * traces, ...)
    states, gradients = rows
    return torch.bmm(states.transpose(1, 2), gradients)
