"""A whole race in the terminal: `make demo`, `make demo GAME=opus SEED=tuesday`.

Starts a server as a process of its own on a free port, lets three bots race over real WebSockets
while a spectator draws the lanes, prints the standings, saves the replay and verifies it. Leaves
nothing behind but the replay.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import Final

from samedeal_client import BOTS, Hall, connect, play_out, verify
from samedeal_client.bots import Bot
from samedeal_client.cli.command import guarded
from samedeal_client.cli.watching import follow
from samedeal_client.lanes import LaneScreen
from samedeal_client.settings import program_of
from samedeal_client.telling import clock, standings_table
from samedeal_client.terminal import Terminal
from samedeal_client.testing import server
from samedeal_protocol.terms import Terms, Undo
from samedeal_rules import find, meant
from samedeal_rules.shuffle import check_seed

LIMIT: Final = 40
"""Seconds that the race may take."""
PACE: Final = 0.04
"""Seconds before each move, so that there is something to see."""


def bots(seed: str) -> dict[str, Bot]:
    """The three that race, by name; the same seed makes them play alike."""
    return {name: make(seed) for name, make in sorted(BOTS.items())}


async def race_once(url: str, host: Hall, race: str, terminal: Terminal, goal: int) -> None:
    """Lets the bots race, and draws their lanes until it is over."""

    async def enter(name: str, bot: Bot) -> None:
        async with connect(url, name=name, bot=True) as hall, hall.join(race) as run:
            await play_out(run, bot, pace=PACE)
            await run.over()

    async with asyncio.TaskGroup() as tasks, host.watch(race) as watch:
        for name, bot in bots(race).items():
            tasks.create_task(enter(name, bot), name=f"bot {name}")
        await follow(watch, LaneScreen(terminal), goal)
        terminal.say()
        terminal.say_all(standings_table(watch.standings, goal))
        terminal.say(f"Committed to before the start: {watch.commitment}")
        terminal.say(f"seed {watch.seed}, salt {watch.salt}")


async def demo(game_key: str, seed: str, output: Path, terminal: Terminal) -> bool:
    """Runs the demonstration; returns whether the replay was verified."""
    game = meant(game_key) or find(game_key)
    terms = Terms(
        game=game.key,
        entrants_min=len(bots("")),
        entrants_max=len(bots("")),
        countdown=2,
        limit=LIMIT,
        undo=Undo.NONE,
    )
    began = asyncio.get_running_loop().time()
    async with server(arguments=("--log-level", "warning")) as url:
        terminal.say(f"A server at {url}, three bots and a spectator; {game.name}, seed {seed}.")
        async with connect(url, name="spectator") as host:
            race = await host.create(terms, seed=seed)
            await race_once(url, host, race, terminal, game.goal)
            replay = await host.replay(race)
    await asyncio.to_thread(_save, output, replay)
    report = verify(replay)
    terminal.say_command(f"The replay is in {output}:", f"{_command()} replay {output}")
    terminal.say_all(report.text().splitlines())
    took = round((asyncio.get_running_loop().time() - began) * 1000)
    terminal.say(f"All of it took {clock(took)}.")
    return report.passed


def _command() -> str:
    """What to type for the command that was installed with this Python."""
    return program_of(os.path.relpath(Path(sys.executable).with_name("samedeal")))


def _save(output: Path, replay: bytes) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(replay)


def main(argv: list[str]) -> int:
    """Runs the demonstration; 1 when it fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--game", default="forty-thieves", help="a game's key")
    parser.add_argument("--seed", default="friday-night", help="the deal's seed")
    parser.add_argument("--output", type=Path, help="the replay file (default: in replays/)")
    arguments = parser.parse_args(argv)
    terminal = Terminal.standard(has_colour=False)
    name = f"demo-{arguments.game}.jsonl".replace(":", ".")
    output = arguments.output or Path("replays", name)

    def run() -> int:
        seed = check_seed(arguments.seed)
        return 0 if asyncio.run(demo(arguments.game, seed, output, terminal)) else 1

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
