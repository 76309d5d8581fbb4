"""The command line. The only module that looks up the house, and only inside its commands."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gridlang.console import clear_progress, emit, missing_pairs, progress_line, read_stdin, report, tally
from gridlang.diagnostics import Diagnostic
from gridlang.options import defines, definitions_of, engine_option, guarded, json_option

if TYPE_CHECKING:
    from gridlang.inputs import InputLanguage
    from gridlang.loading import Program
    from gridlang.world import World

UNREADABLE = {"G001"}

# Commands that live up the house, imported when they are called: where, and their line in --help.
ABOVE = {
    "trace": ("learners.commands.trace", "Record what an agent does, as data to learn from."),
    "train": ("learners.commands.train", "Learn DFSTs from traces."),
    "eval": ("learners.commands.evaluate", "Test how far a model generalises, step by step."),
    "extract": ("learners.commands.extract", "Turn the weights of a model back into source."),
    "learn": ("learners.commands.learn", "Learn an agent until what was learned is proven equal to it."),
    "view": ("learners.commands.view", "Show the state graph, and a replay beside it."),
    "equiv": ("learners.commands.equiv", "Prove that RIGHT does what LEFT does, or show where it does not."),
    "report": ("learners.commands.report", "One page about what a run has come to."),
    "verify": ("learners.commands.verify", "Check a certificate of `equiv` again."),
    "sweep": ("learners.commands.sweep", "Train many seeds and recipes, on this machine or on Ray."),
}


class _Group(click.Group):
    """Turns every expected failure into a message and an exit status; finds the commands above."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*super().list_commands(ctx), *ABOVE))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in ABOVE:
            return super().get_command(ctx, cmd_name)
        found: click.Command = import_module(ABOVE[cmd_name][0]).command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, without importing what lies above."""
        own = {name: command.get_short_help_str(100) for name, command in self.commands.items()}
        lines = {**own, **{name: about for name, (_, about) in ABOVE.items()}}
        with formatter.section("Commands"):
            formatter.write_dl([(name, lines[name]) for name in self.list_commands(ctx)])

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
    """Write agents that live on a grid; check, run and compile them; learn them, and prove what was learned.

    \b
    gridlang new hello            write a first agent
    gridlang check hello.grid     what is wrong with it?
    gridlang run hello.grid 1011  run it
    gridlang view hello.grid      see it
    gridlang compile hello.grid   exact neural weights
    gridlang learn hello.grid --until-proven   weights from what it does, and a proof
    """


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--missing", is_flag=True, help="Also list the pairs for which there is no rule.")
@defines
@json_option
@guarded
def check(files: tuple[str, ...], missing: bool, definitions: tuple[str, ...], as_json: bool) -> None:
    """Say everything that is wrong with FILES.

    Exits with 1 if there are errors; warnings alone are fine.

    \b
    gridlang check add10.grid
    gridlang check --missing add10.grid
    """
    from gridlang.loading import try_load

    given = definitions_of(definitions)
    found: list[Diagnostic] = []
    for file in files:
        loaded = try_load(file, given)
        found += loaded.diagnostics
        if missing and loaded.program:
            found += missing_pairs(loaded.program)
    errors = [d for d in found if d.is_error]
    report(found, as_json)
    if not as_json and not found:
        click.echo(f"{', '.join(files)}: no problems found", err=True)
    elif not as_json:
        click.echo(tally(found), err=True)
    if errors:
        raise click.exceptions.Exit(2 if any(d.code in UNREADABLE for d in errors) else 1)


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
@guarded
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
        click.echo(format_source(Source("<stdin>", read_stdin())), nl=False)
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


def _load(file: str, definitions: tuple[str, ...]) -> Program:
    from compiler.subjects import load_subject

    return load_subject(file, definitions_of(definitions))


@main.command()
@click.argument("file", type=click.Path())
@defines
@click.option("--to", "target", default="dfst", show_default=True, help="Or table, c, grid, dot, svg, html.")
@click.option("-o", "--output", type=click.Path(allow_dash=True), help="Where to write; `-` is stdout.")
@click.option("--minimize", is_flag=True, help="Merge states that never disagree, and check the result.")
@json_option
@guarded
def compile(
    file: str, definitions: tuple[str, ...], target: str, output: str | None, minimize: bool, as_json: bool
) -> None:
    """Compile FILE to exact DFST tensors, or to another target.

    \b
    gridlang compile add10.grid                  add10.safetensors
    gridlang compile add.grid -D base=2 -o add2.safetensors
    gridlang compile mult2.grid --minimize       fewer states, the same behaviour
    gridlang compile add10.grid --to c           a standalone C program
    gridlang compile add10.grid --to grid -o -   the table as source
    """
    from compiler.printing import counts, print_summary
    from compiler.subjects import minimized
    from compiler.targets import TARGETS
    from gridlang.files import write_whole

    if target not in TARGETS:
        raise click.UsageError(f"there is no target {target!r}; there are {', '.join(TARGETS)}")
    program = _load(file, definitions)
    found = minimized(program) if minimize else None
    program = found[0] if found else program
    path = output or f"{program.name}.{TARGETS[target].extension}"
    if os.path.exists(path) and os.path.exists(file) and os.path.samefile(path, file):
        raise click.UsageError(f"{path} is the file that is compiled; write to another one with -o")
    data = TARGETS[target].render(program)
    if path == "-":
        sys.stdout.buffer.write(data)
        return
    write_whole(path, data)
    if as_json:
        given = {"name": program.name, "arguments": dict(program.arguments), "output": path, "target": target}
        emit({**given, **counts(program), **({"minimized": found[1]} if found else {})})
        return
    print_summary(program)
    if found:
        click.echo(f"  {found[1]['note']}")
    click.echo(f"wrote {path} ({TARGETS[target].about})")


@main.command()
@click.argument("file", type=click.Path())
@click.argument("input", required=False)
@click.option(
    "--world", type=click.Path(allow_dash=True), help="A picture of the world, its start cell in brackets."
)
@engine_option
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
@click.option("--snap", is_flag=True, help="Snap hidden vectors of a model to the centres of their clusters.")
@defines
@json_option
@guarded
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
    snap: bool,
    definitions: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run FILE on INPUT (`-` reads it from stdin), on a world, or on the empty grid.

    FILE is a `.grid` file, a table, or a model (`.safetensors`). The result goes to stdout, how the
    run ended to stderr. Exits with 0 if it halted.

    \b
    gridlang run add10.grid 12+34
    gridlang run add10.grid 12+34 --watch
    gridlang run add10.safetensors 12+34
    gridlang run add10.safetensors 12+34 --engine dfst --snap
    gridlang run ant.grid --steps 11000
    gridlang run flood.grid --world room.txt
    """
    from compiler.engines import execute
    from compiler.printing import print_run, run_data
    from compiler.subjects import is_model
    from gridlang.inputs import language_of

    if snap and not (is_model(file) and engine in ("auto", "dfst")):
        raise click.UsageError("--snap is for models (.safetensors) on --engine dfst: only they have vectors")
    program: Program | None = None
    if is_model(file) and engine in ("auto", "dfst") and not (watch or profile or snap):
        from compiler.dfst import model_language, read_dfst, run_dfst

        dfst = read_dfst(file)
        start = _world(dfst.symbols, model_language(dfst), input, world)
        done = run_dfst(dfst, start, steps, trace=trace)
    else:
        program = _snapped(file) if snap else _load(file, definitions)
        start = _world(program.table.symbols, language_of(program.table), input, world)
        if watch:
            from compiler.watch import watch as show

            done = show(program, start, steps, speed)
        else:
            done = execute(
                program.table,
                start,
                steps,
                "auto" if snap else engine,
                trace=trace,
                profile=profile,
                detect_loops=detect_loops,
                progress=progress_line("steps done"),
            )
    clear_progress()
    if snap:
        from learners.snapping import told

        done = told(done)
    if as_json:
        emit({**run_data(program, done), **({"snapped": True} if snap else {})})
    else:
        print_run(program, done, start.start)
    if done.outcome != "halted":
        raise click.exceptions.Exit(1)


def _snapped(file: str) -> Program:
    """The table that a model is once its vectors are snapped: every step of every centre has been checked."""
    from learners.snapping import snapped_program

    program = snapped_program(file, progress_line("steps explored"))
    clear_progress()
    click.echo(f"snapped to {len(program.table.states):,} centres; all their steps are checked", err=True)
    return program


def _world(
    symbols: tuple[str, ...], language: InputLanguage | None, input: str | None, picture: str | None
) -> World:
    """The world to run on; a GridError if it is none for this agent."""
    from gridlang.files import read_source
    from gridlang.inputs import input_world
    from gridlang.source import Source, Span
    from gridlang.world import picture_world

    if input is not None and picture is not None:
        raise click.UsageError("give an INPUT or a --world, not both")
    if picture is not None:
        source = Source("<stdin>", read_stdin()) if picture == "-" else read_source(picture)
        return picture_world(Span(source, 0, len(source.text)), symbols)
    return input_world(read_stdin().strip("\r\n") if input == "-" else input or "", symbols, language)


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
@engine_option
@json_option
@guarded
def test(
    files: tuple[str, ...],
    definitions: tuple[str, ...],
    cases: int,
    steps: int,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Run the tests in FILES, and search for an input that their `output` clause gets wrong.

    All short inputs are tried, then random ones of growing length; a failing one is shrunk.

    \b
    gridlang test add10.grid
    gridlang test add.grid -D base=7 --cases 2000
    """
    programs = [_load(file, definitions) for file in files]
    reports = [_test(program, cases, steps, seed, engine, as_json) for program in programs]
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


def _test(program: Program, cases: int, steps: int, seed: int, engine: str, machine: bool) -> dict[str, Any]:
    from compiler.report import print_report, test_report

    data = test_report(program, cases, steps, seed, engine, progress_line(f"inputs of {program.name} tried"))
    clear_progress()
    if not machine:
        print_report(program, data, click.echo)
    return data


@main.command()
@click.argument("name")
@json_option
@guarded
def new(name: str, as_json: bool) -> None:
    """Write NAME.grid, a small agent with comments, to start from.

    \b
    gridlang new hello
    gridlang test hello.grid
    """
    from gridlang.files import write_whole
    from gridlang.scanner import is_name

    path = name if name.endswith(".grid") else f"{name}.grid"
    agent = os.path.basename(path).removesuffix(".grid")
    if not is_name(agent):
        raise click.UsageError(f"{agent!r} cannot name an agent: use letters, digits and _")
    if os.path.exists(path):
        raise click.UsageError(f"{path} exists already; nothing was changed")
    with open(os.path.join(os.path.dirname(__file__), "starter.grid"), encoding="utf-8") as file:
        write_whole(path, file.read().replace("NAME", agent))
    if as_json:
        emit({"output": path})
    else:
        click.echo(f"wrote {path}; try\n  gridlang test {path}\n  gridlang run {path} 1011 --watch")


if __name__ == "__main__":
    main()
