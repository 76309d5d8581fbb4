"""Scripts that complete a command line in bash, zsh and fish: words and endings stand in them, so Tab starts
nothing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

import click

from gridlang.file_kinds import KINDS

AGENTS = ("source", "table", "model", "machine")
# kinds of the files that a command names, where they are not agents
TAKEN = {
    "check": ("source", "table"),
    "fmt": ("source",),
    "import": ("machine",),
    "trace": ("source", "table", "machine", "log", "traces"),
    "train": ("traces", "log", "source"),
    "sweep": ("traces", "source"),
    "eval": ("model",),
    "extract": ("model",),
    "learn": ("source", "table", "machine"),
    "verify": ("table", *AGENTS),
}


class Option(NamedTuple):
    """An option: its spellings, what it does, and what follows: a choice, a file, a text, or nothing."""

    names: tuple[str, ...]
    about: str
    choices: tuple[str, ...] = ()
    takes: str = ""  # `file`, `text`


class CommandWords(NamedTuple):
    """A command, its options, and the endings or words that its arguments have."""

    name: str
    about: str
    options: tuple[Option, ...]
    endings: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def words_of(group: click.Group, context: click.Context) -> list[CommandWords]:
    """All commands of a group; this imports them all."""
    return [_command_words(group, context, name) for name in group.list_commands(context)]


def _command_words(group: click.Group, context: click.Context, name: str) -> CommandWords:
    command = group.get_command(context, name)
    assert command is not None
    own = click.Context(command, parent=context, info_name=name)
    parameters = command.get_params(own)
    options = tuple(
        _option(each) for each in parameters if isinstance(each, click.Option) and not each.hidden
    )
    arguments = [each for each in parameters if isinstance(each, click.Argument)]
    files = any(isinstance(each.type, click.Path) for each in arguments)
    kinds = TAKEN.get(name, AGENTS) if files else ()
    endings = dict.fromkeys(ending for kind in kinds for ending in KINDS[kind].endings)
    chosen = [each.type.choices for each in arguments if isinstance(each.type, click.Choice)]
    words = tuple(group.list_commands(context)) if name == "help" else tuple(*chosen)
    return CommandWords(name, command.get_short_help_str(100), options, tuple(endings), words)


def _option(option: click.Option) -> Option:
    names = (*option.opts, *option.secondary_opts)
    about = (option.help or "").split("  [")[0].rstrip(".")
    if option.is_flag or option.count:
        return Option(names, about)
    if isinstance(option.type, click.Choice):
        return Option(names, about, tuple(map(str, option.type.choices)), "text")
    if isinstance(option.type, click.Path):
        return Option(names, about, (), "file")
    return Option(names, about, tuple(getattr(option.type, "names", tuple)()), "text")


def bash_script(commands: list[CommandWords]) -> str:
    return "\n".join((*_bash_lines(commands), ""))


def _bash_lines(commands: list[CommandWords]) -> Iterator[str]:
    yield "# bash completion for gridlang, made by `gridlang completion bash`"
    yield BASH_HEAD
    yield '  case "$command $before" in'
    for command in commands:
        for option in command.options:
            patterns = "|".join(f"'{command.name} {name}'" for name in option.names)
            if option.choices:
                yield f"    {patterns}) _gridlang_words '{' '.join(option.choices)}'; return ;;"
            elif option.takes:
                yield f"    {patterns}) {'_gridlang_files' if option.takes == 'file' else ':'}; return ;;"
    yield "  esac"
    yield '  case "$command" in'
    for command in commands:
        names = " ".join(name for option in command.options for name in option.names)
        rest = f"_gridlang_words '{' '.join(command.words)}'" if command.words else ":"
        if command.endings:
            rest = f"_gridlang_files {' '.join(command.endings)}"
        yield f"    {command.name})"
        yield f"      if [[ $word == -* ]]; then _gridlang_words '{names}'; else {rest}; fi ;;"
    listed = " ".join(command.name for command in commands)
    yield f"    *) _gridlang_words '{listed} --help --version' ;;"
    yield from ("  esac", "}", "complete -F _gridlang gridlang")


BASH_HEAD = """_gridlang_words() {
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}
_gridlang_files() {
  local ending IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  if (($# == 0)); then COMPREPLY=($(compgen -f -- "$word")); return; fi
  COMPREPLY=($(compgen -d -- "$word"))
  for ending in "$@"; do COMPREPLY+=($(compgen -f -X "!*$ending" -- "$word")); done
}
_gridlang() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command=""
  ((COMP_CWORD > 1)) && command="${COMP_WORDS[1]}"
  COMPREPLY=()"""


def zsh_script(commands: list[CommandWords]) -> str:
    return "\n".join((*_zsh_lines(commands), ""))


def _zsh_lines(commands: list[CommandWords]) -> Iterator[str]:
    yield "#compdef gridlang"
    yield "# zsh completion for gridlang, made by `gridlang completion zsh`"
    yield "_gridlang() {"
    yield "  if (( CURRENT == 2 )); then"
    yield "    local -a commands=("
    yield from (f"      {shlex.quote(f'{each.name}:{each.about}')}" for each in commands)
    yield "    )"
    yield "    _describe command commands"
    yield "    return"
    yield "  fi"
    yield "  local command=$words[2]"
    yield "  shift words; (( CURRENT-- ))"
    yield "  case $command in"
    for command in commands:
        yield f"    {command.name}) _arguments -S \\"
        yield from (f"      {_zsh_option(option)} \\" for option in command.options)
        yield f"      {_zsh_rest(command)} ;;"
    yield from ("  esac", "}")
    # a file in $fpath is called, a text that is evaluated defines
    yield "if [[ ${funcstack[1]} == _gridlang ]]; then _gridlang; else compdef _gridlang gridlang; fi"


def _zsh_option(option: Option) -> str:
    about = "".join(f"\\{c}" if c in "[]:\\" else c for c in option.about)
    after = f":value:({' '.join(option.choices)})" if option.choices else ":value: " if option.takes else ""
    if option.takes == "file":
        after = ":file:_files"
    return " ".join(shlex.quote(f"*{name}[{about}]{after}") for name in option.names)


def _zsh_rest(command: CommandWords) -> str:
    if command.endings:
        endings = "|".join(ending[1:] for ending in command.endings)
        return shlex.quote(f'*:file:_files -g "*.({endings})(-.)"')
    return shlex.quote(f"*:word:({' '.join(command.words)})" if command.words else "*:word: ")


def fish_script(commands: list[CommandWords]) -> str:
    return "\n".join((*_fish_lines(commands), ""))


def _fish_lines(commands: list[CommandWords]) -> Iterator[str]:
    yield "# fish completion for gridlang, made by `gridlang completion fish`"
    yield "function __gridlang_is"
    yield "    set -l words (commandline -opc)"
    yield '    test "$words[2]" = "$argv[1]"'
    yield "end"
    yield "complete -c gridlang -f"
    for command in commands:
        yield f"complete -c gridlang -n '__gridlang_is \"\"' -a {command.name} -d {_fish_text(command.about)}"
    for command in commands:
        when = f"complete -c gridlang -n '__gridlang_is {command.name}'"
        yield from (f"{when} {_fish_option(option)}" for option in command.options)
        if command.endings:
            yield f"{when} -k -a '(__fish_complete_suffix {' '.join(command.endings)})'"
        elif command.words:
            yield f"{when} -a '{' '.join(command.words)}'"


def _fish_option(option: Option) -> str:
    spelt = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
    after = {"": "", "text": " -x", "file": " -r -F"}[option.takes]
    choices = f" -a '{' '.join(option.choices)}'" if option.choices else ""
    return f"{spelt}{after}{choices} -d {_fish_text(option.about)}"


def _fish_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
