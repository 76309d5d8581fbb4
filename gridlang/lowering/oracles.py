"""`output as "spec.grid"`: the file of the agent whose results are wanted."""

from __future__ import annotations

from gridlang.clauses.inputs import InputLanguage
from gridlang.diagnostics import listing
from gridlang.lowering.imports import Circle, Imported, import_path, parse_import
from gridlang.lowering.values import Fault
from gridlang.syntax import tree as s
from gridlang.table import Table

ASKS = Circle(
    "ask each other for their output",
    "this output asks for itself: every agent leaves what it leaves",
    "name the file of another agent, or say what is left, as in `output a + 1`",
)


def oracle_file(asked: s.Oracle, chain: tuple[str, ...]) -> Imported:
    """The file that is named, which holds an agent and does not ask this one."""
    file = parse_import(asked.path, import_path(asked.path, chain, ASKS))
    if file.agent.header.library:
        message = f'"{asked.path.value}" is a library: it holds states, and no agent'
        raise Fault("G055", message, asked.path.span, "", "name the file of an agent")
    return file


def refuse_unknown_symbols(asked: s.Oracle, language: InputLanguage, spec: Table) -> None:
    """Fault if the other agent does not know a symbol of the inputs."""
    foreign = sorted({symbol for cell in language.cells for symbol in cell} - set(spec.symbols))
    if foreign:
        message = f"`{spec.name}` does not know {listing(foreign, 'and')} of the inputs"
        hint = "both agents are run on the same inputs: give them the same alphabet"
        raise Fault("G090", message, asked.path.span, "", hint)
