"""The graph as text for graphviz, with the same words and colours as our own drawing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from html import escape

from compiler.drawing.graphs import Node, StateGraph
from compiler.drawing.palette import LIGHT
from compiler.drawing.sizes import Row, words_of
from gridlang.diagnostics import fail

DPI = 144
SECONDS = 20.0


def graph_to_dot(graph: StateGraph) -> str:
    """A complete file; every word of the user's is quoted."""
    words = words_of(graph)
    lines = [
        f"digraph {_quoted(graph.name)} {{",
        '  graph [fontname="Helvetica", fontsize=11, nodesep=0.3, ranksep=0.4];',
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=13, margin="0.12,0.06"];',
        f'  edge [fontname="Courier", fontsize=10, color="{LIGHT.line}", arrowsize=0.7];',
        "  start [shape=point, width=0.08];",
        "  start -> n0;",
    ]
    framed = {node for group in graph.groups for node in group.nodes}
    for number, group in enumerate(graph.groups):
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(
            f'    style="rounded,dashed"; color="{LIGHT.line}"; label={_html(words.groups[number])};'
        )
        lines += [f"  {_node(node, graph.nodes[node], words.nodes[node])}" for node in group.nodes]
        lines.append("  }")
    nodes = zip(range(len(graph.nodes)), graph.nodes, words.nodes, strict=True)
    lines += [_node(number, node, rows) for number, node, rows in nodes if number not in framed]
    for edge, rows in zip(graph.edges, words.edges, strict=True):
        colour = f', color="{LIGHT.fills[edge.mark][1]}"' if edge.mark else ""
        lines.append(f"  n{edge.source} -> n{edge.target} [label={_html(rows)}{colour}];")
    return "\n".join([*lines, "}"]) + "\n"


def _node(number: int, node: Node, rows: Sequence[Row]) -> str:
    fill, border = LIGHT.fills[node.mark or node.role]
    ring = ", peripheries=2" if node.halts else ""
    return f'  n{number} [label={_html(rows)}, fillcolor="{fill}", color="{border}"{ring}];'


def _html(rows: Sequence[Row]) -> str:
    """Rows as a label of graphviz's own kind of HTML."""
    parts = []
    for row in rows:
        text = _text(row.text)
        if row.kind == "name":
            parts.append(f"<B>{text}</B><BR/>")
        elif row.kind in ("note", "more"):
            parts.append(f'<FONT POINT-SIZE="10" COLOR="{LIGHT.faint}">{text}</FONT><BR/>')
        else:
            colour = LIGHT.faint if row.line and row.line.quiet else LIGHT.ink
            parts.append(
                f'<FONT FACE="Courier" POINT-SIZE="10" COLOR="{colour}"> {text} </FONT><BR ALIGN="LEFT"/>'
            )
    return f"<{''.join(parts)}>" if parts else '""'


def _text(text: str) -> str:
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def graph_to_png(graph: StateGraph) -> bytes:
    """A picture drawn by graphviz; GridError where there is none, or where it takes too long."""
    if shutil.which("dot") is None:
        hint = "install graphviz (its program `dot`), or write an .svg or .html file, which need nothing"
        raise fail("G170", "a PNG needs graphviz, and there is none on this machine", hint)
    try:
        done = subprocess.run(
            ["dot", "-Tpng", f"-Gdpi={DPI}"],
            input=graph_to_dot(graph).encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        hint = "fold it by families with --fold, or write an .svg file, which takes a quicker way"
        raise fail("G171", f"graphviz drew no PNG within {SECONDS:.0f} seconds", hint) from None
    if done.returncode or not done.stdout:
        reason = done.stderr.decode(errors="replace").strip()[:200]
        raise fail("G171", "graphviz drew no PNG", reason or "write an .svg file instead")
    return done.stdout
