"""Ratings and leaderboards as values: finished races in, numbers out. No I/O, no clock, no chance.

races       a finished race as plain data, and whether it is rated
model       the arithmetic: two entrants, a race, time without one; its constants and version
book        ratings as they stand; one race more, all races anew, races left out, and why
boards      leaderboards: ratings, fastest times, personal bests, streaks
records     times and days as they stand, one race more at a time
ledger      all of it together: every race in its order, and what follows from them

The rules for players, with the formula and a worked example, are in `docs/ratings.md`.
"""

from __future__ import annotations
