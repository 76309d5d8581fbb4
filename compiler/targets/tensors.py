"""`--to dfst`: exact DFST tensors in a `.safetensors` file."""

from compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from gridlang.program import Program


def render(program: Program) -> bytes:
    return dfst_to_bytes(table_to_dfst(program.table, program.to_source()))
