"""A bot in five lines: python examples/five_line_bot.py ws://127.0.0.1:8642 RACE"""

import asyncio
import sys

from samedeal_client import ClientError, View, run_bot


def bot(view: View) -> str | None:
    home = [move for move in view.legal() if "-F" in move]  # a card goes to a foundation
    return next(iter([*home, *view.legal()]), None) if view.number < 200 else None


if len(sys.argv) != 3:
    sys.exit(__doc__)
try:
    for line in asyncio.run(run_bot(sys.argv[1], bot, race=sys.argv[2], name="Five")):
        print(line.place, line.name, line.state, line.home)
except ClientError as fault:
    sys.exit(str(fault))
