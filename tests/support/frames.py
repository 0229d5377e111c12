"""One sample of every message, and where its golden frames lie.

A golden frame never changes within a protocol version. A new message gets new ones:

    .venv/bin/python tests/support/frames.py     writes those that are missing
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samedeal_protocol import boards as b
from samedeal_protocol import daily as d
from samedeal_protocol import messages as m
from samedeal_protocol.codec import JSON, MSGPACK
from samedeal_protocol.terms import Mode, Sight, Start, Terms, Undo, Visibility
from support import frames_tournaments as tournaments

__all__ = ["CLIENT", "FRAMES", "SERVER"]

FRAMES: Final = Path(__file__).parent.parent / "frames"

RACE: Final = "brisk-otter-42"
AT: Final = 1_800_000_000_000
DIGEST: Final = "00112233445566aa"
BOARD: Final = "game: amazons\nF1: AC\nT1: KH\nS: 40 cards hidden"
COMMITMENT: Final = "c0ffee" * 10 + "beef"
TERMS: Final = Terms(game="forty-thieves", entrants_min=1)
ALL_TERMS: Final = Terms(
    game="opus:no-wrap",
    mode=Mode.LIVE,
    start=Start.AT,
    start_at=AT + 60_000,
    countdown=10,
    limit=None,
    closes=3600,
    entrants_min=2,
    entrants_max=4,
    undo=Undo.PENALTY,
    undo_penalty=7,
    visibility=Visibility.PHRASE,
    spectators=Sight.PROGRESS,
    delay=30,
    blind=True,
    hints=True,
    rated=True,
    bots=False,
    grace=60,
)
STANDING: Final = m.Standing(
    place=1, entrant=2, name="Grace", state="finished", elapsed_ms=61_234, home=104, moves=130
)
BEATEN: Final = m.Standing(
    place=2, entrant=1, name="Ada", bot=True, state="gave-up", penalty_ms=5000, home=17, moves=44
)
LIMITS: Final = m.Limits(
    frame_bytes=16_384,
    requests_per_second=50.0,
    burst=100,
    chat_characters=300,
    races_per_player=20,
    ping_ms=20_000,
)
ENTRANT: Final = m.EntrantView(
    entrant=1,
    name="Ada",
    bot=True,
    state="racing",
    away=True,
    home=1,
    moves=3,
    penalty_ms=5000,
    board=BOARD,
    digest=DIGEST,
)
CARD: Final = m.RaceCard(
    race=RACE,
    phase="over",
    terms=TERMS,
    host="Ada",
    entrants=("Ada", "Grace"),
    opened_at=AT,
    commitment=COMMITMENT,
    seeded=True,
    standing=STANDING,
)
TURNED: Final = (m.Turned(pile="T1", card="5H"), m.Turned(pile="W", card="TD"))

CLIENT: Final[dict[str, m.ClientMessage]] = {
    "hello": m.Hello(id=1, client="bare-bot 1", name="Adá ♠", token="t0k3n", bot=True, legal=True),
    "hello.plain": m.Hello(id=1),
    "create": m.Create(id=2, terms=ALL_TERMS, seed="friday-night", phrase="open sesame"),
    "create.plain": m.Create(id=2, terms=TERMS),
    "list": m.List(id=3, game="opus"),
    "mine": m.Mine(id=4),
    "join": m.Join(id=5, race=RACE, phrase="open sesame"),
    "watch": m.Watch(id=6, race=RACE),
    "resume": m.Resume(id=7, race=RACE, after=12),
    "ready": m.Ready(id=8, race=RACE),
    "unready": m.Unready(id=9, race=RACE),
    "start": m.Start(id=10, race=RACE),
    "begin": m.Begin(id=11, race=RACE),
    "play": m.Play(id=12, race=RACE, number=1, move="T1-T4:3"),
    "undo": m.Undo(id=13, race=RACE, number=2),
    "finish": m.Finish(id=14, race=RACE, number=3),
    "send-home": m.SendHome(id=14, race=RACE, number=3),
    "hint": m.Hint(id=15, race=RACE),
    "give-up": m.GiveUp(id=16, race=RACE),
    "leave": m.Leave(id=17, race=RACE),
    "cancel": m.Cancel(id=18, race=RACE),
    "disqualify": m.Disqualify(id=19, race=RACE, entrant=2, reason="two at one board"),
    "rematch": m.Rematch(id=20, race=RACE),
    "chat": m.Chat(id=21, race=RACE, text="gl hf"),
    "invite-bot": m.InviteBot(
        id=29, race=RACE, bot=m.HouseBot.PATIENT, pace_ms=1200, phrase="open sesame"
    ),
    "invite-bot.plain": m.InviteBot(id=29, race=RACE),
    "results": m.Results(id=22, race=RACE),
    "replay": m.Replay(id=23, race=RACE, after=100),
    "leaderboard": m.Leaderboard(
        id=24, board=b.Board.FASTEST, game="opus:no-wrap", deal=RACE, bots=True, offset=20, limit=50
    ),
    "leaderboard.plain": m.Leaderboard(id=24),
    "ratings": m.Ratings(id=25, name="Adá ♠", game="opus"),
    "ratings.plain": m.Ratings(id=25),
    "daily": m.Daily(id=26, day="20261130", join=True, bots=True, offset=20, limit=50),
    "daily.plain": m.Daily(id=26),
    "league": m.League(id=27, week="2026-W49", bots=True, offset=20, limit=50),
    "league.plain": m.League(id=27),
    "ping": m.Ping(id=2**53 - 1, sent=123_456_789),
    **tournaments.CLIENT,
}

_REPLIES: Final[dict[str, m.Reply]] = {
    "welcome": m.Welcome(
        player="p-1",
        name="Ada",
        token="t0k3n",
        bot=True,
        server="samedeal-server 0.1.0",
        at=AT,
        limits=LIMITS,
    ),
    "created": m.Created(race=RACE, commitment=COMMITMENT),
    "listed": m.Listed(races=(CARD,)),
    "snapshot": m.Snapshot(
        race=RACE,
        seq=12,
        at=AT,
        phase="running",
        terms=ALL_TERMS,
        host="Ada",
        commitment=COMMITMENT,
        seeded=True,
        entrants=(ENTRANT,),
        you=1,
        number=3,
        legal=("T1-F1", "deal"),
        starts_in_ms=0,
        elapsed_ms=4321,
        closes_in_ms=9000,
        undoable=True,
        standings=(STANDING,),
        seed="friday-night",
        salt="5a" * 16,
        rematch="calm-heron-7",
        chat=(m.ChatLine(at=AT, name="Ada", text="Good luck!"),),
    ),
    "resumed": m.Resumed(race=RACE, after=12, seq=20),
    "played": m.Played(
        race=RACE,
        seq=13,
        at=AT,
        number=4,
        moves=("S-W",),
        steps=("S-W",),
        turned=TURNED,
        covered=("T2",),
        board=BOARD,
        digest=DIGEST,
        home=2,
        status="playing",
        elapsed_ms=4400,
        penalty_ms=5000,
        undoable=True,
        legal=("draw",),
    ),
    "hinted": m.Hinted(race=RACE, move="T3-F1"),
    "pong": m.Pong(sent=123_456_789, at=AT),
    "results-sheet": m.ResultsSheet(
        race=RACE,
        phase="over",
        terms=TERMS,
        standings=(STANDING, BEATEN),
        commitment=COMMITMENT,
        seed="friday-night",
        salt="5a" * 16,
    ),
    "replay-page": m.ReplayPage(
        race=RACE, after=0, lines=('{"event":"started","at":1}',), more=True, head="ab" * 32
    ),
}

_BOARDS: Final[dict[str, m.Reply]] = {
    "rating-board": m.RatingBoard(
        at=AT,
        model="samedeal-1",
        game="opus",
        bots=True,
        total=22,
        offset=20,
        lines=(
            b.RatingLine(
                place=21, name="Ada", points=1501, mu=1500.5, sigma=90.25, races=30, last_at=AT
            ),
            b.RatingLine(name="Grace", points=1654, mu=1654.25, sigma=229.0, races=1, last_at=AT),
        ),
    ),
    "time-board": m.TimeBoard(
        at=AT,
        game="opus",
        deal=RACE,
        bots=True,
        total=3,
        offset=1,
        lines=(
            b.TimeLine(place=2, name="Ada", elapsed_ms=61_234, at=AT, race=RACE, attempt=1),
            b.TimeLine(place=3, name="Grace", elapsed_ms=61_235, at=AT, attempt=2),
        ),
    ),
    "streak-board": m.StreakBoard(
        at=AT,
        bots=True,
        total=2,
        offset=1,
        lines=(b.StreakLine(place=2, name="Ada", current=3, longest=12, last_at=AT),),
    ),
    "player-sheet": m.PlayerSheet(
        at=AT,
        model="samedeal-1",
        name="Ada",
        bot=True,
        ratings=(
            b.PoolRating(place=1, points=1501, mu=1500.5, sigma=90.25, races=30, last_at=AT),
            b.PoolRating(game="opus", points=1654, mu=1654.25, sigma=229.0, races=1, last_at=AT),
        ),
        bests=(b.BestTime(game="opus", elapsed_ms=61_234, at=AT, race=RACE, attempt=1),),
        streak=b.StreakLine(place=2, name="Ada", current=3, longest=12, last_at=AT),
        changes=(
            b.RatingChange(
                race=RACE,
                at=AT,
                game="opus",
                place=1,
                before=1500.0,
                after=1654.25,
                gain=154.25,
                sigma_before=250.0,
                sigma_after=229.0,
                rivals=(b.Rival(name="Grace", actual=1.0, expected=0.5, points=154.25),),
            ),
        ),
    ),
}

_DAILY_LINE: Final = d.DailyLine(
    place=2,
    name="Ada",
    state="finished",
    elapsed_ms=61_234,
    home=104,
    moves=120,
    race="daily-20261130-2",
)
_DAILY: Final[dict[str, m.Reply]] = {
    "daily-sheet": m.DailySheet(
        day="20261130",
        week="2026-W49",
        game="opus",
        is_over=True,
        commitment=COMMITMENT,
        attempt=d.Attempt.PLAYED,
        race="daily-20261130-2",
        streak=3,
        played=70,
        own=_DAILY_LINE,
        bots=True,
        offset=1,
        lines=(
            _DAILY_LINE,
            d.DailyLine(
                place=3, name="Grace", state="stuck", home=7, moves=9, race="daily-20261130"
            ),
        ),
        seed="friday-night",
        salt="5a" * 16,
    ),
    "daily-sheet.open": m.DailySheet(
        day="20261130",
        week="2026-W49",
        game="opus",
        closes_in_ms=61_000,
        race="daily-20261130",
        played=70,
        is_hidden=True,
    ),
    "league-table": m.LeagueTable(
        week="2026-W49",
        days=(
            d.LeagueDay(day="20261130", game="opus", is_over=True, played=70),
            d.LeagueDay(day="20261201", game="st-helena"),
        ),
        is_over=True,
        bots=True,
        total=3,
        offset=1,
        own=d.LeagueLine(place=2, name="Ada", points=22.5, days=(22.5, None)),
        lines=(d.LeagueLine(place=3, name="Grace", points=13.33, days=(13.33, 0.0)),),
    ),
}

_EVENTS: Final[dict[str, m.RaceEvent]] = {
    "entered": m.Entered(race=RACE, seq=2, at=AT, entrant=1, name="Ada", bot=True),
    "left": m.Left(race=RACE, seq=3, at=AT, entrant=1),
    "readied": m.Readied(race=RACE, seq=4, at=AT, entrant=1, ready=True),
    "countdown-began": m.CountdownBegan(race=RACE, seq=5, at=AT, starts_in_ms=5000),
    "countdown-stopped": m.CountdownStopped(race=RACE, seq=6, at=AT, reason="not everybody"),
    "started": m.Started(race=RACE, seq=7, at=AT, board=BOARD, digest=DIGEST, legal=("deal",)),
    "began": m.Began(race=RACE, seq=8, at=AT, entrant=1, board=BOARD, digest=DIGEST),
    "moved": m.Moved(
        race=RACE,
        seq=9,
        at=AT,
        entrant=1,
        number=2,
        moves=("T1-F1",),
        steps=("T1-F1",),
        turned=TURNED,
        covered=("T3",),
        board=BOARD,
        digest=DIGEST,
        home=1,
    ),
    "undone": m.Undone(
        race=RACE,
        seq=10,
        at=AT,
        entrant=1,
        number=3,
        board=BOARD,
        digest=DIGEST,
        home=0,
        penalty_ms=5000,
    ),
    "progressed": m.Progressed(race=RACE, seq=11, at=AT, entrant=1, home=4, moves=7),
    "done": m.Done(
        race=RACE,
        seq=12,
        at=AT,
        entrant=1,
        state="finished",
        home=104,
        elapsed_ms=61_234,
        penalty_ms=5000,
        reason="",
    ),
    "away": m.Away(race=RACE, seq=13, at=AT, entrant=1, grace_ms=300_000),
    "back": m.Back(race=RACE, seq=14, at=AT, entrant=1),
    "stoppage": m.Stoppage(race=RACE, seq=15, at=AT, stopped_ms=1234),
    "said": m.Said(race=RACE, seq=16, at=AT, name="Ada", text="gg ♥", bot=True),
    "rematch-opened": m.RematchOpened(race=RACE, seq=17, at=AT, rematch="calm-heron-7"),
    "over": m.Over(
        race=RACE,
        seq=18,
        at=AT,
        standings=(STANDING, BEATEN),
        seed="friday-night",
        salt="5a" * 16,
    ),
    "cancelled": m.Cancelled(race=RACE, seq=19, at=AT, reason="called off by the host"),
    "skip": m.Skip(race=RACE, seq=20, at=AT),
}

SERVER: Final[dict[str, m.ServerMessage]] = {
    **{
        f"ok.{name}": m.Ok(id=7, result=reply)
        for name, reply in (_REPLIES | _BOARDS | _DAILY | tournaments.REPLIES).items()
    },
    "ok": m.Ok(id=7),
    "error": m.Error(
        id=7,
        code="illegal-move",
        message="5H does not go on TD.",
        reason="not-in-suit",
        retry="never",
    ),
    "error.after": m.Error(
        code="rate-limited", message="Too many requests.", retry="after", after_ms=250
    ),
    "notice": m.Notice(code="draining", message="The server restarts.", in_ms=30_000),
    "snapshot": m.Snapshot(
        race=RACE,
        seq=12,
        at=AT,
        phase="open",
        terms=TERMS,
        host="Ada",
        commitment=COMMITMENT,
        entrants=(),
    ),
    **_EVENTS,
    "tournament-changed": tournaments.CHANGED,
}


def main() -> None:
    """Writes the golden frames that are missing."""
    for folder, samples in (("client", CLIENT), ("server", SERVER)):
        for name, message in samples.items():
            for codec, ending in ((JSON, "json"), (MSGPACK, "msgpack")):
                file = FRAMES / folder / f"{name}.{ending}"
                if not file.exists():
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(codec.encode.encode(message))


if __name__ == "__main__":
    main()
