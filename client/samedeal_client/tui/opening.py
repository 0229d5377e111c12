"""A new race: a game, a preset, every term."""

from __future__ import annotations

from collections.abc import Mapping

from samedeal_client.client import Hall
from samedeal_client.tui.drafting import FIELDS, PRESETS, Draft, draft, words
from samedeal_client.tui.form import Form

__all__ = ["NewRaceScreen"]


class NewRaceScreen(Form[Draft]):
    """The form. It is left with nothing; the race that was opened is entered."""

    heading = "A new race"
    deed = "open it", "open the race, and enter it"
    fields = FIELDS
    presets = PRESETS

    def words(self, game: str, values: Mapping[str, str]) -> list[str]:
        return words(game, values)

    def drafted(self, game: str, values: Mapping[str, str], *, now: int) -> Draft:
        return draft(game, values, now=now)

    async def made(self, hall: Hall, drafted: Draft) -> None:
        race = await hall.create(drafted.terms, seed=drafted.seed, phrase=drafted.phrase)
        self.leave()
        self.program.enter(race, phrase=drafted.phrase)
