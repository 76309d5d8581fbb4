"""Worlds in files: what is written is read back, cell for cell, and what is no world is told from one."""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.simulation.worlds import rle
from gridlang.compiler.simulation.worlds.files import read_world, write_world
from gridlang.compiler.simulation.worlds.png import symbol_colours, write_png
from gridlang.compiler.terminal.run_output import emit_run
from gridlang.diagnostics import GridError
from gridlang.tiles import FARTHEST, Tiles, tiles_of
from gridlang.world import World
from tests.strategies import tile_cells
from tests.support.changed_limits import limits_with
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
    write_world(str(path), world, symbols, 17)
    return read_world(str(path), symbols)


@given(any_worlds())
@searched(60)
def test_run_lengths_are_read_back_as_the_same_world(folder: Path, world: World) -> None:
    assert again(world, folder / "world.rle") == world
    assert all(len(line) <= 70 for line in (folder / "world.rle").read_text("utf-8").splitlines()[3:])


@given(any_worlds())
@searched(60)
def test_arrays_are_read_back_as_the_same_world_and_numpy_reads_them_too(folder: Path, world: World) -> None:
    path = folder / "world.npy"
    assert again(world, path) == world
    with open(path, "rb") as file:
        cells, about = np.load(file), json.loads(np.load(file).item())
    assert (cells == np.load(path)).all() and np.count_nonzero(cells) == len(world.cells)
    left, top = about["origin"]
    for (x, y), symbol in world.cells.items():
        assert about["symbols"][cells[y - top, x - left]] == symbol
    assert tuple(about["start"]) == world.start


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
        emit_run(None, run)
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


def test_alphabets_of_a_thousand_symbols_are_written_wherever_there_is_room(tmp_path: Path) -> None:
    world = World({(number, number): symbol for number, symbol in enumerate(MANY[700:])})
    assert again(world, tmp_path / "w.npy", MANY) == again(world, tmp_path / "w.txt", MANY) == world
    assert decoded(b"".join(write_png(world, MANY))).rows
    with pytest.raises(GridError, match="300 symbols") as told:
        write_world(str(tmp_path / "w.rle"), world, MANY)
    assert told.value.diagnostics[0].code == "G074" and os.listdir(tmp_path).count("w.rle") == 0
    few = World({(number, number): symbol for number, symbol in enumerate(MANY[745:])})
    assert again(few, tmp_path / "few.rle", MANY) == few


def test_a_world_that_spans_all_of_the_grid_is_written_as_run_lengths_and_refused_elsewhere(
    tmp_path: Path,
) -> None:
    world = World({(0, 0): "a", (10**15, -(10**12)): "#"}, (-(10**14), 5))
    assert again(world, tmp_path / "far.rle") == world
    for ending in ("txt", "png", "npy"):
        with pytest.raises(GridError, match="too large"):
            write_world(str(tmp_path / f"far.{ending}"), world, SYMBOLS)
    assert os.listdir(tmp_path) == ["far.rle"]


def test_symbols_keep_their_names_whatever_number_another_agent_gives_them(tmp_path: Path) -> None:
    world = World({(0, 0): "a", (1, 0): "é"})
    for ending in ("rle", "npy"):
        path = str(tmp_path / f"world.{ending}")
        write_world(path, world, ("_", "é", "a"))
        assert read_world(path, ("_", "a", "x", "é")) == world
        with pytest.raises(GridError) as told:
            read_world(path, ("_", "a"))
        assert told.value.diagnostics[0].code == "G070"


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n", {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}),
        ("#N Glider\n#O somebody\n#CXRLE Pos=5,-2\nx=3,y=1\n o b\n o !\nanything", {(5, -2), (7, -2)}),
        ("x = 1, y = 9\n3$o3$\no!", {(0, 3), (0, 6)}),
        ("A.A!", {(0, 0), (2, 0)}),
        ("", set()),
        ("!", set()),
    ],
)
def test_patterns_of_golly_are_read(tmp_path: Path, text: str, cells: set[tuple[int, int]]) -> None:
    path = tmp_path / "pattern.rle"
    path.write_text(text, encoding="utf-8")
    world = read_world(str(path), ("_", "1"))
    assert set(world.cells) == cells and world.start == (0, 0)


@pytest.mark.parametrize("states", [2, 3, 25, 26, 49, 255, 256])
def test_every_state_has_a_name(tmp_path: Path, states: int) -> None:
    symbols = MANY[:states]
    world = World({(number, number % 3): symbol for number, symbol in enumerate(symbols) if number})
    assert again(world, tmp_path / "world.rle", symbols) == world


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 1, y = 1\n3q!", "G073"),
        ("x = 1, y = 1\n3?o!", "G073"),
        ("x = 1, y = 1\n3o3", "G073"),
        ("x = 1, y = 1\nB!", "G073"),
        ("x = 1, y = 1\nyX!", "G073"),
        ("x = 1, y = 1\n99999999999999999999o!", "G073"),
        (f"x = 1, y = 1\n{2 * FARTHEST}$o!", "G073"),
        ("999999o$" * 30 + "!", "G073"),
        ("#CXRLE Pos=9999999999999999999,0\no!", "G073"),
        ("#C gridlang symbols a b\no!", "G073"),
        ("#C gridlang symbols _ bb\no!", "G073"),
        ("#C gridlang symbols _ b\no!", "G070"),
    ],
)
def test_what_is_no_rle_is_refused_in_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, code: str
) -> None:
    monkeypatch.setattr(rle, "LIMITS", limits_with(LIMITS, rle_cells=LIMITS.rle_cells // 10))
    path = tmp_path / "bad.rle"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GridError) as told:
        read_world(str(path), ("_", "1"))
    assert told.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"\x93NUMPY\x01\x00",
        b"\x93NUMPY\x01\x00\x10\x00{'descr': 1}    \n",
        b"\x93NUMPY\x01\x00\x45\x00"
        + b"{'descr': '|u1', 'fortran_order': False, 'shape': (99999, 99999), }  \n",
    ],
)
def test_what_is_no_array_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.npy"
    path.write_bytes(data)
    with pytest.raises(GridError) as told:
        read_world(str(path), SYMBOLS)
    assert told.value.diagnostics[0].code == "G073"


def test_an_array_of_ones_own_is_a_world_by_the_numbers_of_the_alphabet(tmp_path: Path) -> None:
    path = str(tmp_path / "own.npy")
    np.save(path, np.asfortranarray(np.array([[0, 2], [1, 0], [0, 3]], np.int64)))
    assert read_world(path, SYMBOLS) == World({(1, 0): "a", (0, 1): "1", (1, 2): "#"})
    for wrong in (
        np.array([[99]]),
        np.array([[-1]]),
        np.array([0.5]),
        np.zeros((2, 2, 2), int),
        np.array("a"),
    ):
        np.save(path, wrong)
        with pytest.raises(GridError, match=r"not symbols|whole numbers"):
            read_world(path, SYMBOLS)
    np.save(path, np.array([1, 0, 1], bool))
    assert set(read_world(path, SYMBOLS).cells) == {(0, 0), (2, 0)}


def test_a_world_in_tiles_is_written_as_the_same_bytes_as_one_in_a_dictionary(tmp_path: Path) -> None:
    cells = {(x, (x * 7) % 30 - 9): SYMBOLS[1 + x % 10] for x in range(-90, 90)}
    for ending in ("txt", "png", "npy", "rle"):
        written = []
        for name, world in (("a", World(cells)), ("b", World(tiles_of(cells)))):
            path = tmp_path / f"{name}.{ending}"
            write_world(str(path), world, SYMBOLS)
            written.append(path.read_bytes())
        assert written[0] == written[1]
    assert isinstance(read_world(str(tmp_path / "a.rle"), SYMBOLS).cells, Tiles)


@given(st.sampled_from(["rle", "npy", "txt"]), any_worlds(), st.data())
@searched(60)
def test_a_damaged_file_is_another_world_or_an_error(
    folder: Path, ending: str, world: World, data: st.DataObject
) -> None:
    path = folder / f"damaged.{ending}"
    write_world(str(path), world, SYMBOLS)
    written = path.read_bytes()
    begin = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(begin, min(begin + 8, len(written))))
    path.write_bytes(written[:begin] + data.draw(st.binary(max_size=6)) + written[end:])
    try:
        read_world(str(path), SYMBOLS)
    except GridError as error:
        assert error.diagnostics[0].code in ("G001", "G070", "G072", "G073", "G074")


@given(st.text("0123456789bo$!.ABXpqy \n#x=_", max_size=60))
@searched(100)
def test_any_text_is_a_pattern_or_an_error(folder: Path, text: str) -> None:
    path = folder / "any.rle"
    path.write_text(text, encoding="utf-8")
    try:
        world = read_world(str(path), SYMBOLS)
    except GridError as error:
        assert error.diagnostics[0].code in ("G070", "G073")
    else:
        assert world.used() <= set(SYMBOLS)
