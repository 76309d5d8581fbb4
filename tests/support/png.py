"""A small decoder of PNG images: what a picture shows, read by code that the writer does not share."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple


class Image(NamedTuple):
    """The colours of an image, row by row, as `#rrggbb`, and its comment."""

    rows: list[list[str]]
    comment: str


def decoded(data: bytes) -> Image:
    """An image with a palette, eight bits a pixel, without filters; every checksum is checked."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, list[tuple[bytes, bytes]]()
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        chunks.append((kind, body))
        at += 12 + size
    assert chunks[0][0] == b"IHDR" and chunks[-1] == (b"IEND", b"")
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert rest == [8, 3, 0, 0, 0]
    (palette,) = (body for kind, body in chunks if kind == b"PLTE")
    colours = [f"#{palette[i : i + 3].hex()}" for i in range(0, len(palette), 3)]
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    assert len(pixels) == height * (width + 1)
    lines = [pixels[y * (width + 1) : (y + 1) * (width + 1)] for y in range(height)]
    assert all(line[0] == 0 for line in lines)
    (comment,) = (body for kind, body in chunks if kind == b"iTXt")
    return Image([[colours[c] for c in line[1:]] for line in lines], comment.split(b"\0", 5)[-1].decode())
