"""The answers that docs/api.md shows of races, ratings and boards are what a server answers."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.request import urlopen

import pytest
import pytest_asyncio

from samedeal_protocol import messages
from samedeal_protocol.terms import Mode, Terms
from samedeal_server.app import Node
from samedeal_server.boards.annulling import Counted, ruling_on
from support.nodes import Fakes, fakes, running
from support.patience import PATIENCE_S
from support.races import WIN, WIN_GAME, WinningSeeds
from support.serving import ROOT
from support.voices import Voice, greeted

DOCUMENT = ROOT / "docs" / "api.md"
EXAMPLES = dict(
    re.findall(
        r"^```http\nGET (/api/v1/(?:races|leaderboards|players|annulments)\S*)\n\n(.*?)^```$",
        DOCUMENT.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


@pytest_asyncio.fixture
async def node() -> AsyncIterator[Node]:
    """A server on which Ada has won a race and Grace another, which then was annulled; then Ada
    began one more by herself."""
    world = replace(fakes(), seeds=WinningSeeds())
    async with (
        running(world) as up,
        greeted(up.address, "Ada") as ada,
        greeted(up.address, "Grace") as grace,
    ):
        await _race(up, world, ada, grace)
        void = await _race(up, world, grace, ada)
        await up.hall.boards.keeper.look()
        ledger = up.hall.boards.keeper.ledger
        assert ledger is not None
        counted = Counted()
        counted.races = {race.race: race for race in ledger.all_races()}
        counted.names = {"player-1": "Ada", "player-2": "Grace"}
        ruling, _ = ruling_on(
            counted, void, is_annulled=True, reason="two at one board", at=world.clock.now()
        )
        await world.log.rule(ruling)
        await _alone(world, ada)
        yield up


async def _race(node: Node, world: Fakes, winner: Voice, other: Voice) -> str:
    terms = Terms(game=WIN_GAME, countdown=0, rated=True)
    create = messages.Create(id=winner.next_id(), terms=terms)
    code = (await winner.get(messages.Created, create)).race
    for each in (winner, other):
        await each.join(code)
        await each.ready(code)
    node.hall.tick()
    await winner.hear(messages.Started)
    for number, move in enumerate(WIN, 1):
        world.clock.advance(1000)
        await winner.play(code, number, move)
    world.clock.advance(1000)
    await winner.ask(messages.Finish(id=winner.next_id(), race=code, number=len(WIN) + 1))
    await other.ask(messages.GiveUp(id=other.next_id(), race=code))
    return code


async def _alone(world: Fakes, player: Voice) -> None:
    terms = Terms(game="amazons", mode=Mode.ASYNC, entrants_min=1, entrants_max=1)
    create = messages.Create(id=player.next_id(), terms=terms)
    code = (await player.get(messages.Created, create)).race
    await player.join(code)
    await player.ask(messages.Begin(id=player.next_id(), race=code))
    world.clock.advance(1500)
    await player.play(code, 1, "deal")
    world.clock.advance(2500)
    await player.ask(messages.GiveUp(id=player.next_id(), race=code))


async def test_every_answer_is_as_it_is_shown(node: Node) -> None:
    def get(path: str) -> object:
        with urlopen(f"http://{node.address}{path}", timeout=PATIENCE_S) as answer:
            return json.load(answer)

    assert len(EXAMPLES) == 8
    for path, shown in EXAMPLES.items():
        assert await asyncio.to_thread(get, path) == json.loads(shown), path


@pytest.mark.parametrize("path", ["rating", "fastest", "deal", "streaks"])
def test_every_board_is_written_about(path: str) -> None:
    assert f"/api/v1/leaderboards/{path}" in DOCUMENT.read_text("utf-8")
