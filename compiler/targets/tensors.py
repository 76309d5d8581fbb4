"""`--to dfst`: exact DFST tensors in a `.safetensors` file."""

from compiler.dfst import dfst_to_bytes, table_to_dfst
from gridlang.loading import Program, flattened


def render(program: Program) -> bytes:
    return dfst_to_bytes(table_to_dfst(program.table, flattened(program)))
