"""What a FILE on the command line can be: source, a table, or a model with exact weights."""

from __future__ import annotations

from collections.abc import Mapping

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.loading import load
from gridlang.program import Program


def is_model(file: str) -> bool:
    return file.endswith(".safetensors")


def load_program(file: str, definitions: Mapping[str, str]) -> Program:
    """The program in a file of any kind; GridError for learned weights, which are no table."""
    if not is_model(file):
        return load(file, definitions)
    from compiler.dfst import dfst_to_table, read_dfst

    for name in definitions:
        raise GridError([Diagnostic("G026", f"a model has no parameter `{name}`", None, file=file)])
    return Program(dfst_to_table(read_dfst(file), file), file)
