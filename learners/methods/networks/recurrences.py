"""The recurrences of stacked GRUs and LSTMs with their gradients written out, in PyTorch.

Autograd would take some thirty small operations a step, and for the weights' gradient a product at each.
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
    """From what enters the gates (T, models, traces, 3d): the states after each step, (T, ..., d)."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, recur: Tensor, bias: Tensor, start: Tensor) -> Tensor:
        steps, d = gates.shape[0], start.shape[-1]
        states = gates.new_empty(steps + 1, *start.shape)
        states[0] = start
        opened = gates.new_empty(*gates.shape[:-1], 2 * d)
        asked, fresh = (gates.new_empty(*gates.shape[:-1], d) for _ in range(2))
        # Slices that are no whole matrices would be multiplied one network after the other.
        doors, inner = recur[..., : 2 * d].contiguous(), recur[..., 2 * d :].contiguous()
        shift = bias[:, None]
        parts = (gates[..., : 2 * d], gates[..., 2 * d :], opened, opened[..., :d], opened[..., d:])
        columns = (*parts, asked, fresh, states[:-1], states[1:])
        for door, last, both, reset, keep, ask, new, h, after in _by_step(*columns):
            torch.sigmoid(torch.baddbmm(door, h, doors), out=both)
            torch.baddbmm(shift, h, inner, out=ask)
            torch.tanh(torch.addcmul(last, reset, ask), out=new)
            torch.lerp(new, h, keep, out=after)
        ctx.save_for_backward(states, opened, asked, fresh, recur)
        return states[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, wanted: Tensor) -> tuple[Tensor | None, ...]:
        states, opened, asked, fresh, recur = ctx.saved_tensors
        before, (reset, keep) = states[:-1], opened.chunk(2, -1)
        d = fresh.shape[-1]
        inner = (1 - keep) * (1 - fresh.square())
        # What a gradient of the state is multiplied by: for reset, for keep, and for what is asked.
        factors = torch.stack(
            [inner * asked * reset * (1 - reset), (before - fresh) * keep * (1 - keep), inner * reset], -2
        )
        back = torch.empty_like(factors)  # (T, models, traces, 3, d)
        flat, gradients = back.flatten(-2), torch.empty_like(fresh)
        turned, gradient = recur.transpose(1, 2), torch.zeros_like(fresh[0])
        columns = _by_step(wanted, factors, back, keep, flat, gradients)
        for want, factor, into, kept, multiplied, whole in reversed(columns):
            torch.add(gradient, want, out=whole)
            torch.mul(whole[..., None, :], factor, out=into)
            gradient = torch.baddbmm(whole * kept, multiplied, turned)
        of_gates = torch.cat([flat[..., : 2 * d], gradients * inner], -1)
        return of_gates, of_weights(before, flat), flat[..., 2 * d :].sum((0, 2)), None


class LstmRecurrence(Function):
    """From what enters the gates (T, models, traces, 4d): states (T, ..., d), and cells to go on from."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, recur: Tensor, start: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        steps, d = gates.shape[0], start.shape[-1]
        states, cells = (gates.new_empty(steps + 1, *start.shape) for _ in range(2))
        states[0], cells[0] = start, cell
        opened, shown = torch.empty_like(gates), torch.empty_like(cells[1:])
        parts = (gates, opened, opened[..., : 2 * d], *opened.chunk(4, -1), shown)
        columns = (*parts, states[:-1], states[1:], cells[:-1], cells[1:])
        for gate, all_, two, entering, keep, fresh, show, seen, h, after, c, next_ in _by_step(*columns):
            torch.baddbmm(gate, h, recur, out=all_)
            two.sigmoid_()
            fresh.tanh_()
            show.sigmoid_()
            torch.addcmul(keep * c, entering, fresh, out=next_)
            torch.tanh(next_, out=seen)
            torch.mul(show, seen, out=after)
        ctx.save_for_backward(states, cells, opened, shown, recur)
        ctx.mark_non_differentiable(cells)
        return states[1:], cells

    @staticmethod
    @once_differentiable
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
        inner = back[..., : 3 * d].view(*back.shape[:-1], 3, d)
        turned = recur.transpose(1, 2)
        gradient, cell = torch.zeros_like(shown[0]), torch.zeros_like(shown[0])
        columns = _by_step(wanted, of_cell, factors, inner, of_show, back[..., 3 * d :], keep, back)
        for want, through, factor, into, shows, last, kept, whole in reversed(columns):
            gradient = gradient + want
            cell = torch.addcmul(cell, gradient, through)
            torch.mul(cell[..., None, :], factor, out=into)
            torch.mul(gradient, shows, out=last)
            cell = cell * kept
            gradient = torch.bmm(whole, turned)
        return back, of_weights(states[:-1], back), None, None


def _by_step(*columns: Tensor) -> list[tuple[Tensor, ...]]:
    """The parts of each step; to cut them out one by one costs more than what is done with them."""
    return list(zip(*(column.unbind(0) for column in columns), strict=True))


def of_weights(before: Tensor, product: Tensor) -> Tensor:
    """The gradient (models, d, wide) of weights that states were multiplied by, over all steps and traces."""
    rows = (part.transpose(0, 1).flatten(1, 2) for part in (before, product))  # (models, T * traces, ...)
    states, gradients = rows
    return torch.bmm(states.transpose(1, 2), gradients)
