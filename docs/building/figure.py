"""The figure of the round trip: an SVG without scripts, light or dark, that moves for those who like it."""

from __future__ import annotations

import math
import re
from html import escape
from pathlib import Path
from typing import Any

STYLE = Path(__file__).with_name("round_trip.css")
# Three columns of panels with a gap for the arrows between them: at 760 pixels no letter is smaller than 11.
PANEL_WIDTH, PANEL_HEIGHT, GAP = 238, 290, 23
CHARACTERS = 33  # of code in a line of a panel
WIDTH, HEIGHT = 3 * PANEL_WIDTH + 2 * GAP, 2 * PANEL_HEIGHT + GAP + 2
WHOLE, SLIDES, COLUMN = "whole", "slides", "column"  # ways to arrange the panels
# Seconds for each panel, and at the end to look at the whole; slides are looked at one by one.
PANEL_SECONDS, WHOLE_SECONDS, SLIDE_SECONDS = 2.0, 6.0, 3.5
CODE = re.compile(
    r"(?P<word>\b(?:agent|alphabet|input|output|start|state|write|halt)\b)|(?P<move>\b[UDLRS]\b)|(?P<sign>->|:|=)"
)


def draw(record: dict[str, Any], way: str = WHOLE) -> str:
    """The figure of a record: panels in a ring, one after the other, or one below the other."""
    panels = [
        ("write it", "a page of text; here a part of it", _code(record["source"])),
        ("watch it", f"on {record['input']}: two rows of the grid", _grids(record)),
        ("learn it", f"its loss on {record['traces']:,} traces", _curve(record["loss"])),
        ("look inside", f"{record['weights']:,} weights: A of each symbol", _weights(record)),
        ("read them back", "a program, from the weights alone", _code(record["learned"])),
        ("prove it", "the weights do what the text says", _verdict(record)),
    ]
    right, down = PANEL_WIDTH + GAP, PANEL_HEIGHT + GAP
    ring = [(0, 0), (right, 0), (2 * right, 0), (2 * right, down), (right, down), (0, down)]
    places = {WHOLE: ring, SLIDES: [(0, 0)] * 6, COLUMN: [(0, n * (PANEL_HEIGHT + 10)) for n in range(6)]}
    body = "".join(
        _panel(number, *panel, *place)
        for number, (panel, place) in enumerate(zip(panels, places[way], strict=True), 1)
    )
    width = WIDTH if way == WHOLE else PANEL_WIDTH
    height = max(y for _, y in places[way]) + PANEL_HEIGHT + 2
    motion = {
        WHOLE: _motion(PANEL_SECONDS, WHOLE_SECONDS, False),
        SLIDES: _motion(SLIDE_SECONDS, 0, True),
        COLUMN: "",
    }[way]
    style = re.sub(r"\s*\n\s*", "", STYLE.read_text(encoding="utf-8")) + motion
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f"<title>The round trip: text, runs, training, weights, text, proof</title>"
        f"<style>{style}</style>{body}{_arrows() if way == WHOLE else ''}</svg>\n"
    )


def _panel(number: int, title: str, about: str, inside: str, x: int, y: int) -> str:
    return (
        f'<g class="panel p{number}" transform="translate({x + 1} {y + 1})">'
        f'<rect class="card" width="{PANEL_WIDTH - 2}" height="{PANEL_HEIGHT}" rx="10"/>'
        f'<text class="title" x="14" y="26"><tspan class="number">{number}</tspan> {title}</text>'
        f'<text class="about" x="14" y="45">{escape(about)}</text>{inside}</g>'
    )


def _code(source: str) -> str:
    """The family that computes, the states that lead into it, and those that it leads into."""
    source = re.sub(r"\s*#.*", "", source)
    states = {m[1]: m[0] for m in re.finditer(r"^state (\w+).*\n(?:  .*\n)*", source, re.M)}
    (family,) = (name for name, text in states.items() if " mod " in text)
    told = [
        text
        for name, text in states.items()
        if f"{family}(" in text or re.search(rf"-> {name}\(", states[family])
    ]
    lines = [part for line in "".join(told).splitlines() for part in _broken(line)]
    height = min(16.5, (PANEL_HEIGHT - 84) / (len(lines) - 1))
    return "".join(_code_line(14, 70 + height * n, _coloured(line)) for n, line in enumerate(lines))


def _broken(line: str) -> list[str]:
    """A rule in lines that fit into a panel."""
    line = re.sub(r"(?<=\S) +", " ", line)
    if len(line) <= CHARACTERS:
        return [line]
    head, acts, target = re.fullmatch(r"(.*? :) (.*?) ?(->.*)?", line).groups()
    return [head, f"    {acts}", *([f"    {target}"] if target else [])]


def _code_line(x: float, y: float, marked: str) -> str:
    return f'<text class="code" x="{x:g}" y="{y:.1f}" xml:space="preserve">{marked}</text>'


def _coloured(line: str) -> str:
    """A line in the colours of its words, escaped."""
    spans = CODE.sub(lambda m: f"\0{m.lastgroup}\1{m[0]}\2", line)
    return re.sub("\0(\\w+)\1(.*?)\2", r'<tspan class="\1">\2</tspan>', escape(spans, quote=False))


def _grids(record: dict[str, Any]) -> str:
    """The grid at some moments, the head on it; below, the state that acts next."""
    size, parts = 14.5, []
    columns, rows = range(-1, 6), range(2)
    for number, grid in enumerate(record["grids"]):
        left, top, drawn = 14 + number % 2 * 110, 62 + number // 2 * 56, []
        for y in rows:
            for x in columns:
                at, symbol = (left + (x + 1) * size, top + y * size), grid["cells"].get(f"{x} {y}", "_")
                look = "cell at" if [x, y] == list(grid["cell"]) else "cell"
                drawn.append(f'<rect class="{look}" x="{at[0]}" y="{at[1]}" width="{size}" height="{size}"/>')
                if symbol != "_":
                    drawn.append(
                        f'<text class="symbol" x="{at[0] + size / 2}" y="{at[1] + 11.5}">{symbol}</text>'
                    )
        drawn.append(_code_line(left, top + 2 * size + 13, f"{grid['after']}: {escape(grid['state'])}"))
        parts.append(f'<g class="step s{number}">{"".join(drawn)}</g>')
    return "".join(parts)


def _weights(record: dict[str, Any]) -> str:
    """A square for each matrix."""
    parts = []
    for number, (symbol, picture) in enumerate(record["matrices"]):
        x, y = 13 + number % 4 * 55, 58 + number // 4 * 75
        parts.append(f'<text class="symbol" x="{x + 24}" y="{y + 10}">{escape(symbol)}</text>')
        parts.append(
            f'<image x="{x}" y="{y + 15}" width="48" height="48" href="data:image/png;base64,{picture}"/>'
        )
    return "".join(parts)


def _curve(loss: list[list[float]]) -> str:
    """The loss on a logarithmic axis, against iterations; the last point is after refitting."""
    left, right, top, bottom = 50, PANEL_WIDTH - 16, 66, PANEL_HEIGHT - 34
    first, last = loss[0][0], loss[-1][0]
    logs = [math.log10(value) for _, value in loss]
    lowest, highest = math.floor(min(logs)), math.ceil(max(logs))
    down = (bottom - top) / (highest - lowest)
    points = " ".join(
        f"{left + (right - left) * (step - first) / (last - first):.1f},{top + (highest - log) * down:.1f}"
        for (step, _), log in zip(loss, logs, strict=True)
    )
    marks = "".join(
        f'<path class="axis" d="M{left} {top + (highest - power) * down:.1f}H{right}"/>'
        f'<text class="tick" x="{left - 6}" y="{top + (highest - power) * down + 3.5:.1f}">1e{power}</text>'
        for power in range(highest, lowest - 1, -4)
    )
    return (
        f'{marks}<polyline class="loss" pathLength="1" points="{points}"/>'
        f'<text class="tick" x="{right}" y="{bottom + 18}">{last:,.0f} iterations, then refitted</text>'
    )


def _verdict(record: dict[str, Any]) -> str:
    """The answer in large letters, in the words of the verdict and of the certificate's checker."""
    proven = re.fullmatch(r"Verdict\(proven: (.*?), (with snapped inference); .*\)", record["verdict"])
    assert proven and record["checked"].startswith("Checked(valid")
    said = [*proven[1].split(", "), proven[2], "at every length"]
    lines = "".join(
        f'<text class="said" x="{PANEL_WIDTH / 2:g}" y="{176 + 18 * n}">{escape(line)}</text>'
        for n, line in enumerate(said)
    )
    return (
        '<circle class="seal" cx="53" cy="120" r="15"/><path class="tick-mark" d="M46 120l5 6 9-12"/>'
        f'<text class="proven" x="76" y="130">proven</text>{lines}'
        + _code_line(14, PANEL_HEIGHT - 14, '$ gridlang verify <tspan class="ok">valid</tspan>')
    )


def _arrows() -> str:
    """From panel to panel, and back to the first."""
    right, down, middle = PANEL_WIDTH + GAP, PANEL_HEIGHT + GAP, PANEL_HEIGHT / 2
    forward = [(PANEL_WIDTH + 2 + n * right, middle, 0) for n in (0, 1)]
    back = [(n * right - 3, down + middle, 180) for n in (2, 1)]
    turn, home = (2 * right + PANEL_WIDTH / 2, PANEL_HEIGHT + 4, 90), (PANEL_WIDTH / 2, down - 2, -90)
    line = f'd="M1 0H{GAP - 7}M{GAP - 4} 0l-6-4v8z"'
    return "".join(
        f'<path class="arrow a{n}" transform="translate({x:.0f} {y:.0f}) rotate({angle})" {line}/>'
        for n, (x, y, angle) in enumerate([*forward, turn, *back, home], 1)
    )


def _motion(each: float, whole: float, alone: bool) -> str:
    """Panels come one after the other, to stay or, if `alone`, to go; run and curve come in their turn."""
    seconds = 6 * each + whole

    def at(moment: float) -> str:
        return f"{100 * moment / seconds:.1f}%"

    def appears(
        name: str, begins: float, lasts: float, before: str, after: str, ends: float = seconds
    ) -> str:
        """An animation from one style to another, and back where it ends early."""
        frames = f"0%,{at(begins)}{{{before}}}{at(begins + lasts)},{at(ends)}{{{after}}}"
        gone = f"{at(ends + 0.2)},100%{{{before}}}" if ends < seconds else ""
        return f"@keyframes {name}{{{frames}{gone}}}.{name}{{animation-name:{name}}}"

    rules = []
    for number in range(1, 7):
        begins, ends = each * (number - 1), each * number - 0.2 if alone else seconds
        rules.append(appears(f"p{number}", begins, 0.4, f"opacity:{0 if alone else 0.2}", "opacity:1", ends))
        rules.append(appears(f"a{number}", begins + each - 0.4, 0.4, "opacity:0", "opacity:1"))
    rules += [appears(f"s{n}", each + 0.3 + 0.2 * n, 0.1, "opacity:0", "opacity:1") for n in range(8)]
    rules.append(appears("loss", 2 * each + 0.3, 1.7, "stroke-dashoffset:1", "stroke-dashoffset:0"))
    # It begins with the whole, so that whoever sees its first frame alone sees everything.
    delay = -(6 * each + whole / 2) if whole else -0.4
    timing = f"animation:{seconds:g}s linear {delay:g}s infinite"
    timed = f".panel,.arrow,.step,.loss{{{timing}}}.loss{{stroke-dasharray:1}}"
    return f"@media (prefers-reduced-motion: no-preference){{{timed}{''.join(rules)}}}"
