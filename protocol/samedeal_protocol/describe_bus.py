"""The bus told from its own topics: docs/bus.md.

What travels on which topic comes from `topics`; what cannot be generated stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from samedeal_protocol.describe import explanations, structs
from samedeal_protocol.topics import PAYLOAD_BYTES, ROOT, TOPICS, Place, ProgressLine

__all__ = ["page"]

_BEFORE: Final = """\
<!-- Written by `make docs` from protocol/samedeal_protocol. Change it there. -->

# The bus

Everything that leaves a race or a tournament for the world is published on an MQTT broker, if the
server is given one: `samedeal-server serve --node a --bus mqtt://USER:PASSWORD@HOST:PORT`. Anybody
who may read the broker can watch every race: a program for the stream, a wall of screens, a
statistician. Any broker of MQTT 3.1.1 or 5 will do.

**The bus may lose, repeat and delay anything; brokers lose acknowledged messages, too.** Nothing
there is needed to play, and nothing said there changes a race. So go by two numbers, `epoch` and
`seq`: drop a message unless its (epoch, seq) is after the last one that you took of that race, the
epochs compared first. A lower epoch comes from a node that has lost the race to another and does
not know it yet. Whoever misses something sees it in the next message: progress and standings are
whole each time. For every single move connect to the server and `watch` (see the
[protocol](protocol.md)); for proof, ask for the `replay` when the race is over.

## Watching

The standings are text, and kept by the broker for those who come later:

```console
$ mosquitto_sub -h broker.example.org -t '{root}/races/+/standings' -C 1 -v
{root}/races/.../standings {{"race":"...","node":"a","epoch":1,"seq":...,\
"phase":"running","standings":[{{"place":1,...}}]}}
```

The progress is MessagePack, several times a second, and nobody keeps it. A line for each entrant:
their number, state, cards home, moves.

```console
$ mosquitto_sub -h broker.example.org -t '{root}/races/+/progress' -N -C 1 | \
python3 -c 'import msgpack, sys; print(msgpack.unpackb(sys.stdin.buffer.read()))'
{{'race': '...', 'node': 'a', 'epoch': 1, 'seq': ..., 'at': ..., 'phase': 'running', \
'entrants': [[1, 'racing', ..., ...], [2, 'racing', ..., ...]]}}
```

The same as a program, which takes nothing twice and nothing old:

```python
import asyncio
import aiomqtt
import msgpack

async def main():
    newest = {{}}
    async with aiomqtt.Client("broker.example.org") as broker:
        await broker.subscribe("{root}/races/+/progress")
        async for message in broker.messages:
            progress = msgpack.unpackb(message.payload)
            race, instant = progress["race"], (progress["epoch"], progress["seq"])
            if instant <= newest.get(race, (0, 0)):
                continue
            newest[race] = instant
            for entrant, state, home, moves in progress["entrants"]:
                print(f"{{race}}: {{entrant}} {{state}}, {{home}} home after {{moves}} moves")
            if instant > (1, 100):
                break

asyncio.run(main())
```

The bus shows public races, and of them what a stranger who watches is shown: `spectators: none` and
`blind` keep it silent until the race is over, `progress` keeps boards out. A `delay` holds progress
and standings back until the end, and `watch` so long as it says. `watch` begins with a snapshot;
whoever comes later waits for the next one, or asks the server.

Tournaments that are listed are told of as well. `standings` is whole each time and kept by the
broker for those who come later; `pairings` says what was paired and which races were called, so
that their races can be watched, and `results` how matches ended. Here epoch and seq are the
tournament's. Whoever misses a result sees what came of it in the next standings, and all of it in
`/api/v1/tournaments` of the server (see the [JSON API](api.md)).

Fields that you do not know
are to be ignored. A message has at most {bytes} bytes.
"""

_INTERNAL: Final = """\
## Topics between nodes

Outsiders may not read these, nor rely on them: they may change with every version."""

_AFTER: Final = """\
## Running a broker

`ops/mosquitto/` has the configuration of a Mosquitto, without and with TLS, and `access.py`, which
writes the access rules, a password for each node, and certificates:

    python ops/mosquitto/access.py /etc/mosquitto/samedeal node-a node-b

Strangers may read what is public and say nothing. A node may speak in its own name only, so
`--node` must be the name of its user. Give the URL by `SAMEDEAL_BUS` or the settings' file rather
than on the command line, where every process of the machine can read it. With TLS:

    mqtts://broker.example.org:8883?ca=/etc/ca.pem&cert=/etc/node-a.pem&key=/etc/node-a.key

Without `ca` the system's authorities are believed; without `cert` and `key` a user and password go
before the host. `version=3.1.1` or `version=5` keeps to one version of MQTT.

A cluster of NATS servers with MQTT gateways serves as well, and survives the death of one. Give it
one name with the addresses of all: a node that loses its server takes the next.

A server goes on without its broker: players notice nothing, and it connects again by itself, within
a second of the broker's return. Then it says everything anew that is retained. Of what could not be
sent meanwhile the newest 2,000 messages wait. `/metrics` tells: `samedeal_bus_connected`,
`samedeal_bus_reconnects_total`, `samedeal_bus_dropped_total`, and `samedeal_bus_refused_total`,
which should stay at 0: it counts what the broker's rules did not let the server say or hear (of
brokers that tell, and Mosquitto tells with MQTT 5)."""


def page(source: str) -> str:
    """Returns the page about the bus. `source` is the text of the module `topics`."""
    texts = dict(explanations(source))
    parts = [
        _BEFORE.format(root=ROOT, bytes=f"{PAYLOAD_BYTES:,}"),
        "## Public topics",
        _table(is_public=True),
        *_payloads(is_public=True, texts=texts),
        _INTERNAL,
        _table(is_public=False),
        *_payloads(is_public=False, texts=texts),
        _AFTER,
    ]
    text = "\n\n".join(part.strip("\n") for part in parts) + "\n"
    # These are told of on the other page.
    text = re.sub(r"\]\(#(standing|racecard)\)", r"](protocol.md#\1)", text)
    return re.sub(
        r"\]\(#(tournamenthead|matchview|playerview)\)", r"](tournament-protocol.md#\1)", text
    )


def _payloads(*, is_public: bool, texts: dict[tuple[str, str], str]) -> Iterator[str]:
    kinds: list[type[Struct]] = [each.payload for each in TOPICS if each.is_public is is_public]
    if is_public:
        kinds += (ProgressLine, Place)
    return structs(kinds, texts)


def _table(*, is_public: bool) -> str:
    rows = ["| topic, below `samedeal/v1/` | message | as | kept |", "|---|---|---|---|"]
    for each in TOPICS:
        if each.is_public is is_public:
            name = each.payload.__name__
            encoding = "JSON" if each.is_json else "MessagePack"
            kept = "yes" if each.is_retained else "no"
            rows.append(f"| `{each.path}` | [{name}](#{name.lower()}) | {encoding} | {kept} |")
    return "\n".join(rows)
