"""`--to dot`: the state graph for graphviz."""

from compiler.drawing.dot import graph_to_dot
from compiler.drawing.graphs import state_graph
from gridlang.program import Program


def render(program: Program) -> bytes:
    return graph_to_dot(state_graph(program)).encode()
