"""A bot for whole tournaments: python examples/tournament_bot.py ws://127.0.0.1:8642 CODE"""

import asyncio
import sys

from samedeal_client import ClientError, View, run_bot


def bot(view: View) -> str | None:
    home = [move for move in view.legal() if "-F" in move]  # a card goes to a foundation
    return next(iter([*home, *view.legal()]), None) if view.number < 200 else None


if len(sys.argv) != 3:
    sys.exit(__doc__)
try:
    table = asyncio.run(run_bot(sys.argv[1], bot, tournament=sys.argv[2], name="Touring"))
except ClientError as fault:
    sys.exit(str(fault))
for line in table.lines:
    print(line.place, line.player, *(f"{mark.what} {mark.value}" for mark in line.marks))
