"""Recipes: the paper's to the letter, Adam's numbers, and files that are wrong in every way."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.learners.train.recipes import RANGES, SCHEDULES, Recipe, changed, load_recipe
from tests.support.searches import searched

RECIPES = st.builds(
    Recipe,
    name=st.text("abXY01-_+ü", min_size=1, max_size=5),
    lr=st.floats(1e-6, 0.1),
    schedule=st.sampled_from(SCHEDULES),
    warmup=st.integers(0, 50),
    clip=st.floats(0, 10),
    decay=st.floats(0, 1),
    batch=st.integers(1, 64),
    bands=st.integers(1, 64),
    iterations=st.integers(1, 10**6),
    beta1=st.floats(0, 0.99),
    beta2=st.floats(0, 0.9999),
    epsilon=st.floats(1e-12, 1e-3),
    dim=st.integers(0, 200),
)


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def complaint(name: str) -> Diagnostic:
    with pytest.raises(GridError) as caught:
        load_recipe(name)
    (found,) = caught.value.diagnostics
    return found


@pytest.mark.parametrize(
    ("task", "lr", "dim", "iterations"),
    [
        ("add2", 1e-2, 12, 500_000),
        ("add10", 1e-3, 20, 500_000),
        ("mult2", 1e-3, 32, 3_000_000),
        ("mult10", 1e-3, 108, 3_000_000),
    ],
)
def test_the_papers_recipe_is_the_papers(task: str, lr: float, dim: int, iterations: int) -> None:
    """Adam as it comes, a cosine to zero, no warm-up, no clipping, no decay, batches of 32."""
    expected = Recipe(
        "paper",
        lr=lr,
        schedule="cosine",
        warmup=0,
        clip=0,
        decay=0,
        batch=32,
        iterations=iterations,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        dim=dim,
    )
    assert load_recipe("paper", task) == expected


def test_the_rate_is_a_cosine_from_lr_to_zero() -> None:
    rates = Recipe("r", lr=0.5, iterations=1000).rates(0, 1001)
    assert rates[0] == 0.5 and rates[500] == pytest.approx(0.25) and rates[1000] == 0
    assert (np.diff(rates) < 0).all()
    assert rates[250] == pytest.approx(0.25 * (1 + math.cos(math.pi / 4)))


def test_warming_up_raises_the_rate_in_a_line() -> None:
    rates = Recipe("r", lr=0.4, schedule="constant", warmup=4, iterations=10).rates(0, 10)
    np.testing.assert_allclose(rates, [0.1, 0.2, 0.3, *[0.4] * 7])
    cosine = Recipe("r", lr=0.4, warmup=4, iterations=10).rates(0, 10)
    np.testing.assert_allclose(cosine, rates * (1 + np.cos(np.pi * np.arange(10) / 10)) / 2)


@searched(15)
@given(RECIPES, st.integers(0, 10**6), st.integers(1, 40))
def test_the_numbers_of_an_iteration_depend_on_nothing_but_the_iteration(
    recipe: Recipe, first: int, count: int
) -> None:
    whole = recipe.adam_schedule(first, count)
    for i in range(count):
        one = recipe.adam_schedule(first + i, 1)
        for a, b in zip(one, whole.between(i, i + 1), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)
    assert all(np.isfinite(values).all() and values.dtype == np.float32 for values in whole)


def torch_training(recipe: Recipe, start: Any, batches: Any, loss: Any) -> tuple[list[float], Any]:
    """The same by PyTorch's own optimiser, schedule and clipping, in float64."""
    import torch

    flat = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    options = {"lr": recipe.lr, "betas": (recipe.beta1, recipe.beta2), "eps": recipe.epsilon}
    adam = torch.optim.AdamW([flat], **options, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, recipe.iterations)
    losses = []
    for batch in batches:
        adam.zero_grad()
        value = loss(flat, batch)
        value.backward()
        if recipe.clip:
            torch.nn.utils.clip_grad_norm_([flat], recipe.clip)
        adam.step()
        schedule.step()
        losses.append(value.item())
    return losses, flat.detach().numpy()


@pytest.mark.parametrize("changes", [{}, {"clip": 0.05}, {"decay": 0.3}, {"beta1": 0.5, "epsilon": 1e-3}])
def test_training_is_torchs_adam_with_its_cosine_clipping_and_decay(changes: dict[str, Any]) -> None:
    """What the other engines are held against, held against PyTorch itself."""
    torch = pytest.importorskip("torch")
    from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
    from gridlang.learners.train.dfst import Batch, loss
    from gridlang.learners.train.engine import Shape, State, TrainingJob, batches
    from gridlang.learners.train.engine_torch import TorchEngine, weights_of
    from tests.programs import EXAMPLES, load

    program = load(EXAMPLES / "increment.grid")
    traces = make_traces(program, [sampling_plan(program.table, "paper", count=10)])
    shape = Shape(len(traces.symbols), 3)
    recipe = Recipe("r", lr=1e-3, batch=4, iterations=25, **changes)
    start = shape.initial(5) + np.random.default_rng(0).normal(size=shape.parameters) * 0.1
    rows = (traces.x, traces.s, traces.m, traces.length)
    x, s, m, length = (torch.tensor(np.array(array, np.int64)) for array in rows)
    chosen = [Batch(x[i], s[i], m[i], length[i]) for i in batches(5, len(traces), 0, 25, 4)]
    losses, last = torch_training(
        recipe, np.float32(start), chosen, lambda w, batch: loss(weights_of(shape, w), batch)
    )

    zeros = np.zeros((1, shape.parameters), np.float32)
    state = State(0, np.float32(start)[None], zeros, zeros, np.array([-1]))
    engine = TorchEngine(TrainingJob(traces, shape, recipe, (5,), state), dtype=torch.float64)
    found = engine.advance(recipe.adam_schedule(0, 25))
    np.testing.assert_allclose(found[0], losses, rtol=2e-6)
    np.testing.assert_allclose(engine.weights[0].numpy(), last, atol=1e-7)
    assert min(losses) < losses[0]


@given(RECIPES)
def test_a_recipe_in_the_metadata_of_a_model_loads_back(recipe: Recipe) -> None:
    assert changed(Recipe("r"), **json.loads(json.dumps(recipe.as_json()))) == recipe


def test_a_file_changes_what_it_names_and_its_sections_win(tmp_path: Path) -> None:
    path = written(tmp_path, "lr = 1\nclip = 0.5\n[task.add2]\nlr = 0.25\ndim = 7\n")
    mine = replace(load_recipe("proof"), name="mine", lr=1.0, clip=0.5)
    assert load_recipe(path) == mine
    assert load_recipe(path, "add2") == replace(mine, lr=0.25, dim=7)
    assert isinstance(load_recipe(path).lr, float)
    paper = replace(load_recipe("paper", "add2"), name="mine", batch=8)
    assert load_recipe(written(tmp_path, 'base = "paper"\nbatch = 8'), "add2") == paper
    assert complaint(written(tmp_path, 'base = "papr"')).hint == "did you mean `paper`?"


def test_python_changes_a_recipe_without_a_file() -> None:
    assert load_recipe({"lr": 0.5}) == replace(load_recipe("proof"), lr=0.5)
    assert load_recipe({"base": "fast", "batch": 8}) == replace(load_recipe("fast"), batch=8)
    assert load_recipe(None) == load_recipe("proof") == load_recipe({})
    with pytest.raises(GridError, match="a recipe has no `iteration`"):
        load_recipe({"iteration": 5})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"batch = {'9' * 5000}", "this is not a recipe"),
        ("lr = ", "this is not a recipe"),
        (f"lr = {'[' * 5000}", "this is not a recipe"),
    ],
)
def test_a_wrong_file_is_refused_whatever_the_task(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text + "\n")
    found = complaint(path)
    assert found.code == "G120" and found.file == path and message in found.message


@pytest.mark.parametrize(
    "name",
    ["x/../../escaped", "/absolute", "..", ".", "", " ", "a\\b", "a\nb", "\x1b[2J", "\udc80", "x" * 101],
)
def test_a_name_that_leads_out_of_the_folder_or_cannot_be_shown_is_refused(name: str) -> None:
    with pytest.raises(GridError, match="`name` cannot be"):
        changed(Recipe("r"), name=name)


@searched(100)
@given(
    st.dictionaries(
        st.one_of(st.sampled_from([*RANGES, "name", "task"]), st.text(max_size=4)),
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(),
            st.text(max_size=4),
            st.lists(st.integers(), max_size=2),
        ),
        max_size=4,
    )
)
def test_anything_at_all_is_a_recipe_or_is_refused(data: dict[str, Any]) -> None:
    try:
        recipe = changed(Recipe("r"), **data)
    except GridError as error:
        assert [d.code for d in error.diagnostics] == ["G120"]
    else:
        assert all(np.isfinite(values).all() for values in recipe.adam_schedule(0, 5))
