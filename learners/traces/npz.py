"""Arrays of whole numbers in an `.npz` file: the same arrays give the same bytes, and nothing is pickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO
from tokenize import TokenError
from typing import Any

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
    MemoryError,
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
            arrays: dict[str, Array] = {}
            for name in names:
                if f"{name}.npy" not in archive.namelist():
                    raise BadArchive(f"there is no `{name}` in the file")
                with archive.open(f"{name}.npy") as member:
                    arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
                if arrays[name].dtype.kind not in "iu":
                    raise BadArchive(f"`{name}` holds {arrays[name].dtype}, not whole numbers")
            return arrays
    except zipfile.BadZipFile:
        raise BadArchive("it is not an .npz file, or it is cut short") from None
    except DAMAGE as error:
        raise BadArchive(f"it is damaged ({str(error)[:100]})") from None
