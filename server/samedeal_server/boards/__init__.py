"""Ratings and leaderboards of a server: kept up with the store, and told to whoever asks.

finished    what a race has come to, from its log; and the short form that the store keeps of it
keeper      follows the store and keeps the ledger
answers     questions answered from the ledger, with the players' names
past        the races that a player was in
differences what an annulment changes for whom, as it is published
annulling   `samedeal-server annul`: from a look at the store to a ruling

The arithmetic is in `samedeal_server.ratings`, which does no I/O.
"""

from __future__ import annotations
