"""What bounds a run, and how its work is cut."""

from __future__ import annotations


class Limits:
    memory: int = 256_000_000  # bytes for the world of one run, so that several fit on a small machine
    cells: int = 1_000_000  # which take that memory as dictionaries, with the copy that a run ends with
    steps_at_once: int = 1_000_000  # of a trace that is not kept: its three columns take 6 MB
    steps_per_report: int = 1 << 16  # some tenths of a second, on the reference and by a model's equations
    row_shown: int = 80  # cells of a row in a line of text

    # which engine
    short: int = 1_000  # steps, and cells, that the reference takes while the engine would be loaded
    probe: int = 20_000  # the same, while a compiler would only be starting to build the engine
    short_trace: int = 5_000  # steps; longer ones are worth all cores

    # native runs
    work_at_once: int = 100_000_000  # cycles between two looks at the keyboard, as C cannot be interrupted
    tiles_at_once: int = 512  # some hundred kilobytes between C and Python in one call

    # random inputs
    counted: int = 10**12  # inputs
    draws: int = 20_000  # texts for one that meets a condition: a second for short ones
    symbols_drawn: int = 2_000_000  # of these texts together
    most_doubled: int = 4  # a number that must be large needs some digits more than asked for
    probes: int = 300  # texts; a condition that none meets is too rare for chance

    # random worlds
    stuck_odds: int = 6  # one fresh cell in six gets a symbol without a rule
    stuck_tries: int = 20  # walks for one world on which the agent is stuck

    # files of worlds
    area: int = 900_000_000  # cells of a box, as text: less than a gigabyte
    file_bytes: int = 900_000_000  # of a file that is read, as large as one that is written
    written_at_once: int = 1 << 16  # bytes of an IDAT chunk
    image_side: int = 768  # pixels of the longer side of a small world
    image_cell: int = 24  # pixels of a cell
    framed_cell: int = 4  # pixels of a cell that has room for a frame, which marks the head


LIMITS = Limits()
