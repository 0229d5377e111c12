"""The table: refusals, outcomes, consequences, redeals, and what a position may be.

The rulebook's own positions and the laws over random play are in their own files; here is what a
table promises to those who use it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from samedeal_rules import (
    BadNotation,
    BadSeed,
    IllegalMove,
    Move,
    NothingToUndo,
    Outcome,
    Position,
    Table,
    deal,
    find,
    finishing,
    move_text,
    parse_move,
    parse_position,
    perft,
)
from samedeal_rules.cards import rank_of
from samedeal_rules.dealing import deal_again, reshuffle
from samedeal_rules.errors import REFUSALS
from samedeal_rules.notation import DEAL, REDEAL
from samedeal_rules.parts import Gather, Redeal


def at(key: str, position: str, seed: str = "") -> Table:
    return Table.from_position(parse_position(f"game: {key}\n{position}"), seed)


def play(table: Table, *moves: str) -> None:
    for move in moves:
        table.play(parse_move(table.game, move))


def pile(table: Table, name: str) -> str:
    lines = dict(line.split(":", 1) for line in table.position().text().splitlines())
    return lines[name].strip()


def finishing_texts(table: Table) -> list[str]:
    return [move_text(table.game, move) for move in finishing(table)]


ALL_CLUBS = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"

REFUSED = [
    ("game-won", "abandon-hope", f"W: {ALL_CLUBS}\nT1: AS", "T1-W"),
    ("game-won", "abandon-hope", f"W: {ALL_CLUBS}\nT1: AS", "redeal"),
    ("empty-source", "fortress", "T1: 9H", "T2-T1"),
    ("same-pile", "fortress", "T1: 9H", "T1-T1"),
    ("same-pile", "tuxedo", "T1: 9H 8H", "T1-T1:2"),
    ("one-way", "forty-thieves", "F3: AD 2D\nT9: 6D", "F3-T9"),
    ("one-way", "box-kite", "F1: KS QS JS TS 9S 8S 7S\nF5: AS 2S 3S 4S 5S 6S", "F1-F5"),
    ("base-card-stays", "binary-star", "F1: AS\nF2: KH", "F1-F2"),
    ("no-such-kind", "opus", "C1: 5C", "C1-C2"),
    ("no-such-kind", "box-kite:row-exchange", "F1: KS QS\nT1: JS", "F1-T1"),
    ("out-of-play", "abandon-hope", "W: 5C", "W-T1"),
    ("waste-by-action", "forty-thieves", "T1: 5C", "T1-W"),
    ("stock-by-action", "forty-thieves", "S: 5C\nT1: 6C", "S-T1"),
    ("stock-by-action", "forty-thieves", "S: 5C\nT1: 6C", "T1-S"),
    ("cell-full", "opus", "C1: 5C\nT1: 4C", "T1-C1"),
    ("wrong-suit", "abandon-hope", "T6: 7S", "T6-W"),
    ("no-building", "small-billee", "T1: 5C\nT2: 4C", "T1-T2"),
    ("no-building", "amazons", "R2: 9S\nR3: TS", "R2-R3"),
    ("does-not-build", "forty-thieves", "T1: 8H\nT3: 9D", "T1-T3"),
    ("does-not-build", "boomerang", "T1: 9S TS\nT2: 9S", "T2-T1"),
    ("does-not-build", "tuxedo", "T1: 9H 8H\nT2: JH", "T1-T2:2"),
    ("space-closed", "st-helena", "T1: 8H", "T1-T5"),
    ("space-closed", "boomerang", "T1: 8H", "T1-T5"),
    ("space-takes-other", "opus", "F1: 5S\nT1: 9H", "T1-T5"),
    ("space-takes-other", "tuxedo", "T1: QH", "T1-T5"),
    ("needs-other-foundation", "amazons", "F1: AH\nR2: 7H", "R2-F1"),
    ("needs-other-foundation", "amazons", "R2: AH", "R2-F3"),
    ("needs-other-foundation", "st-helena", "F1: KS\nT7: QS", "T7-F1"),
    ("foundation-order", "amazons", "F1: AH\nR1: 7S", "R1-F1"),
    ("foundation-order", "binary-star", "F1: AS\nT1: 5H", "T1-F1"),
    ("foundation-order", "fortress", f"F1: {ALL_CLUBS}\nT1: 5H", "T1-F1"),
    ("does-not-start", "chessboard", "F1: 9H\nT1: 4S", "T1-F2"),
    ("does-not-start", "binary-star", "T1: 4S", "T1-F2"),
    ("suit-has-its-foundation", "boomerang", "F1: 7S\nT1: 7S", "T1-F2"),
    ("one-card-only", "fortress", "T1: 9H 8H\nT2: TH", "T1-T2:2"),
    ("one-card-only", "tuxedo", "T1: 9H 8H", "T1-C2:2"),
    ("not-enough-cards", "tuxedo", "T1: 9H 8H\nT2: TH", "T1-T2:3"),
    ("not-a-run", "tuxedo", "T1: 9H 7H\nT2: TH", "T1-T2:2"),
    ("runs-to-spaces-only", "eight-on", "T1: 9H 8H\nT2: TH", "T1-T2:2"),
    ("no-such-action", "fortress", "T1: 9H", "draw"),
    ("no-such-action", "forty-thieves", "T1: 9H", "redeal"),
    ("stock-empty", "forty-thieves", "T1: 9H", "draw"),
    ("no-redeals-left", "st-helena", "T1: 9H\nredeals: 2", "redeal"),
    ("nothing-to-redeal", "small-billee", "C1: 9H", "redeal"),
    ("nothing-to-redeal", "amazons", "", "deal"),
    ("idle-limit", "amazons", "R1: QH\nidle: 1", "deal"),
]


# Refusals


@pytest.mark.parametrize(("code", "key", "position", "move"), REFUSED)
def test_a_refused_move_carries_its_code_and_changes_nothing(
    code: str, key: str, position: str, move: str
) -> None:
    table = at(key, position)
    before = table.position()
    with pytest.raises(IllegalMove) as caught:
        play(table, move)
    assert caught.value.code == code
    assert caught.value.refusal == table.refusal(parse_move(table.game, move))
    assert table.position() == before
    assert table.depth == 0


@pytest.mark.parametrize("move", [Move(99, 0, 1), Move(0, -99, 1), Move(-1, 4, 1), Move(14, 4, 1)])
def test_a_pile_that_is_on_no_table_is_refused(move: Move) -> None:
    table = at("fortress", "T10: 9H\nT1: TH")
    with pytest.raises(IllegalMove) as caught:
        table.play(move)
    assert caught.value.code == "no-such-pile"
    assert not table.may(move)


def test_every_code_of_a_refusal_is_met() -> None:
    assert {code for code, *_ in REFUSED} | {"no-such-pile"} == set(REFUSALS)


def test_sentences_name_what_the_player_sees_and_are_sentences() -> None:
    for _, key, position, move in REFUSED:
        table = at(key, position)
        refusal = table.refusal(parse_move(table.game, move))
        assert refusal is not None
        assert refusal.sentence[0].isupper() or refusal.sentence[0].isdigit()
        assert refusal.sentence.endswith(".")
        assert "--" not in refusal.sentence


@pytest.mark.parametrize(
    ("key", "position", "move", "sentence"),
    [
        ("opus", "F1: 5S\nT1: 9H", "T1-T5", "T5 is empty: it takes a 4, not 9H."),
        ("amazons", "F1: AH\nR1: 7S", "R1-F1", "7S does not go on AH: F1 takes 7H next."),
        ("boomerang", "T1: 9S TS\nT2: 9S", "T2-T1", "9S does not go on TS: T1 is built up in suit"),
        ("opus", "C1: 5C\nT1: 4C", "T1-C1", "C1 holds 5C: a cell has room for one card."),
        ("fortress", f"F1: {ALL_CLUBS}\nT1: 5H", "T1-F1", "5H does not go on KC: F1 is complete."),
    ],
)
def test_a_sentence_says_what_would_do(key: str, position: str, move: str, sentence: str) -> None:
    table = at(key, position)
    with pytest.raises(IllegalMove, match=sentence):
        play(table, move)


def test_a_refusal_read_later_speaks_of_the_position_that_it_was_made_in() -> None:
    table = at("chessboard", "F1: 9H\nT1: 5C 4C\nT2: TH\nT3: 7D")
    with pytest.raises(IllegalMove) as single:
        play(table, "T1-T3")
    play(table, "T2-F1", "T1-T2")
    assert single.value.sentence.startswith("4C does not go on 7D")

    table = at("tuxedo", "T1: 9H 8H\nT2: JH\nT3: QD")
    with pytest.raises(IllegalMove) as group:
        play(table, "T1-T2:2")
    play(table, "T1-C1", "T1-C2", "T2-C3")
    assert group.value.sentence.startswith("9H does not go on JH")


def test_an_illegal_move_can_be_made_of_a_code_and_a_sentence() -> None:
    error = IllegalMove("same-pile", "T1 is not played onto itself.")
    assert (error.code, str(error)) == ("same-pile", error.sentence)


# Outcomes


@pytest.mark.parametrize(
    ("key", "position", "move", "steps", "turned", "covered"),
    [
        ("fortress", "T1: 9H\nT2: TH", "T1-T2", ["T1-T2"], [], []),
        ("tuxedo", "T1: 9H 8H\nT2: TH", "T1-T2:2", ["T1-T2:2"], [], []),
        ("forty-thieves", "S: 9H 8H", "draw", ["S-W"], [("W", "9H")], []),
        ("boomerang", "T1: 9S\nT2: TS\nS: AH", "T1-T2", ["T1-T2", "S-T1"], [("T1", "AH")], []),
        ("boomerang", "T1: 9S\nT2: TS\nW: AH", "T1-T2", ["T1-T2", "W-T1"], [], []),
        ("boomerang", "T1: 9S\nT2: TS", "T1-T2", ["T1-T2"], [], []),
        ("st-helena", "T1: 2C 9H\nT2: TS", "T1-T2", ["T1-T2"], [("T1", "2C")], ["T2"]),
        ("st-helena", "T1: 9H\nT2: TS", "T1-T2", ["T1-T2"], [], ["T2"]),
        ("st-helena", "F1: KS\nT1: 2C QS", "T1-F1", ["T1-F1"], [("T1", "2C")], []),
        ("abandon-hope", "T3: 5C", "T3-W", ["T3-W"], [], []),
    ],
)
def test_an_outcome_says_what_moved_turned_up_and_was_covered(
    key: str,
    position: str,
    move: str,
    steps: list[str],
    turned: list[tuple[str, str]],
    covered: list[str],
) -> None:
    table = at(key, position)
    play(table, move)
    assert table.last() == Outcome(
        parse_move(table.game, move), tuple(steps), tuple(turned), covered=tuple(covered)
    )
    assert table.revealed == bool(turned)


def test_a_dealt_row_names_the_piles_that_got_a_card() -> None:
    full = "AH 7H 8H 9H TH JH QH"
    table = at("amazons", f"F1: {full}\nR2: 7S\nS: 7C 8C 9C TC")
    play(table, "deal")
    outcome = table.last()
    assert outcome.steps == ("S-R2", "S-R3", "S-R4")
    assert outcome.turned == (("R2", "7C"), ("R3", "8C"), ("R4", "9C"))
    assert table.revealed


@pytest.mark.parametrize(
    ("key", "position", "move"),
    [
        ("amazons", "R1: 7S 8S\nR2: 9S\nplays: 1", "deal"),
        ("small-billee", "T1: 7S 8S", "redeal"),
        ("abandon-hope", "T1: 7S\nS: 8S", "redeal"),
        ("st-helena", "T1: 7S 8S", "redeal"),
    ],
)
def test_a_redeal_needs_a_whole_view(key: str, position: str, move: str) -> None:
    table = at(key, position)
    before = table.position()
    play(table, move)
    assert table.last() == Outcome(parse_move(table.game, move), whole=True)
    assert table.revealed
    table.undo()
    assert table.position() == before
    assert not table.revealed


def test_nothing_played_is_nothing_to_tell_or_to_undo() -> None:
    table = deal(find("fortress"), "x")
    for ask in (table.last, table.undo):
        with pytest.raises(NothingToUndo):
            ask()


# Consequences


def test_a_fill_belongs_to_the_play_and_is_taken_back_with_it() -> None:
    table = at("boomerang", "T1: 9S\nT2: TS\nS: AH KD\nW: 7C")
    before = table.position()
    play(table, "T1-T2")
    assert (pile(table, "T1"), pile(table, "S"), pile(table, "W")) == ("AH", "KD", "7C")
    assert table.depth == 1
    assert table.undo() == parse_move(table.game, "T1-T2")
    assert table.position() == before


def test_the_first_play_to_a_foundation_fixes_the_base_until_it_is_taken_back() -> None:
    table = at("chessboard", "T1: 9H\nT2: 4S")
    play(table, "T1-F3")
    assert table.base == 9
    assert table.refusal(parse_move(table.game, "T2-F1")) is not None
    table.undo()
    assert table.base is None
    assert table.may(parse_move(table.game, "T2-F1"))


def test_a_base_that_a_position_gives_stands_without_foundations() -> None:
    table = at("chessboard", "T1: 9H\nT2: 4S\nbase: 9")
    assert table.refusal(parse_move(table.game, "T2-F1")) is not None
    play(table, "T1-F1")
    table.undo()
    assert table.base == 9


def test_passes_without_a_play_are_counted_and_a_play_starts_anew() -> None:
    table = at("amazons", "F1: AH\nR1: QC\nR2: 7H")
    play(table, "deal")
    assert (table.plays, table.idle) == (0, 1)
    while table.may(DEAL):
        table.play(DEAL)
    assert (table.plays, table.idle) == (0, 1)
    play(table, "R1-F1")
    assert table.plays == 1
    play(table, "deal")
    assert (table.plays, table.idle) == (0, 0)


def test_a_pile_that_is_back_to_one_card_is_built_either_way() -> None:
    table = at("boomerang", "F1: 7S 8S 9S\nT1: JS TS\nT2: QS\nT3: TS")
    assert not table.may(parse_move(table.game, "T2-T1"))
    play(table, "T1-F1")
    assert table.may(parse_move(table.game, "T2-T1"))
    assert table.may(parse_move(table.game, "T3-T1"))
    table.undo()
    assert not table.may(parse_move(table.game, "T2-T1"))


def test_after_a_win_nothing_is_legal_and_the_win_can_be_taken_back() -> None:
    table = at("abandon-hope", f"W: {ALL_CLUBS[:-3]}\nT1: KC\nT2: 9H\nS: 8H")
    play(table, "T1-W")
    assert table.won
    assert table.status.value == "won"
    assert table.legal() == []
    assert perft(table, 1) == 0
    table.undo()
    assert table.status.value == "playing"
    assert len(table.legal()) == 2


def test_a_win_is_a_win_also_where_foundations_give_cards_back() -> None:
    suits = [ALL_CLUBS.replace("C", suit) for suit in "CDHS"]
    rows = "\n".join(f"F{n + 1}: {cards}" for n, cards in enumerate(suits[:3]))
    table = at("tuxedo:foundation-exit", f"{rows}\nF4: {suits[3][:-3]}\nT1: KS")
    assert len(table.legal()) > 1
    play(table, "T1-F4")
    assert table.won
    assert table.legal() == []
    assert Table.restore(table.game, table.snapshot()).legal() == []


# Redeals


def test_a_reshuffle_depends_on_seed_number_and_cards_only() -> None:
    game = find("small-billee")
    cards = [card for card in game.pack if rank_of(card) > 1]
    shuffled = reshuffle(game, "s", 1, cards)
    assert shuffled == reshuffle(game, "s", 1, cards[::-1])
    assert shuffled != reshuffle(game, "s", 2, cards)
    assert shuffled != reshuffle(game, "t", 1, cards)
    fewer = [card for card in cards if rank_of(card) > 5]
    assert reshuffle(game, "s", 1, fewer) == [card for card in shuffled if rank_of(card) > 5]


def test_a_reshuffle_of_two_packs_keeps_both_copies() -> None:
    game = replace(
        find("forty-thieves"), key="shuffled", redeal=Redeal(gather=Gather.SHUFFLED, times=1)
    )
    cards = [*game.pack[:52], *game.pack[:10]]
    shuffled = reshuffle(game, "s", 1, cards)
    assert Counter(shuffled) == Counter(cards)
    assert shuffled != cards


def test_tables_of_one_seed_redeal_alike_and_tables_without_one_share_theirs() -> None:
    position = deal(find("abandon-hope"), "x").position()
    same = [Table.from_position(position, seed) for seed in ("a", "a", "b", "", "")]
    for table in same:
        table.play(REDEAL)
    texts = [table.position().text() for table in same]
    assert texts[0] == texts[1]
    assert texts[3] == texts[4]
    assert len(set(texts)) == 3


def test_fans_of_a_position_made_by_hand_lose_no_card_in_a_redeal() -> None:
    game = find("small-billee")
    fans, stock = deal_again(game, "s", 1, [list(game.pack), *[[] for _ in range(11)]], [])
    assert sorted(card for fan in fans for card in fan) == sorted(game.pack)
    assert stock == []


def test_a_redeal_takes_fans_up_and_leaves_cells_alone() -> None:
    table = at("small-billee", "T3: 5H 6H 7H\nT9: 2S 9D JC\nC2: 4H")
    play(table, "redeal")
    assert [len(cards) for cards in table.piles()[4:16]] == [4, 2, *[0] * 10]
    assert pile(table, "C2") == "4H"
    assert pile(table, "redeals") == "1"


# Stuck

SIX_CELLS = "C1: 2C\nC2: 2D\nC3: 2H\nC4: 2S\nC5: 9C\nC6: 9D"
EIGHT_CELLS = f"{SIX_CELLS}\nC7: 9H\nC8: 9S"


@pytest.mark.parametrize(
    ("key", "position", "status"),
    [
        ("fortress", "T1: 9H\nT2: 5S", "stuck"),
        ("fortress", "T1: 4C 9H\nT2: 5S", "playing"),
        ("tuxedo", "T1: KH QH", "playing"),
        ("eight-on", f"T1: KH QH\n{EIGHT_CELLS}\nT2: 4C\nT3: 4D\nT4: 4H\nT5: 4S", "stuck"),
        ("forty-thieves", "T1: 9H\nS: 2C", "playing"),
        ("small-billee", f"T1: KH\n{SIX_CELLS}\nredeals: 3", "stuck"),
        ("small-billee", f"T1: KH\n{SIX_CELLS}\nredeals: 2", "playing"),
        ("binary-star", "F1: AS 2D 3C 4H\nF2: KH QC JS\nT1: 3S", "playing"),
        ("binary-star", "F1: AS 2D 3C\nF2: KH AC\nT1: 2S", "playing"),
        ("binary-star", "F1: AS 2D 3C\nF2: KH AC 2C\nT1: AD", "playing"),
        ("binary-star", "F1: AS 2D 3C\nF2: KH AC 2C\nT1: 6S", "stuck"),
        ("binary-star", "F1: AS 2D 3C\nF2: KH QC\nT1: 6S", "stuck"),
    ],
)
def test_stuck_means_that_nothing_is_left_to_change(key: str, position: str, status: str) -> None:
    table = at(key, position)
    before = table.position()
    assert table.status.value == status
    assert table.position() == before
    assert table.depth == 0


# Finishing


def test_finishing_takes_everything_home_and_plays_nothing() -> None:
    suits = [ALL_CLUBS.replace("C", suit) for suit in "CDHS"]
    rows = "\n".join(f"F{n + 1}: {cards}" for n, cards in enumerate(suits[:3]))
    table = at("fortress", f"{rows}\nF4: {suits[3][:-9]}\nT1: KS\nT2: QS JS")
    assert finishing_texts(table) == ["T2-F4", "T2-F4", "T1-F4"]
    assert table.depth == 0


def test_there_is_no_plan_where_it_does_not_win() -> None:
    assert finishing_texts(deal(find("fortress"), "x")) == []
    assert finishing_texts(at("fortress", "T1: AS")) == []


def test_a_plan_never_depends_on_a_hidden_card() -> None:
    clubs, spades = ALL_CLUBS, ALL_CLUBS.replace("C", "S")
    down = " ".join(reversed(spades.split()))
    rows = [down] + [" ".join(reversed(clubs.replace("C", suit).split())) for suit in "DHC"]
    rows += [clubs, *(clubs.replace("C", suit) for suit in "DH")]
    home = "\n".join(f"F{n + 1}: {cards}" for n, cards in enumerate(rows))
    seen = at("st-helena", f"{home}\nF8: {spades[:-6]}\nT6: QS\nT7: KS\nredeals: 1")
    assert finishing_texts(seen) == ["T6-F8", "T7-F8"]
    buried = at("st-helena", f"{home}\nF8: {spades[:-6]}\nT6: KS QS\nredeals: 1")
    assert finishing_texts(buried) == []


def test_clubs_are_discarded_to_the_end_once_all_are_seen() -> None:
    table = at("abandon-hope", f"W: {ALL_CLUBS[:-6]}\nT1: KC\nT2: 9H\nT5: QC\nS: 8H")
    assert sorted(finishing_texts(table)) == ["T1-W", "T5-W"]
    table = at("abandon-hope", f"W: {ALL_CLUBS[:-6]}\nT1: KC\nT2: 9H\nS: 8H QC")
    assert finishing_texts(table) == []


# Tables from elsewhere


def test_a_copy_plays_on_by_itself() -> None:
    table = deal(find("boomerang"), "x")
    play(table, "draw")
    before = table.position()
    other = table.copy()
    assert other.position() == before
    assert other.legal() == table.legal()
    other.play(other.legal()[0])
    assert table.position() == before
    assert other.depth == 1


def test_a_snapshot_is_small_and_brings_everything_back() -> None:
    table = deal(find("st-helena"), "x")
    play(table, "redeal")
    snapshot = table.snapshot()
    again = Table.restore(table.game, snapshot, table.seed)
    assert len(snapshot) < 200
    assert again.position() == table.position()
    assert set(again.legal()) == set(table.legal())
    assert again.depth == 0


def test_a_seed_that_cannot_make_a_deal_is_refused() -> None:
    with pytest.raises(BadSeed):
        deal(find("fortress"), "")


@pytest.mark.parametrize(
    ("key", "position", "reason"),
    [
        ("forty-thieves", "T1: --", "can be shown, but not played"),
        ("opus", "C1: 5C 6C", "C1 is a cell: it holds one card at most"),
        ("fortress", "F1: AS 3S", "F1 cannot have 3S on AS"),
        ("fortress", "F1: AS 2H", "F1 cannot have 2H on AS"),
        ("fortress", "F1: 2S", "F1 does not begin with 2S"),
        ("st-helena", "F1: AS", "F1 does not begin with AS"),
        ("st-helena", "F5: AS KS", "F5 cannot have KS on AS"),
        ("boomerang", "F1: 7S 8S TS", "F1 cannot have TS on 8S"),
        ("boomerang", "F1: 7S 8S\nF2: 7S", "two foundations have the same suit"),
        ("boomerang", "T1: 9S 7S", "T1 cannot have 7S on 9S"),
        ("boomerang", "T1: 9S TS 9S", "T1 cannot have 9S on TS"),
        ("boomerang", "T1: KS AS KS", "T1 cannot have KS on AS"),
        ("binary-star", "F1: KH", "F1 does not begin with KH"),
        ("binary-star", "F1: AS 2D 4C", "F1 cannot have 4C on 2D"),
        ("abandon-hope", "W: 5C 6H", "W holds cards that are never discarded"),
        ("opus", "F1: 5S\nF2: 6H", "begin with different ranks"),
        ("opus", "F1: 5S\nbase: 6", "not with the base rank"),
        ("st-helena", "redeals: 3", "redeals is at most 2"),
        ("amazons", "idle: 2", "idle is at most 1"),
        ("amazons", "plays: 29", "plays is at most 28"),
    ],
)
def test_what_the_rules_cannot_have_is_refused_with_the_reason(
    key: str, position: str, reason: str
) -> None:
    with pytest.raises(BadNotation, match=reason):
        at(key, position)


def test_a_position_made_by_hand_is_judged_like_one_that_was_read() -> None:
    fortress, empty = find("fortress"), ()
    piles = (empty,) * len(fortress.piles)
    nines = (*piles[:4], (41,), (41,), *piles[6:])
    for position, reason in [
        (Position(fortress, nines), "has 9H twice"),
        (Position(fortress, ((63,), *piles[1:])), "is not a card's code"),
        (Position(fortress, piles, redeals=1), "redeals is at most 0"),
        (Position(fortress, piles, base=3), "has no base rank"),
    ]:
        with pytest.raises(BadNotation, match=reason):
            Table.from_position(position)


def test_a_partial_position_is_empty_where_it_says_nothing() -> None:
    table = at("opus", "F2: 5H\nT4: 6H")
    assert table.base == 5
    assert table.may(parse_move(table.game, "T4-F2"))
    assert table.home == 1
    assert not table.won


@pytest.mark.parametrize(
    "line",
    [
        "F1: 7S 8S 9S TS JS QS KS AS KS QS JS TS 9S 8S 7S AS",
        "T1: QH KH AH",
        "T2: AS KS QS",
        "T3: 9S",
    ],
)
def test_piles_that_play_can_make_are_taken(line: str) -> None:
    assert line in at("boomerang", line).position().text().splitlines()


# Deals


def test_opus_deals_three_bases_and_the_beak_first() -> None:
    table = deal(find("opus"), "beak")
    piles = table.piles()
    assert [len(cards) for cards in piles] == [1, 1, 1, 0, *[7] * 7, *[0] * 5]
    assert {rank_of(piles[at][0]) for at in (0, 1, 2, 4)} == {table.base}


def test_eight_on_deals_the_aces_deepest_and_fills_the_cells() -> None:
    piles = deal(find("eight-on"), "aces").piles()
    assert [len(cards) for cards in piles] == [*[0] * 4, *[6] * 4, *[5] * 4, *[1] * 8]
    assert [rank_of(cards[0]) for cards in piles[4:8]] == [1, 1, 1, 1]


def test_bases_lie_in_suit_order_from_the_start() -> None:
    text = deal(find("st-helena"), "x").position().text()
    bases = [line.split()[1] for line in text.splitlines() if line.startswith("F")]
    assert bases == ["KC", "KD", "KH", "KS", "AC", "AD", "AH", "AS"]


def test_cells_filled_deals_cells_first_and_fans_of_four_and_three() -> None:
    table = deal(find("small-billee:cells-filled"), "x")
    expected = [*[1] * 4, *[4] * 6, *[3] * 6, *[1] * 6]
    assert [len(cards) for cards in table.piles()] == expected
