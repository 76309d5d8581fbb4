"""Arrays of whole numbers in an `.npz` file: the same arrays give the same bytes, and nothing is pickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO
from math import prod
from tokenize import TokenError
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from gridlang.learners.traces.limits import LIMITS

ALWAYS = (1980, 1, 1, 0, 0, 0)  # A fixed date keeps equal archives equal.

# numpy reads the header of an array as Python would, hence the errors of a parser.
DAMAGE = (
    ValueError,
    TypeError,
    KeyError,
    SyntaxError,
    TokenError,
    OSError,
    EOFError,
    RuntimeError,
    zlib.error,
)

Array = npt.NDArray[Any]


class BadArchive(Exception):
    """A file that cannot be used; says why."""


def archive_to_bytes(arrays: Mapping[str, Array]) -> bytes:
    """The content of an `.npz` file that `numpy.load` reads too."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            member = BytesIO()
            np.lib.format.write_array(member, array, (1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", ALWAYS), member.getvalue(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def archive_from_bytes(data: bytes, names: Iterable[str], most: int = LIMITS.most_bytes) -> dict[str, Array]:
    """The named arrays; BadArchive where one is missing, damaged, too large, or not of whole numbers."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > most:
                raise BadArchive(f"it unpacks to more than {most:,} bytes")
            held, arrays = {info.filename: info.file_size for info in archive.infolist()}, {}
            for name in names:
                if f"{name}.npy" not in held:
                    raise BadArchive(f"there is no `{name}` in the file")
                with archive.open(f"{name}.npy") as member:
                    arrays[name] = _array(name, member, held[f"{name}.npy"])
            return arrays
    except zipfile.BadZipFile:
        raise BadArchive("it is not an .npz file, or it is cut short") from None
    except DAMAGE as error:
        raise BadArchive(f"it is damaged ({str(error)[:100]})") from None


def _array(name: str, stream: IO[bytes], file_size: int) -> Array:
    """An array, its size checked before anything is allocated for it."""
    old = np.lib.format.read_magic(stream) == (1, 0)
    header = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = header(stream)
    size = prod(shape)
    if dtype.kind not in "iu":
        raise BadArchive(f"`{name}` holds {dtype}, not whole numbers")
    if size < 0 or size * dtype.itemsize != file_size - stream.tell():
        raise BadArchive(f"`{name}` is cut short")
    values: Array = np.empty(size, dtype)
    room = values.view(np.uint8)
    at = 0
    while chunk := stream.read(LIMITS.unpacked_at_once):  # The last is empty; it checks the sum.
        room[at : at + len(chunk)] = np.frombuffer(chunk, np.uint8)
        at += len(chunk)
    return values.reshape(shape, order="F" if fortran else "C")
