"""From a program to the file that was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from gridlang.compiler.drawing.differences import difference_graph
from gridlang.compiler.drawing.graphs import StateGraph, families, folds, state_graph
from gridlang.compiler.drawing.layout.lay_out import lay_out
from gridlang.compiler.drawing.layout.placed import Drawing
from gridlang.compiler.drawing.layout.sizes import Row, words_of
from gridlang.compiler.drawing.page import Comparison, Scene, Start, first_start
from gridlang.compiler.drawing.palette import LIGHT
from gridlang.compiler.drawing.svg import drawing_to_inline_svg, drawing_to_svg, safe, svg_to_png
from gridlang.diagnostics import GridError
from gridlang.loading import load_source
from gridlang.printer import table_to_source
from gridlang.program import Program
from gridlang.source import Source

MOST_SINGLE = 400  # states that a page also shows one by one


def with_source(program: Program) -> Program:
    """The program with rules that have a place in a source; a table is printed as one."""
    if program.definition:
        return program
    try:
        printed = load_source(Source(f"<{program.name}>", table_to_source(program.table)))
    except GridError:
        return program
    same = (printed.table.states, printed.table.rows) == (program.table.states, program.table.rows)
    return printed._replace(table=program.table, file=program.file) if same else program


def graph_of(program: Program, fold: bool | None, comparison: Comparison | None = None) -> StateGraph:
    """The graph, folded or not; with marks where the program is compared."""
    if comparison is None:
        return state_graph(program, fold)
    return difference_graph(comparison.program, program, comparison.difference, fold)


def drawings_of(
    program: Program, fold: bool | None = None, comparison: Comparison | None = None
) -> list[Drawing]:
    """The drawings of a page: the graph folded or not, as reads best, and the other way too."""
    first = folds(program.table) if fold is None else fold
    ways = [first, not first] if families(program.table) else [first]
    readable = len(program.table.states) <= MOST_SINGLE
    drawings: list[Drawing] = []
    for way in ways:
        if drawings and not (way or readable):
            break
        try:
            drawings.append(lay_out(graph_of(program, way, comparison)))
        except GridError:
            if not drawings and way == ways[-1]:
                raise
    return drawings


def picture(kind: str, graph: StateGraph) -> bytes:
    """The content of an .svg, .dot or .png file; GridError where it cannot be drawn in time.

    A PNG is the SVG in pixels, light, with its legend.
    """
    if kind == "dot":
        return graph_to_dot(graph).encode()
    svg = drawing_to_svg(lay_out(graph))
    return svg_to_png(svg) if kind == "png" else svg.encode()


def inline_picture(graph: StateGraph) -> str:
    """The picture as a part of a notebook, in its colours; GridError where it cannot be drawn in time."""
    return drawing_to_inline_svg(lay_out(graph))


def first_scene(program: Program, start: Start | None = None) -> Scene:
    """A program on a world, or on its own first one."""
    return Scene(program, program.name, drawings_of(program), start or first_start(program))


def graph_to_dot(graph: StateGraph) -> str:
    """A complete file; every word of the user's is quoted."""
    import graphviz

    words = words_of(graph)
    dot = graphviz.Digraph(graphviz.escape(graph.name))
    dot.attr("graph", fontname="Helvetica", fontsize="11", nodesep="0.3", ranksep="0.4")
    look = {"shape": "box", "style": "rounded,filled", "margin": "0.12,0.06"}
    dot.attr("node", **look, fontname="Helvetica", fontsize="13")
    dot.attr("edge", fontname="Courier", fontsize="10", color=LIGHT.line, arrowsize="0.7")
    dot.node("start", shape="point", width="0.08")
    dot.edge("start", "n0")
    for number, (node, rows) in enumerate(zip(graph.nodes, words.nodes, strict=True)):
        fill, border = LIGHT.fills[node.mark or node.role]
        rings = "2" if node.halts else None
        dot.node(f"n{number}", _html(rows), fillcolor=fill, color=border, peripheries=rings)
    for edge, rows in zip(graph.edges, words.edges, strict=True):
        colour = LIGHT.fills[edge.mark][1] if edge.mark else None
        dot.edge(f"n{edge.source}", f"n{edge.target}", _html(rows), color=colour)
    return str(dot.source)


def _html(rows: Sequence[Row]) -> str:
    """Rows as a label of graphviz's own kind of HTML."""
    parts = []
    for row in rows:
        text = safe(row.text)
        if row.kind == "name":
            parts.append(f"<B>{text}</B><BR/>")
        elif row.kind in ("note", "more"):
            parts.append(f'<FONT POINT-SIZE="10" COLOR="{LIGHT.faint}">{text}</FONT><BR/>')
        else:
            colour = LIGHT.faint if row.line and row.line.quiet else LIGHT.ink
            parts.append(
                f'<FONT FACE="Courier" POINT-SIZE="10" COLOR="{colour}"> {text} </FONT><BR ALIGN="LEFT"/>'
            )
    return f"<{''.join(parts)}>" if parts else ""
