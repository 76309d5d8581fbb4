"""The round trip as one figure: the README's agent, written, drawn, watched, learned, read back and proven.

`python docs/build.py --figure` runs all of it, keeps what came out in docs/assets/round-trip.json, and draws that. The
drawing is one SVG file without scripts, light or dark as its reader is, that moves unless its reader wants no motion.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "assets" / "round-trip.json"
FIGURE = ROOT / "docs" / "assets" / "round-trip.svg"
INPUT = "1011"
# Three columns of panels with a gap for the arrows between them; the text is legible at 800 pixels.
PANEL_WIDTH, PANEL_HEIGHT, GAP = 300, 236, 30
WIDTH, HEIGHT = 3 * PANEL_WIDTH + 2 * GAP, 2 * PANEL_HEIGHT + GAP + 2
# Seconds until it begins again: two for each panel, and four to look at the whole.
SECONDS = 16
# The margin above a drawn graph, and that with the gap to its legend: room that a panel has already.
GRAPH_MARGIN, LEGEND_ABOVE = 20, 50
WORDS = r"(?P<word>\b(?:agent|alphabet|input|output|start|state|write|halt)\b)"
CODE = re.compile(rf"{WORDS}|(?P<move>\b[UDLRS]\b)|(?P<sign>->|:|=)")


def make() -> None:
    """Runs the round trip, and writes its record and its figure."""
    RECORD.write_text(json.dumps(run(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    FIGURE.write_text(draw(recorded()), encoding="utf-8")
    print(f"wrote {FIGURE.relative_to(ROOT)}")


def recorded() -> dict[str, Any]:
    """What the last run of the round trip gave."""
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def readme_agent() -> str:
    """The first agent of the README."""
    match = re.search(r"^```grid file=\S+\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    assert match
    return match[1]


def run() -> dict[str, Any]:
    """Learns the agent until it is proven; everything that the figure shows."""
    sys.path.insert(0, str(ROOT))
    import gridlang as gl

    source = readme_agent()
    agent = gl.loads(source)
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder) / "proof.json"
        learned = gl.learn(agent, seeds=1, run=f"{folder}/run")
        metrics = Path(folder, "run", f"round-{len(learned.rounds)}", "metrics.jsonl").read_text().splitlines()
        program, model = learned.program, learned.model
        assert program and model
        verdict = gl.prove(agent, model, certificate=certificate)
        checked = gl.verify(certificate)
    lines = [json.loads(line) for line in metrics]
    last = learned.rounds[-1]
    step = max(1, len(lines) // 120)  # A curve of some hundred points is as good as one of a thousand.
    return {
        "source": source,
        "graph": gl.view(agent).render("svg").decode(),
        "trace": [[step.read, step.write, step.move] for step in agent.run(INPUT, trace=True).trace or ()],
        "traces": last.traces,
        "loss": [[line["iteration"], float(f"{line['loss'][0]:.2e}")] for line in [*lines[:-1:step], lines[-1]]],
        "seconds": round(last.training_seconds, 1),
        "weights": model.parameters,
        "learned": program.to_source(),
        "verdict": repr(verdict),
        "checked": repr(checked),
    }


def draw(record: dict[str, Any]) -> str:
    """The figure of a record."""
    first, last = record["loss"][0][0], record["loss"][-1][0]
    panels = [
        ("write it", "a page of text", _code(record["source"])),
        ("see it", "its states, its rules", _graph(record["graph"])),
        ("watch it", f"what it does on {INPUT}: read, write, move", _trace(record["trace"])),
        ("learn it", f"{record['traces']} traces, {record['weights']} weights", _curve(record["loss"], first, last)),
        ("read it back", "a program, out of the weights", _code(record["learned"])),
        ("prove it", "the weights do what the text says", _verdict(record)),
    ]
    columns = (0, 1, 2, 2, 1, 0)
    body = []
    for number, ((title, about, inside), column) in enumerate(zip(panels, columns, strict=True), 1):
        x, y = 1 + column * (PANEL_WIDTH + GAP), 1 + (PANEL_HEIGHT + GAP) * (number > 3)
        body.append(
            f'<g class="panel p{number}" transform="translate({x} {y})"><rect class="card" width="{PANEL_WIDTH - 2}"'
            f' height="{PANEL_HEIGHT}" rx="10"/><text class="title" x="14" y="24"><tspan class="number">{number}</tspan>'
            f' {title}</text><text class="about" x="14" y="40">{escape(about)}</text>{inside}</g>'
        )
    label = "An agent written as text, its state graph, a run, the loss while it is learned, the program extracted from the weights, and a proof that both do the same."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
        f"<title>The round trip: text, graph, traces, weights, text, proof</title><style>{_style(record['graph'])}</style>"
        f"{''.join(body)}{_arrows()}</svg>\n"
    )


def _code(source: str) -> str:
    """A program without its comments, tests and empty lines."""
    lines = [re.sub(r"\s*#.*", "", line) for line in source.splitlines()]
    lines = [line for line in lines if line.strip() and not line.startswith("test")]
    height = min(13.8, (PANEL_HEIGHT - 66) / (len(lines) - 1))
    return "".join(
        f'<text class="code" x="14" y="{60 + height * place:.1f}" xml:space="preserve">{_coloured(line)}</text>'
        for place, line in enumerate(lines)
    )


def _coloured(line: str) -> str:
    """A line in the colours of its words; of what lies between, only signs need to be escaped."""
    spans = CODE.sub(lambda m: f"\0{m.lastgroup}\1{m[0]}\2", line)
    return re.sub("\0(\\w+)\1(.*?)\2", r'<tspan class="\1">\2</tspan>', escape(spans, quote=False))


def _graph(svg: str) -> str:
    """The drawing of the state graph, made to fit."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    # The legend, the last group, says less here than the room that it takes.
    inside = re.search(r'<rect class="paper"[^>]*/>(.*)<g transform="translate\([\d.]+ ([\d.]+)\)">.*</svg>', svg, re.S)
    assert box and inside
    width, height = float(box[1]), float(inside[2]) - LEGEND_ABOVE
    scale = min((PANEL_WIDTH - 16) / width, (PANEL_HEIGHT - 52) / height)
    left = (PANEL_WIDTH - width * scale) / 2
    drawing = re.sub(r"<title>.*?</title>", "", inside[1], flags=re.S).replace(' tabindex="-1"', "")
    return f'<g class="graph" transform="translate({left:.1f} {46 - GRAPH_MARGIN * scale:.1f}) scale({scale:.3f})">{drawing}</g>'


def _trace(steps: list[list[str]]) -> str:
    """The row at every step, the head on it, and what an observer sees."""
    size, left, top = 19, 22, 52
    cells, at, rows = dict(enumerate(INPUT)), 0, []
    for number, (read, write, move) in enumerate(steps):
        y = top + number * size
        row = "".join(
            f'<rect class="cell" x="{left + x * size}" y="{y}" width="{size}" height="{size}"/>'
            f'<text class="symbol" x="{left + (x + 0.5) * size}" y="{y + 13.5}">{escape(cells.get(x, ""))}</text>'
            for x in range(len(INPUT) + 1)
        )
        head = f'<rect class="at" x="{left + at * size + 1}" y="{y + 1}" width="{size - 2}" height="{size - 2}" rx="3"/>'
        seen = f'<text class="code" x="{left + (len(INPUT) + 2) * size}" y="{y + 13.5}" xml:space="preserve">{escape(read)} → {escape(write)}  <tspan class="move">{move}</tspan></text>'
        rows.append(f'<g class="step s{number}">{row}{head}{seen}</g>')
        cells[at] = write if write != "_" else ""
        at += {"L": -1, "R": 1}.get(move, 0)
    return "".join(rows)


def _curve(loss: list[list[float]], first: float, last: float) -> str:
    """The loss on a logarithmic axis, against iterations."""
    left, right, top, bottom = 46, PANEL_WIDTH - 20, 56, PANEL_HEIGHT - 30
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
        f'<text class="tick" x="{right}" y="{bottom + 18}">loss over {last:,.0f} iterations</text>'
    )


def _verdict(record: dict[str, Any]) -> str:
    """The answer in large letters, in the words of the verdict and of the certificate's checker."""
    proven = re.fullmatch(r"Verdict\(proven: (.*?), (with snapped inference); .*\)", record["verdict"])
    assert proven and record["checked"].startswith("Checked(valid")
    said = [*proven[1].split(", "), proven[2], "at every length"]
    lines = "".join(f'<text class="said" x="150" y="{146 + 16 * n}">{escape(line)}</text>' for n, line in enumerate(said))
    return (
        '<circle class="seal" cx="82" cy="98" r="15"/><path class="tick-mark" d="M75 98l5 6 9-12"/>'
        f'<text class="proven" x="104" y="108">proven</text>{lines}'
        f'<text class="code" x="14" y="{PANEL_HEIGHT - 14}" xml:space="preserve">$ gridlang verify <tspan class="ok">valid</tspan></text>'
    )


def _arrows() -> str:
    """From panel to panel, and back to the first."""
    right, down = PANEL_WIDTH + GAP, PANEL_HEIGHT + GAP
    middle = PANEL_HEIGHT / 2
    forward = [(PANEL_WIDTH + 2 + n * right, middle, 0) for n in (0, 1)]
    back = [(n * right - 3, down + middle, 180) for n in (2, 1)]
    down_and_up = [(2 * right + PANEL_WIDTH / 2, PANEL_HEIGHT + 4, 90), (PANEL_WIDTH / 2, down - 2, -90)]
    places = [*forward, down_and_up[0], *back, down_and_up[1]]
    return "".join(
        f'<path class="arrow a{n}" transform="translate({x:.0f} {y:.0f}) rotate({turn})" d="M1 0H{GAP - 7}M{GAP - 4} 0l-6-4v8z"/>'
        for n, (x, y, turn) in enumerate(places, 1)
    )


LIGHT = {
    "card": "#ffffff", "edge": "#d5dbe4", "ink": "#1c2330", "dim": "#5d6878", "word": "#8a3ea0", "move": "#b0580a",
    "blue": "#2563b0", "green": "#1f7a3d", "seal": "#2f8f4e", "head": "#f2b544",
}  # fmt: skip
DARK = {
    "card": "#171d27", "edge": "#303948", "ink": "#e6eaf1", "dim": "#a3adbd", "word": "#d49be6", "move": "#f0a860",
    "blue": "#7fb2ee", "green": "#6fd093", "seal": "#3a9a5b", "head": "#f2b544",
}  # fmt: skip


def _style(graph: str) -> str:
    """Colours of both themes, the graph's own style kept to the graph, and the motion."""
    own = re.search(r"<style>(.*?)</style>", graph, re.S)
    assert own
    light, dark = own[1].split("@media (prefers-color-scheme: dark){", 1)
    names = set(re.findall(r'class="([^"]*)"', graph))
    used = {name for group in names for name in group.split()} | {"text"}
    kept = [_scoped(light, used), f"@media (prefers-color-scheme: dark){{{_scoped(dark.removesuffix('}'), used)}}}"]
    ui, mono = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif", "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
    theme = lambda colours: "".join(f"--{name}:{value};" for name, value in colours.items())  # noqa: E731
    return (
        f"svg{{{theme(LIGHT)}}}@media (prefers-color-scheme: dark){{svg{{{theme(DARK)}}}}}{''.join(kept)}"
        f".card{{fill:var(--card);stroke:var(--edge)}}.title{{font:600 15px {ui};fill:var(--ink)}}.number{{fill:var(--blue)}}"
        f".about{{font:11.5px {ui};fill:var(--dim)}}.code{{font:11.5px {mono};fill:var(--ink)}}"
        ".word{fill:var(--word)}.move{fill:var(--move)}.sign{fill:var(--dim)}.ok{fill:var(--green)}"
        f".cell{{fill:none;stroke:var(--edge)}}.symbol{{font:12px {mono};fill:var(--ink);text-anchor:middle}}"
        ".at{fill:var(--head);fill-opacity:.38;stroke:var(--head)}.axis{stroke:var(--edge);fill:none}"
        f".tick{{font:10px {mono};fill:var(--dim);text-anchor:end}}.loss{{fill:none;stroke:var(--blue);stroke-width:2}}"
        f".seal{{fill:var(--seal)}}.tick-mark{{fill:none;stroke:#fff;stroke-width:3}}.proven{{font:600 30px {ui};fill:var(--green)}}"
        f".said{{font:12.5px {ui};fill:var(--ink);text-anchor:middle}}.arrow{{fill:var(--blue);stroke:var(--blue);stroke-width:1.6}}"
        f"{_motion()}"
    )


def _scoped(css: str, used: set[str]) -> str:
    """The rules of a style sheet that concern the graph, made to reach nothing else."""
    rules = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        needed = [s for s in selectors.split(",") if set(re.findall(r"\.(\w+)|(text)", s)) and _concerns(s, used)]
        if needed:
            rules.append(",".join(f".graph {selector.strip()}" for selector in needed) + f"{{{body}}}")
    return "".join(rules)


def _concerns(selector: str, used: set[str]) -> bool:
    return all(name in used for name in re.findall(r"\.([\w-]+)", selector))


def _motion() -> str:
    """Panels come one after the other, then all stay; the run goes step by step and the curve is drawn."""
    frames = []
    for number in range(1, 7):
        begins = 100 * 2 * (number - 1) / SECONDS
        dim = f"0%,{begins:.1f}%{{opacity:.16}}" if number > 1 else "0%{opacity:1}"
        frames.append(f"@keyframes p{number}{{{dim}{begins + 3:.1f}%,100%{{opacity:1}}}}.p{number}{{animation-name:p{number}}}")
        away = min(begins + 9, 97)
        frames.append(f"@keyframes a{number}{{0%,{away:.1f}%{{opacity:0}}{away + 3:.1f}%,100%{{opacity:1}}}}.a{number}{{animation-name:a{number}}}")
    for step in range(9):
        begins = 100 * (4.3 + 0.2 * step) / SECONDS
        frames.append(f"@keyframes s{step}{{0%,{begins:.1f}%{{opacity:0}}{begins + 0.6:.1f}%,100%{{opacity:1}}}}.s{step}{{animation-name:s{step}}}")
    begins = 100 * 6.3 / SECONDS
    drawn = f"@keyframes loss{{0%,{begins:.1f}%{{stroke-dashoffset:1}}{begins + 11:.1f}%,100%{{stroke-dashoffset:0}}}}"
    timing = f".panel,.arrow,.step,.loss{{animation-duration:{SECONDS}s;animation-iteration-count:infinite}}"
    return f"@media (prefers-reduced-motion: no-preference){{{timing}.loss{{stroke-dasharray:1;animation-name:loss}}{drawn}{''.join(frames)}}}"
