"""Options of learning: the settings of all methods, those of other packages too, and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from gridlang.diagnostics import did_you_mean, listing
from learners.methods.method import Setting
from learners.methods.registry import AUTO, methods

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
TRAINED = ("recipe", "iterations", "lr", "dim", "seeds", "device", "tensorboard")  # of methods that train


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

    def names(self) -> list[str]:
        return [*([AUTO] if self.auto else []), *methods()]


class MethodsCommand(click.Command):
    """A command with an option for each setting of a method, and a line about each method in --help."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        *own, help = super().get_params(ctx)
        return [*own, *(_option(*each) for each in _settings().values()), help]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Methods"):
            formatter.write_dl(list(_lines()))


def _lines() -> Iterator[tuple[str, str]]:
    for name, method in methods().items():
        yield name, f"{method.summary}{f'  [needs {method.needs}]' if method.needs else ''}"


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
        kind = (
            click.IntRange(int(setting.least))
            if isinstance(setting.default, int)
            else click.FloatRange(setting.least, min_open=True)
        )
    default = f"{setting.default:g}" if isinstance(setting.default, float) else setting.default
    help = f"For {' and '.join(readers)}: {setting.help}.  [default: {default}]"
    return click.Option([f"--{_typed(setting.name)}", setting.name], type=kind, help=help)


def options_for(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options without the settings of other methods; UsageError for one that was typed."""
    context, method = click.get_current_context(), methods()[name]
    readers = {name: readers for name, (_, readers) in _settings().items()}
    for option in (*TRAINED, *readers):
        if context.get_parameter_source(option) is not ParameterSource.COMMANDLINE:
            continue
        if option in TRAINED and not method.trained:
            whose = "models that are trained"
        elif option in readers and name not in readers[option]:
            whose = f"--method {' and '.join(readers[option])}"
        else:
            continue
        raise click.UsageError(f"--{_typed(option)} is for {whose}; --method {name} does not read it")
    return {key: value for key, value in given.items() if name in readers.get(key, [name])}


def _typed(name: str) -> str:
    return name.replace("_", "-")


def noise_options(function: Decorated) -> Decorated:
    """`--noise 5%` as a number, or None, and `--noise-in reads,moves` as kinds."""
    kinds = click.option(
        "--noise-in",
        default="reads,writes,moves",
        metavar="KINDS",
        callback=_parsed("kinds_of"),
        help="What to corrupt: reads, writes, moves.",
    )
    rate = click.option(
        "--noise",
        metavar="RATE",
        callback=_parsed("rate_of"),
        help="Share of records to corrupt, such as 5% or 0.05.",
    )
    return rate(kinds(function))


def _parsed(reader: str) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """Reads the text of an option; --help needs no numpy."""

    def read(_: click.Context, option: click.Parameter, text: str | None) -> Any:
        if text is None:
            return None
        from learners.methods.noise import corruption

        try:
            return getattr(corruption, reader)(text)
        except ValueError as error:
            raise click.BadParameter(str(error), param=option) from None

    return read
