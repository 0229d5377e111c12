"""The console: lines become acts, faults become lines, and what is not one's own stays unknown."""

from __future__ import annotations

import argparse
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from samedeal_client import connect
from samedeal_client.cups.console import Console
from samedeal_client.cups.deeds import DEEDS, BadDeed, player_of
from samedeal_client.terminal import Terminal
from samedeal_protocol import messages as m
from samedeal_protocol.tournament import requests as r
from samedeal_protocol.tournament.events import Ending
from samedeal_protocol.tournament.views import Pick
from support.cups import CODE, CupServer, match, player, sheet
from support.scripted import StillTiming

HOOKS = ("https://example.org/x", "https://example.org/y")
PLAYERS = (player(1, "Ada"), player(2, "Bo"), player(30, "3"), player(4, "Cy Young"))


class Sitting:
    def __init__(self, server: CupServer, console: Console, out: io.StringIO) -> None:
        self.server = server
        self.console = console
        self._out = out

    async def type(self, line: str) -> list[str]:
        """Types a line; returns what is said."""
        before = len(self._out.getvalue())
        await self.console.take(line)
        return self._out.getvalue()[before:].splitlines()


@asynccontextmanager
async def sitting(*, whose: tuple[str, ...] | None = None) -> AsyncIterator[Sitting]:
    picking = match("W1.1", 1, 2, pick=Pick(player=1, until=2_000_000))
    server = CupServer(
        sheet(5, players=PLAYERS, you=1, matches=(picking,), role="host", hooks=HOOKS)
    )
    out = io.StringIO()
    async with (
        connect("test:1", name="Ada", dial=server.dial, timing=StillTiming()) as hall,
        hall.tournament(CODE) as cup,
    ):
        terminal = Terminal(out)
        console = Console(terminal, cup) if whose is None else Console(terminal, cup, whose=whose)
        yield Sitting(server, console, out)


@pytest.mark.parametrize(
    ("line", "act"),
    [
        ("register --phrase 'open sesame'", r.Register(phrase="open sesame")),
        ("check-in", r.CheckIn()),
        ("withdraw", r.Withdraw()),
        ("withdraw Bo", r.Withdraw(player=2)),
        ("sit-out", r.SitOut()),
        ("come-back", r.ComeBack()),
        ("pick opus", r.PickGame(match="W1.1", game="opus")),
        ("pick opus F", r.PickGame(match="F", game="opus")),
        ("invite Di 'Eve Adams'", r.Invite(names=("Di", "Eve Adams"))),
        ("open", r.OpenCheckIn()),
        ("start", r.StartTournament()),
        ("start bo #1", r.StartTournament(order=(2, 1))),
        ("round", r.StartRound(round=1)),
        ("BELL", r.RingBell()),
        ("let-in 'cy young'", r.LetIn(player=4)),
        ("halt fire alarm", r.Halt(reason="fire alarm")),
        ("continue", r.Continue()),
        ("extend 5m W1.1", r.Extend(seconds=300, match="W1.1", shown=2_000_000)),
        ("extend 90", r.Extend(seconds=90)),
        ("void W1.2 1 power cut", r.VoidRace(match="W1.2", number=1, reason="power cut")),
        ("override F Ada both agree", r.Override(match="F", winner=1, reason="both agree")),
        ("override F draw agreed", r.Override(match="F", reason="agreed")),
        (
            "override F none both left",
            r.Override(match="F", ending=Ending.FORFEIT, reason="both left"),
        ),
        (
            "override F Bo ill --walkover",
            r.Override(match="F", winner=2, ending=Ending.WALKOVER, reason="ill"),
        ),
        ("dq Bo two devices", r.Disqualify(player=2, reason="two devices")),
        ("reinstate #2 mistake", r.Reinstate(player=2, reason="mistake")),
        ("appoint Cy referee", r.Appoint(name="Cy", role="referee")),
        ("call-off no hall --series", r.CallOff(reason="no hall", series=True)),
        ("hook https://example.org/x", r.AddHook(url="https://example.org/x")),
        ("unhook https://example.org/x", r.RemoveHook(url="https://example.org/x")),
    ],
)
async def test_a_line_becomes_an_act(line: str, act: r.AnyAct) -> None:
    async with sitting() as sat:
        said = await sat.type(line)
        assert sat.server.acts() == [act]
        assert [line for line in said if line.startswith("No:")] == []
        assert said != []


def test_every_act_of_the_protocol_has_a_word() -> None:
    given = argparse.Namespace(
        player="1", players=[], reason=["x"], match="F", number=1, span=1, result="1",
        walkover=False, whom="Ada", role="none", names=["Ada"], url="x", game="opus", phrase=None,
        series=False,
    )  # fmt: skip
    shown = sheet(players=PLAYERS, you=1)
    made = {type(deed.makes(given, shown)) for deed in DEEDS.values()}
    assert made == set(r.AnyAct.__args__)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("strat", "'strat' is no word that I know: did you mean start?"),
        ("xyzzy", "'xyzzy' is no word that I know: type help"),
        ("dq Zoe cheating", "'Zoe' is no player of this tournament"),
        ("dq Bo", "REASON; help dq says how it is used"),
        ("extend soon", "'soon' is no duration"),
        ("void W1.2 one x", "'one' is no whole number"),
        ("appoint Cy boss", "help appoint says how it is used"),
        ("halt 'fire", "No closing quotation"),
        (
            "unhook https://example.org/z",
            f"nothing is posted to https://example.org/z, but to {', '.join(HOOKS)}",
        ),
    ],
)
async def test_a_fault_is_a_line_and_nothing_is_done(line: str, said: str) -> None:
    async with sitting() as sat:
        assert said in " ".join(await sat.type(line))
        assert sat.server.acts() == []
        assert not sat.console.is_leaving


async def test_a_refusal_of_the_server_is_a_line() -> None:
    async with sitting() as sat:
        sat.server.refusals[r.StartTournament] = m.Error(
            code="not-now", message="it has started already", retry="never"
        )
        assert await sat.type("start") == ["No: it has started already"]


def test_where_nothing_is_posted_nothing_is_unhooked() -> None:
    typed = argparse.Namespace(url="https://example.org/x")
    with pytest.raises(BadDeed, match="nor anywhere else"):
        DEEDS["unhook"].makes(typed, sheet(role="host"))


async def test_the_secret_of_a_hook_is_told_once() -> None:
    async with sitting() as sat:
        assert any("s3cret" in line for line in await sat.type("hook https://example.org/x"))


async def test_looks_are_there_for_everybody() -> None:
    async with sitting(whose=("players",)) as sat:
        assert (await sat.type("players"))[0] == "#1  Ada (seed 1)"
        assert (await sat.type("show"))[0] == "Friday cup: single elimination; opus"
        assert "Ada picks the game" in " ".join(await sat.type("matches"))
        assert await sat.type("table why") == ["There are no standings yet."]
        assert (await sat.type("terms"))[0] == "single elimination"


async def test_a_player_has_no_words_of_the_staff() -> None:
    async with sitting(whose=("players",)) as sat:
        assert not sat.console.knows("dq Bo cheating")
        assert sat.console.knows("pick opus")
        assert "is no word that I know" in " ".join(await sat.type("dq Bo cheating"))
        assert "disqualify" not in " ".join(await sat.type("help"))
        assert sat.server.acts() == []


async def test_help_names_every_word_and_more_of_one() -> None:
    async with sitting() as sat:
        shown = await sat.type("help")
        assert all(any(line.startswith(f"  {word} ") for line in shown) for word in DEEDS)
        assert "MATCH" in " ".join(await sat.type("help override"))


async def test_quit_leaves() -> None:
    async with sitting() as sat:
        await sat.type("quit")
        assert sat.console.is_leaving


def test_a_name_comes_before_a_number() -> None:
    shown = sheet(players=PLAYERS)
    assert player_of("3", shown) == 30
    assert player_of("#30", shown) == 30
    with pytest.raises(BadDeed):
        player_of("7", shown)
