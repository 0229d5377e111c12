"""Races as values: commands in, events out. Nothing here reads a clock or does I/O.

race        the public face: open_race, decide, evolve, consequences, step, deadline, replay
phases      which command is allowed in which phase, as a table that can be printed
state       Race and Entrant: what a fold of the events has come to
fold        one event folded into a race
decisions   what a command causes, or why it is refused
clockwork   what the state itself demands, now or at an instant
standings   who is first
audience    who sees what
hints       a move worth trying
"""

from __future__ import annotations
