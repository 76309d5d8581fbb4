"""The LALR parser of `grid.lark`, built once a user and cached."""

from __future__ import annotations

import io
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import lark

from gridlang.diagnostics import GridError
from gridlang.files import cache_folder, write_whole

KINDS = ("agent", "alphabet", "class", "input", "output", "start", "state", "rule", "test")
LINES = [f"{kind}_line" for kind in KINDS]


@lru_cache(maxsize=1)
def line_parser(builder: Any) -> lark.Lark:
    """The parser whose reductions call the methods of `builder`."""
    text = Path(__file__).with_name("grid.lark").read_text(encoding="utf-8")
    key = zlib.crc32(f"{lark.__version__} {LINES} {text}".encode())
    cached = cache_folder() / f"grammar-{key:08x}.lark"
    try:
        with cached.open("rb") as file:
            return _load(file, builder)
    except Exception:  # absent, cut short, or from another version: build it anew
        pass
    parser = lark.Lark(
        text, parser="lalr", lexer="basic", start=LINES, keep_all_tokens=True, maybe_placeholders=False
    )
    buffer = io.BytesIO()
    parser.save(buffer)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(cached, buffer.getvalue())
    except (OSError, GridError):
        pass  # no cache, no harm
    buffer.seek(0)
    return _load(buffer, builder)


def _load(file: Any, builder: Any) -> lark.Lark:
    parser = lark.Lark.__new__(lark.Lark)
    parser._load(file, transformer=builder)
    return parser


@lru_cache(maxsize=1)
def terminals(parser: lark.Lark) -> dict[str, str]:
    """From the spelling of a keyword or mark to the name of its terminal."""
    return {t.pattern.value: t.name for t in parser.terminals if t.pattern is not None}
