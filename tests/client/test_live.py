"""The library against a real server, over real sockets: whole races, restarts, and the examples."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from samedeal_client import (
    BOTS,
    GaveUpConnecting,
    Hall,
    Refused,
    Replaced,
    Terms,
    connect,
    play_out,
    run_bot,
    verify,
)
from samedeal_client.testing import ServerFailed, ServerProcess, server
from samedeal_protocol.messages import Moved, Over, Play, Skip, Stoppage
from samedeal_protocol.terms import Mode, Sight, Start, Undo, Visibility

ROOT = Path(__file__).parent.parent.parent
QUICK = Terms(game="abandon-hope", countdown=0, entrants_min=2, undo=Undo.FREE)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncIterator[str]:
    """One server for all tests that do not harm it."""
    async with server(arguments=("--rate", "9999", "--burst", "9999")) as address:
        yield address


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def bots_play(url: str, race: str, *kinds: str) -> None:
    async with asyncio.TaskGroup() as group:
        for at, kind in enumerate(kinds):
            name = f"{kind} {at} {race[:8]}"
            group.create_task(run_bot(url, kind, race=race, name=name, seed=str(at)))


@pytest.mark.parametrize("json", [False, True], ids=["msgpack", "json"])
async def test_a_live_race_runs_from_lobby_to_verified_replay(url: str, json: bool) -> None:
    async with connect(url, json=json) as hall:
        terms = Terms(game="abandon-hope", countdown=0, entrants_min=3)
        race = await hall.create(terms, seed="friday-night")
        async with hall.watch(race) as watch:
            events = watch.events()
            await bots_play(url, race, *BOTS)
            seen = [event async for event in events]
            assert watch.doubts == 0
            assert len(watch.standings) == 3
            assert watch.seed == "friday-night"
        seqs = [event.seq for event in seen if not hasattr(event, "terms")]
        assert seqs == list(range(2, 2 + len(seqs)))
        assert isinstance(seen[-1], Over)
        report = verify(await hall.replay(race))
        assert report.passed, report.text()
        assert report.seed == "friday-night"
        sheet = await hall.results(race)
        assert [line.home for line in sheet.standings] == [each.home for each in report.standings]


@pytest.mark.parametrize(
    "game", ["forty-thieves", "st-helena", "amazons", "chessboard", "boomerang"]
)
async def test_spectators_mirror_every_kind_of_game_without_doubt(url: str, game: str) -> None:
    async with connect(url) as hall:
        race = await hall.create(Terms(game=game, countdown=0, entrants_min=2), seed="1")
        async with hall.watch(race) as watch:
            await bots_play(url, race, "random", "greedy")
            await watch.over()
            assert watch.doubts == 0
        report = verify(await hall.replay(race))
        assert report.passed, report.text()


async def test_an_async_race_is_run_by_each_in_their_own_time(url: str) -> None:
    terms = Terms(game="abandon-hope", mode=Mode.ASYNC, entrants_min=1, entrants_max=2)
    async with connect(url, name="Own time") as hall:
        race = await hall.create(terms)
        for kind in ("greedy", "random"):
            await run_bot(url, kind, race=race, name=f"async {kind}")
        async with hall.watch(race) as watch:
            await watch.over()
        report = verify(await hall.replay(race))
        assert report.passed, report.text()
        assert len(report.standings) == 2


async def test_a_player_rides_through_undo_hint_and_finish(url: str) -> None:
    terms = Terms(game="abandon-hope", countdown=0, entrants_min=1, undo=Undo.FREE, hints=True)
    async with connect(url, name="Rider", legal=True) as hall:
        race = await hall.create(terms, seed="7")
        async with hall.join(race) as run:
            await run.ready()
            view = await anext(aiter(run))
            assert view.sent_legal is not None
            assert await run.hint() in view.legal()
            before = view.position
            await run.play("T24-W")
            await run.undo()
            assert run.view is not None
            assert run.view.position == before
            for move in "T24-W T4-W T13-W T23-W T19-W T12-W T17-W redeal".split():
                await run.play(move)
            played = await run.finish()
            assert played.status == "won"
            assert [line.state for line in await run.over()] == ["finished"]
            rematch = await run.rematch()
        async with hall.join(rematch) as again:
            assert again.phase == "open"
            await again.leave()
        report = verify(await hall.replay(race))
        assert report.passed, report.text()


async def test_a_race_at_an_instant_starts_by_itself(url: str) -> None:
    async with connect(url, name="Punctual") as hall:
        race = await hall.create(QUICK)
        cards = {card.race: card for card in await hall.list()}
        now = cards[race].opened_at
        terms = Terms(game="opus", start=Start.AT, start_at=now + 1500, countdown=0, entrants_min=1)
        early = await hall.create(terms)
        async with hall.join(early) as run:
            async for view in run:
                assert view.number == 0
                await run.give_up()
        assert run.is_over


async def test_a_pass_phrase_lets_in(url: str) -> None:
    async with connect(url) as host, connect(url, name="Ali Baba") as hall:
        terms = Terms(game="opus", entrants_min=1, visibility=Visibility.PHRASE)
        race = await host.create(terms, phrase="sesame")
        with pytest.raises(Refused) as caught:
            async with hall.join(race, phrase="barley"):
                raise AssertionError("not let in")
        assert caught.value.code == "wrong-phrase"
        async with hall.join(race, phrase="sesame") as run:
            assert run.state == "entered"


async def test_a_spectator_sees_no_more_than_the_terms_say(url: str) -> None:
    terms = Terms(game="abandon-hope", countdown=0, entrants_min=2, spectators=Sight.PROGRESS)
    async with connect(url) as hall:
        race = await hall.create(terms)
        async with hall.watch(race) as watch:
            events = watch.events()
            await bots_play(url, race, "random", "greedy")
            kinds = {type(event) async for event in events}
        assert Moved not in kinds
        assert Skip not in kinds


async def test_the_token_makes_the_same_player(url: str) -> None:
    async with connect(url, name="Tokened") as hall:
        player, token = hall.player, hall.token
        race = await hall.create(QUICK)
    async with connect(url, token=token) as hall:
        assert (hall.player, hall.name) == (player, "Tokened")
        assert race in [card.race for card in await hall.mine()]


async def test_an_unknown_token_is_refused(url: str) -> None:
    with pytest.raises(Refused) as caught:
        async with connect(url, token="nobody's"):
            raise AssertionError("not let in")
    assert caught.value.code == "bad-token"


async def test_the_newest_connection_in_a_race_wins(url: str) -> None:
    async with connect(url, name="Twice") as first:
        race = await first.create(Terms(game="opus", entrants_min=2))
        async with (
            first.join(race) as old,
            connect(url, token=first.token) as second,
            second.join(race) as new,
        ):
            with pytest.raises(Replaced):
                await old.over()
            await new.ready()
            assert new.state == "ready"


async def test_the_same_play_a_thousand_times_counts_once(url: str) -> None:
    """Sent at once over three connections, under ids of their own: equal answers, one effect."""
    terms = Terms(game="forty-thieves", countdown=0, entrants_min=1)
    async with connect(url, name="Stutterer") as hall:
        race = await hall.create(terms)
        async with (
            hall.join(race) as run,
            connect(url, token=hall.token) as second,
            connect(url, token=hall.token, json=True) as third,
        ):
            await run.ready()
            await anext(aiter(run))
            answers = await asyncio.gather(
                *(
                    sender.ask(lambda id: Play(id=id, race=race, number=1, move="draw"))
                    for _ in range(334)
                    for sender in (second, hall, third)
                )
            )
            assert len(set(answers)) == 1
            assert run.view is not None
            assert len(run.view.pile("W")) == 1
            assert (await run.play("draw")).number == 2
            await run.give_up()


@pytest.mark.parametrize("example", ["five_line_bot", "bare_bot"])
async def test_the_examples_run(url: str, example: str) -> None:
    async with connect(url) as hall:
        race = await hall.create(Terms(game="abandon-hope", countdown=0, entrants_min=2), seed="7")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "examples" / f"{example}.py"), url, race),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        await run_bot(url, "greedy", race=race, name=f"against {example}")
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        assert out.decode().splitlines()[-1].startswith(("1 ", "2 "))


@pytest.mark.parametrize("example", ["five_line_bot", "bare_bot", "tournament_bot"])
@pytest.mark.parametrize(("given", "lines"), [((), None), (("ws://127.0.0.1:9", "x"), 1)])
async def test_an_example_that_cannot_run_says_what_it_needs_without_a_traceback(
    example: str, given: tuple[str, ...], lines: int | None
) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "examples" / f"{example}.py"), *given),
        stderr=asyncio.subprocess.PIPE,
    )
    err = (await process.communicate())[1].decode()
    assert process.returncode == 1
    assert "Traceback" not in err
    assert "ws://127.0.0.1" in err
    assert lines is None or err.count("\n") == lines


async def test_a_bot_that_runs_again_is_called_alike_though_its_name_is_as_long_as_may_be(
    url: str,
) -> None:
    terms = Terms(game="amazons", countdown=0, entrants_min=1)
    name = "the bot with 24 letters."
    names = [
        (await run_bot(url, lambda view: None, terms=terms, name=name))[0].name for _ in range(2)
    ]
    assert names == [name, "the bot with 24 letter-2"]


async def test_a_race_that_a_bot_opened_is_called_off_if_it_fails_before_the_start(
    url: str,
) -> None:
    for_people = Terms(game="streets-and-alleys", bots=False)
    with pytest.raises(Refused, match="people only"):
        await run_bot(url, "greedy", terms=for_people)
    async with connect(url) as hall:
        assert await hall.list("streets-and-alleys") == ()


async def test_a_busy_port_says_why_the_server_did_not_start(url: str, tmp_path: Path) -> None:
    second = ServerProcess(tmp_path)
    second.port = int(url.rpartition(":")[2])
    with pytest.raises(ServerFailed, match="in use"):
        await second.start()


async def test_nobody_at_the_address_is_told_within_patience() -> None:
    with pytest.raises(GaveUpConnecting, match="nobody answers"):
        async with connect("ws://127.0.0.1:9", first_patience=0):
            raise AssertionError("there is no hall")


async def survive(hall: Hall, race: str, process: ServerProcess) -> None:
    """Plays while the server is killed and started again, thrice."""
    async with hall.join(race) as run:
        await run.ready()

        async def harm() -> None:
            for home in (5, 10, 15):
                async for _ in run.changes():
                    if run.view is not None and run.view.number >= home:
                        break
                await process.kill()
                await process.start()

        async def play() -> None:
            async for view in run:
                if view.number >= 30:
                    await run.give_up()
                    break
                numbers.append((await run.play("draw")).number)

        numbers: list[int] = []
        events = run.events()
        async with asyncio.TaskGroup() as group:
            group.create_task(harm())
            group.create_task(play())
        await run.over()
        assert numbers == list(range(1, 31))
        assert run.doubts == 0
        seen = [event async for event in events]
        assert len([event for event in seen if isinstance(event, Stoppage)]) <= 3


async def test_a_race_survives_a_server_that_is_killed_thrice(tmp_path: Path) -> None:
    process = ServerProcess(tmp_path)
    await process.start()
    try:
        async with connect(process.url, name="Survivor") as hall:
            terms = Terms(game="forty-thieves", countdown=0, entrants_min=1, undo=Undo.FREE)
            race = await hall.create(terms)
            await survive(hall, race, process)
            report = verify(await hall.replay(race))
            assert report.passed, report.text()
            assert report.standings[0].moves == 30
    finally:
        await process.stop()


async def test_a_bot_of_ones_own_may_be_async(url: str) -> None:
    async with connect(url, name="Thinker", bot=True) as hall:
        race = await hall.create(Terms(game="abandon-hope", countdown=0, entrants_min=1), seed="7")

        async def bot(view: object) -> None:
            await asyncio.sleep(0)

        async with hall.join(race) as run:
            await play_out(run, bot)
            assert run.state == "gave-up"
