"""gridlang: agents on a grid, from source to tables."""

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.loading import Program, load, load_source, try_load
from gridlang.table import Table
from gridlang.world import World, string_world

__version__ = "0.1.0"
__all__ = [
    "Diagnostic",
    "GridError",
    "Program",
    "Table",
    "World",
    "load",
    "load_source",
    "string_world",
    "try_load",
]
