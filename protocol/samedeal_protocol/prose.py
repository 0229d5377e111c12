"""What docs/protocol.md says that no struct can: how a conversation goes.

`{words in braces}` are filled in by `describe`, which also writes everything else of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["AFTER", "BEFORE", "SECTIONS"]

BEFORE: Final = """\
<!-- Written by `make docs` from protocol/samedeal_protocol. Change it there. -->

# The samedeal protocol

Anybody may write a client. `examples/bare_bot.py` is one with nothing but a WebSocket and a
MessagePack library; [schema.json](schema.json) has every message as JSON Schema; moves, cards and
positions are texts, explained with the rules in [games](games/index.md).

## Connecting

One WebSocket (RFC 6455) on the server's port, any path. The subprotocol chooses the encoding:

| subprotocol | frames | for |
|---|---|---|
| `{msgpack}` | binary, MessagePack | programs |
| `{json}` | text, JSON | browsers, and looking at things |

Both carry the same messages: maps with a `type`. Fields that you do not know are to be ignored, and
so are events whose `type` you do not know (keep their `seq`). Fields at their default are left out.
A frame to the server has at most {frame_bytes} bytes. Without a known subprotocol the server
refuses the handshake.

Say `hello` first, within 5 seconds. The answer is `welcome`. A new guest gets a `token`, once: keep
it, and say it in the next `hello` to be the same player. Tokens travel in `hello` only.

    > {{"type": "hello", "id": 1, "protocol": {protocol}, "name": "Ada", "client": "bare-bot 1"}}
    < {{"type": "ok", "id": 1, "result": {{"type": "welcome", "name": "Ada", ...}}}}

Say something, a `ping` if nothing else, at least as often as `welcome.limits.ping_ms` asks.
Control-frame pings do not count: proxies swallow them.

## Requests and replies

Every request has an `id`, which you choose: a whole number, best one more each time. It gets
exactly one reply with that `id`, `ok` or `error`. A refused request has changed nothing. Replies to
different requests may come in any order; requests about one race are carried out in order.

`error.retry` says whether the same request can succeed later: `never`, `now`, or `after`, and then
`after_ms` says when. New error codes may come with a newer server: go by `retry`.

What has been answered with `ok` is on disk and survives the server.

## Races and their events

After `join` or `watch` the connection is told everything that happens in the race. Each event has
the race's `seq`, one more each time, without gap or repeat:

- A reply that carries a `seq` (`snapshot`, `played`) stands in for the event of that `seq`.
- What you may not see comes as `skip`.
- A `snapshot` replaces all you knew, and the events after it have the next seqs. One may come
  unasked, when you may suddenly see more (you are done, the race is over).

If a seq is missing, ask `resume` with `after` set to the last one you have. On a new connection do
the same, after `hello`: the answer is `resumed`, and the events that you missed follow, or it is a
`snapshot` if they are too many. Your newest connection to a race wins; the older one is closed with
4001, which says not to come back. Only who came back less than 10 s before may do so once more: it
may have been their own older connection, of which a node that stood still heard too late.

## Moves

Moves are texts: `T3-F1`, `T1-T4:3` (three cards), `draw`, `deal`, `redeal`. You number what you do
to your board (`play`, `undo`, `finish`, `send-home`) 1, 2, 3, ... A refused one does not use up its
number. The same number again with the same content gets the same answer and is done once; so after
a broken connection simply send it again. Other requests that may be repeated safely are all but
{once}.

`played` and `moved` say what happened without any rule: carry out `steps` one after the other (the
top cards of a pile go, in their order, onto another; the stock's next card is written first), hide
(`--`) all but the top card of the piles in `covered`, then put the cards of `turned` on top of
theirs. Where steps cannot say it there is a whole `board` instead. `digest` is 16 hex digits over
the board as you see it; if you compute another, ask `resume` without `after`. It is BLAKE2b with 8
bytes of output over: the game's key, a zero byte, the four counters (redeals, base, plays, idle;
each a byte, 0 where there is none), and pile by pile, in the order in which positions print them,
the cards, a byte each, and a byte 63. A card is suit × 16 + rank, suits C D H S from 0, ranks from
1; a hidden card is 0.

`send-home` plays home what is *safe* there, until nothing more is or something hidden turns up. A
card is safe if whatever could be won without another redeal can still be won without it: no card
that is not home could ever be built on it in the tableau, wherever it lay (where nothing is built,
none could); each other copy of it that is not home finds a foundation just like its own; and it
leaves no space that fills itself. Nothing is safe while the base rank is not fixed, nor where cards
may leave foundations, since a card that comes back may need it.

Send `legal: true` in `hello` to get the legal moves with every view of your own board.

A client that holds no rules needs: the position it was sent, the game's drawing of the table, and
`legal`.

## Time

`at` is milliseconds of UTC by the server's clock. Durations end in `_ms`. A start is announced as a
duration, `starts_in_ms`: count from the message's arrival. Only the server decides when a board was
finished: at the receipt of the move that won. Time during which the server was down is on nobody's
clock (`stoppage`)."""

SECTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "requests": "## From clients\n\nEvery request has `type`, the word in its heading, and an "
        "`id`, a whole number from 1 to 2⁵³ − 1. Requests about a race have its code in `race`. "
        "Besides:",
        "server": "## From the server",
        "replies": "## Results\n\nThe `result` of an `ok`. Where none is named for a request, "
        "there is no result.",
        "events": "## Events\n\nPushed, without `id`. Every event has `race`, `seq` and `at`. "
        "Besides:",
        "parts": "## Parts of messages",
        "terms": "## Terms of a race",
        "errors": "## Error codes",
        "closes": "## Close codes\n\n`after`: come back after a random part of a few seconds. "
        "1000, 1001, 1006 and codes of proxies (1011 to 1014): come back likewise. A code that is "
        "not in this list: do not come back by yourself.",
        "log": """\
## The log, and the replay file

A race's log is its truth. `replay` gives it when the race is over. As a file it is JSON lines:

    {"samedeal": "replay/1", "race": CODE, "server": PROGRAM}
    one line an event, exactly as logged, to the byte
    {"head": HEX}

`head` is the end of the hash chain: it starts with 32 zero bytes, and each line makes it SHA-256
over the 32 bytes so far and the line's bytes, without the line end. `samedeal verify FILE`
recomputes everything from the file: the commitment (SHA-256 over the seed's UTF-8 and the salt's
bytes), the deal, every move, clocks, ends, ranking and chain. The event of line n of the log has
seq n. A line has its kind in `event` and its instant in `at`, in milliseconds of UTC; besides:""",
    }
)

AFTER: Final = """\
## Versions

The number in the subprotocol's name changes when old clients can no longer follow. Within a version
fields and messages are only added."""
