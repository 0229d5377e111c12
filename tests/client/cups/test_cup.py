"""A tournament that is followed: against a scripted server with every fault at will."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from samedeal_client import ClientError, Hall, OutcomeUnknown, Refused, connect
from samedeal_protocol import messages as m
from samedeal_protocol.tournament import requests as r
from samedeal_protocol.tournament.events import Ending
from samedeal_protocol.tournament.views import TournamentChanged, TournamentHead
from support.cups import CODE, CupServer, changed, match, player, race, sheet, terms
from support.scripted import StillTiming, settle

PLAYERS = (player(1, "Ada"), player(2, "Bo"))
NO_SUCH = m.Error(code="no-such-tournament", message="no tournament has this code", retry="never")
NOT_NOW = m.Error(code="not-now", message="the window is closed", retry="never")
BUSY = m.Error(code="store-unavailable", message="wait", retry="after", after_ms=500)


@pytest.fixture
def server() -> CupServer:
    return CupServer(sheet(5, players=PLAYERS, you=1))


@pytest.fixture
def timing() -> StillTiming:
    return StillTiming()


@pytest.fixture
async def hall(server: CupServer, timing: StillTiming) -> AsyncIterator[Hall]:
    """Not left by the test: a hall owns tasks, so it lives in one of its own."""
    made: asyncio.Future[Hall] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def live() -> None:
        async with connect("test:1", name="Ada", dial=server.dial, timing=timing) as hall:
            made.set_result(hall)
            await done.wait()

    living = asyncio.create_task(live())
    yield await made
    done.set()
    await living


async def test_a_followed_tournament_knows_what_is_told(hall: Hall, server: CupServer) -> None:
    async with hall.tournament(CODE) as cup:
        server.tell(changed(5, 6, players=(player(2, "Bo", "withdrawn"),)))
        await settle()
        assert cup.sheet.players[1].state == "withdrawn"
        assert cup.you == PLAYERS[0]
    await settle()
    assert server.followers == []


async def test_events_come_each_once_and_end_with_the_end(hall: Hall, server: CupServer) -> None:
    async with hall.tournament(CODE) as cup:
        events = cup.events()
        server.tell(changed(5, 6, text=("one",)))
        server.tell(changed(5, 6, text=("one",)))
        server.tell(changed(6, 8, "over", text=("two", "three")))
        told = [
            line
            async for news in events
            if isinstance(news, TournamentChanged)
            for line in news.text
        ]
        assert told == ["one", "two", "three"]
        assert cup.is_over


async def test_after_an_outage_the_whole_sheet_is_asked_for(
    hall: Hall, server: CupServer, timing: StillTiming
) -> None:
    async with hall.tournament(CODE) as cup:
        server.sheet = sheet(9, players=PLAYERS, you=1, matches=(match("F", 1, 2),))
        server.wire.drop()
        await timing.advance(1)
        assert (cup.sheet.seq, len(cup.sheet.matches)) == (9, 1)
        server.tell(changed(9, 10, "over"))
        await settle()
        assert cup.is_over


async def test_a_gap_is_mended(hall: Hall, server: CupServer) -> None:
    async with hall.tournament(CODE) as cup:
        server.sheet = sheet(8, "over", players=PLAYERS, you=1, seed="s", salt="t")
        server.tell(changed(7, 8, "over"))
        await settle()
        assert (cup.sheet.seq, cup.sheet.seed) == (8, "s")
        assert len(server.asked(r.FollowTournament)) == 2


async def test_a_tournament_that_is_refused_after_an_outage_ends_what_follows_it(
    hall: Hall, server: CupServer, timing: StillTiming
) -> None:
    async with hall.tournament(CODE) as cup:
        waiting = asyncio.create_task(cup.over())
        await settle()
        server.refusals[r.FollowTournament] = NO_SUCH
        server.wire.drop()
        await timing.advance(1)
        with pytest.raises(Refused, match="no tournament has this code"):
            await waiting


async def test_an_unknown_tournament_is_refused_and_can_be_tried_again(
    hall: Hall, server: CupServer
) -> None:
    server.refusals[r.FollowTournament] = NO_SUCH
    with pytest.raises(Refused):
        async with hall.tournament(CODE):
            raise AssertionError("there is no such tournament")
    server.refusals.clear()
    async with hall.tournament(CODE) as cup:
        assert cup.code == CODE


async def test_one_tournament_is_followed_once_a_hall(hall: Hall) -> None:
    async with hall.tournament(CODE):
        with pytest.raises(ClientError, match="followed here already"):
            async with hall.tournament(CODE):
                raise AssertionError("it is followed already")


async def test_an_act_is_sent_again_after_a_lost_reply(
    hall: Hall, server: CupServer, timing: StillTiming
) -> None:
    async with hall.tournament(CODE) as cup:
        server.drops_after.add(server.counted)
        withdrawing = asyncio.create_task(cup.withdraw())
        await timing.advance(1)
        await withdrawing
    assert server.acts() == [r.Withdraw(), r.Withdraw()]


async def test_an_announcement_is_never_sent_twice(
    hall: Hall, server: CupServer, timing: StillTiming
) -> None:
    server.drops_after.add(0)
    announcing = asyncio.create_task(hall.announce(terms()))
    await timing.advance(1)
    with pytest.raises(OutcomeUnknown):
        await announcing
    assert len(server.asked(r.AnnounceTournament)) == 1


async def test_a_busy_server_is_asked_again(
    hall: Hall, server: CupServer, timing: StillTiming
) -> None:
    async with hall.tournament(CODE) as cup:
        server.refusals[r.CheckIn] = BUSY
        checking = asyncio.create_task(cup.check_in())
        await settle()
        server.refusals.clear()
        await timing.advance(1)
        await checking


async def test_a_refused_act_is_raised_with_its_code(hall: Hall, server: CupServer) -> None:
    server.refusals[r.CheckIn] = NOT_NOW
    async with hall.tournament(CODE) as cup:
        with pytest.raises(Refused) as caught:
            await cup.check_in()
    assert (caught.value.code, str(caught.value)) == ("not-now", "the window is closed")


async def test_after_registering_one_knows_ones_number(server: CupServer, hall: Hall) -> None:
    server.sheet = sheet(5)

    def register(act: r.AnyAct) -> None:
        server.sheet = sheet(6, players=(player(1, "Ada", "registered"),), you=1)

    server.on_act = register
    async with hall.tournament(CODE) as cup:
        assert cup.you is None
        await cup.register(phrase="open sesame")
        assert cup.you == player(1, "Ada", "registered")
    assert server.acts() == [r.Register(phrase="open sesame")]


async def test_every_act_travels_as_it_is_called(hall: Hall, server: CupServer) -> None:
    async with hall.tournament(CODE) as cup:
        await cup.withdraw(2)
        await cup.sit_out()
        await cup.come_back()
        await cup.pick("F", "opus")
        await cup.invite(["Cy", "Di"])
        await cup.open_check_in()
        await cup.start([2, 1])
        await cup.start_round()
        await cup.ring()
        await cup.let_in(3)
        await cup.halt("fire alarm")
        await cup.go_on()
        await cup.extend(60, match="F")
        await cup.void("F", 1, reason="power cut")
        await cup.override("F", winner=2, reason="agreed")
        await cup.override("F", winner=None, ending=Ending.FORFEIT, reason="both left")
        await cup.disqualify(2, reason="two devices")
        await cup.reinstate(2, reason="it was not so")
        await cup.appoint("Cy", "referee")
        await cup.call_off("no hall", series=True)
        assert await cup.add_hook("https://example.org/hook") == "s3cret"
        await cup.remove_hook("https://example.org/hook")
    assert server.acts() == [
        r.Withdraw(player=2),
        r.SitOut(),
        r.ComeBack(),
        r.PickGame(match="F", game="opus"),
        r.Invite(names=("Cy", "Di")),
        r.OpenCheckIn(),
        r.StartTournament(order=(2, 1)),
        r.StartRound(round=1),
        r.RingBell(),
        r.LetIn(player=3),
        r.Halt(reason="fire alarm"),
        r.Continue(),
        r.Extend(seconds=60, match="F"),
        r.VoidRace(match="F", number=1, reason="power cut"),
        r.Override(match="F", winner=2, reason="agreed"),
        r.Override(match="F", ending=Ending.FORFEIT, reason="both left"),
        r.Disqualify(player=2, reason="two devices"),
        r.Reinstate(player=2, reason="it was not so"),
        r.Appoint(name="Cy", role="referee"),
        r.CallOff(reason="no hall", series=True),
        r.AddHook(url="https://example.org/hook"),
        r.RemoveHook(url="https://example.org/hook"),
    ]


async def test_the_log_comes_whole_however_it_is_paged(hall: Hall, server: CupServer) -> None:
    server.log, server.page = tuple(f'{{"n":{n}}}' for n in range(7)), 3
    async with hall.tournament(CODE) as cup:
        assert [line async for line in cup.log()] == list(server.log)
        assert [line async for line in cup.log(after=5)] == list(server.log[5:])


async def test_the_next_race_comes_once_and_none_when_there_is_no_more(
    hall: Hall, server: CupServer
) -> None:
    async with hall.tournament(CODE) as cup:
        waiting = asyncio.create_task(cup.next_race())
        server.tell(changed(5, 6, matches=(match("F", 1, 2, races=(race(1, "r1"),)),)))
        call = await waiting
        assert call is not None
        assert (call.match.match, call.race.race) == ("F", "r1")
        waiting = asyncio.create_task(cup.next_race())
        server.tell(changed(6, 7, matches=(match("F", 1, 2, races=(race(1, "r1", "running"),)),)))
        await settle()
        assert not waiting.done()
        server.tell(changed(7, 8, "over"))
        assert await waiting is None


async def test_who_never_registered_waits_for_no_race(hall: Hall, server: CupServer) -> None:
    server.sheet = sheet(5)
    async with hall.tournament(CODE) as cup:
        with pytest.raises(ClientError, match="register first"):
            await cup.next_race()


async def test_who_never_registered_is_told_at_once_that_it_is_over(
    hall: Hall, server: CupServer
) -> None:
    server.sheet = sheet(5, "over")
    async with hall.tournament(CODE) as cup:
        assert await cup.next_race() is None


async def test_more_time_given_twice_is_added_twice(hall: Hall, server: CupServer) -> None:
    """What the next act names is known when the first is done, before any change was told."""

    def extend(act: r.AnyAct) -> None:
        assert isinstance(act, r.Extend)
        instant = (act.shown or 0) + act.seconds * 1000
        server.sheet = sheet(server.sheet.seq + 1, head=bell(instant))

    def bell(at: int) -> TournamentHead:
        return TournamentHead(phase="running", next="bell", next_at=at)

    server.sheet = sheet(5, head=bell(1_000_000))
    server.on_act = extend
    async with hall.tournament(CODE) as cup:
        await cup.extend(60)
        await cup.extend(60)
    assert server.acts() == [
        r.Extend(seconds=60, shown=1_000_000),
        r.Extend(seconds=60, shown=1_060_000),
    ]


async def test_tournaments_are_listed(hall: Hall) -> None:
    (card,) = await hall.tournaments(mine=True)
    assert (card.tournament, card.players) == (CODE, 2)
