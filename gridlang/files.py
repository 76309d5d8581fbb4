"""Files: read with clear errors, written whole, cached per user."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from errno import ENOENT
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO

from gridlang.diagnostics import GridError, fail, suggest
from gridlang.file_kinds import KINDS, kind_of, refuse_other_kinds
from gridlang.source import MAX_BYTES, Source

if TYPE_CHECKING:
    from pathlib import Path

# real path -> text that an editor has not saved yet
unsaved: ContextVar[Mapping[str, str]] = ContextVar("unsaved", default=MappingProxyType({}))


class Piped:
    """Stdin, read once and only as far as needed."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.data = b""

    def read(self, size: int) -> bytes:
        if len(self.data) < size:
            self.data += self.stream.read(size - len(self.data))
        return self.data[:size]


# what `-` names, while a command runs
piped: ContextVar[Piped | None] = ContextVar("piped", default=None)
STDIN = "<stdin>"


LARGEST_TABLE = 2_000_000_000  # bytes: a table spells out what ten lines of source say


def is_source(path: str) -> bool:
    return path in unsaved.get() or os.path.isfile(path)


def label_of(path: str | Path) -> str:
    """The name of a file in messages."""
    return STDIN if str(path) == "-" and piped.get() else str(path)


def read_source(path: str | Path, called: str | None = None, *, wanted: str = "") -> Source:
    """The text of a file, of the wanted kind; GridError where it cannot be read as text."""
    name = label_of(called or path)
    held = unsaved.get().get(str(path))
    if held is not None:
        return Source(name, held)
    data = read_bytes(path, MAX_BYTES, name)
    if wanted:
        refuse_other_kinds(name, data, wanted)
    return source_of(data, name)


def source_of(data: bytes, name: str) -> Source:
    """The text in the bytes of a file; GridError where they are none."""
    name = label_of(name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = f"byte {error.start} is not valid; save the file as UTF-8"
        raise fail("G001", "this file is not UTF-8 text", hint, name) from None
    if "\0" in text:
        raise fail("G001", "this file is not text", "it holds zero bytes; is it a compiled file?", name)
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"))


def read_bytes(path: str | Path, limit: int, name: str = "", too_large: str = "") -> bytes:
    """The bytes of a file of at most `limit` bytes, or of a table, which may be larger than its source."""
    name = label_of(name or path)
    try:
        with _opened(path) as file:
            data = file.read(limit + 1)
            if len(data) > limit and kind_of(name, data) == "table":
                limit = max(limit, LARGEST_TABLE)
                data += file.read(limit + 1 - len(data))
    except FileNotFoundError:
        raise fail("G001", "there is no such file", _nearest_file(path), name) from None
    except IsADirectoryError:
        raise fail("G001", "this is a folder", "name a file in it", name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise fail("G001", f"this file cannot be read: {reason}", file=name) from None
    if len(data) > limit:
        what = (KINDS.get(kind_of(name, data)) or KINDS["source"]).about.removeprefix("a ")
        hint = too_large or f"no {what} may be that large"
        raise fail("G001", f"this file is larger than {limit:,} bytes", hint, name)
    return data


def _opened(path: str | Path) -> AbstractContextManager[BinaryIO | Piped]:
    """The file, or stdin; OSError for a device, which may never end."""
    stdin = piped.get()
    if stdin and str(path) == "-":
        return nullcontext(stdin)
    file = open(path, "rb")  # noqa: SIM115 the caller closes it
    if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError("it is a device")
    return file


def _nearest_file(path: str | Path) -> str:
    """The hint about a missing file: one beside it with a similar name."""
    folder, name = os.path.split(path)
    stem, ending = os.path.splitext(name)
    ending = ending or ".grid"
    try:
        names = sorted(each for each in os.listdir(folder or ".") if each.endswith(ending) and each != name)
    except (OSError, ValueError):
        return "check the path"
    near = suggest(stem, [each.removesuffix(ending) for each in names[:1000]])  # it takes 0.1 s for these
    return f"did you mean `{os.path.join(folder, near + ending)}`?" if near else "check the path"


def source_files(paths: Iterable[str]) -> tuple[str, ...]:
    """The files named; a folder stands for all `.grid` files in it and below."""
    return tuple(file for path in paths for file in (_in_folder(path) if os.path.isdir(path) else [path]))


def _in_folder(folder: str) -> list[str]:
    found = []
    for place, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        found += [os.path.join(place, name) for name in sorted(names) if name.endswith(".grid")]
    found = [path for path in found if os.path.isfile(path)]  # a pipe would wait for its writer
    if not found:
        raise fail("G001", "there is no `.grid` file in this folder", "name another", folder)
    return found


def checked_path(path: str | os.PathLike[str]) -> str:
    """The path; ValueError if a source or a table is given in its place. A path may hold line ends too."""
    text = os.fspath(path)
    lines = text.split("\n")
    if (
        len(lines) > 1
        and any(line.startswith(("agent ", "library ", "{")) for line in lines)
        and not os.path.lexists(text)
    ):
        raise ValueError("this is a text, not a path: read it with `gridlang.loads`")
    return text


def checked_reader(path: str | os.PathLike[str], reader: str) -> str:
    """The path; GridError if its ending belongs to another function, which it names."""
    ending = os.path.splitext(path)[1].lower()
    kind = next((each for each in KINDS.values() if ending in each.endings), None)
    if kind and kind.reader != reader and kind.use:
        raise fail("G001", f"this is {kind.about}", f"read it with `gridlang.{kind.reader}`", str(path))
    return os.fspath(path)


def checked_ending(what: str, path: str | os.PathLike[str], *endings: str) -> str:
    """The path; ValueError unless it has one of these endings."""
    file = os.fspath(path)
    if not file.endswith(endings):
        typed = os.path.splitext(file)[0] + endings[0]
        raise ValueError(f"the file of {what} ends in {' or '.join(endings)}, not {file!r}: type {typed!r}")
    return file


def make_folder(path: str) -> None:
    """Makes a folder unless there is one; GridError where that cannot be."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise fail("G009", f"cannot write here: {error.strerror}", file=path) from None


def no_folder(path: str) -> GridError:
    return fail("G009", "cannot write here: there is no such folder", "make the folder first", path)


def write_whole(path: str | Path, data: bytes | str | Iterable[bytes]) -> None:
    """Writes a file completely or not at all: temporary name, then rename.

    A link is followed; a device or a pipe is written to as it is. What comes in pieces stays in pieces.
    """
    # half a surrogate pair (a file name that is not UTF-8) is escaped as in JSON
    payload = data.encode(errors="backslashreplace") if isinstance(data, str) else data
    pieces = (payload,) if isinstance(payload, bytes) else payload
    if "\0" in str(path):
        raise fail("G009", "cannot write here: no name of a file holds a zero", file=str(path))
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:
                file.writelines(pieces)
        else:
            _replace(target, pieces)
    except OSError as error:
        if error.errno == ENOENT:
            raise no_folder(str(path)) from None
        raise fail("G009", f"cannot write here: {error.strerror}", file=str(path)) from None


def _replace(target: str, pieces: Iterable[bytes]) -> None:
    import tempfile  # With all that it needs it takes as long as the start of a command.

    folder, name = os.path.split(target)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _mode(target: str) -> int:
    if os.path.exists(target):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def cache_folder() -> str:
    """Where this user's caches live; honours GRIDLANG_CACHE and XDG_CACHE_HOME."""
    own = os.environ.get("GRIDLANG_CACHE")
    if own:
        return own
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "gridlang")
