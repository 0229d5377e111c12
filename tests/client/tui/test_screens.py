"""The screens that need no server: practice, help and options; mouse and keys."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from samedeal_client.cli.parts import Context
from samedeal_client.settings import Settings
from samedeal_client.terminal import Terminal
from samedeal_client.tui.alone import PracticeScreen
from samedeal_client.tui.app import Opening, Samedeal
from samedeal_client.tui.boardview import BoardView
from samedeal_client.tui.keybar import KeyBar
from samedeal_client.tui.lobby import LobbyScreen
from samedeal_client.tui.look import Look, Palette, kept_look
from samedeal_client.tui.pages import Page
from samedeal_rules import GAMES, deal, find, move_text, parse_move
from support.serving import ROOT

from ..test_verify import lines
from .stage import GOLDEN, NOWHERE, press, running, seen, shows, shows_golden, until

FORTY = Opening(game=find("forty-thieves"), seed="friday-night")


def practice(app: Samedeal) -> PracticeScreen:
    assert isinstance(app.screen, PracticeScreen)
    return app.screen


async def played(pilot: Pilot[int], *keys: str) -> None:
    """Presses keys, and waits until all of them have been taken."""
    await press(pilot, *keys)
    assert isinstance(pilot.app, Samedeal)
    await practice(pilot.app).settled()
    await pilot.pause(0)


async def typed(pilot: Pilot[int], line: str) -> None:
    """Types a line behind a colon."""
    await press(pilot, "colon")
    await until(pilot, lambda: isinstance(pilot.app.focused, Input))
    await press(pilot, *line, "enter")
    await played(pilot)


def places(app: Samedeal, *piles: str) -> Sequence[tuple[int, int]]:
    """Where the top cards of piles are in the board's widget."""
    board = app.screen.query_one(BoardView)
    spots = board.layout_of(practice(app).seat.view.position).spots
    return [(spots[pile].top.x + 1, spots[pile].top.y) for pile in piles]


async def test_every_game_opens_at_80_by_24_and_plays_its_first_move(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        for game in GAMES:
            table = deal(game, "1")
            legal = sorted(move_text(game, move) for move in table.legal())
            move = next(move for move in legal if "-" in move)
            app.practise(game, "1")
            await until(pilot, lambda: isinstance(app.screen, PracticeScreen))
            await pilot.pause(0)
            shown = seen(app)
            assert all(pile in shown for pile in game.piles), game.key
            source, _, target = move.lower().partition("-")
            ends = ["space"] if target == "f1" and len(game.named("F")) > 9 else []
            await played(pilot, *source, "space", *target.partition(":")[0], "space", *ends)
            assert practice(app).seat.view.number == 1, (game.key, move, seen(app))
            await press(pilot, "q")
            await until(pilot, lambda: not isinstance(app.screen, PracticeScreen))


async def test_the_screen_at_80_by_24_with_a_card_in_hand(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (_, pilot):
        await played(pilot, "3")
        await shows_golden(pilot, "forty-thieves-80x24")


async def test_a_larger_screen_has_larger_cards(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY, size=(160, 50)) as (_, pilot):
        await shows_golden(pilot, "forty-thieves-160x50")


def test_the_picture_in_the_document_is_what_the_screen_shows() -> None:
    picture = (GOLDEN / "forty-thieves-80x24.txt").read_text("utf-8").rstrip()
    assert f"```text\n{picture}\n```" in (ROOT / "docs" / "tui.md").read_text("utf-8")


async def test_keys_play_without_enter(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        await played(pilot, *"9f")
        assert practice(app).seat.view.pile("F1") == ("AS",)
        await shows(pilot, "T9-F1 (AS); 1/104 home")
        await played(pilot, "d")
        assert practice(app).seat.view.pile("W") == ("7D",)
        await played(pilot, "u", "u")
        assert practice(app).seat.view.home == 0
        await played(pilot, *"35")
        assert practice(app).seat.view.pile("T5")[-1] == "9S"


async def test_keys_that_come_faster_than_answers_are_taken_in_order(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        await played(pilot, *"99dd", "7", "7", "u")
        view = practice(app).seat.view
        assert (view.home, len(view.pile("W"))) == (1, 2)


async def test_a_space_ends_a_name_however_fast_it_comes(tmp_path: Path) -> None:
    """It was looked at before the digit in front of it had been taken, and was lost."""
    table = deal(find("abandon-hope"), "0")
    opening = Opening(game=table.game, seed="0")
    async with running(tmp_path, opening) as (app, pilot):
        for pile in range(1, 25):
            await press(pilot, *f"{pile} {pile} ")
            discard = parse_move(table.game, f"T{pile}-W")
            if discard in table.legal():
                table.play(discard)
        await played(pilot)
        assert practice(app).seat.view.position == table.view()


async def test_arrows_and_enter_play(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        await played(pilot, "right", "right", "enter", "right", "right", "enter")
        assert practice(app).seat.view.pile("T5")[-1] == "9S"
        await played(pilot, "tab", "enter", "enter")
        assert practice(app).seat.view.home == 1


async def test_a_click_picks_up_and_another_puts_down(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        source, target = places(app, "T3", "T5")
        await pilot.click(BoardView, offset=source)
        await played(pilot)
        await shows(pilot, "( 9♠")
        await shows(pilot, "> 10♠")
        await pilot.click(BoardView, offset=target)
        await played(pilot)
        assert practice(app).seat.view.pile("T5")[-1] == "9S"


async def test_two_clicks_on_a_card_play_it_home_and_one_on_the_stock_turns_it(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        ace, stock = places(app, "T9", "S")
        await pilot.click(BoardView, offset=ace, times=2)
        await pilot.click(BoardView, offset=stock)
        await played(pilot)
        assert practice(app).seat.view.home == 1
        assert practice(app).seat.view.pile("W") == ("7D",)


async def test_a_card_is_dragged_to_its_place_and_to_any_other_it_is_refused(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        source, wrong, right = places(app, "T3", "T4", "T5")
        for target in (wrong, right):
            await pilot.mouse_down(BoardView, offset=source)
            await pilot.hover(BoardView, offset=target)
            await pilot.mouse_up(BoardView, offset=target)
            await played(pilot)
            if target is wrong:
                await shows(pilot, "No: ")
        assert practice(app).seat.view.pile("T5")[-1] == "9S"


async def test_what_the_last_line_says_can_be_clicked(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        await played(pilot, *"9f")
        at = seen(app).splitlines()[-1].index("undo") - 1
        await pilot.click(KeyBar, offset=(at, 0))
        await played(pilot)
        assert practice(app).seat.view.home == 0


async def test_a_refused_move_says_why(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        await played(pilot, *"34")
        assert seen(app).splitlines()[22].startswith(" No: ")


async def test_a_typed_line_is_what_the_line_client_takes(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        await typed(pilot, "t9 f3")
        assert practice(app).seat.view.pile("F3") == ("AS",)
        await typed(pilot, "undo")
        assert practice(app).seat.view.home == 0
        await typed(pilot, "rivals")
        await shows(pilot, "rivals: not here and now")


async def test_help_has_the_keys_and_the_rules_of_this_game(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY, size=(100, 50)) as (app, pilot):
        await press(pilot, "question_mark")
        await until(pilot, lambda: isinstance(app.screen, Page))
        await pilot.pause(0)
        await shows_golden(pilot, "help-100x50")
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(app.screen, PracticeScreen))


async def test_a_hint_shows_the_move_and_playing_it_is_one_key(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        await played(pilot, "h")
        await shows(pilot, "Try T")
        await played(pilot, "enter")
        assert practice(app).seat.view.number == 1


async def test_options_are_taken_on_and_kept(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY) as (app, pilot):
        await press(pilot, "o")
        await until(pilot, lambda: isinstance(app.focused, OptionList))
        for key in ("down", "enter", "escape"):
            await press(pilot, key)
        await until(pilot, lambda: isinstance(app.screen, PracticeScreen))
        await pilot.pause(0)
        await until(pilot, lambda: "♠" not in seen(app))
        await shows(pilot, "9S")
    assert kept_look(tmp_path).ascii


async def test_without_single_keys_function_keys_and_typed_lines_remain(tmp_path: Path) -> None:
    look = Look(animations=False, shortcuts=False)
    async with running(tmp_path, FORTY, look=look) as (app, pilot):
        await played(pilot, "9", "f", "d", "u")
        assert practice(app).seat.view.number == 0
        await shows(pilot, "F6 draw  F2 undo")
        await played(pilot, "f6")
        assert practice(app).seat.view.pile("W") == ("7D",)


async def test_nothing_has_a_colour_where_none_is_wanted(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY, has_colour=False) as (app, pilot):
        await played(pilot, "3")
        assert app.look.palette is Palette.MONO
        filters = app.get_line_filters()
        for strip in app.screen._compositor.render_strips():
            for segment in strip.apply_filter(filters[-1], app.screen.background_colors[1]):
                style = segment.style
                assert style is None or style.color is None or style.color.is_default
                assert style is None or style.bgcolor is None or style.bgcolor.is_default
    assert kept_look(tmp_path).palette is not Palette.MONO


async def test_cards_fly_and_land(tmp_path: Path) -> None:
    async with running(tmp_path, FORTY, look=Look()) as (app, pilot):
        await press(pilot, *"9f1")
        board = app.screen.query_one(BoardView)
        await until(pilot, lambda: board.is_flying)
        await until(pilot, lambda: not board.is_flying)
        await pilot.pause(0)
        assert " A♠" in seen(app).splitlines()[2]


async def test_while_a_line_is_typed_every_key_is_the_lines(tmp_path: Path) -> None:
    """F10 left the board, and in a race F8 gave up, from within what was being said."""
    async with running(tmp_path, FORTY) as (app, pilot):
        await until(pilot, lambda: isinstance(app.focused, BoardView))
        await press(pilot, "colon")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await press(pilot, *"ab", "f10", "c")
        line = app.focused
        assert isinstance(line, Input)
        await until(pilot, lambda: line.value.endswith("c"))
        assert practice(app).focused is line
        assert line.value == "abc"


async def test_a_key_that_is_pressed_twice_leads_to_its_screen_once(
    url: str, tmp_path: Path
) -> None:
    async with running(tmp_path, url=url, name="Mel") as (app, pilot):
        for key, there in (("l", "Leaderboards"), ("p", "Practise which game?")):
            await shows(pilot, "l leaders")
            await press(pilot, key, key)
            await shows(pilot, there)
            await pilot.pause(0.1)
            assert len(app.screen_stack) == len(("nothing", "lobby", there))
            await press(pilot, "escape")


async def test_a_replay_that_the_command_line_named_is_left_for_the_shell(tmp_path: Path) -> None:
    told = b"\n".join(lines()) + b"\n"
    async with running(tmp_path, Opening(replay=told)) as (app, pilot):
        await shows(pilot, "q leave", "replay")
        await press(pilot, "q")
        await until(pilot, lambda: not app.is_running)
        assert app.return_code == 0


async def test_what_is_typed_before_the_first_screen_is_there_means_nothing(
    tmp_path: Path,
) -> None:
    settings = Settings(server=NOWHERE, name="Ada", home=tmp_path)
    context = Context(argparse.Namespace(), settings, Terminal(sys.stdout), is_quiet=False)
    app = Samedeal(context)
    app.post_message(events.Key("p", "p"))
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "p practise")
        await pilot.pause(0.1)
        assert isinstance(app.screen, LobbyScreen)
