"""Options of learning: the settings of all methods, those of other packages too."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from gridlang.diagnostics import did_you_mean, listing
from gridlang.learners.methods.method import Setting
from gridlang.learners.methods.registry import AUTO, methods
from gridlang.terminal.options import typed

TRAINED = ("recipe", "iterations", "lr", "dim", "seeds", "device")  # of methods that train

ray_option = click.option(
    "--ray",
    metavar="ADDRESS",
    help="Ray cluster to run on: HOST:PORT; local starts one here; none uses no Ray.  "
    "[default: RAY_ADDRESS if it is set and Ray is installed, else none]",
)


class MethodName(click.ParamType):  # type: ignore[type-arg]
    """The name of a method; learning also takes auto."""

    name = "name"

    def __init__(self, auto: bool = False) -> None:
        self.auto = auto

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        known = self.names()
        if value not in known:
            hint = did_you_mean(value, known, f"there are {listing(known, 'and')}")
            self.fail(f"there is no method `{value}`; {hint}", param, ctx)
        return str(value)

    def get_metavar(self, *_: Any, **__: Any) -> str:
        return f"[{'|'.join(self.names())}]"

    def shell_complete(self, *given: Any) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self.names() if name.startswith(given[-1])]

    def names(self) -> list[str]:
        return [*([AUTO] if self.auto else []), *methods()]


class MethodsCommand(click.Command):
    """A command with an option for each setting of a method, and a line about each method in --help."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        *own, help = super().get_params(ctx)
        return [*own, *(_option(*each) for each in _settings().values()), help]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        needs = {name: f"  [needs {each.needs}]" if each.needs else "" for name, each in methods().items()}
        with formatter.section("Methods"):
            formatter.write_dl([(name, f"{methods()[name].summary}{needs[name]}") for name in needs])


def _settings() -> dict[str, tuple[Setting, list[str]]]:
    """The settings of all methods by name, with the methods that read them; the first one says the type."""
    found: dict[str, tuple[Setting, list[str]]] = {}
    for name, method in methods().items():
        for setting in method.settings:
            found.setdefault(setting.name, (setting, []))[1].append(name)
    return found


def _option(setting: Setting, readers: list[str]) -> click.Option:
    """None unless given: each method has its own default."""
    kind: Any = click.Choice(setting.choices) if setting.choices else type(setting.default)
    if setting.least is not None:
        whole = isinstance(setting.default, int)
        kind = click.IntRange(int(setting.least)) if whole else click.FloatRange(setting.least, min_open=True)
    default = f"{setting.default:g}" if isinstance(setting.default, float) else setting.default
    help = f"For {' and '.join(readers)}: {setting.help}.  [default: {default}]"
    return click.Option([f"--{setting.name.replace('_', '-')}", setting.name], type=kind, help=help)


def options_for(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options without the settings of other methods; UsageError for one that was typed."""
    others = {key: readers for key, (_, readers) in _settings().items() if name not in readers}
    whose = {key: f"--method {' and '.join(readers)}" for key, readers in others.items()}
    if not methods()[name].trained:
        whose |= dict.fromkeys(TRAINED, "models that are trained")
    for key in whose:
        for option in typed(key):
            raise click.UsageError(f"{option} is for {whose[key]}; --method {name} does not read it")
    return {key: value for key, value in given.items() if key not in others}
