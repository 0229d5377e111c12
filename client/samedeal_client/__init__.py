"""The client: the library for bot authors, honest bots, and the command samedeal.

import samedeal_client

async with samedeal_client.connect("ws://127.0.0.1:8642", name="Ada") as hall:
    async with hall.join("the-race-code") as run:
        await run.ready()
        async for view in run:
            await run.play(view.legal()[0])
"""

from __future__ import annotations

from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament.terms import TournamentTerms

from .bots import (
    BOTS,
    Bot,
    greedy_bot,
    patient_bot,
    play_out,
    play_tournament,
    random_bot,
    run_bot,
)
from .client import DEFAULT_URL, Hall, Link, connect
from .cups.cup import Call, Cup
from .cups.touring import tour
from .errors import (
    ClientError,
    Closed,
    FellBehind,
    GaveUpConnecting,
    IllegalMove,
    OutcomeUnknown,
    Refused,
    Replaced,
    TakenBack,
)
from .local import LocalGame
from .run import Run
from .sight import Happening, Watch
from .verify import Check, Report, verify
from .view import View

__all__ = [
    "BOTS",
    "DEFAULT_URL",
    "Bot",
    "Call",
    "Check",
    "ClientError",
    "Closed",
    "Cup",
    "FellBehind",
    "GaveUpConnecting",
    "Hall",
    "Happening",
    "IllegalMove",
    "Link",
    "LocalGame",
    "OutcomeUnknown",
    "Refused",
    "Replaced",
    "Report",
    "Run",
    "TakenBack",
    "Terms",
    "TournamentTerms",
    "View",
    "Watch",
    "connect",
    "greedy_bot",
    "patient_bot",
    "play_out",
    "play_tournament",
    "random_bot",
    "run_bot",
    "tour",
    "verify",
]
