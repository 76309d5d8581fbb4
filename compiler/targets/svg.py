"""`--to svg`: the state graph as a picture."""

from compiler.drawing.graphs import state_graph
from compiler.drawing.views import picture
from gridlang.program import Program


def render(program: Program) -> bytes:
    return picture("svg", state_graph(program))
