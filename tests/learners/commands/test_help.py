"""What all commands promise: --help is light, and its defaults are those of the library."""

from __future__ import annotations

import subprocess
import sys

from gridlang.cli import ABOVE
from gridlang.compiler.commands import extract as extract_command
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_exploration import SCOPES
from gridlang.learners.commands import evaluate as eval_command
from gridlang.learners.evaluation.evaluate import PLG, RLG
from gridlang.learners.evaluation.limits import LIMITS as EVALUATION
from tests.programs import ROOT

HEAVY = "{'numpy', 'torch', 'networkx', 'lark', 'hypothesis'}"


def test_help_imports_nothing_heavy() -> None:
    """That of no command does: their imports are added up in one process."""
    code = f"""import sys
from click.testing import CliRunner
from gridlang.cli import main
for name in {sorted(ABOVE)}:
    assert CliRunner().invoke(main, [name, '--help']).exit_code == 0
    assert not {HEAVY} & set(sys.modules), name
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_what_help_writes_out_is_what_the_library_has() -> None:
    command = extract_command
    defaults = SCOPES, LIMITS.longest_repetition, LIMITS.steps
    assert defaults == (command.SCOPES, command.LONGEST_REPETITION, command.STEPS)
    assert EVALUATION.search_seconds == eval_command.SEARCH_SECONDS
    choices = {option.name: getattr(option.type, "choices", ()) for option in eval_command.command.params}
    assert set(choices["suite"]) == {PLG, RLG}
