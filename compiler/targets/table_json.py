"""`--to table`: the transition table as JSON."""

from gridlang.program import Program
from gridlang.table_json import table_to_json


def render(program: Program) -> bytes:
    return table_to_json(program.table).encode()
