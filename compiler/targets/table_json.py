"""`--to table`: the transition table as JSON."""

from gridlang.loading import Program
from gridlang.table import table_to_json


def render(program: Program) -> bytes:
    return table_to_json(program.table).encode()
