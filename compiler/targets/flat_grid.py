"""`--to grid`: the table as source, with every instance a state of its own."""

from gridlang.printer import table_to_source
from gridlang.program import Program


def render(program: Program) -> bytes:
    return table_to_source(program.table).encode()
