"""The tournaments' part of the protocol, told from its own structs: docs/tournament-protocol.md.

As with `describe`, what a struct can say comes from it; how a tournament goes on the wire stands
here, and what its rules are in docs/tournaments.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from samedeal_protocol import messages
from samedeal_protocol.describe import enums, explanations, members, structs
from samedeal_protocol.tournament import events, formats, requests, schedule, terms, views

__all__ = ["SOURCES", "page"]

SOURCES: Final = ("requests", "views", "terms", "formats", "schedule", "events")
"""The modules of `tournament` whose source texts `page` needs."""

_BEFORE: Final = """\
<!-- Written by `make docs` from protocol/samedeal_protocol/tournament. Change it there. -->

# Tournaments in the protocol

How a tournament is run, and by which rules, [tournaments](tournaments.md) says; connections,
requests and replies are those of the [protocol](protocol.md), whose error codes hold here as well.
Whoever can play a race can play a tournament with four messages more.

## Playing one

Ask `list-tournaments`, then `follow-tournament`: the answer is a `tournament-sheet`, and from then
on you are told what changes. `act-in-tournament` does something:

    > {"type": "act-in-tournament", "id": 7, "tournament": "cup-k7m2x9qbtd",
       "act": {"act": "register"}}
    < {"type": "ok", "id": 7}

When a race is called in which you are wanted, a match with your number in `players` has a race
whose `state` is `called`. Join that race as any other, and say `ready` before `ready_by`: who is
not there then has lost it. It starts as soon as all are ready. When it is over, wait for the next.

Nobody else may enter a tournament's race (`not-invited`); a race that belongs to one names it in
`tournament`. To watch, `watch` the race.

## Following one

A `tournament-changed` says what is different from `after` on, up to `seq`: players and matches as
they are now, by their numbers and ids, and ids that are gone. Take `gone` away, put the others in
the place of what was. Whoever has less than `after` asks `follow-tournament` again. Several changes
may come as one. On a new connection follow anew.

Acts may all be sent again: what holds already is done, and answered by `ok`. `extend` needs
`shown` for that.

## Fairness

Everything that is drawn by lot, and every deal, follows from the tournament's seed. A commitment to
it, SHA-256 over the seed's UTF-8 and the salt's bytes, is in every sheet; seed and salt are shown
when it is over, and then `tournament-log` gives the whole log, so that anybody can recompute every
pairing, every deal and the standings: orders are those of the [published shuffle](deal.md).

The final standings name the end of the log's hash chain (`chain`, after `seq` events), as they do
over the bus: it starts with 32 zero bytes, and each line makes it SHA-256 over the 32 bytes so far
and the line's bytes, without a line end, as a stranger reads them. Staff's lines may say more of
who was invited: those names are not in the chain. No line may be written otherwise than the server
does, to the byte (in a JSON list of events, but for spaces and escapes).

`samedeal verify LOG --head CHAIN` compares them. After the end a log can go on only by what is
allowed then: the host takes a hook away and, in a series, appoints staff; the next one is
announced. Anything else is a fault. None of that is in the `chain` that was published before; the
standings are those of the event that it names, and what came later is said not to be vouched for. A
`chain` from before the end, as of the announcement, says nothing of the results: that fails too."""

_SECTIONS: Final[Mapping[str, str]] = {
    "requests": "## From clients\n\nEvery request has an `id`; those about one tournament have its "
    "code in `tournament`. Besides:",
    "acts": "## Acts\n\nWhat `act-in-tournament` does, told apart by the word in `act`. `Staff's`: "
    "the host, co-hosts and referees may; `Hosts'`: the host and co-hosts; `The host's`: nobody "
    "else.",
    "replies": "## Results\n\nThe `result` of an `ok`.",
    "events": "## Told to followers\n\nPushed, without `id`.",
    "parts": "## Parts of messages",
    "terms": "## Terms of a tournament",
    "formats": "## Formats\n\nTold apart by the word in `format`. Points and tie-breaks are "
    "explained in [tournaments](tournaments.md).",
    "log": """\
## The log

As with races, a tournament's log is its truth, and each line's hash covers the one before it. The
event of line n has seq n. A line has its kind in `event`, its instant in `at`, and in `by` the id
of whoever did it by hand. Until the tournament is over seeds and salts are left blank, and so are
for ever the pass phrase's hash, where results are posted and how they are signed, and the seed of
the next in a series. Besides:""",
}

_PARTS: Final[tuple[type[Struct], ...]] = (
    views.TournamentHead,
    views.TournamentCard,
    views.PlayerView,
    views.MatchView,
    views.HeatPlace,
    views.RaceView,
    views.Pick,
    views.StaffView,
    views.TableLine,
    views.Mark,
)


def page(sources: Mapping[str, str]) -> str:
    """Returns the page. `sources` are the texts of the modules in `SOURCES`."""
    texts: dict[tuple[str, str], str] = {}
    for name in SOURCES:
        texts |= explanations(sources[name])
    parts = [_BEFORE, _SECTIONS["requests"]]
    parts += structs([kind for kind in members(messages.ClientMessage) if _is_own(kind)], texts)
    parts.append(_SECTIONS["acts"])
    parts += structs(members(requests.AnyAct), texts)
    parts.append(_SECTIONS["replies"])
    parts += structs([kind for kind in members(messages.Reply) if _is_own(kind)], texts)
    parts.append(_SECTIONS["events"])
    parts += structs([views.TournamentChanged], texts)
    parts.append(_SECTIONS["parts"])
    parts += structs(_PARTS, texts)
    parts.append(_SECTIONS["terms"])
    parts += structs([terms.TournamentTerms, schedule.Schedule], texts)
    parts += enums(
        (terms.Registration, terms.Seeding, terms.Choice, schedule.Every, schedule.Nth), texts
    )
    parts.append(_SECTIONS["formats"])
    parts += structs([*members(formats.Format), formats.Length, formats.Points], texts)
    parts += enums((formats.Order,), texts)
    parts.append("### Tie-breaks")
    rows = [f"| `{each.value}` | {text} |" for each, text in formats.EXPLAINED.items()]
    parts.append("\n".join(["| tie-break | how it is reckoned |", "|---|---|", *rows]))
    parts.append(_SECTIONS["log"])
    parts += structs(members(events.TournamentEvent), texts)
    parts += structs((events.PairedMatch, events.MatchResult, events.Showing), texts)
    parts += enums((events.Ending,), texts)
    text = "\n\n".join(part.strip("\n") for part in parts) + "\n"
    return text.replace("](#terms)", "](protocol.md#terms)")


def _is_own(kind: type[Struct]) -> bool:
    return ".tournament." in kind.__module__
