"""Laws that every game keeps in random play, and the engine against the naive model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import naive
from rules.casebook import PROOFS, SolvedCase, solved_cases
from rules.strategies import GAMES, IDS, Walk, examples, legal_texts, next_move, steps_of, walks
from samedeal_rules import (
    Game,
    IllegalMove,
    Move,
    NothingToUndo,
    Outcome,
    Table,
    deal,
    find,
    finishing,
    move_text,
    parse_move,
    parse_position,
    perft,
)
from samedeal_rules.catalogue import describe
from samedeal_rules.errors import REFUSALS

every_game_and_variant = pytest.mark.parametrize("game", GAMES, ids=IDS)
HIDDEN = "--"


def text_of(table: Table) -> str:
    return table.position().text()


def lines_of(text: str) -> dict[str, list[str]]:
    return {name: rest.split() for name, _, rest in (x.partition(":") for x in text.splitlines())}


def all_moves(table: Table) -> Iterator[Move]:
    """Every (source, target, count) there is, also some that no table has."""
    piles = table.piles()
    for source, pile in enumerate(piles):
        for target in range(len(piles)):
            for count in range(-1, len(pile) + 2):
                yield Move(source, target, count)
    for outside in (-1, -len(piles), len(piles), 255):
        for other in range(len(piles)):
            yield Move(outside, other, 1)
            yield Move(other, outside, 1)
            yield Move(outside, other, 2)
            yield Move(other, outside, 2)
    for action in ("draw", "deal", "redeal"):
        yield parse_move(table.game, action)


# -- legal moves -----------------------------------------------------------------------------------


@every_game_and_variant
@examples(2)
@given(walk=walks(60))
def test_a_move_is_listed_exactly_when_it_may_be_played(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    list(steps_of(walk, table))
    before = text_of(table)
    listed = table.legal()
    assert len(set(listed)) == len(listed)
    for move in all_moves(table):
        assert table.may(move) == (move in listed), move
        refusal = table.refusal(move)
        assert (refusal is None) == (move in listed), move
        if refusal is None:
            table.play(move)
            assert table.undo() == move
        else:
            with pytest.raises(IllegalMove) as caught:
                table.play(move)
            assert caught.value.code == refusal.code in REFUSALS
            assert caught.value.sentence == refusal.sentence
            assert refusal.sentence[-1] in ".!"
    assert text_of(table) == before


@every_game_and_variant
@examples(2)
@given(walk=walks(30))
def test_legal_moves_and_their_effects_are_those_of_the_naive_model(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    model = naive.deal(game.key, walk.seed)
    assert legal_texts(table) == model.legal()
    for move in steps_of(walk, table):
        model.play(move_text(game, move))
        assert text_of(table) == model.text()
        assert legal_texts(table) == model.legal()
        assert (table.won, table.home) == (model.won, model.home)
    assert table.stuck == model.stuck


ONE_SOLUTION = {case.position.split("\n")[0]: case for case in solved_cases() if case.moves}


@pytest.mark.parametrize("case", ONE_SOLUTION.values(), ids=lambda case: case.name)
def test_the_naive_model_agrees_all_the_way_to_a_win(case: SolvedCase) -> None:
    assert case.moves is not None
    table = Table.from_position(parse_position(case.position), "x")
    model = naive.open_position(case.position, "x")
    for number, move in enumerate(case.moves):
        table.play(parse_move(table.game, move))
        model.play(move)
        assert text_of(table) == model.text()
        if number % 7 == 0:
            assert legal_texts(table) == model.legal()
    assert table.won
    assert model.won


@examples(6)
@given(seed=st.integers(0, 10**6).map(str))
def test_amazons_agrees_with_the_naive_model_to_its_end(seed: str) -> None:
    """Completed foundations, regathers and idle passes come late: play eagerly until the end."""
    game = find("amazons")
    walk = Walk(seed, whim=0, length=400, keen=9)
    table, model = walk.table(game), naive.deal(game.key, seed)
    for move in steps_of(walk, table):
        model.play(move_text(game, move))
        assert text_of(table) == model.text()
        assert legal_texts(table) == model.legal()
    assert table.won or table.stuck or table.depth == walk.length


@every_game_and_variant
@examples(1)
@given(walk=walks(60))
def test_move_sequences_are_counted_as_the_naive_model_counts_them(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    list(steps_of(walk, table))
    model = naive.open_position(text_of(table), walk.seed)
    assert perft(table, 0) == 1
    assert perft(table, 1) == len(table.legal()) == model.perft(1)
    if len(table.legal()) < 25:
        assert perft(table, 2) == model.perft(2)


@pytest.mark.parametrize("key", naive.GAMES)
def test_the_kept_move_counts_are_those_of_the_naive_model(key: str) -> None:
    first = (PROOFS / key / "perft.txt").read_text("utf-8").splitlines()[0]
    seed, _, counts = first.partition(": ")
    model = naive.deal(key, seed)
    assert counts.split()[:2] == [str(model.perft(1)), str(model.perft(2))]


# -- cards -----------------------------------------------------------------------------------------


@every_game_and_variant
@examples(4)
@given(walk=walks())
def test_cards_are_conserved(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    pack = sorted(game.pack)
    for _ in steps_of(walk, table):
        assert sorted(card for pile in table.piles() for card in pile) == pack


@every_game_and_variant
@examples(4)
@given(walk=walks())
def test_foundations_only_grow_unless_the_variant_says_otherwise(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    home = {at: tuple(table.piles()[at]) for at in game.home}
    total = table.home
    stars = game.key == "binary-star"
    for _ in steps_of(walk, table):
        after = {at: tuple(table.piles()[at]) for at in game.home}
        if "foundation-exit" not in game.key:
            assert table.home >= total
            if not stars and "row-exchange" not in game.key:
                for at, cards in home.items():
                    assert after[at][: len(cards)] == cards
        for at, cards in home.items():
            assert after[at][:1] == cards[:1] or not cards, "base cards stay"
        home, total = after, table.home


# -- undo ------------------------------------------------------------------------------------------


@every_game_and_variant
@examples(4)
@given(walk=walks(), data=st.data())
def test_undo_restores_everything_also_when_interleaved(
    game: Game, walk: Walk, data: st.DataObject
) -> None:
    table = walk.table(game)
    past = [(text_of(table), legal_texts(table), table.status)]
    chance = walk.chance()
    for _ in range(walk.length):
        if len(past) > 1 and chance.random() < 0.35:
            table.undo()
            past.pop()
            assert (text_of(table), legal_texts(table), table.status) == past[-1]
            continue
        move = next_move(table, chance, walk.keen)
        if move is None:
            break
        table.play(move)
        past.append((text_of(table), legal_texts(table), table.status))
        assert table.depth == len(past) - 1
    while len(past) > 1:
        past.pop()
        table.undo()
        assert text_of(table) == past[-1][0]
    with pytest.raises(NothingToUndo):
        table.undo()


# -- texts, snapshots, digests ---------------------------------------------------------------------


@every_game_and_variant
@examples(4)
@given(walk=walks())
def test_a_position_survives_its_text_and_its_snapshot(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    list(steps_of(walk, table))
    position = table.position()
    assert parse_position(position.text()) == position
    assert len(table.snapshot()) < 200
    status, home = table.status, table.home
    for again in (
        Table.from_position(parse_position(position.text()), walk.seed),
        Table.restore(game, table.snapshot(), walk.seed),
        table.copy(),
    ):
        assert again.position() == position
        assert again.digest() == table.digest() == position.digest()
        assert again.view() == table.view()
        assert set(again.legal()) == set(table.legal())
        assert (again.status, again.home, again.depth) == (status, home, 0)
        before = table.depth
        for move in steps_of(walk, again):
            table.play(move)
            assert table.last() == again.last()
            assert table.position() == again.position()
        while table.depth > before:
            table.undo()


@every_game_and_variant
@examples(4)
@given(walk=walks())
def test_every_move_survives_its_text(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    list(steps_of(walk, table))
    for move in table.legal():
        text = move_text(game, move)
        assert parse_move(game, text) == parse_move(game, text.lower()) == move


@every_game_and_variant
@examples(2)
@given(walk=walks(60), other=walks(60))
def test_digests_agree_exactly_when_positions_do(game: Game, walk: Walk, other: Walk) -> None:
    positions: dict[str, str] = {}
    views: dict[str, str] = {}
    for each in (walk, other, Walk(walk.seed, other.whim, 40, other.keen)):
        table = each.table(game)
        for _ in steps_of(each, table):
            assert positions.setdefault(table.digest(), text_of(table)) == text_of(table)
            view = table.view()
            assert views.setdefault(table.view_digest(), view.text()) == view.text()
            assert view.digest() == table.view_digest()
            assert parse_position(view.text()).digest() == table.view_digest()
    assert len(set(positions.values())) == len(positions)
    assert len(set(views.values())) == len(views)


@every_game_and_variant
@examples(4)
@given(walk=walks(60), backs=st.lists(st.integers(0, 3), min_size=60, max_size=60))
def test_a_view_digest_is_the_views_whatever_was_played_and_taken_back(
    game: Game, walk: Walk, backs: list[int]
) -> None:
    """It is asked for now and then only, so that what it remembers is of some time ago."""
    table = walk.table(game)
    for step, _ in enumerate(steps_of(walk, table)):
        back = min(backs[step % len(backs)], table.depth)
        for _ in range(back):
            table.undo()
        if step % 3 == 0:
            assert table.view_digest() == table.view().digest()
        if back and not table.won:
            table.play(table.legal()[0])
            assert table.view_digest() == table.view().digest()


@every_game_and_variant
@examples(6)
@given(walk=walks(40))
def test_two_orders_of_the_same_moves_have_one_digest(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    list(steps_of(walk, table))
    moves = [move for move in table.legal() if move.cards]
    start = (text_of(table), table.digest(), table.view_digest())
    for first in moves[:8]:
        for second in moves[:8]:
            ends = []
            for order in ((first, second), (second, first)):
                played = 0
                for move in order:
                    if table.may(move):
                        table.play(move)
                        played += 1
                ends.append((played, text_of(table), table.digest(), table.view_digest()))
                for _ in range(played):
                    table.undo()
            same = ends[0][1] == ends[1][1]
            assert same == (ends[0][2] == ends[1][2])
            if same:
                assert ends[0][3] == ends[1][3]
    assert start == (text_of(table), table.digest(), table.view_digest())


def test_a_variant_has_digests_of_its_own() -> None:
    digests = [deal(game, "friday-night").digest() for game in GAMES]
    assert len(set(digests)) == len(GAMES)


@every_game_and_variant
@examples(2)
@given(walk=walks())
def test_the_same_seed_and_moves_give_the_same_game(game: Game, walk: Walk) -> None:
    one, two = deal(game, walk.seed), deal(find(game.key), walk.seed)
    for move in steps_of(walk, one):
        two.play(move)
        assert text_of(one) == text_of(two)
        assert one.last() == two.last()


# -- what the player may see -----------------------------------------------------------------------


@every_game_and_variant
@examples(3)
@given(walk=walks())
def test_a_view_shows_what_the_rulebook_shows_and_no_more(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    model = naive.deal(game.key, walk.seed)
    for move in [None, *steps_of(walk, table)]:
        if move is not None:
            model.play(move_text(game, move))
    hidden = model.hidden()
    whole, seen = lines_of(text_of(table)), lines_of(table.view().text())
    assert whole.keys() == seen.keys()
    for name, cards in whole.items():
        assert seen[name] == [
            HIDDEN if (name, place) in hidden else card for place, card in enumerate(cards)
        ]
    assert parse_position(table.view().text()) == table.view()


def mirrored(game: Game, view: dict[str, list[str]], outcome: Outcome) -> dict[str, list[str]]:
    """The view after the play, by a client that knows no rules, only which piles hide what."""
    after = {name: list(cards) for name, cards in view.items()}
    for step in outcome.steps:
        route, _, count = step.partition(":")
        source, target = route.split("-")
        for_stock = source == "S"
        moved = after[source][:1] if for_stock else after[source][-int(count or 1) :]
        after[source] = after[source][1:] if for_stock else after[source][: -len(moved)]
        after[target] += moved
    for name, card in outcome.turned:
        assert after[name][-1] == HIDDEN, f"{card} on {name} was not hidden"
        after[name][-1] = card
    for name in outcome.covered:
        after[name][:-1] = [HIDDEN] * (len(after[name]) - 1)
    return after


@every_game_and_variant
@examples(4)
@given(walk=walks())
def test_a_client_without_rules_can_follow_every_play(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    names = {pile["name"] for pile in describe(game)["piles"]}
    view = lines_of(table.view().text())
    for move in steps_of(walk, table):
        outcome = table.last()
        assert outcome.move == move
        after = lines_of(table.view().text())
        if outcome.whole:
            assert not outcome.steps
            assert move.cards == 0
        else:
            mirror = mirrored(game, view, outcome)
            assert {name: mirror[name] for name in names} == {name: after[name] for name in names}
        view = after


@every_game_and_variant
@examples(4)
@given(walk=walks())
def test_a_play_reveals_exactly_when_a_hidden_card_comes_into_view(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    for _ in steps_of(walk, table):
        outcome = table.last()
        assert table.revealed == (bool(outcome.turned) or outcome.whole)


# -- ends ------------------------------------------------------------------------------------------


@every_game_and_variant
@examples(4)
@given(walk=walks())
def test_the_status_is_one_of_three_and_fits_the_moves(game: Game, walk: Walk) -> None:
    table = walk.table(game)
    for _ in [None, *steps_of(walk, table)]:
        match table.status.value:
            case "won":
                assert table.won
                assert not table.stuck
                assert table.home == game.goal
                assert not table.legal()
            case "stuck":
                assert table.stuck
                assert not table.won
            case _:
                assert not table.won
                assert not table.stuck
                assert table.legal()


@every_game_and_variant
@examples(4)
@given(walk=walks())
def test_finishing_moves_take_everything_home_and_change_nothing_before(
    game: Game, walk: Walk
) -> None:
    table = walk.table(game)
    list(steps_of(walk, table))
    before = (text_of(table), table.depth)
    plan = finishing(table)
    assert (text_of(table), table.depth) == before
    for move in plan:
        assert move.target in game.home
        table.play(move)
    assert table.won or not plan


@pytest.mark.parametrize("case", ONE_SOLUTION.values(), ids=lambda case: case.name)
def test_nothing_is_played_after_a_win_but_it_can_be_taken_back(case: SolvedCase) -> None:
    assert case.moves is not None
    table = Table.from_position(parse_position(case.position))
    before = (text_of(table), legal_texts(table))
    for text in case.moves:
        before = (text_of(table), legal_texts(table))
        table.play(parse_move(table.game, text))
    assert table.status.value == "won"
    assert not table.legal()
    for move in all_moves(table):
        assert not table.may(move)
        assert table.refusal(move) is not None
    assert finishing(table) == []
    table.undo()
    assert (text_of(table), legal_texts(table)) == before
    assert table.status.value == "playing"


def test_the_games_are_the_seventeen_in_their_order() -> None:
    defaults = [key for key in IDS if ":" not in key]
    assert defaults == list(naive.GAMES)
    assert len(Counter(IDS)) == len(IDS)
