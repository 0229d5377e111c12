"""The whole server over a real socket: a race from the lobby to the verified replay."""

from __future__ import annotations

import pytest

from samedeal_protocol import messages
from samedeal_protocol.codec import JSON, MSGPACK, Codec
from samedeal_protocol.events import CHAIN_START, Over, link, parse_line
from samedeal_protocol.terms import Terms
from samedeal_rules import deal, find, move_text
from support.nodes import fakes, running
from support.voices import Voice, greeted


def solve(seed: str, game: str) -> list[str]:
    """Plays at random until won or stuck; the moves, as texts."""
    table = deal(find(game), seed)
    moves: list[str] = []
    while (legal := table.legal()) and len(moves) < 60:
        move = min(legal, key=lambda each: move_text(table.game, each))
        table.play(move)
        moves.append(move_text(table.game, move))
    return moves


async def run(speaker: Voice, race: str, moves: list[str]) -> None:
    for number, move in enumerate(moves, 1):
        await speaker.play(race, number, move)
    await speaker.ask(messages.GiveUp(id=speaker.next_id(), race=race))


@pytest.mark.parametrize("transport", ["fast", "plain"])
@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])
async def test_a_race_runs_from_lobby_to_replay(transport: str, codec: Codec) -> None:
    world = fakes()
    async with (
        running(world, transport=transport) as up,
        greeted(up.address, "Ann", codec=codec) as ann,
        greeted(up.address, "Ben") as ben,
        greeted(up.address, "Eve") as eve,
    ):
        terms = Terms(game="forty-thieves", countdown=3)
        created = await ann.get(
            messages.Created,
            messages.Create(id=ann.next_id(), terms=terms, seed="friday-night"),
        )
        race = created.race
        snapshot = await ann.join(race)
        assert snapshot.you == 1
        await ben.join(race)
        await eve.watch(race)
        listed = await eve.get(messages.Listed, messages.List(id=eve.next_id()))
        assert [card.race for card in listed.races] == [race]
        await ann.ready(race)
        await ben.ready(race)
        begun = await ann.hear(messages.CountdownBegan)
        assert begun.starts_in_ms == 3000
        world.clock.advance(3000)
        up.hall.tick()
        one = await ann.hear(messages.Started)
        two = await ben.hear(messages.Started)
        assert one.board is not None
        assert one == two
        moves = solve("friday-night", "forty-thieves")
        await run(ann, race, moves)
        await run(ben, race, moves[:10])
        over = await eve.hear(messages.Over)
        assert [line.place for line in over.standings]
        assert over.seed == "friday-night"
        page = await eve.get(messages.ReplayPage, messages.Replay(id=eve.next_id(), race=race))
        head = CHAIN_START
        for line in page.lines:
            head = link(head, line.encode())
        assert head.hex() == page.head
        assert isinstance(parse_line(page.lines[-1]), Over)
