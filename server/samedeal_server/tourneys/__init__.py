"""Tournaments as values: a state in, pairings and standings out. No I/O, no clock, no chance.

A log of events folds into a `state.Tourney`: players with seed numbers and flags, and the matches
that were paired, each with its result once there is one. `tourney.look` says what that state
demands by itself, in the way of a race's consequences:

    plan = look(terms, tourney)     void, pair, decide: record them in this order, then look again
    plan.is_settled                 it waits for results, flags or the bell; or plan.over

A paired match is played race by race: `tourney.verdict` says which race to open next and, in the
end, the `state.Result` to record; `chance.deal_seed` makes each race's seed from the tournament's
own. `tourney.standings` can be asked at any time. Pairings are recorded, never made again: who
withdraws, pauses or comes back changes what is paired from then on, and nothing that was.

tourney      the public face: look, standings, verdict, length_of, deal_seed
state        Player, Showing, Race, Result, Match, Tourney; Plan and Decided
series       matches of several races: best of N, replayed draws
elimination  single and double; brackets is their engine
circle       round robin
swiss        Swiss rounds; alone in importing networkx, when the first round is paired
heats        many in a race, points for places
ladder       whoever is free, until the bell
scores       what everybody has scored
tiebreaks    each tie-break, with its arithmetic as text
table        places, which ties share
chance       every random choice, from the recorded seed
forfeits     what becomes of open matches whose players have gone
calendar     the instants at which a schedule recurs
arithmetic   numbers and sums as people read them
errors       what is wrong with states

Which formats there are, and what a host chooses for each, `samedeal_protocol.tournament.formats`
says.
"""

from __future__ import annotations
