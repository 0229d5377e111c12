"""Tournaments on the wire and in the log.

formats   what can be played, and which tie-breaks there are
terms     what a host announces; `schedule` when it recurs
events    the log's lines
requests  what clients ask, with the acts of players and hosts
views     what they are shown; `sheets` the same as rows for other programs
"""

from __future__ import annotations
