"""gridlang: agents on a grid; read, run and compile them, learn them, and prove what was learned.

    import gridlang as gl

    agent = gl.load("add10.grid")                               # an agent; gl.loads(text) too
    agent.run("47+85").result                                   # '132'
    traces = gl.trace(agent, rule="scrambled", count=2000)      # what it does, as data
    models = gl.train(traces, seeds=4)                          # weights that do the same, the best first
    found = gl.extract(models[0])                               # and back to a table
    gl.equiv(agent, found.table, scope="worlds")                # a proof, or a world where they differ

An agent is what `load` gives, a Table, or a path; an input is a text or a World. Functions and options are
named as on the command line; `progress=print` reports on a long computation. What cannot be used raises a
GridError, which says what to type.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gridlang.diagnostics import Diagnostic, GridError, did_you_mean

if TYPE_CHECKING:
    from compiler.api.agents import (
        Correctness,
        Tested,
        compile,
        minimize,
        run,
        test,
        to_networkx,
        verify,
    )
    from compiler.api.files import import_file, load_world, save_world
    from compiler.api.synthesis import Synthesis, synthesize
    from compiler.automata.merging import Minimized
    from compiler.proofs.equivalence import Verdict
    from compiler.simulation.simulate import Run
    from compiler.tensors.dfst import Dfst
    from compiler.verifier.verify import Checked
    from gridlang.loading import load, loads, try_load
    from gridlang.program import Program
    from gridlang.table import Table
    from gridlang.world import World, string_world
    from learners.api.data import coverage, load_traces, trace
    from learners.api.grading import grade
    from learners.api.models import bound, evaluate, extract, load_model, predict, snap
    from learners.api.noise import corrupt, learn_noisy
    from learners.api.proofs import correctness, equiv, prove
    from learners.api.training import learn, train
    from learners.api.views import view
    from learners.evaluation.evaluate import Evaluation, LengthSearch
    from learners.evaluation.prediction import Prediction
    from learners.extraction.extract import Extraction
    from learners.extraction.float_bounds.float_bounds import FloatBound
    from learners.learning.noisy_rounds import NoisyLearned
    from learners.learning.rounds import Learned
    from learners.reports.viewed import View
    from learners.testing import assert_equivalent
    from learners.traces.choosing.coverage import Coverage
    from learners.traces.dataset import Traces

__version__ = "0.1.0"
__all__ = [
    "Checked",
    "Correctness",
    "Coverage",
    "Dfst",
    "Diagnostic",
    "Evaluation",
    "Extraction",
    "FloatBound",
    "GridError",
    "Learned",
    "LengthSearch",
    "Minimized",
    "NoisyLearned",
    "Prediction",
    "Program",
    "Run",
    "Synthesis",
    "Table",
    "Tested",
    "Traces",
    "Verdict",
    "View",
    "World",
    "assert_equivalent",
    "bound",
    "compile",
    "correctness",
    "corrupt",
    "coverage",
    "equiv",
    "evaluate",
    "extract",
    "grade",
    "import_file",
    "learn",
    "learn_noisy",
    "load",
    "load_model",
    "load_traces",
    "load_world",
    "loads",
    "minimize",
    "predict",
    "prove",
    "run",
    "save_world",
    "snap",
    "string_world",
    "synthesize",
    "test",
    "to_networkx",
    "trace",
    "train",
    "try_load",
    "verify",
    "view",
]
# Where names are, imported when they are first used: a check needs few of them, and --help none.
_NAMES = {
    "gridlang.loading": ("load", "loads", "try_load"),
    "gridlang.program": ("Program",),
    "gridlang.table": ("Table",),
    "gridlang.world": ("World", "string_world"),
    "compiler.api.agents": (
        *("Correctness", "Tested", "compile", "minimize"),
        *("run", "test", "to_networkx", "verify"),
    ),
    "compiler.tensors.dfst": ("Dfst",),
    "compiler.automata.merging": ("Minimized",),
    "compiler.proofs.equivalence": ("Verdict",),
    "compiler.api.files": ("import_file", "load_world", "save_world"),
    "compiler.api.synthesis": ("Synthesis", "synthesize"),
    "compiler.simulation.simulate": ("Run",),
    "compiler.verifier.verify": ("Checked",),
    "learners.api.data": ("coverage", "load_traces", "trace"),
    "learners.api.grading": ("grade",),
    "learners.api.models": ("bound", "evaluate", "extract", "load_model", "predict", "snap"),
    "learners.api.noise": ("corrupt", "learn_noisy"),
    "learners.api.proofs": ("correctness", "equiv", "prove"),
    "learners.api.training": ("learn", "train"),
    "learners.api.views": ("view",),
    "learners.extraction.float_bounds.float_bounds": ("FloatBound",),
    "learners.evaluation.evaluate": ("Evaluation", "LengthSearch"),
    "learners.evaluation.prediction": ("Prediction",),
    "learners.extraction.extract": ("Extraction",),
    "learners.learning.rounds": ("Learned",),
    "learners.learning.noisy_rounds": ("NoisyLearned",),
    "learners.reports.viewed": ("View",),
    "learners.testing": ("assert_equivalent",),
    "learners.traces.choosing.coverage": ("Coverage",),
    "learners.traces.dataset": ("Traces",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        near = "" if name.startswith("_") else did_you_mean(name, __all__)
        raise AttributeError(f"module 'gridlang' has no attribute {name!r}{f'; {near}' if near else ''}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names alone: completion offers nothing else."""
    return [*__all__, "__version__"]
