"""The result of a sweep, as a table in text."""

from __future__ import annotations

from learners.sweeps.sweep import LOW_LOSS, Sweep, rows


def sweep_table(sweep: Sweep, digits: int) -> list[str]:
    """Aligned columns; names to the left, numbers to the right."""
    good = f"passed at {digits:,}" if digits else f"loss < {LOW_LOSS:.0e}"
    table = [("task", "recipe", "seeds", good, "median loss", "seconds")]
    for row in rows(sweep):
        seeds = f"{row.models} of {row.seeds}" if row.models < row.seeds else f"{row.seeds}"
        share = f"{row.good}/{row.models} {row.good / row.models:4.0%}" if row.models else "-"
        loss = "-" if row.loss is None else f"{row.loss:.2e}"
        table.append((row.data, row.recipe, seeds, share, loss, f"{row.seconds:,.1f}"))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            f"{cell:<{width}}" if i < 2 else f"{cell:>{width}}" for i, (cell, width) in enumerate(cells)
        )
        for cells in (list(zip(line, widths, strict=True)) for line in table)
    ]
