"""Colours of the drawings, light and dark, and the style sheet made from them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gridlang.compiler.drawing.graphs import (
    AWAY,
    DEAD,
    DIFFERS,
    EXTRA,
    GUESSED,
    HALTS,
    MISSING,
    MOVES_ON,
    ROLES,
    SAME,
    SHOWS,
    WALKS,
    WRITES,
    StateGraph,
)
from gridlang.compiler.simulation.worlds.png import (
    ACCENT,
    AMBER,
    BLUE,
    CRIMSON,
    GREEN,
    GREY,
    INK,
    PAPER,
    PINK,
    RED,
    VIOLET,
)

MARKS = {
    SAME: "does the same",
    DIFFERS: "differs",
    SHOWS: "shows it: reached by mistake",
    MISSING: "missing: only the other has it",
    EXTRA: "more: the other has no such rule",
    AWAY: "not reached on the worlds compared",
    GUESSED: "never seen, a guess",
}


def legend(graphs: Iterable[StateGraph]) -> list[tuple[str, str]]:
    """The roles and marks in use, and their meanings."""
    kinds: set[str] = set()
    for graph in graphs:
        kinds |= {node.mark or node.role for node in graph.nodes} | {edge.mark for edge in graph.edges}
    return [(kind, words) for kind, words in {**ROLES, **MARKS}.items() if kind in kinds]


SANS = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif'
MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'


class Palette(NamedTuple):
    """Ink and paper, and a fill and a border for each role and mark."""

    paper: str
    ink: str
    faint: str
    line: str
    fills: dict[str, tuple[str, str]]


# Roles and marks: fill and border in the light, in the dark; the border in a notebook.
_COLOURS = {
    HALTS: ("#dff3e4", GREEN, "#173524", "#4fb873", "#3a9d5c"),
    WALKS: ("#e3eefc", BLUE, "#16304f", "#5b9be6", "#4a88d4"),
    WRITES: ("#fdf0d5", AMBER, "#3d2f12", "#d9a441", "#cf9324"),
    MOVES_ON: ("#eef0f3", GREY, "#232a35", "#76818f", "#8a94a4"),
    DEAD: ("#f6e3e6", CRIMSON, "#3c1d24", "#d06a7c", "#c0596a"),
    SAME: ("#e6f4ea", GREEN, "#173524", "#4fb873", "#3a9d5c"),
    DIFFERS: ("#fde2e2", RED, "#4a1c1c", "#f06a6a", "#dc4a4a"),
    SHOWS: ("#fdf0f6", PINK, "#331d2b", "#d987b3", "#c765a0"),
    MISSING: (PAPER, VIOLET, "#12161d", "#b193e0", "#a184d0"),
    EXTRA: ("#fdf0d5", AMBER, "#3d2f12", "#d9a441", "#cf9324"),
    AWAY: ("#eef0f3", GREY, "#232a35", "#76818f", "#8a94a4"),
    GUESSED: ("#eef0f3", GREY, "#232a35", "#76818f", "#8a94a4"),
}
LIGHT = Palette(PAPER, INK, "#6b7585", GREY, {kind: c[:2] for kind, c in _COLOURS.items()})
DARK = Palette("#12161d", "#e6eaf1", "#97a1b2", "#6d7889", {kind: c[2:4] for kind, c in _COLOURS.items()})
_PAPER = "var(--jp-layout-color0,var(--vscode-editor-background,var(--colab-primary-surface-color,Canvas)))"
# Colours of the notebook around, of JupyterLab, VS Code or Colab; the others are readable on light and dark.
NOTEBOOK = Palette(
    paper=_PAPER,
    ink="var(--jp-content-font-color1,currentColor)",
    faint="var(--jp-content-font-color2,#7d8795)",
    line="#8a94a4",
    fills={
        kind: (_PAPER if kind == MISSING else f"color-mix(in srgb,{border} 16%,{_PAPER})", border)
        for kind, (*_, border) in _COLOURS.items()
    },
)
# Words in these have a contrast of 4.5 at least to the paper, a frame and the glow of what is lit.
PAGE = {"accent": (ACCENT, "#ff6b9d"), "good": ("#1f7a3f", "#4fb873"), "bad": ("#b92c2c", "#f58080")}
PAGE |= {"frame": ("#f5f7fa", "#191f29"), "faint": ("#596373", "#a3adbd"), "link": ("#b3235a", "#ff8cb3")}
PAGE |= {"rule": ("#e4e8ee", "#232b37"), "edge": ("#d5dae2", "#2c3542"), "glow": ("#fde8ef", "#44202e")}
# words of a source
PAGE |= {"word": ("#7a4fb0", "#c9a5f0"), "text": ("#2a7440", "#8fd6a2")}
PAGE |= {"value": ("#a54c0b", "#f0ad6a"), "name": ("#2b63b0", "#8dbcf5")}
PAGE |= {"scheme": ("light", "dark")}

# in a page, a picked state lights its rules and dims the rest
SELECTION = (
    ".node,.edge,.words{transition:opacity .12s}"
    ".picking .node:not(.near){opacity:.3}"
    ".picking .edge:not(.near),.picking .words:not(.near){opacity:.13}"
    ".edge.near.leaves path{stroke:var(--accent);stroke-width:2.2;stroke-opacity:1}"
    ".edge.near.leaves polygon{fill:var(--accent)}"
    ".node:focus{outline:none}.node:focus-visible>.box{stroke:var(--accent);stroke-width:3.4}"
)


def page_style() -> str:
    """The same rules for a page: colours are variables, which follow the system or the reader's choice."""
    plain = ("paper", "ink", "faint", "line")
    by_name = Palette(
        **{name: f"var(--{name})" for name in plain},
        fills={kind: (f"var(--{kind}-fill)", f"var(--{kind}-line)") for kind in _COLOURS},
    )
    schemes = []
    for number, palette in enumerate((LIGHT, DARK)):
        values = dict(zip(plain, palette, strict=False))
        for kind, (fill, border) in palette.fills.items():
            values |= {f"{kind}-fill": fill, f"{kind}-line": border}
        values |= {name: both[number] for name, both in PAGE.items()}
        schemes.append(";".join(f"--{name}:{value}" for name, value in values.items()))
    light, dark = schemes
    return (
        f":root{{--mono:{MONO};{light};color-scheme:light}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark};color-scheme:dark}}}}"
        f":root[data-theme=dark]{{{dark};color-scheme:dark}}" + style(by_name) + SELECTION
    )


def scoped_style(palette: Palette, scope: str) -> str:
    """The same rules within one class, for a foreign page."""

    def scoped(rule: re.Match[str]) -> str:
        return ",".join(f".{scope} {selector}" for selector in rule[1].split(",")) + "{"

    return re.sub(r"([^{}]+)\{", scoped, style(palette))


def style(palette: Palette) -> str:
    """The rules that colour a drawing; the same classes are used by the page."""
    rules = [
        f".paper{{fill:{palette.paper}}}",
        f"text{{font-family:{SANS};fill:{palette.ink}}}",
        ".name{font-size:14px;font-weight:600}",
        f".note,.more{{font-size:11px;fill:{palette.faint}}}",
        f".loop,.label,.halt{{font-family:{MONO};font-size:11px}}",
        f".acts,.quiet{{fill:{palette.faint}}}",
        f".chip rect{{fill:{palette.paper};fill-opacity:.75;stroke:{palette.line};stroke-opacity:.5}}",
        f".chip text{{font-family:{MONO};font-size:10px}}",
        f".edge path{{fill:none;stroke:{palette.line};stroke-width:1.2}}",
        f".edge polygon{{fill:{palette.line}}}",
        f".words rect{{fill:{palette.paper}}}",
        f".begin{{stroke:{palette.ink};stroke-width:1.8;fill:none}}",
        f".begin.head{{fill:{palette.ink};stroke:none}}",
        ".label .reads{font-weight:600}",
        ".box,.behind,.ring{stroke-width:1.4}",
        ".start .box{stroke-width:2.6}",
    ]
    for kind, (fill, border) in palette.fills.items():
        rules.append(f".{kind} .box,.{kind} .behind{{fill:{fill};stroke:{border}}}")
        rules.append(f".{kind} .ring{{fill:none;stroke:{border};stroke-opacity:.75}}")
    for kind in MARKS:
        border = palette.fills[kind][1]
        rules.append(f".edge.{kind} path{{stroke:{border}}}.edge.{kind} polygon{{fill:{border}}}")
        if kind != SAME:
            rules.append(f"text.{kind} .acts,text.{kind}{{fill:{border}}}")
    rules += [
        ".edge.differs path{stroke-width:2.4}",
        ".missing .box,.edge.missing path,.edge.guessed path{stroke-dasharray:5 4}",
        ".edge.same path{stroke-opacity:.55}",
        "text.guessed{opacity:.6}",
    ]
    return "".join(rules)
