"""A bot without samedeal: only `websockets` and `msgpack`, and the page docs/protocol.md.

    python examples/bare_bot.py ws://127.0.0.1:8642 RACE

It holds no rules: it asks for the legal moves with every view, and prefers cards that go home.
"""

import asyncio
import itertools
import sys

import msgpack
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol


async def main(url: str, race: str) -> None:
    async with connect(url, subprotocols=[Subprotocol("samedeal.v1.msgpack")]) as socket:
        ids, number, entrant = itertools.count(1), 0, None

        async def ask(kind: str, **fields: str | int) -> None:
            await socket.send(msgpack.packb({"type": kind, "id": next(ids), **fields}) or b"")

        async def move(legal: list[str]) -> None:
            home = [text for text in legal if "-F" in text]
            if not legal or number >= 150:
                await ask("give-up", race=race)
            else:
                await ask("play", race=race, number=number + 1, move=(home or legal)[0])

        await ask("hello", bot=True, legal=True)  # a guest, whom the server gives a name
        await ask("join", race=race)
        await ask("ready", race=race)
        async for frame in socket:
            message = msgpack.unpackb(frame)
            result = message.get("result") or {}
            match message["type"], result.get("type"):
                case "ok", "snapshot":
                    entrant = result["you"]
                case "ok", "played":
                    number = result["number"]
                    if result["status"] != "won":
                        await move(result.get("legal", []))
                case "started", _:
                    await move(message.get("legal", []))
                case "done", _ if message["entrant"] == entrant:
                    print("I am done:", message["state"], message["home"], "cards home")
                case "over", _:
                    for line in message["standings"]:
                        print(line["place"], line["name"], line["state"], line["home"])
                    return
                case "error", _ if message["code"] != "not-racing":
                    sys.exit(f"refused: {message['message']}")
                case "cancelled", _:
                    sys.exit(f"cancelled: {message['reason']}")


if len(sys.argv) != 3:
    sys.exit(__doc__)
try:
    asyncio.run(main(*sys.argv[1:]))
except (OSError, WebSocketException) as fault:
    sys.exit(f"{sys.argv[1]}: {fault}")
