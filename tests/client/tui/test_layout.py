"""Where piles and cards lie: for every game, at every size, however long its columns are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samedeal_client.tui.layout import FACES, arrange, has_room_beside, is_fanned, least_size
from samedeal_client.tui.spots import Place
from samedeal_rules import GAMES, Game, Position, deal, find

SIZES = ((80, 20), (66, 26), (128, 44))
TIGHT = (60, 13)


def heaped(game: Game) -> Position:
    """A board on which every tableau card lies on the first pile: longer than any play makes it."""
    view = deal(game, "1").view()
    at = [game.piles.index(name) for name in game.piles if name[0] == game.tableau.key]
    piles = list(view.piles)
    piles[at[0]] = tuple(card for pile in at for card in piles[pile])
    for pile in at[1:]:
        piles[pile] = ()
    return replace(view, piles=tuple(piles))


def boards(game: Game) -> list[Position]:
    table = deal(game, "friday-night")
    dealt = table.view()
    for _ in range(60):
        legal = sorted(table.legal())
        if not legal:
            break
        table.play(legal[len(legal) // 2])
    return [dealt, table.view(), heaped(game)]


def cells(place: Place) -> set[tuple[int, int]]:
    columns, rows = range(place.x, place.x + place.width), range(place.y, place.y + place.height)
    return {(x, y) for x in columns for y in rows}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_no_card_lies_on_another_or_beyond_the_screen(game: Game) -> None:
    for width, height in (*SIZES, TIGHT):
        for position in boards(game):
            layout = arrange(game, position, width, height)
            assert tuple(layout.spots) == game.piles
            taken: set[tuple[int, int]] = set()
            for spot in layout.spots.values():
                assert 0 <= spot.y < height
                own: set[tuple[int, int]] = {(spot.x + at, spot.y) for at in range(len(spot.pile))}
                for place in spot.places:
                    assert not own & cells(place), (game.key, spot)
                    own |= cells(place)
                assert not own & taken, (game.key, spot)
                taken |= own
            assert all(0 <= x < width and 0 <= y < height for x, y in taken), (width, height)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_at_80_by_24_every_card_that_may_be_seen_is_drawn(game: Game) -> None:
    for position in boards(game)[:2]:
        layout = arrange(game, position, 80, 20)
        for name, cards in zip(game.piles, position.piles, strict=True):
            spot = layout.spots[name]
            assert not spot.is_cut
            drawn = [place.at for place in spot.places]
            wanted = list(range(len(cards))) if is_fanned(game, name) else [len(cards) - 1]
            assert drawn == (wanted or [-1])


def test_a_column_of_sixteen_stays_one_card_a_line_in_forty_thieves() -> None:
    game = find("forty-thieves")
    view = deal(game, "1").view()
    piles = list(view.piles)
    first = game.piles.index("T1")
    piles[first] = tuple(card for pile in range(first, first + 4) for card in piles[pile])
    layout = arrange(game, replace(view, piles=tuple(piles)), 80, 20, large=False)
    assert [place.y for place in layout.spots["T1"].places] == list(range(3, 19))


def test_a_column_that_is_too_long_lies_several_cards_a_line_and_ends_with_its_top_card() -> None:
    game = find("beleaguered-castle")
    heap = heaped(game)
    piles = tuple(pile[:30] for pile in heap.piles)
    places = arrange(game, replace(heap, piles=piles), 80, 20).spots["T1"].places
    assert len(places) == 30
    assert len({place.y for place in places}) < len(places)
    top = places[-1]
    assert top.is_whole
    assert all(place.y < top.y for place in places[:-1])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_larger_screens_have_larger_cards(game: Game) -> None:
    view = deal(game, "1").view()
    small, wide = (arrange(game, view, *size).face for size in ((80, 20), (160, 60)))
    assert wide in FACES[:5]
    assert wide.width >= small.width
    assert arrange(game, view, 160, 60, large=False).face.height == 1


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_board_can_still_be_read_at_its_least_size(game: Game) -> None:
    width, height = least_size(game)
    view = deal(game, "1").view()
    layout = arrange(game, view, width, height)
    assert layout.height <= height
    assert all(spot.x + spot.top.width <= width for spot in layout.spots.values())
    assert width <= 40


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_cell_of_a_card_means_its_pile_and_the_cards_above_it(game: Game) -> None:
    position = boards(game)[1]
    layout = arrange(game, position, 80, 20)
    for name, spot in layout.spots.items():
        for place in spot.places:
            depth = max(1, spot.top.at - place.at + 1)
            for x, y in cells(place):
                assert layout.hit(x, y) == (name, depth)


def test_rows_stay_where_they_are_while_piles_shrink() -> None:
    game = find("fortress")
    view = deal(game, "1").view()
    piles = tuple(
        pile[:1] if name[0] == "T" else pile
        for name, pile in zip(game.piles, view.piles, strict=True)
    )
    shrunk = arrange(game, replace(view, piles=piles), 80, 20)
    assert shrunk.spots["T6"].y == arrange(game, view, 80, 20).spots["T6"].y


def test_a_mirrored_table_has_its_stock_on_the_right_and_its_columns_in_order() -> None:
    game = find("forty-thieves")
    spots = arrange(game, deal(game, "1").view(), 80, 20, mirror=True).spots
    assert spots["S"].x > spots["W"].x > spots["F8"].x > spots["F1"].x
    columns = [spots[f"T{number}"].x for number in range(1, 11)]
    assert columns == sorted(columns)


def test_arrows_go_to_the_next_pile_and_stay_at_the_edge() -> None:
    game = find("forty-thieves")
    layout = arrange(game, deal(game, "1").view(), 80, 20)
    assert layout.beside("T1", 1, 0) == "T2"
    assert layout.beside("T1", -1, 0) == "T1"
    assert layout.beside("T1", 0, -1) == "S"
    assert layout.beside("W", 0, 1) == "T2"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_pile_can_be_reached_by_arrows(game: Game) -> None:
    layout = arrange(game, deal(game, "1").view(), 80, 20)
    reached, new = {game.piles[0]}, [game.piles[0]]
    while new:
        pile = new.pop()
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            beside = layout.beside(pile, dx, dy)
            if beside not in reached:
                reached.add(beside)
                new.append(beside)
    assert reached == set(game.piles)


def test_what_stands_beside_a_board_makes_no_small_cards_of_it() -> None:
    forty_thieves = find("forty-thieves")  # ten columns of seven cells
    assert not has_room_beside(forty_thieves, 100, 27, 34, large=True)
    assert has_room_beside(forty_thieves, 104, 27, 34, large=True)
    assert has_room_beside(forty_thieves, 100, 27, 34, large=False), "they are small already"
