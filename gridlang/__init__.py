"""gridlang: agents on a grid; read, run and compile them, learn them, and prove what was learned.

    import gridlang as gl

    agent = gl.load("add10.grid")                               # an agent; gl.loads(text) too
    agent.run("47+85").result                                   # '132'
    traces = gl.trace(agent, rule="worlds", count=2000)         # what it does, as data
    models = gl.train(traces, seeds=4)                          # weights that do the same, the best first
    found = gl.extract(models[0])                               # and back to a table
    gl.equiv(agent, found.table, scope="worlds")                # a proof, or a world where they differ

An agent is what `load` gives, a Table, or a path; an input is a text or a World. Functions and options are
named as on the command line; `progress=print` reports on a long computation. What cannot be used raises a
GridError, which says what to type.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gridlang.diagnostics import Diagnostic as Diagnostic
from gridlang.diagnostics import GridError as GridError
from gridlang.diagnostics import did_you_mean

# `as` marks public names, which are imported on first use.
if TYPE_CHECKING:
    from gridlang.compiler.api.agents import Tested as Tested
    from gridlang.compiler.api.agents import compile as compile
    from gridlang.compiler.api.agents import minimize as minimize
    from gridlang.compiler.api.agents import run as run
    from gridlang.compiler.api.agents import test as test
    from gridlang.compiler.api.agents import to_networkx as to_networkx
    from gridlang.compiler.api.agents import verify as verify
    from gridlang.compiler.api.correctness import Correctness as Correctness
    from gridlang.compiler.api.files import import_file as import_file
    from gridlang.compiler.api.files import load_world as load_world
    from gridlang.compiler.api.files import save_world as save_world
    from gridlang.compiler.api.models import extract as extract
    from gridlang.compiler.api.models import load_model as load_model
    from gridlang.compiler.api.models import snap as snap
    from gridlang.compiler.api.models import wrap as wrap
    from gridlang.compiler.api.proofs import equiv as equiv
    from gridlang.compiler.api.proofs import prove as prove
    from gridlang.compiler.api.views import View as View
    from gridlang.compiler.api.views import view as view
    from gridlang.compiler.automata.merging import Minimized as Minimized
    from gridlang.compiler.extraction.extract import Extraction as Extraction
    from gridlang.compiler.foreign import ImportedFile as ImportedFile
    from gridlang.compiler.proofs.equivalence import Verdict as Verdict
    from gridlang.compiler.simulation.simulate import Run as Run
    from gridlang.compiler.tensors.dfst import Dfst as Dfst
    from gridlang.compiler.tensors.model import Model as Model
    from gridlang.compiler.tensors.wrapped import Wrapped as Wrapped
    from gridlang.compiler.testing.assert_equivalent import assert_equivalent as assert_equivalent
    from gridlang.compiler.verifier.verify import Checked as Checked
    from gridlang.learners.api.data import coverage as coverage
    from gridlang.learners.api.data import load_traces as load_traces
    from gridlang.learners.api.data import trace as trace
    from gridlang.learners.api.evaluation import evaluate as evaluate
    from gridlang.learners.api.evaluation import predict as predict
    from gridlang.learners.api.learning import learn as learn
    from gridlang.learners.api.training import TrainedModels as TrainedModels
    from gridlang.learners.api.training import train as train
    from gridlang.learners.evaluation.evaluate import Evaluation as Evaluation
    from gridlang.learners.evaluation.evaluate import LengthSearch as LengthSearch
    from gridlang.learners.evaluation.prediction import Prediction as Prediction
    from gridlang.learners.learning.rounds import Learned as Learned
    from gridlang.learners.methods.asking.black_box import LearnedBlackBox as LearnedBlackBox
    from gridlang.learners.traces.choosing.coverage import Coverage as Coverage
    from gridlang.learners.traces.dataset import Traces as Traces
    from gridlang.loading import Loaded as Loaded
    from gridlang.loading import load as load
    from gridlang.loading import loads as loads
    from gridlang.loading import try_load as try_load
    from gridlang.program import Program as Program
    from gridlang.table import Table as Table
    from gridlang.world import World as World
    from gridlang.world import string_world as string_world

__version__ = "0.1.0"
# The module of each name, as imported above: `check` needs few, --help none.
_PUBLIC = re.compile(r"^    from (\S+) import (\w+) as \2$", re.MULTILINE)
_HOMES = {name: module for module, name in _PUBLIC.findall(Path(__file__).read_text(encoding="utf-8"))}
__all__ = sorted(["Diagnostic", "GridError", *_HOMES])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        near = "" if name.startswith("_") else did_you_mean(name, __all__)
        raise AttributeError(f"module 'gridlang' has no attribute {name!r}{f'; {near}' if near else ''}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names alone: completion offers nothing else."""
    return [*__all__, "__version__"]
