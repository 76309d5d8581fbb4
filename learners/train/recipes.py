"""Recipes: how a model is trained, as small TOML files, and what fits where they leave something open."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from importlib.resources import files
from math import cbrt, ceil, inf, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gridlang.diagnostics import did_you_mean, fail, listing
from gridlang.files import read_source
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.limits import LIMITS

SQUARES = "squares"  # the paper's loss, and the one that kernels know
USUAL = "proof"  # the recipe of whoever names none, and that others change
OF_LEARNING = ("rounds", "worlds", "radius")  # which training does not read
SCHEDULES = ("cosine", "constant")
Floats = npt.NDArray[np.float32]
RecipeLike: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]

FITTED, NO_DECAY = -1.0, 0.0  # as `decay`: what fits the model and its traces, or none


class AdamSchedule(NamedTuple):
    """For each iteration: Adam's step, the root of its correction, and what decay leaves of a weight.

    These are computed once on the host in float64, so that all engines take the same bits.
    """

    step: Floats
    root: Floats
    keep: Floats

    def between(self, first: int, last: int) -> AdamSchedule:
        return AdamSchedule(*(column[first:last] for column in self))


@dataclass(frozen=True, slots=True)
class Recipe:
    """Adam, with clipping and a schedule; the same names as in the files.

    `fitted` gives what is left open.
    """

    name: str
    lr: float = 1e-3  # 0 is what fits the model.
    schedule: str = "cosine"  # The rate goes down to zero as a cosine, or is constant.
    warmup: int = 0  # iterations over which the rate grows to lr
    clip: float = 0.0  # largest norm of a gradient; 0: no limit
    decay: float = 0.0  # Weights decay by this times the rate, as in AdamW; -1 is what fits.
    batch: int = 32  # traces in an iteration, or all where there are fewer
    bands: int = 1  # of lengths: the traces of a batch are of one band
    iterations: int = 100_000  # 0 is what fits the model and its traces.
    least: int = 10_000  # the fewest iterations that fit
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    dim: int = 0  # states of the model; 0 is as many as the expert has
    loss: str = SQUARES  # or FILE.py:NAME, a function of what is said and what is wanted
    refit: bool = False  # to the states that vectors show, as soon as that succeeds
    rounds: int = 8  # of learning, at most
    worlds: int = -1  # random ones in its first round; -1 is what fits the agent
    radius: int = -1  # of a proof's windows; -1 is as needed

    def rates(self, first: int, count: int) -> npt.NDArray[np.float64]:
        """The learning rate of each iteration."""
        at = np.arange(first, first + count)
        cosine = 0.5 * (1 + np.cos(np.pi * at / self.iterations))
        share = cosine if self.schedule == "cosine" else 1.0
        ramp = np.minimum(1.0, (at + 1) / self.warmup) if self.warmup else 1.0
        return np.asarray(self.lr * share * ramp * np.ones(count), np.float64)

    def adam_schedule(self, first: int, count: int) -> AdamSchedule:
        """What the optimiser takes in each iteration, bias corrected."""
        powers = np.arange(first + 1, first + count + 1, dtype=np.float64)
        rates = self.rates(first, count)
        step, root = rates / (1 - self.beta1**powers), np.sqrt(1 - self.beta2**powers)
        keep = 1 - self.decay * rates
        return AdamSchedule(step.astype(np.float32), root.astype(np.float32), keep.astype(np.float32))

    def as_json(self) -> dict[str, Any]:
        """All that a model depends on."""
        return {name: value for name, value in asdict(self).items() if name not in OF_LEARNING}


def load_recipe(how: RecipeLike | None, task: str = "") -> Recipe:
    """A recipe of ours by its name, or what a TOML file or a mapping changes in one of ours, its `base`.

    `task` picks its own section where there is one.
    """
    if how is None:
        how = USUAL
    if isinstance(how, Mapping):
        name, file, data = "", "", dict(how)
    elif (path := os.fspath(how)).endswith(".toml") or os.path.sep in path:
        name, file = os.path.basename(path).removesuffix(".toml"), path
        data = _table(read_source(path).text, path)
    else:
        return _recipe(path, _ours(path, task), "")
    base = data.pop("base", USUAL)
    usual = _ours(base if isinstance(base, str) else repr(base), task)
    chosen, sections = _sections(data, task, file)
    for section in sections:
        _recipe(name or base, {**usual, **section}, file)  # A fault in any section is told now.
    return _recipe(name or base, {**usual, **chosen}, file)


def _table(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise fail("G120", f"this is not a recipe: {str(error)[:200]}", file=file) from None


def _sections(data: dict[str, Any], task: str, file: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The settings for a task, and those for each one that has a section of its own."""
    tasks = data.pop("task", {})
    if not isinstance(tasks, dict) or not all(isinstance(section, dict) for section in tasks.values()):
        raise fail("G120", "`task` holds sections, as in [task.add2]", file=file)
    return {**data, **tasks.get(task, {})}, [{**data, **section} for section in tasks.values()]


def _ours(name: str, task: str) -> dict[str, Any]:
    """The settings of a recipe that comes with the package."""
    ours = files("gridlang.learners.train").joinpath("recipe_files")
    known = sorted(file.name.removesuffix(".toml") for file in ours.iterdir())
    if name not in known:
        hint = did_you_mean(name, known) or f"there are {', '.join(known)}, or a file NAME.toml"
        raise fail("G120", f"there is no recipe `{name}`", hint)
    text = ours.joinpath(f"{name}.toml").read_text("utf-8")
    return _sections(_table(text, f"{name}.toml"), task, name)[0]


def changed(recipe: Recipe, **changes: Any) -> Recipe:
    """The recipe with what the command line says instead; None leaves it as it is."""
    settings = {key: value for key, value in changes.items() if value is not None}
    return _recipe("", {**asdict(recipe), **settings}, "")


def _recipe(name: str, data: dict[str, Any], file: str) -> Recipe:
    kinds = {f.name: str(f.type) for f in fields(Recipe)}
    values: dict[str, Any] = {"name": name}
    for key, value in data.items():
        if key not in kinds:
            hint = did_you_mean(key, kinds) or f"it has {listing(kinds, 'and')}"
            raise fail("G120", f"a recipe has no `{key}`", hint, file)
        values[key] = _value(key, value, kinds[key], file)
    recipe = Recipe(**values)
    _check(recipe, file)
    return recipe


def _value(key: str, value: Any, kind: str, file: str) -> Any:
    kinds: dict[str, tuple[str, tuple[type, ...]]] = {
        "int": ("a whole number", (int,)),
        "float": ("a number", (int, float)),
        "str": ("text", (str,)),
        "bool": ("true or false", (bool,)),
    }
    noun, wanted = kinds[kind]
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind != "bool"):
        whole = kind == "int" and isinstance(value, float) and value.is_integer()
        hint = f"write {int(value):_}" if whole and abs(value) < 1e12 else ""
        raise fail("G120", f"`{key}` is {noun}, not {repr(value)[:40]}", hint, file)
    try:
        return float(value) if isinstance(value, int | float) and kind == "float" else value
    except OverflowError:  # hundreds of digits do not fit a float
        return inf


def _is_file_name(name: str) -> bool:
    """Whether a name stays in the folder where a file of that name is made."""
    within = name.isprintable() and not set(name) & {"/", "\\"} and name.strip(". ") != ""
    return within and len(name.encode()) <= LIMITS.longest_name


RANGES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "lr": (lambda lr: 0 <= lr <= 10, "above 0, at most 10, or 0, which means what fits"),
    "schedule": (lambda schedule: schedule in SCHEDULES, " or ".join(SCHEDULES)),
    "warmup": (lambda count: 0 <= count <= 10**9, "0 to 1_000_000_000"),
    "clip": (lambda norm: 0 <= norm < inf, "0, which means none, or more"),
    "decay": (lambda decay: decay == FITTED or 0 <= decay < inf, "0 or more, or -1, which means what fits"),
    "batch": (lambda batch: 1 <= batch <= 4096, "1 to 4096"),
    "bands": (lambda bands: 1 <= bands <= 4096, "1 to 4096"),
    "iterations": (lambda count: 0 <= count <= 10**9, "1 to 1_000_000_000, or 0, which means what fits"),
    "least": (lambda count: 1 <= count <= 10**9, "1 to 1_000_000_000"),
    "beta1": (lambda beta: 0 <= beta < 1, "0 or more, below 1"),
    "beta2": (lambda beta: 0 <= beta < 1, "0 or more, below 1"),
    # So small a number is still more than zero in float32.
    "epsilon": (lambda epsilon: 1e-30 <= epsilon < 1, "1e-30 or more, below 1"),
    "dim": (lambda dim: 0 <= dim <= 4096, "1 to 4096, or 0, which means as the expert"),
    "rounds": (lambda count: 1 <= count <= 1000, "1 to 1000"),
    "worlds": (lambda count: -1 <= count <= 10**6, "0 to 1_000_000, or -1, which means what fits"),
    # larger windows outgrow every limit
    "radius": (lambda radius: -1 <= radius <= 8, "0 to 8, or -1, which means as needed"),
}


def _check(recipe: Recipe, file: str) -> None:
    if not _is_file_name(recipe.name):
        hint = f"folders are named after it: letters, digits, `-` and the like, at most {LIMITS.longest_name}"
        raise fail("G120", f"`name` cannot be {repr(recipe.name)[:60]}", hint, file)
    for key, (fine, allowed) in RANGES.items():
        if not fine(getattr(recipe, key)):
            value = repr(getattr(recipe, key))[:40]
            raise fail("G120", f"`{key}` cannot be {value}", f"it is {allowed}", file)
    if recipe.decay * recipe.lr >= 1:
        raise fail("G120", "`decay` times `lr` must be below 1: nothing would be left of a weight", file=file)


def fitted(recipe: Recipe, weights: int, traces: Traces) -> Recipe:
    """The recipe of a model of this size with nothing left open; what it says itself stays.

    What is left open depends on the size of the model and on the traces; no agent's name counts.
    The rate falls with the number of weights and the length of the traces, and grows with the batch: a batch
    shows each rule of a large agent seldom, long traces add up what is wrong, and where the rate is too high
    for that, Adam's steps undo what was learned, and seeds end on a plateau. Iterations grow with the length
    of the traces, which are chains of products, and with the root of the number of weights; of many traces
    each is shown some times.
    """
    length = float(np.percentile(traces.length, LIMITS.long_share))
    noise = weights * length / min(recipe.batch, len(traces))
    shown = ceil(LIMITS.passes * len(traces) / recipe.batch / LIMITS.grain)
    grains = max(shown, round(LIMITS.effort * (length + sqrt(weights)) / LIMITS.grain), 1)
    decay = NO_DECAY if length > LIMITS.long else LIMITS.strongest_decay * min(1.0, LIMITS.tiny / weights)
    return replace(
        recipe,
        lr=recipe.lr or _two_digits(LIMITS.highest_rate * min(1.0, cbrt(LIMITS.quiet / noise))),
        iterations=recipe.iterations or max(recipe.least, grains * LIMITS.grain),
        decay=_two_digits(decay) if recipe.decay == FITTED else recipe.decay,
    )


def _two_digits(number: float) -> float:
    """Rounded, so that records are readable."""
    return float(f"{number:.1e}")
