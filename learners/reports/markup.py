"""Pieces of HTML; every word that goes in is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def text_of(value: object) -> str:
    return escape(
        "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in str(value))
    )


def section(title: str, body: str) -> str:
    return f"<section><h2>{text_of(title)}</h2>\n{body}</section>"


def pill(text: str, look: str) -> str:
    return f'<span class="pill {look}">{text_of(text)}</span>'


def cell(value: object, kind: str = "") -> str:
    return f"<td{f' class={kind}' if kind else ''}>{text_of(value)}</td>"


def table(head: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th{f' class={kind}' if kind else ''}>{text_of(text)}</th>" for text, kind in head)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
