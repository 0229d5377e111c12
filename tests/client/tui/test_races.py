"""Races as they are lived on a full screen, against a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import DataTable, Input, OptionList

from samedeal_client.client import Hall, connect
from samedeal_client.run import Run
from samedeal_client.testing import ServerProcess
from samedeal_client.tui.app import Opening
from samedeal_client.tui.boardview import BoardView
from samedeal_client.tui.lobby import LobbyScreen
from samedeal_client.tui.opening import NewRaceScreen
from samedeal_client.tui.pages import Confirm, Question
from samedeal_client.tui.race import RaceScreen
from samedeal_client.tui.replay import ReplayScreen
from samedeal_client.tui.watch import WatchScreen
from samedeal_protocol.terms import Start, Terms, Visibility

from .slow import slow_link
from .stage import press, running, seen, shows, until

SEED = "friday-night"


def duel(**terms: object) -> Terms:
    return Terms(game="forty-thieves", countdown=0, **terms)  # type: ignore[arg-type]


@asynccontextmanager
async def rival(url: str, name: str, terms: Terms) -> AsyncIterator[tuple[Hall, str, Run]]:
    """Somebody who has opened a race, is in it and ready, and has said so."""
    async with connect(url, name=name) as hall:
        race = await hall.create(terms, seed=SEED)
        async with hall.join(race) as run:
            await run.ready()
            await run.chat(f"{name} is ready")
            yield hall, race, run


async def test_a_whole_race_of_two_its_result_its_replay_and_its_rematch(
    url: str, tmp_path: Path
) -> None:
    async with (
        rival(url, "Bea", duel()) as (_, race, bea),
        running(tmp_path, Opening(race=race), url=url) as (app, pilot),
    ):
        await shows(pilot, "Entrants", "[x] Bea, ready", "[ ] Ada (you)", f"/r/{race}")
        await press(pilot, "space")
        await shows(pilot, "The race is on.", "S:64", "You 0   Bea 0")
        await press(pilot, *"9f")
        await shows(pilot, "T9-F1 (AS); 1/104 home", "You 1   Bea 0 (-1)", "1st of 2")
        await press(pilot, "y")
        await shows(pilot, f"Copied http://127.0.0.1:{url.rpartition(':')[2]}/r/{race}")
        assert app.clipboard.endswith(f"/r/{race}")
        await bea.play("T7-F1")
        await bea.chat("well [bold]played")
        await shows(pilot, "Bea: well [bold]played", "You 1   Bea 1")

        await press(pilot, "m")
        await until(pilot, lambda: isinstance(app.focused, Input))
        happenings = bea.events()
        await press(pilot, *"you too", "enter")
        async for happening in happenings:
            if getattr(happening, "text", "") == "you too":
                break

        await press(pilot, "g")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await press(pilot, "y")
        await shows(pilot, "You gave up with 1/104 home")
        await bea.give_up()
        await shows(pilot, "1  Bea  gave up  1/104", "1  Ada  gave up  1/104", f"seed {SEED}")

        await press(pilot, "v")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        await shows(pilot, "replay", "paused", "S:64", "0/104", "1/6")  # the deal, at once
        await press(pilot, "right")
        await shows(pilot, "Ada  T9-F1; 1/104 home", "2/6")
        await press(pilot, "right")
        await shows(pilot, "T7-F1", "Bea: well [bold]played", "3/6")
        await press(pilot, "end")
        await shows(pilot, "the race is over", "1 Bea", "2 Ada")
        await press(pilot, "home", "right", "right")
        await shows(pilot, "3/")
        await press(pilot, "q")
        await until(pilot, lambda: isinstance(app.screen, RaceScreen))

        again = await bea.rematch()
        await shows(pilot, "There is a rematch")
        await press(pilot, "N")
        await shows(pilot, again, "Entrants")


async def test_moves_are_shown_before_they_are_answered_and_come_to_the_same(
    url: str, tmp_path: Path
) -> None:
    """They were shown when the answer had come, and each waited for that of the one before."""
    async with (
        rival(url, "Kit", duel()) as (_, race, _kit),
        slow_link(url) as link,
        running(tmp_path, Opening(race=race), url=link.url, name="Lu") as (app, pilot),
    ):
        await shows(pilot, "[ ] Lu (you)")
        await press(pilot, "space")
        await shows(pilot, "The race is on.", "S:64")
        screen = app.screen
        assert isinstance(screen, RaceScreen)
        link.hold()
        await press(pilot, *"9f", *"35", "d", *"2")
        await shows(pilot, "1/104 home", "S:63", "[T2]")
        view = screen.seat.view
        assert view is not None
        assert (view.pile("F1"), view.pile("T5")[-1]) == (("AS",), "9S")
        assert view.pile("W") == ("--",)  # nobody has told it what the draw turned up
        assert screen.aim.lifted == ("T2", 1)
        link.release()
        await shows(pilot, "draw; 7D turns up on W", "7♦")
        view = screen.seat.view
        assert view is not None
        assert (view.number, view.pile("W")) == (3, ("7D",))
        assert screen.aim.lifted == ("T2", 1), "what is in hand stays there"


async def test_undo_is_shown_before_it_is_answered_where_it_may_be_and_comes_to_the_same(
    url: str, tmp_path: Path
) -> None:
    async with (
        rival(url, "Una", duel()) as (_, race, _una),
        slow_link(url) as link,
        running(tmp_path, Opening(race=race), url=link.url, name="Vic") as (app, pilot),
    ):
        await shows(pilot, "[ ] Vic (you)")
        await press(pilot, "space")
        await shows(pilot, "The race is on.", "S:64")
        screen = app.screen
        assert isinstance(screen, RaceScreen)
        dealt = screen.seat.view
        assert dealt is not None
        link.hold()
        await press(pilot, *"9f", *"35")
        await shows(pilot, "1/104 home")
        await press(pilot, *"uu")
        await shows(pilot, "0/104 home")
        view = screen.seat.view
        assert view is not None
        assert (view.number, view.position) == (4, dealt.position)
        link.release()
        await shows(pilot, "Undone")
        await press(pilot, *"du")
        await shows(pilot, "No: the last move showed a hidden card", "S:63")


async def test_a_redeal_that_nothing_brings_back_takes_two_keys(url: str, tmp_path: Path) -> None:
    async with connect(url, name="Rita") as hall:
        terms = Terms(game="abandon-hope", countdown=0, entrants_min=1)
        race = await hall.create(terms, seed=SEED)
    async with running(tmp_path, Opening(race=race), url=url, name="Gus") as (_, pilot):
        await shows(pilot, "Space ready")
        await press(pilot, "space")
        await shows(pilot, "redeals 0 of 3")
        await press(pilot, "d")
        await shows(pilot, "cannot be taken back here, and 3 are left. Once more", "redeals 0 of 3")
        await press(pilot, "d")
        await shows(pilot, "redeals 1 of 3")


async def test_moves_that_are_refused_are_taken_back_with_the_servers_sentence(
    url: str, tmp_path: Path
) -> None:
    async with (
        rival(url, "Max", duel()) as (_, race, max_run),
        slow_link(url) as link,
        running(tmp_path, Opening(race=race), url=link.url, name="Nell") as (app, pilot),
    ):
        await shows(pilot, "[ ] Nell (you)")
        await press(pilot, "space")
        await shows(pilot, "The race is on.", "S:64")
        screen = app.screen
        assert isinstance(screen, RaceScreen)
        link.hold()
        await press(pilot, *"9f", *"35")
        await shows(pilot, "1/104 home")
        await max_run.disqualify(2, reason="two devices")
        await shows(pilot, "two devices")
        link.release()
        await shows(pilot, "No: ", "0/104 home")
        view = screen.seat.view
        assert view is not None
        assert (view.number, view.home, view.pile("T3")[-1]) == (0, 0, "9S")


async def test_the_same_board_comes_back_after_the_server_was_gone(tmp_path: Path) -> None:
    process = ServerProcess(tmp_path / "data", arguments=("--drain", "0"))
    await process.start()
    try:
        async with connect(process.url, name="Bea") as hall:
            race = await hall.create(duel(entrants_min=1), seed=SEED)
        home = tmp_path / "home"
        async with running(home, Opening(race=race), url=process.url) as (app, pilot):
            await shows(pilot, "Space ready")
            await press(pilot, "space")
            await shows(pilot, "S:64")
            await press(pilot, *"9f")
            await shows(pilot, "1/104 home")
            await process.kill()
            await shows(pilot, "connection lost, trying again")
            await until(pilot, lambda: "*" not in seen(app))
            board = seen(app).splitlines()[1:18]
            await process.start()
            await until(pilot, lambda: "connection lost" not in seen(app))
            assert seen(app).splitlines()[1:18] == board
            await press(pilot, "d")
            await shows(pilot, "draw; 7D turns up on W")
    finally:
        await process.stop()


async def test_the_lobby_opens_watches_and_lets_in(url: str, tmp_path: Path) -> None:
    async with connect(url, name="Dan") as hall:
        terms = Terms(game="opus", visibility=Visibility.PHRASE)
        secret = await hall.create(terms, phrase="open sesame")
        async with running(tmp_path, url=url, name="Cleo", size=(100, 30)) as (app, pilot):
            await shows(pilot, secret, "nobody yet", "Cleo on ")
            await press(pilot, "w")
            await until(pilot, lambda: isinstance(app.screen, Question))
            await until(pilot, lambda: isinstance(app.focused, Input))
            await press(pilot, *"open sesame", "enter")
            await until(pilot, lambda: isinstance(app.screen, WatchScreen))
            await shows(pilot, "watching", "The race has not started.")
            await press(pilot, "q")
            await until(pilot, lambda: isinstance(app.screen, LobbyScreen))

            await press(pilot, "n")
            await until(pilot, lambda: isinstance(app.screen, NewRaceScreen))
            await shows(pilot, "The same as: samedeal race new small-billee")
            assert isinstance(app.screen, NewRaceScreen)
            app.screen.fill("relaxed: undo and hints")
            await shows(pilot, "samedeal race new small-billee --limit 2h --undo free --hints")
            await press(pilot, "f7")
            await until(pilot, lambda: isinstance(app.screen, RaceScreen))
            await shows(pilot, "undo free", "hints allowed", "2-8 entrants", "[ ] Cleo (you)")
            await press(pilot, "x")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await press(pilot, "y")
            await shows(pilot, "The race was called off")
            await press(pilot, "q")
            await until(pilot, lambda: isinstance(app.screen, LobbyScreen))
            await press(pilot, "m")
            await until(pilot, lambda: "cancelled" in seen(app))
            assert app.screen.query_one(DataTable).row_count == 1


async def test_a_spectator_sees_all_boards_and_who_comes_too_late_becomes_one(
    url: str, tmp_path: Path
) -> None:
    async with rival(url, "Finn", duel(entrants_min=1)) as (_, race, finn):
        async for _ in finn:
            break
        async with running(tmp_path, Opening(race=race), url=url, name="Eve") as (app, pilot):
            await until(pilot, lambda: isinstance(app.screen, WatchScreen))
            await shows(pilot, "Finn: Finn is ready", "so you watch", "1 Finn", "0/104")
            await finn.play("T9-F1")
            await shows(pilot, "1/104")
            assert len(app.screen.query(BoardView)) == 1
            await press(pilot, "b")
            await shows(pilot, "Finn", "1 move", "racing")
            await finn.give_up()
            await shows(pilot, "gave up")


async def test_a_host_who_only_watches_starts_the_race_and_takes_an_entrant_out(
    url: str, tmp_path: Path
) -> None:
    """Only a host who raced could start or call a race off, and none could disqualify."""
    terms = duel(start=Start.HOST, entrants_min=1)
    async with (
        running(tmp_path, url=url, name="Quin") as (app, pilot),
        connect(url, name="Rob") as hall,
    ):
        await shows(pilot, "n new race")
        assert app.hall is not None
        race = await app.hall.create(terms)
        async with hall.join(race) as rob:
            app.look_at(race)
            await shows(pilot, "[ ] Rob", "You are the host: Space starts the race", "x call off")
            await press(pilot, "space")
            await shows(pilot, "k disqualify", "1 Rob")
            await press(pilot, "k")
            await until(pilot, lambda: isinstance(app.focused, OptionList))
            await press(pilot, "enter")
            await until(pilot, lambda: isinstance(app.focused, Input))
            await press(pilot, *"two devices", "enter")
            await shows(pilot, "disqualified")
            assert [line.state for line in await rob.over()] == ["disqualified"]


async def test_a_bot_knows_the_pass_phrase_by_which_its_host_came_in(
    url: str, tmp_path: Path
) -> None:
    async with connect(url, name="Sue") as hall:
        terms = duel(visibility=Visibility.PHRASE)
        race = await hall.create(terms, phrase="open sesame")
        opening = Opening(race=race, phrase="open sesame")
        async with running(tmp_path, opening, url=url, name="Ted") as (app, pilot):
            await shows(pilot, "b add a bot")
            await press(pilot, "b")
            await until(pilot, lambda: isinstance(app.focused, OptionList))
            await press(pilot, "enter")
            await shows(pilot, "(bot), ready")


async def test_a_bot_of_the_house_comes_when_it_is_asked(url: str, tmp_path: Path) -> None:
    async with connect(url, name="Hal") as hall:
        race = await hall.create(duel(), seed=SEED)
        async with running(tmp_path, Opening(race=race), url=url, name="Gil") as (app, pilot):
            await shows(pilot, "b add a bot")
            await press(pilot, "b")
            await until(pilot, lambda: isinstance(app.focused, OptionList))
            await press(pilot, "enter")
            await shows(pilot, "(bot), ready")


async def test_who_is_sent_away_comes_back_only_when_asked(url: str, tmp_path: Path) -> None:
    async with connect(url, name="Jo"), running(tmp_path, url=url, name="Jo") as (app, pilot):
        await shows(pilot, "somebody else is called Jo", "No server: x tries again.")
        app.connect()
        await pilot.pause(0.1)
        assert app.link_text == "offline"
        assert app.stays_away


async def test_without_a_server_one_can_practise_and_the_lobby_goes_on_looking(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (app, pilot):
        await shows(
            pilot,
            "No server: it is looked for.",
            "offline",
            "no server answers at ws://127.0.0.1:1",
            "started here with: samedeal-server serve",
        )
        await press(pilot, "p")
        await until(pilot, lambda: isinstance(app.focused, OptionList))
        await press(pilot, "enter")
        await shows(pilot, "Small Billee", "practice")
