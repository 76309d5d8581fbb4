"""What a FILE on the command line can be: source, a table, exact weights, or another tool's machine."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gridlang.diagnostics import Fault
from gridlang.file_kinds import HEAD, KINDS, kind_of
from gridlang.files import piped, read_bytes, read_source
from gridlang.loading import try_load
from gridlang.program import Program
from gridlang.table import Table

LARGEST_FILE = 2_000_000_000  # bytes: more would not fit in the memory of most machines


def is_model(file: str) -> bool:
    return is_kind(file, "model")


def is_kind(file: str, kind: str) -> bool:
    """By its ending, or, of what is piped in, by its bytes."""
    if file == "-" and (stdin := piped.get()):
        return kind_of(file, stdin.read(HEAD)) == kind
    return file.endswith(KINDS[kind].endings)


def is_machine(file: str) -> bool:
    """Whether another tool wrote it."""
    return os.path.splitext(file)[1].lower() in KINDS["machine"].endings


def load_program(file: str, definitions: Mapping[str, str]) -> Program:
    """The program in a file of any kind; GridError for learned weights, which are no table."""
    if is_machine(file):
        from gridlang.compiler.foreign import import_source

        refuse_parameters(file, definitions)
        return import_source(read_source(file)).program  # as `gridlang import` writes it
    if not is_model(file):
        return try_load(file, definitions).whole()
    from gridlang.compiler.tensors.dfst import dfst_from_bytes, dfst_to_table

    refuse_parameters(file, definitions)
    data = read_file(file)
    return Program(dfst_to_table(dfst_from_bytes(data, file), file), file, file_bytes=data)


def refuse_parameters(model: str, definitions: Mapping[str, str]) -> None:
    """GridError if parameters are given for a model, which has none."""
    for name in definitions:
        raise Fault("G026", f"a model has no parameter `{name}`", None, file=model)


def with_table(program: Program, table: Table) -> Program:
    """The program with another table, which its source does not spell out any more."""
    return program._replace(table=table, rules={}, definition=None, file_bytes=b"")


def read_file(path: str) -> bytes:
    """All bytes of a file; GridError where it cannot be read."""
    return read_bytes(path, LARGEST_FILE, path)
