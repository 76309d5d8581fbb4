"""The command line. The only module that looks up the house, and only inside its commands."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gridlang.diagnostics import Diagnostic, GridError, in_order, render

if TYPE_CHECKING:
    from compiler.simulate import Run
    from gridlang.loading import Program
    from gridlang.world import World

SCHEMA = "gridlang-cli/1"
UNREADABLE = {"G001"}


class _Group(click.Group):
    """Turns every expected failure into a message and an exit status."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except (click.Abort, KeyboardInterrupt):
            click.echo("\ninterrupted", err=True)
            sys.exit(130)
        except click.ClickException as error:
            error.show()
            sys.exit(2)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(141)
        sys.exit(code if isinstance(code, int) else 0)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="gridlang")
def main() -> None:
    """Write agents that live on a grid; check, run, test and compile them.

    \b
    gridlang new hello            write a first agent
    gridlang check hello.grid     what is wrong with it?
    gridlang run hello.grid 1011  run it
    gridlang compile hello.grid   exact neural weights
    """


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Reports a GridError and exits with 2; in JSON when that was asked for."""

    @wraps(command)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except GridError as error:
            report(error.diagnostics, kwargs.get("as_json", False))
            raise click.exceptions.Exit(2) from None

    return wrapper


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
defines = click.option(
    "-D",
    "definitions",
    multiple=True,
    metavar="NAME=VALUE",
    help="Give a parameter of the agent a value; may be repeated.",
)


def _definitions(pairs: Iterable[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"-D takes NAME=VALUE, as in -D base=2, not {pair!r}")
        found[name.strip()] = value.strip()
    return found


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def emit(data: dict[str, Any]) -> None:
    """One JSON object on stdout."""
    click.echo(json.dumps({"schema": SCHEMA, **data}, ensure_ascii=False))


def report(diagnostics: Iterable[Diagnostic], machine: bool) -> None:
    """Diagnostics for people on stderr, for machines on stdout."""
    found = in_order(diagnostics)
    if machine:
        emit({"diagnostics": [d.as_json() for d in found]})
        return
    for diagnostic in found:
        click.echo(_coloured(render(diagnostic), diagnostic), err=True)
        click.echo(err=True)


def plain_output(stream: Any) -> bool:
    """Whether a stream wants no colour."""
    return bool(os.environ.get("NO_COLOR")) or not stream.isatty()


def _coloured(text: str, diagnostic: Diagnostic) -> str:
    if plain_output(sys.stderr):
        return text
    colour = {"error": "red", "warning": "yellow"}.get(diagnostic.severity, "cyan")
    first, _, rest = text.partition("\n")
    head, _, message = first.partition(": ")
    lines = [click.style(head, fg=colour, bold=True) + click.style(f": {message}", bold=True)]
    for line in rest.split("\n") if rest else []:
        bare = line.strip().lstrip("|").strip()
        lines.append(click.style(line, fg=colour) if bare.startswith("^") else line)
    return "\n".join(lines)


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--missing", is_flag=True, help="Also list the pairs for which there is no rule.")
@defines
@json_option
@_guarded
def check(files: tuple[str, ...], missing: bool, definitions: tuple[str, ...], as_json: bool) -> None:
    """Say everything that is wrong with FILES.

    Exits with 1 if there are errors; warnings alone are fine.

    \b
    gridlang check add10.grid
    gridlang check --missing add10.grid
    """
    from gridlang.loading import try_load

    given = _definitions(definitions)
    found: list[Diagnostic] = []
    for file in files:
        loaded = try_load(file, given)
        found += loaded.diagnostics
        if missing and loaded.program:
            found += _missing(loaded.program)
    errors = [d for d in found if d.is_error]
    report(found, as_json)
    if not as_json and not found:
        click.echo(f"{', '.join(files)}: no problems found", err=True)
    elif not as_json:
        click.echo(_tally(found), err=True)
    if errors:
        raise click.exceptions.Exit(2 if any(d.code in UNREADABLE for d in errors) else 1)


def _missing(program: Program) -> Iterable[Diagnostic]:
    table = program.table
    for state, name in enumerate(table.states):
        gaps = [table.symbols[x] for x, entry in enumerate(table.rows[state]) if entry is None]
        if gaps:
            rule = next((r for (q, _), r in program.rules.items() if q == state), None)
            message = f"state `{name}` has no rule for {' '.join(gaps)}"
            yield Diagnostic("G063", message, rule.span if rule else None, severity="note", file=program.file)


def _tally(found: list[Diagnostic]) -> str:
    counts = [(sum(d.severity == kind for d in found), kind) for kind in ("error", "warning", "note")]
    return ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for n, kind in counts if n)


@main.command()
@click.argument("code", required=False)
@json_option
def explain(code: str | None, as_json: bool) -> None:
    """Tell more about a diagnostic, its cause and its cure.

    \b
    gridlang explain G040
    gridlang explain            list all codes
    """
    from gridlang.codes import CODES, explanation

    wanted = (code or "").upper()
    if code and wanted not in CODES:
        raise click.UsageError(f"there is no code {code!r}; `gridlang explain` lists them all")
    if as_json:
        emit({"codes": [CODES[c]._asdict() for c in ([wanted] if code else CODES)]})
    elif code:
        click.echo(explanation(CODES[wanted]))
    else:
        for entry in CODES.values():
            click.echo(f"{entry.code}  {entry.title}")


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--check", "only_check", is_flag=True, help="Change nothing; exit with 1 if a file would change."
)
@json_option
@_guarded
def fmt(files: tuple[str, ...], only_check: bool, as_json: bool) -> None:
    """Lay FILES out in the one canonical way; comments are kept. `-` reads stdin.

    \b
    gridlang fmt hello.grid
    gridlang fmt --check *.grid
    """
    from gridlang.files import read_source, write_whole
    from gridlang.formatter import format_source
    from gridlang.source import Source

    if "-" in files:
        click.echo(format_source(Source("<stdin>", _stdin())), nl=False)
        return
    sources = [read_source(file) for file in files]
    texts = [format_source(source) for source in sources]
    changed = [file for file, source, text in zip(files, sources, texts, strict=True) if source.text != text]
    for file, text in zip(files, texts, strict=True):
        if file in changed and not only_check:
            write_whole(file, text)
    if as_json:
        emit({"changed": changed})
    else:
        for file in changed:
            click.echo(f"{'would reformat' if only_check else 'reformatted'} {file}", err=True)
        if not changed:
            click.echo("nothing to change", err=True)
    if only_check and changed:
        raise click.exceptions.Exit(1)


@main.command()
@click.argument("file", type=click.Path())
@defines
@click.option("--to", "target", default="dfst", show_default=True, help="dfst, table or grid.")
@click.option("-o", "--output", type=click.Path(allow_dash=True), help="Where to write; `-` is stdout.")
@json_option
@_guarded
def compile(file: str, definitions: tuple[str, ...], target: str, output: str | None, as_json: bool) -> None:
    """Compile FILE to exact DFST tensors, or to another target.

    \b
    gridlang compile add10.grid                  add10.safetensors
    gridlang compile add.grid -D base=2 -o add2.safetensors
    gridlang compile add10.grid --to table       add10.json
    gridlang compile add10.grid --to grid -o -   the table as source
    """
    from compiler.targets import TARGETS
    from gridlang.files import write_whole
    from gridlang.loading import load

    if target not in TARGETS:
        raise click.UsageError(f"there is no target {target!r}; there are {', '.join(TARGETS)}")
    program = load(file, _definitions(definitions))
    path = output or f"{program.name}.{TARGETS[target].extension}"
    data = TARGETS[target].render(program)
    if path == "-":
        sys.stdout.buffer.write(data)
    else:
        write_whole(path, data)
    summary = _counts(program)
    if as_json and path != "-":
        emit(
            {
                "name": program.name,
                "arguments": dict(program.arguments),
                "output": path,
                "target": target,
                **summary,
            }
        )
    elif path != "-":
        _print_summary(program, summary)
        click.echo(f"wrote {path} ({TARGETS[target].about})")


def _counts(program: Program) -> dict[str, int]:
    table = program.table
    d, k = len(table.states), len(table.symbols)
    return {
        "states": d,
        "symbols": k,
        "moves": 5,
        "transitions": table.transitions,
        "parameters": k * d * d + k * k * d + 5 * k * d + d,
    }


def _print_summary(program: Program, counts: dict[str, int]) -> None:
    given = ", ".join(f"{name} = {value}" for name, value in program.bound.items())
    click.echo(f"{program.name}{f' ({given})' if given else ''} from {program.file}")
    symbols = " ".join(program.table.symbols[:40]) + (" …" if counts["symbols"] > 40 else "")
    d, k = counts["states"], counts["symbols"]
    rows = [
        ("states", d, ""),
        ("symbols", k, symbols),
        ("rules", counts["transitions"], f"of {d * k:,} pairs"),
        ("parameters", counts["parameters"], f"A {k}×{d}×{d}, B {k}×{k}×{d}, C {k}×5×{d}, h0 {d}"),
    ]
    for name, count, note in rows:
        click.echo(f"  {name:<11}{count:>9,}   {note}".rstrip())


@main.command()
@click.argument("file", type=click.Path())
@click.argument("input", required=False)
@click.option(
    "--world", type=click.Path(allow_dash=True), help="A picture of the world, its start cell in brackets."
)
@click.option("--engine", default="auto", show_default=True, help="auto or reference.")
@click.option(
    "--steps", default=10_000_000, show_default=True, type=click.IntRange(0), help="Stop after so many steps."
)
@click.option("--detect-loops", is_flag=True, help="Stop when a configuration comes twice.")
@click.option("--watch", is_flag=True, help="Show the run in the terminal, step by step.")
@click.option(
    "--speed",
    default=12.0,
    show_default=True,
    type=click.FloatRange(0.1, 10_000),
    help="Steps a second for --watch.",
)
@click.option("--trace", is_flag=True, help="Print every step.")
@click.option("--profile", is_flag=True, help="Count how often each rule was used.")
@defines
@json_option
@_guarded
def run(
    file: str,
    input: str | None,
    world: str | None,
    engine: str,
    steps: int,
    detect_loops: bool,
    watch: bool,
    speed: float,
    trace: bool,
    profile: bool,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run FILE on INPUT (`-` reads it from stdin), on a world, or on the empty grid.

    The result goes to stdout, how the run ended to stderr. Exits with 0 if it halted.

    \b
    gridlang run add10.grid 12+34
    gridlang run add10.grid 12+34 --watch
    gridlang run add10.grid 12+34 --profile
    gridlang run ant.grid --steps 11000
    gridlang run flood.grid --world room.txt
    """
    from compiler.simulate import run as simulate
    from gridlang.loading import load

    if engine not in ("auto", "reference"):
        raise click.UsageError(f"there is no engine {engine!r}; there are auto and reference")
    program = load(file, _definitions(definitions))
    start = _world(program, input, world)
    if watch:
        from compiler.watch import watch as show

        done = show(program, start, steps, speed)
    else:
        done = simulate(program.table, start, steps, trace=trace, profile=profile, detect_loops=detect_loops)
    _print_run(program, done, as_json)
    if done.outcome != "halted":
        raise click.exceptions.Exit(1)


def _world(program: Program, input: str | None, picture: str | None) -> World:
    """The world to run on; a GridError if it is none for this agent."""
    from gridlang.files import read_source
    from gridlang.source import Source, Span
    from gridlang.world import picture_world

    if input is not None and picture is not None:
        raise click.UsageError("give an INPUT or a --world, not both")
    if picture is not None:
        source = Source("<stdin>", _stdin()) if picture == "-" else read_source(picture)
        return picture_world(Span(source, 0, len(source.text)), program.table.symbols)
    text = input or ""
    if input == "-":
        text = _stdin().strip("\r\n")
    return _input_world(program, text)


def _input_world(program: Program, text: str) -> World:
    from gridlang.inputs import input_error, language_of
    from gridlang.source import Source, Span
    from gridlang.world import string_world, unknown_symbol

    span = Span(Source("<input>", text), 0, len(text))
    language = language_of(program.table)
    if language is not None:
        error = input_error(language, text, program.table.symbols, span)
        if error:
            raise error
    for place, symbol in enumerate(text):
        if symbol not in program.table.symbols:
            at = Span(span.source, place, place + 1)
            raise GridError([unknown_symbol(symbol, at, program.table.symbols)])
    return string_world(text)


def _print_run(program: Program, done: Run, machine: bool) -> None:
    from compiler.testing import describe
    from gridlang.world import result, result_area

    drawable = result_area(done.world.cells) <= 25_000_000
    text, origin = result(done.world.cells) if drawable else ("", None)
    if machine:
        data: dict[str, Any] = {
            "outcome": done.outcome,
            "result": text if drawable else None,
            "origin": origin,
            "steps": done.steps,
            "state": done.state,
            "cell": done.cell,
            "symbol": done.symbol,
        }
        if done.trace is not None:
            data["trace"] = [list(action) for action in done.trace]
        if done.profile is not None:
            data["profile"] = [row._asdict() for row in _profile(program, done)]
        emit(data)
        return
    if done.trace is not None:
        width = len(str(len(done.trace)))
        for number, (read, write, move) in enumerate(done.trace, 1):
            click.echo(f"{number:>{width}}  {read} -> {write}  {move}")
    if done.profile is not None:
        _print_profile(program, done)
    click.echo(text if drawable else "(the result is too wide to draw)")
    click.echo(describe(done), err=True)


def _profile(program: Program, done: Run) -> Any:
    from compiler.profile import profile_rows

    return profile_rows(program, done)


def _print_profile(program: Program, done: Run) -> None:
    from compiler.profile import by_line

    rows = by_line(program, done)
    width = max(5, *(len(row.state) for row in rows)) if rows else 5
    click.echo(f"{'steps':>9}  share  line  {'state':<{width}}  rule")
    for row in rows:
        share = f"{100 * row.times / max(done.steps, 1):5.1f}%"
        click.echo(f"{row.times:>9,} {share}  {row.line or '':>4}  {row.state:<{width}}  {row.rule}")


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@defines
@click.option(
    "--cases",
    default=400,
    show_default=True,
    type=click.IntRange(0),
    help="Random inputs to try for `output`.",
)
@click.option(
    "--steps", default=100_000, show_default=True, type=click.IntRange(1), help="Step limit of one run."
)
@click.option("--seed", default=0, show_default=True, help="For the random inputs.")
@json_option
@_guarded
def test(
    files: tuple[str, ...], definitions: tuple[str, ...], cases: int, steps: int, seed: int, as_json: bool
) -> None:
    """Run the tests in FILES, and search for an input that their `output` clause gets wrong.

    All short inputs are tried, then random ones of growing length; a failing one is shrunk.

    \b
    gridlang test add10.grid
    gridlang test add.grid -D base=7 --cases 2000
    """
    from gridlang.loading import load

    given = _definitions(definitions)
    reports = [_test(load(file, given), cases, steps, seed, as_json) for file in files]
    failed = sum(r["failed"] for r in reports)
    if as_json:
        first = next((r["counterexample"] for r in reports if r["counterexample"]), None)
        emit(
            {
                "passed": sum(r["passed"] for r in reports),
                "failed": failed,
                "counterexample": first,
                "files": reports,
            }
        )
    elif len(files) > 1:
        click.echo(f"{sum(r['passed'] for r in reports)} passed, {failed} failed")
    if failed:
        raise click.exceptions.Exit(1)


def _test(program: Program, cases: int, steps: int, seed: int, machine: bool) -> dict[str, Any]:
    from compiler.report import print_report, test_report

    def progress(done: int) -> None:
        if not machine and sys.stderr.isatty() and done % 100 == 0:
            click.echo(f"\r{program.name}: {done:,} inputs tried", err=True, nl=False)

    data = test_report(program, cases, steps, seed, progress)
    if not machine:
        if sys.stderr.isatty():
            click.echo("\r\033[K", err=True, nl=False)
        print_report(program, data, click.echo)
    return data


@main.command()
@click.argument("name")
@json_option
@_guarded
def new(name: str, as_json: bool) -> None:
    """Write NAME.grid, a small agent with comments, to start from.

    \b
    gridlang new hello
    gridlang test hello.grid
    """
    from gridlang.files import write_whole
    from gridlang.scanner import is_name

    path = Path(name if name.endswith(".grid") else f"{name}.grid")
    if not is_name(path.stem):
        raise click.UsageError(f"{path.stem!r} cannot name an agent: use letters, digits and _")
    if path.exists():
        raise click.UsageError(f"{path} exists already; nothing was changed")
    text = Path(__file__).with_name("starter.grid").read_text(encoding="utf-8")
    write_whole(path, text.replace("NAME", path.stem))
    if as_json:
        emit({"output": str(path)})
    else:
        click.echo(f"wrote {path}; try\n  gridlang test {path}\n  gridlang run {path} 1011 --watch")


if __name__ == "__main__":
    main()
