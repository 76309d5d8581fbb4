"""The commands of the language itself: `check`, `completion`, `explain`, `fmt` and `new`.

Each command imports what takes long to import.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import click

from gridlang.diagnostics import Diagnostic, GridError, counted
from gridlang.file_kinds import refuse_other_kinds
from gridlang.files import label_of, read_bytes, read_source, source_files, source_of, write_whole
from gridlang.options import Definitions, File, Option
from gridlang.source import MAX_BYTES, Source
from gridlang.terminal.console import missing_pairs, say_source, tally
from gridlang.terminal.options import Answer, as_command, listed
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
) -> Answer:
    """List all errors in each FILE, or in folders. `-` reads stdin, and --fix prints the result.

    Exits with 1 if there are errors, but not for warnings.

    \b
    gridlang check add10.grid
    gridlang check --missing add10.grid
    gridlang check --fix add10.grid
    gridlang check .
    """
    from gridlang.loading import Misused, definitions_for, try_load

    files, found, fixed, misused, more = _files(file), list[Diagnostic](), dict[str, int](), False, {}
    for path, parameters in zip(files, definitions_for(files, definitions), strict=True):
        mended = _mended(path, parameters) if fix else None
        loaded = mended[0] if mended else try_load(path, parameters, library=True)
        if mended:
            _, source, fixed[path] = mended
            more = {"text": source.text} if path == "-" else {}
        found += loaded.diagnostics
        found += missing_pairs(loaded.program) if missing and loaded.program else ()
        misused = misused or isinstance(loaded, Misused)
    errors = {each.code for each in found if each.is_error}
    made = {path: f"made {counted(count, 'fix', 'fixes')}" for path, count in fixed.items() if count}
    notes = [f"{path}: {made.get(path, 'nothing to fix')}" for path in fixed]
    if not misused:
        named = ", ".join(files) if len(files) <= MOST_NAMED else f"{len(files):,} files"
        notes.append(tally(found) or f"{named}: no problems found")
    return Answer(
        data=listed(found) | more | ({"fixed": fixed} if fix else {}),
        holds=not errors,
        notes=notes,
        source=more.get("text", ""),
        diagnostics=found,
        misused=bool(errors) and (misused or bool(errors & UNREADABLE)),
    )


def _mended(path: str, definitions: Mapping[str, str]) -> tuple[Loaded, Source, int] | None:
    """A source with all sure fixes, and how many; it is written to its file, whose line ends stay.

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
    if count and path != "-":
        text = source.text.replace("\n", "\r\n") if b"\r\n" in data else source.text
        write_whole(path, (BOM_UTF8 if data.startswith(BOM_UTF8) else b"") + text.encode())
    return load(source), source, count


def _files(named: tuple[str, ...]) -> tuple[str, ...]:
    files = source_files(named)
    if "-" in files and len(files) > 1:
        raise click.UsageError("`-` is what is piped in, and stands alone")
    return files


@as_command("explain")
def explain(code: str | None = None) -> Answer:
    """Explain a diagnostic: its cause and its cure.

    \b
    gridlang explain G040
    gridlang explain            list all codes
    """
    from gridlang.codes import CODES, explanation

    wanted = (code or "").upper()
    if code and wanted not in CODES:
        raise click.UsageError(f"there is no code {code!r}; `gridlang explain` lists them all")
    entries = [CODES[wanted]] if code else [*CODES.values()]
    about = (
        explanation(entries[0]).split("\n") if code else [f"{each.code}  {each.title}" for each in entries]
    )
    return Answer(about, {"codes": [each._asdict() for each in entries]})


@as_command("fmt")
def fmt(
    file: tuple[File, ...],
    *,
    check: Annotated[bool, Option("Change nothing; exit with 1 if a file would change.")] = False,
) -> Answer:
    """Format each FILE, or those in folders, in the canonical layout; comments stay. `-` reads stdin.

    \b
    gridlang fmt hello.grid
    gridlang fmt --check .
    gridlang fmt - < hello.grid
    """
    from gridlang.syntax.formatter import format_source

    files = _files(file)
    sources = [read_source(path, wanted="source") for path in files]
    texts = [format_source(source) for source in sources]
    changed = [path for path, source, text in zip(files, sources, texts, strict=True) if source.text != text]
    if "-" in files and not check:
        return Answer(data={"changed": changed, "text": texts[0]}, source=texts[0])
    for path, text in zip(files, texts, strict=True):
        if path in changed and not check:
            write_whole(path, text)
    notes = [f"{'would reformat' if check else 'reformatted'} {path}" for path in changed]
    holds = not (check and changed)
    return Answer(data={"changed": changed}, holds=holds, notes=notes or ["nothing to change"])


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
def new(name: str) -> Answer:
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
    lines = f"wrote {path}; try", f"  gridlang test {path}", f"  gridlang run {path} 1011 --watch"
    return Answer(lines, {"output": path})
