"""What docs/bus.md shows is what happens, with a real broker and a real server that races are on.

The commands and the program are run as they stand, but for the broker's name.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from samedeal_protocol import describe_bus, messages
from samedeal_protocol.terms import Terms, Undo
from samedeal_protocol.topics import TOPICS
from support import brokers
from support.documents import agrees, blocks
from support.halls import GAME, SEED, walk
from support.processes import process
from support.serving import ROOT
from support.voices import Voice, greeted

PAGE = (ROOT / "docs" / "bus.md").read_text("utf-8")
BROKER = "broker.example.org"
LOUD = ("--rate", "100000", "--burst", "100000", "--log-level", "warning", "--drain", "0")


def examples() -> Iterator[tuple[str, str]]:
    """Yields each command and what is shown after it."""
    for block in blocks(PAGE, "console"):
        command, _, shown = block.text.removeprefix("$ ").partition("\n")
        yield command, shown


async def play_on(player: Voice, race: str, enough: asyncio.Event) -> None:
    """Plays a move and takes it back, again and again."""
    move = walk(1)[0]
    number = 1
    while not enough.is_set():
        await player.play(race, number, move)
        undo = messages.Undo(id=player.next_id(), race=race, number=number + 1)
        await player.ask(undo)
        number += 2


@asynccontextmanager
async def racing(folder: Path) -> AsyncIterator[int]:
    """A race that goes on over a server with a broker; yields the broker's port."""
    with brokers.mosquitto(folder) as broker:
        bus = ("--bus", f"mqtt://127.0.0.1:{broker.port}", "--node", "a")
        async with (
            process(folder / "data", *LOUD, *bus) as up,
            greeted(up.address, "Ann") as ann,
            greeted(up.address, "Ben") as ben,
        ):
            terms = Terms(game=GAME, countdown=0, undo=Undo.FREE)
            create = messages.Create(id=ann.next_id(), terms=terms, seed=SEED)
            race = (await ann.get(messages.Created, create)).race
            for player in (ann, ben):
                await player.join(race)
            for player in (ann, ben):
                await player.ready(race)
            await ann.hear(messages.Started)
            enough = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                group.create_task(play_on(ann, race, enough), name="Ann plays")
                try:
                    yield broker.port
                finally:
                    enough.set()


async def printed(*command: str) -> str:
    """Returns what a command prints; it must succeed, and say nothing else."""
    running = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        out, err = await running.communicate()
    assert (running.returncode, err) == (0, b""), err.decode()
    return out.decode()


async def test_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    sub = brokers.program("mosquitto_sub")
    async with racing(tmp_path) as port:
        for command, shown in examples():
            named = command.replace(BROKER, f"127.0.0.1 -p {port}")
            named = named.replace("mosquitto_sub", sub).replace("python3", sys.executable)
            happened = await printed("bash", "-c", named)
            assert agrees(shown, happened), f"shown:\n{shown}\nhappened:\n{happened}"


async def test_the_program_of_the_page_runs_until_it_has_heard_enough(tmp_path: Path) -> None:
    (program,) = blocks(PAGE, "python")
    async with racing(tmp_path) as port:
        named = program.text.replace(f'"{BROKER}"', f'"127.0.0.1", {port}')
        happened = await printed(sys.executable, "-W", "error", "-c", named)
    lines = happened.splitlines()
    assert all(re.fullmatch(r"\S+: [12] racing, \d+ home after \d+ moves", line) for line in lines)
    assert len(lines) >= 2


def test_the_kept_page_is_current() -> None:
    source = ROOT / "protocol" / "samedeal_protocol" / "topics.py"
    assert describe_bus.page(source.read_text("utf-8")) == PAGE


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.path)
def test_every_topic_and_field_is_told_of(topic: object) -> None:
    path, payload = getattr(topic, "path", ""), getattr(topic, "payload", None)
    assert f"`{path}`" in PAGE
    assert payload is not None
    section = PAGE.partition(f"### {payload.__name__}\n")[2].partition("###")[0]
    for field in payload.__struct_fields__:
        assert f"| `{field}` |" in section


def test_every_link_of_the_page_leads_somewhere() -> None:
    for page, anchor in re.findall(r"\]\(([a-z.-]*)(?:#([a-z]+))?\)", PAGE):
        text = (ROOT / "docs" / page).read_text("utf-8") if page else PAGE
        assert not anchor or re.search(rf"^#+ {anchor}$", text, re.MULTILINE | re.IGNORECASE)
