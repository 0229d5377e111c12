"""No message to anybody holds a card that its reader may not see: every game that hides cards.

The judge here is independent of the rules core's views: it reads the rulebook's "Hidden" lines
(the stock everywhere; in St. Helena and Box Kite all below the top of a tableau pile) off the whole
position, and knows by a rule of its own whose board a viewer may see.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec
import pytest

from conftest import SOAK
from samedeal_protocol import messages
from samedeal_protocol.events import Event
from samedeal_protocol.terms import Mode, Sight, Terms, Undo
from samedeal_rules.cards import HIDDEN, card_text
from samedeal_rules.engine import Table
from samedeal_rules.notation import move_text, parse_move
from samedeal_server.racing.audience import (
    card,
    lens,
    may_watch,
    played,
    results,
    search,
    show,
    sight,
    snapshot,
)
from samedeal_server.racing.commands import Begin, Chat, Command, Enter, Finish, GiveUp, Play
from samedeal_server.racing.commands import Undo as TakeBack
from samedeal_server.racing.hints import hint
from samedeal_server.racing.race import Refused
from samedeal_server.racing.state import Entrant
from support.races import HOST, SALT, Track

ONLY_TOPS: Final = {"st-helena", "box-kite"}
GAMES: Final = ["boomerang", "amazons", "abandon-hope", "forty-thieves", "st-helena", "box-kite"]
SEED: Final = "no-card-in-this-text"
CARD: Final = re.compile(r"(?<![0-9A-Za-z])[A2-9TJQK][CDHS](?![0-9A-Za-z])")
PLAYERS: Final = ("ann", "bob", "cat")
VIEWERS: Final = (*PLAYERS, HOST, "zoe")

TERMS: Final = {
    "open": Terms(game="", undo=Undo.FREE, hints=True),
    "careful": Terms(game="", undo=Undo.NOT_PAST_A_REVEAL, spectators=Sight.PROGRESS),
    "blind": Terms(game="", undo=Undo.PENALTY, blind=True),
    "private": Terms(game="", undo=Undo.NONE, spectators=Sight.NONE),
    "async": Terms(game="", mode=Mode.ASYNC, undo=Undo.FREE, limit=3600),
    "async-blind": Terms(game="", mode=Mode.ASYNC, blind=True, limit=3600),
}


def rulebook_view(table: Table) -> dict[str, list[str]]:
    """Returns what a player may see of each pile, by the rulebook, bottom first."""
    position = table.position()
    seen: dict[str, list[str]] = {}
    for name, pile in zip(position.game.piles, position.piles, strict=True):
        cards = [card_text(code) for code in pile]
        if name == "S":
            cards = [card_text(HIDDEN)] * len(cards)
        elif name.startswith("T") and position.game.key in ONLY_TOPS and cards:
            cards = [card_text(HIDDEN)] * (len(cards) - 1) + cards[-1:]
        seen[name] = cards
    return seen


def otherwise_hidden(table: Table) -> Table:
    """Returns a table that looks the same to its player, with the hidden cards the other way."""
    position = table.position()
    seen = rulebook_view(table).values()
    hidden = [
        code
        for pile, texts in zip(position.piles, seen, strict=True)
        for code, text in zip(pile, texts, strict=True)
        if text == card_text(HIDDEN)
    ]
    piles = tuple(
        tuple(
            hidden.pop() if text == card_text(HIDDEN) else code
            for code, text in zip(pile, texts, strict=True)
        )
        for pile, texts in zip(position.piles, seen, strict=True)
    )
    return Table.from_position(replace(position, piles=piles), table.seed)


def piles_of(board: str) -> dict[str, list[str]]:
    """Reads a board's piles without the rules core."""
    lines = (line.partition(":") for line in board.splitlines())
    return {name: rest.split() for name, _, rest in lines if re.fullmatch(r"[A-Z]\d*", name)}


def may_see_board(track: Track, viewer: str, owner: Entrant) -> bool:
    if track.phase() == "over" or viewer == owner.player:
        return True
    if track.race.terms.spectators is not Sight.BOARDS:
        return False
    own = next((e for e in track.race.entrants if e.player == viewer), None)
    if own is not None:
        return own.is_done
    return track.race.terms.mode is Mode.LIVE


@dataclass
class Judge:
    """Looks at everything that anybody is sent."""

    track: Track
    seqs: dict[str, list[int]] = field(default_factory=dict)
    seen: int = 0

    def event(self, event: Event) -> None:
        """Tells every viewer of the event, as a room would, and looks at what they are told."""
        race = self.track.race
        for viewer in VIEWERS:
            shown = show(race, event, lens(event, sight(race, viewer)), legal=True)
            assert shown == show(race, event, sight(race, viewer), legal=True)
            self.seqs.setdefault(viewer, []).append(shown.seq)
            self.look(viewer, shown)
        if race.seq % 7 == 0 or race.is_final:
            self.sheets()

    def sheets(self) -> None:
        race, now = self.track.race, self.track.now
        for viewer in VIEWERS:
            self.look(viewer, snapshot(race, viewer, now, legal=True))
            self.look(viewer, results(race, viewer))
            self.look(viewer, card(race, viewer))

    def look(self, viewer: str, message: msgspec.Struct) -> None:
        self.seen += 1
        tree = msgspec.to_builtins(message)
        owner = getattr(message, "entrant", None)
        if owner is None and isinstance(message, messages.Played):
            owner = self.track[viewer].number
        rest = dict(self._strip(tree, viewer, owner))
        text = repr(rest)
        assert not CARD.findall(text), f"{viewer} is sent {message}"
        if self.track.phase() != "over":
            assert SEED not in text
            assert SALT not in text

    def refusal(self, player: str, asked: Command, refused: Refused) -> None:
        """What a refusal says of cards must follow from what the player sees."""
        self.seen += 1
        table = self.track[player].table
        if not isinstance(asked, Play) or table is None or refused.reason is None:
            assert not CARD.findall(refused.sentence)
            return
        move = parse_move(table.game, asked.move)
        twin = otherwise_hidden(table).refusal(move)
        assert twin is not None
        assert (twin.code, twin.sentence) == (refused.reason, refused.sentence)

    def _strip(
        self, tree: dict[str, object], viewer: str, owner: int | None
    ) -> Iterator[tuple[str, object]]:
        """Judges the boards and cards in a message, and yields all that is left of it."""
        for key, value in tree.items():
            if key == "board" and isinstance(value, str):
                self._board(viewer, owner, value)
            elif key == "turned" and isinstance(value, (list, tuple)):
                for pile, text in value:
                    top = rulebook_view(self._table(owner))[pile][-1]
                    assert top == text, "only a card that lies open is said to be turned"
            elif key == "entrants" and isinstance(value, (list, tuple)):
                yield (
                    key,
                    [
                        dict(self._strip(view, viewer, view["entrant"]))
                        if isinstance(view, dict)
                        else view
                        for view in value
                    ],
                )
            else:
                yield key, value

    def _board(self, viewer: str, owner: int | None, board: str) -> None:
        entrants = self.track.race.entrants
        if owner is None:  # the start: the same deal for all
            owner = next(e.number for e in entrants if e.table is not None)
            allowed = any(may_see_board(self.track, viewer, e) for e in entrants)
        else:
            allowed = may_see_board(self.track, viewer, entrants[owner - 1])
        assert allowed, f"{viewer} is shown the board of {owner}"
        assert piles_of(board) == rulebook_view(self._table(owner))

    def _table(self, owner: int | None) -> Table:
        assert owner is not None
        table = self.track.race.entrants[owner - 1].table
        assert table is not None
        return table


def race_at_random(game: str, terms: Terms, dice: random.Random) -> Judge:
    """Runs a race in which legal, illegal and forged commands come in any order, to its end."""
    terms = msgspec.structs.replace(terms, game=game, entrants_max=3)
    track = Track(terms, seed=SEED)
    judge = Judge(track)
    track.watchers.append(judge.event)
    judge.sheets()
    if terms.mode is Mode.ASYNC:
        for player in PLAYERS:
            track.do(Enter(player, player.upper(), bot=False))
            judge.sheets()
        track.do(Begin("ann"))
    else:
        track.start(*PLAYERS)
    for _ in range(100):
        if track.race.is_final:
            break
        player = dice.choice(PLAYERS)
        asked = command(track, player, dice)
        try:
            track.do(asked, after=dice.randrange(2000))
        except Refused as refused:
            judge.refusal(player, asked, refused)
            continue
        entrant = track[player]
        if entrant.last:
            judge.look(player, played(track.race, entrant, legal=True))
            if dice.random() < 0.1:
                number = dice.randint(1, entrant.last)
                found = search(track.log, entrant.number, number, legal=True)
                assert [again.number for again in found if again is not None] == [number]
        table = entrant.table
        if terms.hints and not entrant.is_done and table is not None and table.legal():
            assert not CARD.findall(hint(track.race, player))
    track.wait(10 * 86_400_000)
    assert track.phase() == "over"
    judge.sheets()
    return judge


def command(track: Track, player: str, dice: random.Random) -> Command:
    entrant = track[player]
    number = entrant.last + 1
    roll = dice.random()
    if entrant.table is None:
        return Begin(player) if roll < 0.3 else Play(player, number, "draw")
    if roll < 0.02:
        return GiveUp(player)
    if roll < 0.06:
        return Chat(player, player.upper(), bot=False, text="well, well")
    if roll < 0.2:
        return TakeBack(player, number)
    if roll < 0.25:
        return Finish(player, number)
    piles = entrant.table.game.piles
    if roll < 0.4:  # mostly illegal: the refusal must not tell either
        return Play(player, number, f"{dice.choice(piles)}-{dice.choice(piles)}")
    moves = entrant.table.legal()
    if not moves:
        return TakeBack(player, number)
    return Play(player, number, move_text(entrant.table.game, dice.choice(moves)))


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("game", GAMES)
def test_nobody_is_sent_a_card_before_they_may_see_it(game: str, terms: str) -> None:
    for number in range(SOAK):
        judge = race_at_random(game, TERMS[terms], random.Random(f"{game} {terms} {number}"))
        assert judge.seen > 100
        for viewer in VIEWERS:
            assert judge.seqs[viewer] == list(range(2, judge.track.race.seq + 1))


def test_a_race_without_spectators_cannot_be_watched_until_it_is_over() -> None:
    track = Track(msgspec.structs.replace(TERMS["private"], game="amazons"), seed=SEED)
    track.start(*PLAYERS)
    assert not may_watch(track.race, "zoe")
    for player in PLAYERS:
        track.do(GiveUp(player))
    assert may_watch(track.race, "zoe")
