"""Arrays of whole numbers in an `.npz` file: the same arrays give the same bytes, and nothing is pickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_BYTES = 2_000_000_000  # No file of traces, and nothing that one unpacks to, is larger.
ALWAYS = (1980, 1, 1, 0, 0, 0)  # A date that never changes keeps equal archives equal.

Array = npt.NDArray[Any]


class BadArchive(Exception):
    """What is wrong with a file, in words."""


def archive_to_bytes(arrays: Mapping[str, Array]) -> bytes:
    """The content of an `.npz` file that `numpy.load` reads too."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            member = BytesIO()
            np.lib.format.write_array(member, array, (1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", ALWAYS), member.getvalue(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def archive_from_bytes(data: bytes, names: Iterable[str]) -> dict[str, Array]:
    """The named arrays; BadArchive where one is missing, damaged, or not of whole numbers."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > MAX_BYTES:
                raise BadArchive(f"it unpacks to more than {MAX_BYTES:,} bytes")
            held = set(archive.namelist())
            missing = next((name for name in names if f"{name}.npy" not in held), None)
            if missing:
                raise BadArchive(f"there is no `{missing}` in the file")
            return {name: _array(name, archive.read(f"{name}.npy")) for name in names}
    except zipfile.BadZipFile:
        raise BadArchive("it is no .npz file, or cut short") from None
    except (
        ValueError,
        TypeError,
        KeyError,
        SyntaxError,
        OSError,
        EOFError,
        RuntimeError,
        zlib.error,
    ) as error:
        raise BadArchive(f"it is damaged ({str(error)[:100]})") from None


def _array(name: str, data: bytes) -> Array:
    """An array, its size checked before anything is allocated for it."""
    stream = BytesIO(data)
    old = np.lib.format.read_magic(stream) == (1, 0)
    header = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = header(stream)
    size = 1
    for side in shape:
        size *= side
    if dtype.kind not in "iu":
        raise BadArchive(f"`{name}` holds {dtype}, not whole numbers")
    if size < 0 or size * dtype.itemsize != len(data) - stream.tell():
        raise BadArchive(f"`{name}` is cut short")
    values: Array = np.frombuffer(data, dtype, offset=stream.tell())
    return values.reshape(shape, order="F" if fortran else "C").copy()
