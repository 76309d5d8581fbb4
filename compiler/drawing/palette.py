"""Colours of the drawings, light and dark, and the style sheet made from them."""

from __future__ import annotations

import re
from typing import NamedTuple

from compiler.drawing.graphs import (
    AWAY,
    DEAD,
    DIFFERS,
    EXTRA,
    HALTS,
    MISSING,
    MOVES_ON,
    SAME,
    SHOWS,
    WALKS,
    WRITES,
)
from compiler.simulation.worlds.colours import (
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
}
SANS = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif'
MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'


class Palette(NamedTuple):
    """Ink and paper, and a fill and a border for each role and mark."""

    paper: str
    ink: str
    faint: str
    line: str
    frame: str
    fills: dict[str, tuple[str, str]]


LIGHT = Palette(
    paper=PAPER,
    ink=INK,
    faint="#6b7585",
    line=GREY,
    frame="#f5f7fa",
    fills={
        HALTS: ("#dff3e4", GREEN),
        WALKS: ("#e3eefc", BLUE),
        WRITES: ("#fdf0d5", AMBER),
        MOVES_ON: ("#eef0f3", GREY),
        DEAD: ("#f6e3e6", CRIMSON),
        SAME: ("#e6f4ea", GREEN),
        DIFFERS: ("#fde2e2", RED),
        SHOWS: ("#fdf0f6", PINK),
        MISSING: (PAPER, VIOLET),
        EXTRA: ("#fdf0d5", AMBER),
        AWAY: ("#eef0f3", GREY),
    },
)
DARK = Palette(
    paper="#12161d",
    ink="#e6eaf1",
    faint="#97a1b2",
    line="#6d7889",
    frame="#191f29",
    fills={
        HALTS: ("#173524", "#4fb873"),
        WALKS: ("#16304f", "#5b9be6"),
        WRITES: ("#3d2f12", "#d9a441"),
        MOVES_ON: ("#232a35", "#76818f"),
        DEAD: ("#3c1d24", "#d06a7c"),
        SAME: ("#173524", "#4fb873"),
        DIFFERS: ("#4a1c1c", "#f06a6a"),
        SHOWS: ("#331d2b", "#d987b3"),
        MISSING: ("#12161d", "#b193e0"),
        EXTRA: ("#3d2f12", "#d9a441"),
        AWAY: ("#232a35", "#76818f"),
    },
)


# Words in these have a contrast of 4.5 at least to the paper, a frame and the glow of what is lit.
PAGE = {"accent": (ACCENT, "#ff6b9d"), "good": ("#1f7a3f", "#4fb873"), "bad": ("#b92c2c", "#f58080")}
PAGE |= {"faint": ("#596373", "#a3adbd"), "link": ("#b3235a", "#ff8cb3")}
PAGE |= {"rule": ("#e4e8ee", "#232b37"), "edge": ("#d5dae2", "#2c3542"), "glow": ("#fde8ef", "#44202e")}
PAGE |= {"scheme": ("light", "dark")}


_PAPER = "var(--jp-layout-color0,var(--vscode-editor-background,var(--colab-primary-surface-color,Canvas)))"


def _mixed(border: str) -> tuple[str, str]:
    """A fill that is a little of the border on whatever paper there is."""
    return f"color-mix(in srgb,{border} 16%,{_PAPER})", border


# Colours of the notebook around, of JupyterLab, VS Code or Colab; the others are readable on light and dark.
NOTEBOOK = Palette(
    paper=_PAPER,
    ink="var(--jp-content-font-color1,currentColor)",
    faint="var(--jp-content-font-color2,#7d8795)",
    line="#8a94a4",
    frame=f"color-mix(in srgb,#8a94a4 10%,{_PAPER})",
    fills={
        HALTS: _mixed("#3a9d5c"),
        WALKS: _mixed("#4a88d4"),
        WRITES: _mixed("#cf9324"),
        MOVES_ON: _mixed("#8a94a4"),
        DEAD: _mixed("#c0596a"),
        SAME: _mixed("#3a9d5c"),
        DIFFERS: _mixed("#dc4a4a"),
        SHOWS: _mixed("#c765a0"),
        MISSING: (_PAPER, "#a184d0"),
        EXTRA: _mixed("#cf9324"),
        AWAY: _mixed("#8a94a4"),
    },
)


# In a page a state that is picked lights its rules, and all else is dimmed; families fold and unfold.
SELECTION = (
    ".node,.edge,.words{transition:opacity .12s}"
    ".picking .node:not(.near){opacity:.3}"
    ".picking .edge:not(.near),.picking .words:not(.near){opacity:.13}"
    ".edge.near.leaves path{stroke:var(--accent);stroke-width:2.2;stroke-opacity:1}"
    ".edge.near.leaves polygon{fill:var(--accent)}"
    ".node:focus{outline:none}.node:focus-visible>.box{stroke:var(--accent);stroke-width:3.4}"
    ".folder{cursor:pointer}.folder circle{fill:var(--paper);stroke:var(--line)}"
    ".folder path{stroke:var(--ink);stroke-width:1.6;fill:none}.folder .reach{fill:transparent;stroke:none}"
    ".folder:hover circle:not(.reach){stroke:var(--accent)}"
)


def _names(palette: Palette) -> dict[str, str]:
    """Every colour of a palette by a name of its own."""
    plain = {name: getattr(palette, name) for name in ("paper", "ink", "faint", "line", "frame")}
    for kind, (fill, border) in palette.fills.items():
        plain |= {f"{kind}-fill": fill, f"{kind}-line": border}
    return plain


def page_style() -> str:
    """The same rules for a page: colours are variables, which follow the system or the reader's choice."""
    kinds = {kind: (f"var(--{kind}-fill)", f"var(--{kind}-line)") for kind in LIGHT.fills}
    plain = {name: f"var(--{name})" for name in ("paper", "ink", "faint", "line", "frame")}
    by_name = Palette(**plain, fills=kinds)
    light, dark = (
        ";".join(f"--{name}:{value}" for name, value in (_names(palette) | own).items())
        for palette, own in (
            (LIGHT, {name: both[0] for name, both in PAGE.items()}),
            (DARK, {name: both[1] for name, both in PAGE.items()}),
        )
    )
    return (
        f":root{{--mono:{MONO};{light};color-scheme:light}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark};color-scheme:dark}}}}"
        f":root[data-theme=dark]{{{dark};color-scheme:dark}}" + style(by_name) + SELECTION
    )


def scoped_style(palette: Palette, scope: str) -> str:
    """The same rules for what is within a class alone, to be put into a page of others."""

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
        f".words rect{{fill:{palette.paper};fill-opacity:.86}}",
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
        ".missing .box,.edge.missing path{stroke-dasharray:5 4}",
        ".edge.same path{stroke-opacity:.55}",
    ]
    return "".join(rules)
