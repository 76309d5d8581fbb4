"""The command line: finds a command, and turns its failures into messages.

Only this module and the lazy names of `gridlang` import the packages above, and only when called.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from gridlang.diagnostics import Diagnostic, did_you_mean
from gridlang.printable import printable
from gridlang.terminal.console import report, say

# the commands of each module or package, imported on call, with their lines in --help
COMMANDS = {
    "commands": {
        "check": "List all errors in files, and fix what leaves no choice.",
        "completion": "Print a script that completes commands when you press Tab.",
        "explain": "Explain a diagnostic: its cause and its cure.",
        "fmt": "Format files in the canonical layout; comments stay.",
        "new": "Write NAME.grid, a small commented agent to start from.",
    },
    "compiler.commands": {
        "compile": "Compile FILE to exact DFST tensors, or to another target.",
        "equiv": "Prove that RIGHT does what LEFT does, or show where it does not.",
        "extract": "Turn the weights of a model back into source.",
        "import": "Turn a file of another tool into source.",
        "lsp": "Serve editors: diagnostics, hover, definitions, renaming, completion.",
        "play": "Open the playground: write agents in a browser and watch them run.",
        "prove": "Prove that an agent or a model halts, and meets its output clause.",
        "run": "Run FILE on INPUT, on a world, or on the empty grid.",
        "test": "Run the tests in FILES, and search for an input with a wrong result.",
        "verify": "Check a certificate of `equiv` or `prove`.",
        "view": "Show the state graph, and a replay beside it.",
    },
    "learners.commands": {
        "eval": "Test how far a model generalises, step by step.",
        "learn": "Learn an agent until the result is proven to do the same.",
        "report": "Make one page about a run.",
        "sweep": "Train many seeds and recipes, on this machine or on Ray.",
        "trace": "Record what an agent does, as data to learn from.",
        "train": "Learn models from traces.",
    },
}
SUMMARIES = {name: about for commands in COMMANDS.values() for name, about in commands.items()}
MODULES = {"eval": "evaluate", "import": "import_file"}  # of commands that are words of Python


class _Group(click.Group):
    """Finds the commands above, and turns every expected failure into a message and an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*super().list_commands(ctx), *SUMMARIES))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        place = next((place for place, names in COMMANDS.items() if cmd_name in names), "")
        if own or not place:
            return own
        inner = "" if place == "commands" else f".{MODULES.get(cmd_name, cmd_name)}"
        module = import_module(f"gridlang.{place}{inner}")
        command: click.Command = getattr(module, "command", None) or getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion for a misspelt command."""
        word = args[0]
        if word[:1] != "-" and word not in self.list_commands(ctx):
            run = f"type `gridlang run {word}`" if os.path.isfile(word) else ""
            hint = run or did_you_mean(word, self.list_commands(ctx), "`gridlang help` lists them all")
            ctx.fail(f"there is no command {word!r}; {hint}")
        return super().resolve_command(ctx, args)

    def summaries(self) -> dict[str, str]:
        """A line about each command, without importing it."""
        own = {name: command.get_short_help_str(100) for name, command in self.commands.items()}
        return own | SUMMARIES

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        lines = self.summaries()
        with formatter.section("Commands"):
            formatter.write_dl([(name, lines[name]) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [*_completed(incomplete), *click.Command.shell_complete(self, ctx, incomplete)]

    def main(self, args: Sequence[str] | None = None, *others: Any, **kwargs: Any) -> NoReturn:
        _open_closed_streams()
        try:
            if any("\0" in argument for argument in args or ()):
                raise click.UsageError("arguments cannot hold zero bytes")
            code = super().main(args, *others, **{**kwargs, "standalone_mode": False})
            sys.stdout.flush()  # or the buffer fails after this block
        except (click.Abort, KeyboardInterrupt):
            with suppress(ValueError):  # outside the main thread
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # another Ctrl-C is no news
            say("interrupted", err=True)
            sys.exit(130)
        except click.ClickException as error:
            vars(error)["message"] = printable(error.message) + _about_inputs(error)
            error.show()
            sys.exit(2)
        except BrokenPipeError:
            _drop_output()
            sys.exit(141)
        except OSError as error:
            _drop_output()
            message = f"cannot go on: {error.strerror or error}"
            report([Diagnostic("G009", message, None, file=str(error.filename or ""))])
            sys.exit(2)
        sys.exit(code if isinstance(code, int) else 0)


def _about_inputs(error: click.ClickException) -> str:
    """A hint for an INPUT that looks like an option, such as `-+`."""
    if not isinstance(error, click.NoSuchOption) or error.option_name.lstrip("-")[:1].isalpha():
        return ""
    return " An input that begins with - is typed after --, as in `run FILE -- -1`."


def _open_closed_streams() -> None:
    """The null device for each standard stream that is closed, as by `>&-`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 it stays open


def _completed(incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(name, help=about)
        for name, about in sorted(main.summaries().items())
        if name.startswith(incomplete)
    ]


def _drop_output() -> None:
    """Discards buffered output, which the interpreter would write again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}


@click.group(cls=_Group, context_settings=SETTINGS, invoke_without_command=True)
@click.version_option(package_name="gridlang")
@click.pass_context
def main(context: click.Context) -> None:
    """Write agents on a grid; check, run, compile and learn them, and prove the results.

    \b
    gridlang new hello            write a first agent
    gridlang check hello.grid     find its errors
    gridlang run hello.grid 1011  run it
    gridlang view hello.grid      see it
    gridlang compile hello.grid   exact neural weights
    gridlang learn hello.grid     weights learned from its runs, and a proof
    """
    if context.invoked_subcommand is None:
        say(*context.get_help().split("\n"))


@main.command("help")
@click.argument("command", required=False, shell_complete=lambda _, __, begun: _completed(begun))
@click.pass_context
def help_command(context: click.Context, command: str | None) -> None:
    """List the commands, or explain one.

    \b
    gridlang help
    gridlang help run
    """
    whole = context.find_root()
    if command is None:
        say(*whole.get_help().split("\n"))
        return
    _, found, _ = main.resolve_command(whole, [command])
    assert found is not None
    about = click.Context(found, parent=whole, info_name=command)
    say(*about.get_help().split("\n"))


if __name__ == "__main__":
    main()
