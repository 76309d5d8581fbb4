"""The graph as text for graphviz, with the same words and colours as our own drawing."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.drawing.graphs import StateGraph
from compiler.drawing.layout.sizes import Row, words_of
from compiler.drawing.palette import LIGHT
from compiler.drawing.svg import safe


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
