"""Tournaments on the wire and in the log.

formats   what can be played, and which tie-breaks there are
terms     what a host announces
events    the log's lines
requests  what clients ask, with the acts of players and hosts
views     what they are shown
"""

from __future__ import annotations
