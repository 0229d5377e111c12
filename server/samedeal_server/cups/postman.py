"""What hosts' URLs are told: how matches ended, and how the tournament did.

Each event that says so is posted once to every hook, under an id that it always has, so that
receivers drop what they have already. What waits is in the memory of `Hooks` only. So whoever takes
a tournament up posts what happened in it within a day before; and its stream is not closed before
everything is posted, or given up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from samedeal_protocol.tournament import events, requests
from samedeal_protocol.tournament.events import TournamentEvent
from samedeal_server.cups.run import Run
from samedeal_server.hosting import view
from samedeal_server.hosting.commands import Did, Person
from samedeal_server.hosting.formal import tourney
from samedeal_server.hosting.state import State
from samedeal_server.hosting.tournament import begin, evolve
from samedeal_server.ports import Clock, Fate, Hook, Hooks

__all__ = ["Postman"]

DAY_MS: Final = 86_400_000
"""How long something is tried; `Hooks` gives up then."""
POSTED: Final = 100
"""Lines of the standings that are posted at most."""

_encoder: Final = msgspec.json.Encoder()
_Letter = tuple[Hook, str, bytes]


class Postman:
    """Everything that is posted of this node's tournaments."""

    def __init__(self, hooks: Hooks, clock: Clock, *, quiet: Callable[[str], None]) -> None:
        """`quiet` is told a tournament of which everything is posted."""
        self._hooks = hooks
        self._clock = clock
        self._quiet = quiet
        self._waiting: dict[str, dict[tuple[str, str], _Letter]] = {}
        """Of each tournament, what is not settled, by URL and id."""
        self._turned_away: dict[str, list[_Letter]] = {}

    def is_quiet(self, code: str) -> bool:
        """Says whether everything of a tournament is posted."""
        return not self._waiting.get(code)

    def went_on(self, run: Run, before: State, happened: Sequence[TournamentEvent]) -> None:
        """Posts what has happened since `before`."""
        state = before
        for event in happened:
            state = evolve(state, event)
            self._post(run, state, event)

    def take_up(self, run: Run, log: Sequence[TournamentEvent]) -> None:
        """Posts once more what has happened within the last day, from the whole log."""
        since = self._clock.now() - DAY_MS
        first = log[0]
        if not run.cup.state.hooks or not isinstance(first, events.Announced):
            return
        state = begin(first)
        for event in log[1:]:
            state = evolve(state, event)
            if event.at >= since:
                self._post(run, state, event)

    def flush(self, runs: dict[str, Run]) -> None:
        """Hands over again what there was no room for."""
        for code, letters in tuple(self._turned_away.items()):
            del self._turned_away[code]
            run = runs.get(code)
            for letter in letters if run is not None else ():
                assert run is not None
                self._hand_over(run, letter)

    def forget(self, code: str) -> None:
        """Leaves a tournament to the node that has it now."""
        letters = self._waiting.pop(code, {})
        self._turned_away.pop(code, None)
        for hook in {hook for hook, _, _ in letters.values()}:
            self._hooks.forget(hook)

    # --- within --------------------------------------------------------------------------------

    def _post(self, run: Run, state: State, event: TournamentEvent) -> None:
        if isinstance(event, events.Unhooked):
            self._unhook(run.cup.id, event.url)
        if not state.hooks or (payload := _payload(state, event)) is None:
            return
        for url, secret in state.hooks.items():
            if run.cup.state.hooks.get(url) == secret:
                self._hand_over(run, (Hook(url, secret), f"{state.code}-{state.seq}", payload))

    def _hand_over(self, run: Run, letter: _Letter) -> None:
        hook, id, payload = letter
        code = run.cup.id
        self._waiting.setdefault(code, {})[hook.url, id] = letter
        settled = partial(self._settled, run, letter)
        if not self._hooks.post(hook, id, payload, settled=settled):
            self._turned_away.setdefault(code, []).append(letter)

    def _settled(self, run: Run, letter: _Letter, fate: Fate, said: str) -> None:
        hook, id, _ = letter
        code = run.cup.id
        waiting = self._waiting.get(code, {})
        if waiting.pop((hook.url, id), None) is None:
            return
        if fate is Fate.GONE and not run.is_stopped:
            host = run.cup.state.announced
            by = Person(host.host, host.host_name)
            run.put(Did(by=by, act=requests.RemoveHook(url=hook.url)))
        if not waiting:
            self._waiting.pop(code, None)
            self._quiet(code)

    def _unhook(self, code: str, url: str) -> None:
        waiting = self._waiting.get(code, {})
        for key, (hook, _, _) in tuple(waiting.items()):
            if hook.url == url:
                del waiting[key]
                self._hooks.forget(hook)
        away = self._turned_away.pop(code, [])
        kept = [letter for letter in away if letter[0].url != url]
        if kept:
            self._turned_away[code] = kept


def _payload(state: State, event: TournamentEvent) -> bytes | None:
    """Returns what is posted of an event, from the state after it; None for what is not."""
    match event:
        case events.Decided(match=id) | events.Overridden(match=id):
            match_view = view.match_view(state, state.matches[id], tourney(state))
            players = [view.player_view(state.players[each]) for each in match_view.players]
            return _letter(state, event, "match-ended", match=match_view, players=players)
        case events.Started(players=players):
            return _letter(state, event, "tournament-started", size=len(players))
        case events.Over():
            return _letter(state, event, "tournament-over", **_end(state))
        case events.CalledOff(reason=reason):
            return _letter(state, event, "tournament-called-off", reason=reason)
        case _:
            return None


def _end(state: State) -> dict[str, object]:
    """Returns who stands where, the first; all of it and the arithmetic would be too much."""
    lines = view.table(state).lines[:POSTED]
    return {
        "reason": state.reason,
        "champion": state.champion,
        "standings": [
            {"place": line.place, "player": line.player, "name": state.players[line.player].name}
            for line in lines
        ],
    }


def _letter(state: State, event: TournamentEvent, kind: str, **more: object) -> bytes:
    return _encoder.encode(
        {
            "type": kind,
            "tournament": state.code,
            "name": state.terms.name,
            "seq": state.seq,
            "at": event.at,
            "phase": state.phase.value,
            "round": state.round,
            **more,
        }
    )
