"""Worlds in files: what is written is read back, cell for cell, and what is no world is told from one."""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.simulation.worlds.files import read_world, write_world
from gridlang.compiler.simulation.worlds.png import symbol_colours, write_png
from gridlang.compiler.terminal.run_output import emit_run
from gridlang.diagnostics import GridError
from gridlang.tiles import tiles_of
from gridlang.world import World
from tests.strategies import tile_cells
from tests.support.png import decoded
from tests.support.searches import searched

SYMBOLS = ("_", "1", "a", "#", "[", "]", "é", "→", "𝄞", '"', "\\")
PLACES = st.tuples(st.integers(-150, 150), st.integers(-40, 40))
MANY = ("_", *(chr(0x4E00 + number) for number in range(999)))


@st.composite
def any_worlds(draw: st.DrawFn) -> World:
    """Worlds as dictionaries and in tiles, some of them empty, the head anywhere."""
    cells = draw(tile_cells())
    return World(draw(st.sampled_from([cells, tiles_of(cells), tiles_of(cells, SYMBOLS)])), draw(PLACES))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("worlds")


def again(world: World, path: Path, symbols: tuple[str, ...] = SYMBOLS) -> World:
    """The world that is read from what was written."""
    write_world(str(path), world, symbols)
    return read_world(str(path), symbols)


@given(any_worlds())
@searched(60)
def test_pictures_are_read_back_as_the_same_world_with_its_corner_at_the_origin(
    folder: Path, world: World
) -> None:
    frame = world.frame
    moved = {(x - frame.left, y - frame.top): symbol for (x, y), symbol in world.cells.items()}
    start = (world.start[0] - frame.left, world.start[1] - frame.top)
    assert again(world, folder / "world.txt") == World(moved, start)


@given(any_worlds())
@searched(60)
def test_json_holds_the_whole_world(world: World) -> None:
    run = Run("halted", 3, "a", world.start, "_", world)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        emit_run(run)
    data = json.loads(printed.getvalue())
    assert data["result"] == run.result and tuple(data["cell"]) == world.start
    left, top = data["origin"] or (0, 0)
    rows = data["result"].split("\n") if data["result"] else []
    assert (
        World({(left + x, top + y): c for y, r in enumerate(rows) for x, c in enumerate(r)}).cells
        == world.cells
    )


@given(any_worlds())
@searched(40)
def test_images_show_every_cell_in_the_colour_of_its_symbol(world: World) -> None:
    image = decoded(b"".join(write_png(world, SYMBOLS)))
    colours = symbol_colours(len(SYMBOLS))
    assert image.comment == " ".join(f"{s} {c}" for s, c in zip(SYMBOLS, colours, strict=True))
    box = world.box
    if box is None:
        return
    cell = len(image.rows) // box.height
    for (x, y), symbol in world.cells.items():
        seen = image.rows[(y - box.top) * cell + cell // 2][(x - box.left) * cell + cell // 2]
        assert seen == colours[SYMBOLS.index(symbol)]
    shown = sum(colour != colours[0] for row in image.rows for colour in row)
    inside = box.left <= world.start[0] <= box.right and box.top <= world.start[1] <= box.bottom
    assert shown >= len(world.cells) * cell**2 if inside else shown == len(world.cells) * cell**2


def test_a_large_image_has_a_pixel_a_cell_and_a_small_one_a_square() -> None:
    large = World({(x, x % 7): "#" for x in range(2000)})
    assert len(decoded(b"".join(write_png(large, SYMBOLS))).rows[0]) == 2000
    small = decoded(b"".join(write_png(World({(0, 0): "#"}), SYMBOLS)))
    assert len(small.rows) == 24 and len({colour for row in small.rows for colour in row}) == 2, "a frame"


def test_alphabets_of_a_thousand_symbols_are_written(tmp_path: Path) -> None:
    world = World({(number, number): symbol for number, symbol in enumerate(MANY[700:])})
    assert again(world, tmp_path / "w.txt", MANY) == world
    assert decoded(b"".join(write_png(world, MANY))).rows


def test_a_world_that_spans_all_of_the_grid_is_refused(tmp_path: Path) -> None:
    world = World({(0, 0): "a", (10**15, -(10**12)): "#"}, (-(10**14), 5))
    for ending in ("txt", "png"):
        with pytest.raises(GridError, match="too large"):
            write_world(str(tmp_path / f"far.{ending}"), world, SYMBOLS)
    assert os.listdir(tmp_path) == []


def test_an_image_is_written_and_not_read(tmp_path: Path) -> None:
    with pytest.raises(GridError) as told:
        again(World({(0, 0): "#"}), tmp_path / "world.png")
    assert told.value.diagnostics[0].code == "G073"


@given(any_worlds(), st.data())
@searched(60)
def test_a_damaged_file_is_another_world_or_an_error(folder: Path, world: World, data: st.DataObject) -> None:
    path = folder / "damaged.txt"
    write_world(str(path), world, SYMBOLS)
    written = path.read_bytes()
    begin = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(begin, min(begin + 8, len(written))))
    path.write_bytes(written[:begin] + data.draw(st.binary(max_size=6)) + written[end:])
    try:
        read_world(str(path), SYMBOLS)
    except GridError as error:
        assert error.diagnostics[0].code in ("G001", "G070", "G072")
