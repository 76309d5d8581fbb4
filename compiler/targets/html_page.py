"""`--to html`: a page with the state graph, and a replay beside it."""

from compiler.drawing.page import Scene
from compiler.drawing.replay_start import first_start
from compiler.drawing.views import drawings_of, graphs_of, page, with_source
from gridlang.program import Program


def render(program: Program) -> bytes:
    full = with_source(program)
    drawings = drawings_of(full, graphs_of(full), None)
    return page(Scene(full, full.name, drawings, first_start(full)))
