"""The wire: what clients and servers say to each other, as types, without I/O.

messages       all of them; `requests`, `replies` and `announcements` by who says them
terms          what a race is run under
boards         leaderboards; `daily` the daily deal; `tournament` all that is said of tournaments
errors         every refusal, every close code; `spoken` what is wrong with a value, in words
tags           names on the wire; `bases` what every message is made from
codec          bytes to messages and back
events         what the log keeps of a race

session        one client's side of a conversation
happenings     what it tells whoever drives it; `losses` what the end of a connection means

topics         the bus
house          between a server and the house of its bots

describe       the documents made from all this; `describe_bus`, `describe_tournaments`, `prose`
"""

from __future__ import annotations
