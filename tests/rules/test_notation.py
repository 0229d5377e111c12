"""Moves and positions as text and back, and what is refused in them."""

from __future__ import annotations

from hashlib import blake2b

import pytest

from samedeal_rules import BadNotation, Game, Move, Position, UnknownGame, deal, every_game, find
from samedeal_rules.notation import (
    DEAL,
    DRAW,
    REDEAL,
    decode_position,
    move_text,
    parse_move,
    parse_position,
)

TUXEDO = find("tuxedo")
THIEVES = find("forty-thieves")
every_game_and_variant = pytest.mark.parametrize("game", every_game(), ids=lambda game: game.key)


# Moves


@every_game_and_variant
def test_every_move_between_two_piles_survives_its_text(game: Game) -> None:
    count = len(game.piles)
    moves = [Move(a, b, n) for a in range(count) for b in range(count) for n in (1, 2, 13)]
    assert [parse_move(game, move_text(game, move)) for move in moves] == moves


def test_a_move_names_piles_and_more_than_one_card() -> None:
    assert move_text(TUXEDO, parse_move(TUXEDO, "T3-F1")) == "T3-F1"
    assert parse_move(TUXEDO, "T1-T4:3").cards == 3
    assert move_text(TUXEDO, parse_move(TUXEDO, "T1-T4:1")) == "T1-T4"


@pytest.mark.parametrize(("text", "move"), [("draw", DRAW), ("deal", DEAL), ("redeal", REDEAL)])
def test_stock_actions_are_words_in_every_game(text: str, move: Move) -> None:
    assert parse_move(TUXEDO, text) == move
    assert move_text(TUXEDO, move) == text


@pytest.mark.parametrize(("typed", "meant"), [(" t3-f1 ", "T3-F1"), ("DRAW", "draw")])
def test_what_people_type_is_read(typed: str, meant: str) -> None:
    assert move_text(TUXEDO, parse_move(TUXEDO, typed)) == meant


@pytest.mark.parametrize(
    "text",
    [
        *["", "T3", "T3-", "T3F1", "T3-F1:0", "T3-F1:01", "T3-F1:-1", "T3-F1:x", "T3 - F1"],
        *["pass", "T3-F1\nT3-F2", "T\u0663-F1", "x" * 10_000, "T3-F1:1000"],
    ],
)
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(BadNotation, match="is not a move: write T3-F1"):
        parse_move(TUXEDO, text)


@pytest.mark.parametrize("text", ["T8-F1", "T0-F1", "T1-W", "S-T1", "T1-T", "Z1-F1", "T01-F1"])
def test_a_pile_that_is_not_on_the_table_is_refused(text: str) -> None:
    with pytest.raises(BadNotation, match="there are F1-F4, T1-T7, C1-C7"):
        parse_move(TUXEDO, text)


@pytest.mark.parametrize("move", [Move(-1, 0, 1), Move(0, 99, 1), Move(0, 1, 0), Move(0, 1, -1)])
def test_a_move_off_the_table_has_no_text(move: Move) -> None:
    with pytest.raises(BadNotation, match="is not a move of Tuxedo"):
        move_text(TUXEDO, move)


# Positions


def test_a_position_is_a_line_a_pile_and_the_counters_that_the_game_has() -> None:
    text = deal(find("amazons"), "x").position().text()
    names = [line.partition(":")[0] for line in text.splitlines()]
    assert names == ["game", "F1", "F2", "F3", "F4", "R1", "R2", "R3", "R4", "S", "plays", "idle"]


@every_game_and_variant
def test_a_dealt_position_survives_its_text_and_its_bytes(game: Game) -> None:
    table = deal(game, "there-and-back")
    position = table.position()
    assert parse_position(position.text()) == position
    assert parse_position(position.text()).text() == position.text()
    assert decode_position(game, table.snapshot()) == position


@every_game_and_variant
def test_a_view_survives_its_text(game: Game) -> None:
    view = deal(game, "there-and-back").view()
    assert parse_position(view.text()) == view


def test_what_a_position_leaves_out_is_empty_and_at_its_start() -> None:
    position = parse_position("game: st-helena\nT3: 8C")
    assert position.piles[0] == ()
    assert position.redeals == 0
    assert position.text().splitlines()[-1] == "redeals: 0"


def test_the_stock_is_written_next_card_first() -> None:
    table = deal(THIEVES, "x")
    first = table.position().text().splitlines()[-2].split()[1]
    table.play(DRAW)
    assert table.position().text().splitlines()[-1] == f"W: {first}"


def test_hidden_cards_may_be_counted_instead_of_drawn() -> None:
    many = parse_position("game: forty-thieves\nS: 64 cards hidden")
    drawn = parse_position("game: forty-thieves\nS: " + "-- " * 64)
    assert many == drawn
    assert parse_position("game: forty-thieves\nS: 1 card hidden").hides


def test_a_base_rank_is_printed_once_it_is_fixed() -> None:
    table = deal(find("chessboard"), "x")
    assert "base" not in table.position().text()
    table.play(parse_move(table.game, "T1-F1"))
    base = table.position().text().splitlines()[-1]
    assert base == f"base: {table.position().text().splitlines()[1][4]}"


def test_a_counter_that_a_game_does_not_have_may_be_said_to_be_nought() -> None:
    assert parse_position("game: forty-thieves\nredeals: 0").redeals == 0


def test_blank_lines_and_spaces_do_not_matter() -> None:
    loose = "\n  game:  fortress \n\n T1 :  9H   8C\n"
    assert parse_position(loose) == parse_position("game: fortress\nT1: 9H 8C")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "begins with a line such as"),
        ("T1: 9H", "begins with a line such as"),
        ("game:", "begins with a line such as"),
        ("game: fortress\nT11: 9H", "has no pile 'T11': there are F1-F4, T1-T10"),
        ("game: fortress\nS: 9H", "has no pile 'S'"),
        ("game: fortress\nT1 9H", "is not a line of a position"),
        ("game: fortress\nT1: 9H\nT1: 8H", "says T1 twice"),
        ("game: fortress\nT1: 9h", "'9h' is not a card"),
        ("game: fortress\nT1: 9H\nT2: 9H", "has 9H twice: the pack of Fortress has 1 of them"),
        ("game: forty-thieves\nT1: 9H 9H 9H", "has 9H 3 times"),
        ("game: boomerang\nT1: 2H", "the pack of Boomerang has no such card"),
        ("game: fortress\nT1: 53 cards hidden", "has 53 cards: the pack of Fortress has 52"),
        ("game: fortress\nredeals: 1", "has no counter redeals"),
        ("game: fortress\nbase: A", "has no counter base"),
        ("game: opus\nbase: 10", "'10' is not a base rank"),
        ("game: opus\nbase: 0", "'0' is not a base rank"),
        ("game: st-helena\nredeals: x", "redeals counts from 0"),
        ("game: st-helena\nredeals: -1", "redeals counts from 0"),
        ("game: st-helena\nredeals: 256", "redeals counts from 0"),
        ("game: st-helena\nredeals: 1\nredeals: 1", "says redeals twice"),
        ("game: fortress\n" + "T1: 9H\n" * 1000, "at most 4096 characters"),
    ],
)
def test_what_is_no_position_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadNotation, match=reason):
        parse_position(text)


def test_an_unknown_game_is_told_the_nearest_ones() -> None:
    with pytest.raises(UnknownGame, match="did you mean forty-thieves"):
        parse_position("game: forty-theives")


@pytest.mark.parametrize("code", [b"", b"\0\0\0\0", b"\0" * 30, b"\0\0\0\0" + b"\1" * 14])
def test_bytes_that_are_no_snapshot_are_refused(code: bytes) -> None:
    with pytest.raises(BadNotation, match="no position of Fortress"):
        decode_position(find("fortress"), code)


# Digests


def test_a_digest_is_what_the_protocol_says_it_is() -> None:
    text = "game: board-patience\nF1: TS\nT1: 9H 8C --\nbase: T"
    empty = b"\x3f"
    piles = b"\x3a\x3f" + empty * 3 + b"\x29\x08\x00\x3f" + empty * 9
    code = b"board-patience\0" + b"\0\x0a\0\0" + piles
    assert parse_position(text).digest() == blake2b(code, digest_size=8).hexdigest()


def test_a_digest_tells_games_piles_order_and_counters_apart() -> None:
    texts = [
        "game: st-helena\nT1: 9H 8C",
        "game: st-helena\nT2: 9H 8C",
        "game: st-helena\nT1: 8C 9H",
        "game: st-helena\nT1: 9H\nT2: 8C",
        "game: st-helena\nT1: 9H 8C\nredeals: 1",
        "game: st-helena:row-exchange\nT1: 9H 8C",
        "game: box-kite\nT1: 9H 8C",
        "game: st-helena\nT1: -- 8C",
    ]
    assert len({parse_position(text).digest() for text in texts}) == len(texts)


@every_game_and_variant
def test_a_table_and_its_position_have_one_digest(game: Game) -> None:
    table = deal(game, "digest")
    position: Position = table.position()
    assert table.digest() == position.digest() == parse_position(position.text()).digest()
    assert table.view_digest() == table.view().digest()
    assert len(table.digest()) == 16
