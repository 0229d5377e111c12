"""What the world is told of tournaments over the bus, and other nodes of those of this one.

Everything is durable when it is told. Only tournaments that are listed are told of in public, and
nothing that a stranger who follows one may not see. What nodes tell each other is how far a log has
come; they read it themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from samedeal_protocol import topics
from samedeal_protocol.terms import Visibility
from samedeal_protocol.topics import News, Pairings, Place, Results, Table
from samedeal_protocol.tournament import events
from samedeal_protocol.tournament.events import TournamentEvent
from samedeal_protocol.tournament.views import MatchView, PlayerView, TournamentTable
from samedeal_server.cups.run import Run
from samedeal_server.hosting import view
from samedeal_server.hosting.formal import tourney
from samedeal_server.hosting.state import Match, State
from samedeal_server.ports import Bus, Clock

__all__ = ["Herald"]

STANDINGS_EVERY_MS: Final = 1_000
KEPT_MS: Final = 600_000
"""How long the standings stay after the end."""


class Herald:
    """The voice of this node's tournaments on the bus."""

    def __init__(
        self, bus: Bus, clock: Clock, *, node: str, is_shared: bool, has_audience: bool
    ) -> None:
        """`is_shared` says whether other nodes follow; `has_audience`, whether outsiders may."""
        self._bus = bus
        self._clock = clock
        self._node = node
        self._is_shared = is_shared
        self._has_audience = has_audience
        self._grown: dict[str, Run] = {}
        """Those that have gone on since the last flush."""
        self._paired: dict[str, dict[str, None]] = {}
        self._ended: dict[str, dict[str, None]] = {}
        self._stood_at: dict[str, int] = {}
        """When standings were told within the last while, the oldest first."""
        self._unstood: dict[str, Run] = {}
        """Those whose standings are to be told, when it is not too soon."""
        self._fading: dict[str, int] = {}

    def went_on(self, run: Run, happened: Iterable[TournamentEvent]) -> None:
        """Notes what is to be told at the next flush."""
        code = run.cup.id
        self._grown[code] = run
        if not self._is_public(run.cup.state):
            return
        self._unstood[code] = run
        paired = self._paired.setdefault(code, {})
        ended = self._ended.setdefault(code, {})
        for event in happened:
            match event:
                case events.Paired(matches=matches):
                    paired |= dict.fromkeys(each.match for each in matches)
                    ended |= dict.fromkeys(each.match for each in matches if each.result)
                case events.TakenBack(matches=ids):
                    paired |= dict.fromkeys(ids)
                case events.Called(match=id):
                    paired[id] = None
                case events.Decided(match=id) | events.Overridden(match=id):
                    ended[id] = None
                case _:
                    pass

    def flush(self) -> None:
        """Tells what has gathered."""
        for run in self._grown.values():
            self._tell_nodes(run)
            self._tell_pairings(run)
            self._tell_results(run)
        self._grown.clear()
        self._paired.clear()
        self._ended.clear()
        self._fade()

    def due(self) -> list[Run]:
        """Returns the tournaments whose standings are to be told now, by `stand`."""
        now = self._clock.now()
        while self._stood_at:
            code, at = next(iter(self._stood_at.items()))
            if now - at < STANDINGS_EVERY_MS:
                break
            del self._stood_at[code]
        found = [run for code, run in self._unstood.items() if code not in self._stood_at]
        for run in found:
            del self._unstood[run.cup.id]
            self._stood_at[run.cup.id] = now
        return found

    def stand(self, run: Run, table: TournamentTable) -> None:
        """Tells the standings, which were reckoned of the tournament's state as it was."""
        state = run.cup.state
        names = {number: entry.name for number, entry in state.players.items()}
        places = tuple(
            Place(
                place=line.place,
                player=line.player,
                name=names[line.player],
                marks=tuple(f"{mark.what} {mark.value}" for mark in line.marks),
            )
            for line in table.lines
        )
        told = Table(
            tournament=run.cup.id,
            name=state.terms.name,
            node=self._node,
            epoch=run.epoch,
            seq=table.seq,
            at=self._clock.now(),
            head=view.head(state),
            final=table.final,
            places=places,
            chain=table.chain,
        )
        topic = topics.TABLE.at(tournament=run.cup.id)
        self._bus.publish(topic, topics.TABLE.encode(told), retain=True)
        if state.is_final:
            self._fading[run.cup.id] = self._clock.now() + KEPT_MS

    def forget(self, code: str) -> None:
        """Leaves a tournament to the node that has it now."""
        self._grown.pop(code, None)
        self._unstood.pop(code, None)
        self._stood_at.pop(code, None)
        if code not in self._fading:
            self._bus.forget(topics.TABLE.at(tournament=code))

    # --- within --------------------------------------------------------------------------------

    def _is_public(self, state: State) -> bool:
        return self._has_audience and state.terms.visibility is Visibility.PUBLIC

    def _tell_nodes(self, run: Run) -> None:
        if not self._is_shared:
            return
        code = run.cup.id
        news = News(tournament=code, node=self._node, epoch=run.epoch, seq=run.cup.state.seq)
        self._bus.publish(
            topics.NEWS.at(tournament=code, node=self._node), topics.NEWS.encode(news)
        )

    def _tell_pairings(self, run: Run) -> None:
        code, state = run.cup.id, run.cup.state
        wanted = self._paired.get(code, {})
        matches = [state.matches[id] for id in wanted if id in state.matches]
        gone = tuple(id for id in wanted if id not in state.matches)
        if not matches and not gone:
            return
        told = Pairings(
            tournament=code,
            node=self._node,
            epoch=run.epoch,
            seq=state.seq,
            at=self._clock.now(),
            matches=_shown(state, matches),
            players=_players(state, matches),
            gone=gone,
        )
        self._bus.publish(topics.PAIRINGS.at(tournament=code), topics.PAIRINGS.encode(told))

    def _tell_results(self, run: Run) -> None:
        code, state = run.cup.id, run.cup.state
        wanted = self._ended.get(code, {})
        matches = [state.matches[id] for id in wanted if id in state.matches]
        matches = [match for match in matches if not match.is_open]
        if not matches:
            return
        told = Results(
            tournament=code,
            node=self._node,
            epoch=run.epoch,
            seq=state.seq,
            at=self._clock.now(),
            matches=_shown(state, matches),
            players=_players(state, matches),
        )
        self._bus.publish(topics.RESULTS.at(tournament=code), topics.RESULTS.encode(told))

    def _fade(self) -> None:
        now = self._clock.now()
        for code, until in tuple(self._fading.items()):
            if now < until:
                break
            del self._fading[code]
            self._bus.publish(topics.TABLE.at(tournament=code), b"", retain=True)


def _shown(state: State, matches: Sequence[Match]) -> tuple[MatchView, ...]:
    field = tourney(state)
    return tuple(view.match_view(state, match, field) for match in matches)


def _players(state: State, matches: Sequence[Match]) -> tuple[PlayerView, ...]:
    numbers = sorted({number for match in matches for number in match.players})
    return tuple(view.player_view(state.players[number]) for number in numbers)
