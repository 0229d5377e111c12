"""No frame and no line of the server's log holds what its reader may not have seen."""

from __future__ import annotations

import logging
import re

import pytest

from samedeal_protocol import messages
from samedeal_protocol.messages import Ok
from samedeal_protocol.terms import Sight, Undo
from samedeal_rules import GAMES, Game, Table, deal, find, move_text, parse_move
from support.halls import Person, lobby

MOVES = 25
CARD = re.compile(r"\b[A2-9TJQK][CDHS]\b")


def cards_in(text: str) -> set[str]:
    return set(CARD.findall(text))


class Seen:
    """What an entrant may have seen, worked out beside the server from the rules alone."""

    def __init__(self, game: Game, seed: str) -> None:
        self.table = deal(game, seed)
        self.boards = {self.table.view().text()}

    def play(self, step: int) -> str:
        legal = sorted(move_text(self.table.game, move) for move in self.table.legal())
        text = legal[step * 5 % len(legal)]
        self.table.play(parse_move(self.table.game, text))
        self.boards.add(self.table.view().text())
        return text

    @property
    def cards(self) -> set[str]:
        return set().union(*(cards_in(board) for board in self.boards))


def said(person: Person) -> tuple[set[str], set[str]]:
    """Returns the boards and the single cards in all that a connection was sent."""
    boards: set[str] = set()
    cards: set[str] = set()
    for message in person.heard:
        inner = message.result if isinstance(message, Ok) else message
        if isinstance(inner, messages.Snapshot):
            boards |= {view.board for view in inner.entrants if view.board is not None}
        board = getattr(inner, "board", None)
        if board is not None:
            boards.add(board)
        cards |= {each.card for each in getattr(inner, "turned", ())}
    return boards, cards


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
async def test_every_board_that_is_sent_is_one_its_reader_may_see(
    game: Game, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben", legal=True)
        race = await hall.started(
            ann, ben, game=game.key, seed=None, undo=Undo.FREE, spectators=Sight.BOARDS
        )
        second = await hall.again(ann)
        await second.watch(race)
        eve = await hall.person("Eve")
        await eve.watch(race)
        room = hall.hall.room(race)
        assert room is not None
        seed, salt = room.race.opened.seed, room.race.opened.salt
        own, rival = Seen(game, seed), Seen(game, seed)
        for number in range(1, MOVES + 1):
            if not own.table.legal() or not rival.table.legal():
                break
            await ann.play(race, number, own.play(number))
            await ben.play(race, number, rival.play(number * 3))
            await ann.reply_to(ann.a_play(race, number + 1, "F1-T1"))
        newer = await hall.again(ann)
        await newer.join(race)
        for person, seen in ((ann, own), (second, own), (newer, own), (ben, rival)):
            boards, cards = said(person)
            assert boards <= seen.boards
            assert cards <= seen.cards
        boards, cards = said(eve)
        assert boards <= own.boards | rival.boards
        secrets = [seed.encode(), salt.encode()]
        for person in (ann, ben, second, newer, eve):
            everything = b"".join(person.frames)
            assert not any(secret in everything for secret in secrets)
        tokens = [each.welcome.token for each in (ann, ben, eve) if each.welcome is not None]
        for text in (seed, salt, *tokens):
            assert text is not None
            assert text not in caplog.text
        assert cards_in(caplog.text) == set()


async def test_an_undo_shows_nothing_that_was_not_seen() -> None:
    game = find("forty-thieves")
    async with lobby() as hall:
        ann = await hall.person("Ann")
        race = await hall.started(ann, game=game.key, seed="friday-night", undo=Undo.FREE)
        table = deal(game, "friday-night")
        allowed = {table.view().text()}
        for number in range(1, 20, 2):
            await ann.play(race, number, "draw")
            table.play(parse_move(game, "draw"))
            allowed.add(table.view().text())
            undo = messages.Undo(id=ann.next_id(), race=race, number=number + 1)
            undone = await ann.get(messages.Played, undo)
            table.undo()
            assert undone.board in allowed


async def test_every_deal_is_shown_at_the_start_and_not_before() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.race(ann, countdown=5)
        for person in (ann, ben):
            await person.join(race)
            await person.ready(race)
        await hall.pass_time(4999)
        assert [said(person) for person in (ann, ben)] == [(set(), set())] * 2
        await hall.pass_time(1)
        boards, _ = said(ann)
        assert len(boards) == 1
        assert boards == said(ben)[0]


def test_the_scan_finds_a_card_that_was_not_seen() -> None:
    table: Table = deal(find("forty-thieves"), "x")
    assert cards_in(table.position().text()) > cards_in(table.view().text())
