"""Tournaments at work: they are kept in the log like races, and run by the node that owns them.

What a tournament is and how it is decided, `hosting` says, purely. Here its state is held in
memory, never ahead of the log; what people do and what becomes of races is put to it one by one;
and what its state then asks for is done: races opened, watched, started and cancelled.

cups       all of this put together: the hall's annex
turns      who waits for whom
shelf      those in memory: found, read, claimed, lost and read again
cup        one of them, as the log has it
run        one of this node's own: commands in, events into the log, errands out
steward    one race of a tournament, wherever it lives, from its opening to its report
crowd      who follows, and what they are told
relay      what nodes ask of each other's tournaments
herald     what the bus is told
postman    what hosts' URLs are told
desk       one connection's requests
announcer  how new ones come to be
reader     any of them, as people read it

All that is told is durable: an event is folded when its append has returned. So a tournament that
must be read again has told nobody anything false, and its followers stay.
"""

from __future__ import annotations

from samedeal_server.cups.cups import Cups

__all__ = ["Cups"]
