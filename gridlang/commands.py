"""The commands of the language itself: `check`, `completion`, `explain`, `fmt` and `new`.

Each command imports what takes long to import.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import click

from gridlang.diagnostics import Diagnostic, GridError, counted
from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import label_of, read_bytes, read_source, source_files, source_of, write_whole
from gridlang.options import Definitions, File, Option
from gridlang.source import MAX_BYTES, Source
from gridlang.terminal.console import emit, missing_pairs, report, say, say_source, tally
from gridlang.terminal.options import as_command
from gridlang.vocabulary import RESERVED, is_name

if TYPE_CHECKING:
    from gridlang.loading import Loaded

MOST_NAMED = 3  # files without a problem
UNREADABLE = {"G001"}  # a wrong call, which exits with 2


@as_command("check")
def check(
    file: tuple[File, ...],
    *,
    missing: Annotated[bool, Option("Also list the pairs of state and symbol without a rule.")] = False,
    fix: Annotated[bool, Option("Apply the safe fixes; this changes FILE.")] = False,
    definitions: Definitions,
    as_json: bool,
) -> None:
    """List all errors in each FILE, or in folders. `-` reads stdin, and --fix prints the result.

    Exits with 1 if there are errors, but not for warnings.

    \b
    gridlang check add10.grid
    gridlang check --missing add10.grid
    gridlang check --fix add10.grid
    gridlang check .
    """
    from gridlang.loading import definitions_for, try_load

    files = source_files(file)
    _refuse_more_than_stdin(files)
    diagnostics: list[Diagnostic] = []
    more: dict[str, Any] = {"fixed": {}} if fix else {}
    for path, parameters in zip(files, definitions_for(files, definitions), strict=True):
        loaded = _mend(path, parameters, more) if fix else None
        loaded = loaded or try_load(path, parameters, library=True)
        diagnostics += loaded.diagnostics
        if missing and loaded.program:
            diagnostics += missing_pairs(loaded.program)
    errors = [d for d in diagnostics if d.is_error]
    report(diagnostics, as_json, **more)
    if not as_json:
        _say_checked(files, diagnostics, **more)
    if errors:
        raise click.exceptions.Exit(2 if any(d.code in UNREADABLE for d in errors) else 1)


def _mend(path: str, definitions: Mapping[str, str], more: dict[str, Any]) -> Loaded | None:
    """Writes all sure fixes into a file, whose line ends stay; what is piped in goes to `more`.

    None where there is no source to mend.
    """
    from gridlang.fixes import mend_source
    from gridlang.loading import try_load_source

    def load(source: Source) -> Loaded:
        return try_load_source(source, definitions, library=True)

    try:
        data = read_bytes(path, MAX_BYTES, path)
        refuse_other_kinds(label_of(path), data, "source", "table")
        source, count = mend_source(source_of(data, path), lambda source: load(source).diagnostics)
    except GridError:
        return None
    more["fixed"][path] = count
    if path == "-":
        more["text"] = source.text
    elif count:
        text = source.text.replace("\n", "\r\n") if b"\r\n" in data else source.text
        write_whole(path, (BOM_UTF8 if data.startswith(BOM_UTF8) else b"") + text.encode())
    return load(source)


def _refuse_more_than_stdin(files: tuple[str, ...]) -> None:
    if "-" in files and len(files) > 1:
        raise click.UsageError("`-` is what is piped in, and stands alone")


def _say_checked(
    files: Sequence[str],
    diagnostics: list[Diagnostic],
    text: str = "",
    fixed: Mapping[str, int] | None = None,
) -> None:
    if text:
        say_source(text)
    for file, count in (fixed or {}).items():
        what = "nothing to fix" if not count else f"made {counted(count, 'fix', 'fixes')}"
        say(f"{file}: {what}", err=True)
    named = ", ".join(files) if len(files) <= MOST_NAMED else f"{len(files):,} files"
    say(tally(diagnostics) or f"{named}: no problems found", err=True)


@as_command("explain")
def explain(code: str | None = None, *, as_json: bool) -> None:
    """Explain a diagnostic: its cause and its cure.

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
        say(*explanation(CODES[wanted]).split("\n"))
    else:
        for entry in CODES.values():
            say(f"{entry.code}  {entry.title}")


@as_command("fmt")
def fmt(
    file: tuple[File, ...],
    *,
    check: Annotated[bool, Option("Change nothing; exit with 1 if a file would change.")] = False,
    as_json: bool,
) -> None:
    """Format each FILE, or those in folders, in the canonical layout; comments stay. `-` reads stdin.

    \b
    gridlang fmt hello.grid
    gridlang fmt --check .
    gridlang fmt - < hello.grid
    """
    from gridlang.syntax.formatter import format_source

    files = source_files(file)
    _refuse_more_than_stdin(files)
    sources = [read_source(path, wanted="source") for path in files]
    texts = [format_source(source) for source in sources]
    changed = [path for path, source, text in zip(files, sources, texts, strict=True) if source.text != text]
    printed = "-" in files and not check
    for path, text in zip(files, texts, strict=True):
        if path in changed and not check and not printed:
            write_whole(path, text)
    if as_json:
        emit({"changed": changed, **({"text": texts[0]} if printed else {})})
    elif printed:
        say_source(texts[0])
    else:
        for path in changed:
            say(f"{'would reformat' if check else 'reformatted'} {path}", err=True)
        if not changed:
            say("nothing to change", err=True)
    if check and changed:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and files when you press Tab.

    \b
    bash: gridlang completion bash > ~/.local/share/bash-completion/completions/gridlang
    zsh:  gridlang completion zsh > ~/.zfunc/_gridlang      with ~/.zfunc in $fpath, before compinit
    fish: gridlang completion fish > ~/.config/fish/completions/gridlang.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    say_source(made(context.find_root().command, {}, "gridlang", "_GRIDLANG_COMPLETE").source())


@as_command("new")
def new(name: str, *, as_json: bool) -> None:
    """Write NAME.grid, a small commented agent to start from.

    \b
    gridlang new hello
    gridlang test hello.grid
    """
    path = name if name.endswith(".grid") else f"{name}.grid"
    agent = os.path.basename(path).removesuffix(".grid")
    if not is_name(agent):
        spelling = "use letters, digits and _, a letter first"
        why = "the language uses this word" if agent in RESERVED else spelling
        raise click.UsageError(f"{agent!r} cannot name an agent: {why}")
    if os.path.exists(path):
        raise click.UsageError(f"{path} exists already; nothing was changed")
    with open(os.path.join(os.path.dirname(__file__), "starter.grid"), encoding="utf-8") as file:
        write_whole(path, file.read().replace("NAME", agent))
    if as_json:
        emit({"output": path})
    else:
        say(f"wrote {path}; try", f"  gridlang test {path}", f"  gridlang run {path} 1011 --watch")
