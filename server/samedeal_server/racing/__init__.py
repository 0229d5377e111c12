"""Races as values: commands in, events out. Nothing here reads a clock or does I/O.

race        the public face: open_race, decide, evolve, consequences, step, deadline, replay
phases      which command is allowed in which phase, as a table that can be printed
commands    what can be asked of a race
state       Race and Entrant: what a fold of the events has come to
fold        one event folded into a race
decisions   what a command causes, or why it is refused
clockwork   what the state itself demands, now or at an instant
standings   who is first
sights      who sees how much; `talk` who hears what is said
audience    what they are sent; `sheets` how the race stands
hints       a move worth trying
reel        a race that is over, as a film
"""

from __future__ import annotations
