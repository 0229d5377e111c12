"""Tournaments run by written rules: commands in, events out. No I/O, no clock, no chance.

As a race, a tournament is a fold of its log. Formats are not known here: `samedeal_server.tourneys`
says what a state demands, and this package calls the races, waits for players, and knows who may
do what and when.

tournament the public face: announce, begin, decide, evolve, due, replay
state      what a fold of the events has come to; frozen, so that any thread may read it
fold       one event folded in
commands   acts of people, and what the server reports
rights     who may do what
decide     what a command causes, or why it is refused: `acts`, `staffing` and `reports` say
starting   who plays, and by which seed numbers
clockwork  what falls due, and when
demands    what the state demands by itself: pairings, results, races, the end
formal     the state as tourneys knows it
errands    which races are to be open, and which must not run
announcing the first event, of a tournament and of the next in its series
codes      names of tournaments and races, seeds and salts
view       what viewers are shown; `telling` says what happened, `pages` what the log shows
audit      whether a log is whole; `causes` whether it could be, `published` what it proves
"""

from __future__ import annotations
