"""Boards as pictures: cards, empty places, and marks that are seen without any colour."""

from __future__ import annotations

from samedeal_client.tui.cards import Marks, draw, face_text
from samedeal_client.tui.flight import flights_between, grown
from samedeal_client.tui.inks import style_of
from samedeal_client.tui.layout import arrange
from samedeal_client.tui.look import Palette
from samedeal_client.tui.picture import Ink, Picture
from samedeal_rules import GAMES, deal, find, parse_move
from samedeal_rules.cards import parse_card

from .stage import agrees_with_golden


def drawn(
    key: str, marks: Marks, *, has_signs: bool = True, size: tuple[int, int] = (80, 20)
) -> str:
    game = find(key)
    view = deal(game, "friday-night").view()
    return draw(game, view, arrange(game, view, *size), marks, has_signs=has_signs).text()


def test_every_game_as_it_is_dealt_at_80_by_24() -> None:
    boards = [f"--- {game.key}\n{drawn(game.key, Marks())}" for game in GAMES]
    assert agrees_with_golden("boards", "\n".join(boards))


def test_a_ten_takes_three_cells_and_letters_stand_for_suits_where_signs_are_not_shown() -> None:
    assert face_text(parse_card("TH"), has_signs=True) == "10♥"
    assert face_text(parse_card("AS"), has_signs=False) == "AS"


def test_nothing_but_ascii_is_drawn_where_signs_are_not_shown() -> None:
    for game in GAMES:
        assert drawn(game.key, Marks(cursor=game.piles[0]), has_signs=False).isascii()


def test_marks_have_shapes_of_their_own() -> None:
    marks = Marks(
        cursor="T1",
        lifted=("T1", 1),
        targets=frozenset({"T2", "F1"}),
        movable=frozenset({"T3"}),
        fresh=frozenset({"T4"}),
    )
    lines = [line.split("  ") for line in drawn("fortress", marks).splitlines()]
    said = [[part.strip() for part in line if part.strip()] for line in lines]
    assert said[1] == ["> [] <", "[]", "[]", "[]"]
    assert said[2] == ["[T1]", "T2", "T3", "T4", "T5"]
    assert said[7][-3:] == [". Q♣", "* 2♣", "9♦"]
    assert said[8] == ["( A♣ )", "> 8♠ <"]


def test_cards_in_hand_are_marked_from_the_first_one_lifted() -> None:
    lines = drawn("forty-thieves", Marks(lifted=("T1", 2)), size=(80, 12)).splitlines()
    assert [line.strip()[0] == "(" for line in lines[2:]] == [False, False, False, True, True]


def test_a_picture_leaves_out_what_does_not_fit() -> None:
    picture = Picture(4, 1)
    picture.put(2, 0, "abcd", Ink("label"))
    picture.put(0, 5, "below", Ink("label"))
    assert picture.text() == "  ab"
    assert list(picture.row(0)) == [("  ", Ink()), ("ab", Ink("label"))]


def test_paired_colours_keep_red_suits_apart_from_each_other_and_from_black_ones() -> None:
    colours = {suit: style_of(Ink(suit), Palette.PAIRED).color for suit in "CDHS"}
    assert len({str(colour) for colour in colours.values()}) == 4
    two = {suit: str(style_of(Ink(suit), Palette.TWO).color) for suit in "CDHS"}
    assert two["D"] == two["H"] != two["C"] == two["S"]


def test_without_colours_nothing_has_one_and_cards_in_hand_still_differ() -> None:
    inks = [Ink(kind, state) for kind in "CDHS" for state in ("", "covered", "lifted")]
    styles = [style_of(ink, Palette.MONO) for ink in inks]
    assert all(style.color is None and style.bgcolor is None for style in styles)
    assert len(set(styles[:3])) == 3


def test_a_card_flies_from_its_pile_to_the_other_and_is_not_there_before_it_lands() -> None:
    table = deal(find("forty-thieves"), "friday-night")
    game, before = table.game, table.view()
    table.play(parse_move(game, "T9-F1"))
    after = table.view()
    layouts = arrange(game, before, 80, 20), arrange(game, after, 80, 20)
    (flight,) = flights_between(game, before, after, *layouts)
    start, end = layouts[0].spots["T9"].top, layouts[1].spots["F1"].top
    assert flight.at(0) == (start.x, start.y)
    assert flight.at(1) == (end.x, end.y)
    assert flight.under.piles[game.piles.index("F1")] == ()
    assert grown(game, before, after) == {"F1"}
