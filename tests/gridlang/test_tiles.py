"""Tiles are a map like any other: every question has the answer that a dictionary gives."""

from __future__ import annotations

import pickle
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.source import Source
from gridlang.tiles import Tiles, tiles_of
from gridlang.world import (
    FARTHEST,
    World,
    picture_rows,
    source_world,
    world_line,
    world_picture,
)
from tests.strategies import tile_cells
from tests.support.searches import searched


@given(tile_cells())
@searched(60)
def test_tiles_answer_as_a_dictionary_does(cells: dict[tuple[int, int], str]) -> None:
    tiles = tiles_of(cells)
    assert tiles == cells and cells == tiles and MappingProxyType(cells) == tiles
    assert dict(tiles) == dict(tiles.items()) == {**tiles} == cells
    assert len(tiles) == len(cells) and bool(tiles) == bool(cells) and set(tiles) == set(cells)
    assert sorted(tiles.values()) == sorted(cells.values()) and tiles.used() == set(cells.values())
    assert all(cell in tiles and tiles[cell] == symbol for cell, symbol in cells.items())
    assert (0, 0) not in cells or (0, 0) in tiles
    assert pickle.loads(pickle.dumps(tiles)) == tiles


@given(tile_cells(), st.tuples(st.integers(-70, 70), st.integers(-20, 20)))
@searched(60)
def test_worlds_of_tiles_and_of_dictionaries_look_the_same(
    cells: dict[tuple[int, int], str], start: tuple[int, int]
) -> None:
    mine, other = World(tiles_of(cells), start), World(cells, start)
    assert mine == other and other == mine
    assert (mine.box, mine.frame, mine.text) == (other.box, other.frame, other.text)
    assert list(picture_rows(mine)) == list(picture_rows(other))
    assert (world_picture(mine), world_line(mine)) == (world_picture(other), world_line(other))


@given(tile_cells(), tile_cells())
@searched(60)
def test_tiles_are_equal_where_their_cells_are_whatever_their_alphabets(
    mine: dict[tuple[int, int], str], other: dict[tuple[int, int], str]
) -> None:
    assert (tiles_of(mine) == tiles_of(other)) == (mine == other)
    symbols = "_" + "".join(sorted(set("".join(mine.values())) | {"z"}, reverse=True))
    renamed = World(Tiles(symbols, tiles_of(mine).bands)).used()
    assert len(renamed) == len(set(mine.values()))


def test_a_cell_beyond_all_others_is_no_trouble() -> None:
    tiles = tiles_of({(0, 0): "a", (FARTHEST, -FARTHEST): "b"})
    assert tiles[FARTHEST, -FARTHEST] == "b" and len(tiles) == 2
    assert tiles.box() == (0, -FARTHEST, FARTHEST, 0)
    with pytest.raises(ValueError, match="too large for a text"):
        assert World(tiles).text


def test_a_large_picture_is_laid_into_tiles_and_a_small_one_is_not() -> None:
    row = "ab_" * 50
    small, large = (
        source_world(Source("<world>", "[a]" + "\n".join([row] * n)), ("_", "a", "b")) for n in (2, 400)
    )
    assert not isinstance(small.cells, Tiles) and isinstance(large.cells, Tiles)
    assert list(picture_rows(large))[1:] == [row] * 399
    assert list(picture_rows(small))[1] == list(picture_rows(large))[1]
