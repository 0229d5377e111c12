"""The engine on a pipe: every line gets its reply, and nothing that is sent ends it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_client.engine_pipe import LINE_BYTES, Engine, LineCutter, serve
from samedeal_rules import GAMES, Game, deal, every_game, find, move_text, parse_move
from support.patience import PATIENCE_S

COMMAND = [sys.executable, "-m", "samedeal_client", "engine"]
POSITION = "game: fortress\nF1: AS\nT1: 9H 2S\nT2: 8H\n\n"


def replies(*lines: str) -> list[str]:
    """What the engine says to each of these lines."""
    engine = Engine()
    return [engine.reply(line) for line in lines]


def talk(chunks: list[bytes]) -> bytes:
    """What a served engine writes when its input comes in these chunks."""
    waiting = iter([*chunks, b""])
    written: list[bytes] = []
    serve(lambda: next(waiting), written.append)
    return b"".join(written)


# --- replies ---------------------------------------------------------------------------------


def test_games_are_listed_in_order_and_closed_by_an_empty_line() -> None:
    assert replies("games") == ["".join(f"{game.key}\n" for game in GAMES) + "\n"]


def test_variants_are_listed_apart() -> None:
    listed = replies("variants")[0].split()
    assert listed == [game.key for game in every_game() if ":" in game.key]


def test_new_takes_the_rest_of_the_line_as_the_seed() -> None:
    assert replies("new opus two words")[0] == "ok opus two words\n"


@pytest.mark.parametrize("game", every_game(), ids=lambda game: game.key)
def test_show_round_trips_through_position(game: Game) -> None:
    engine = Engine()
    engine.reply(f"new {game.key} round-trip")
    shown, status = engine.reply("show"), engine.reply("status")
    assert engine.reply("position") == ""
    assert [engine.reply(line) for line in shown.splitlines()][-1] == "ok\n"
    assert (engine.reply("show"), engine.reply("status")) == (shown, status)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_view_hides_what_the_player_may_not_see(game: Game) -> None:
    view = replies(f"new {game.key} 1", "view")[1]
    assert view == deal(game, "1").view().text() + "\n\n"


@pytest.mark.parametrize("game", every_game(), ids=lambda game: game.key)
def test_a_game_at_random_is_played_and_undone_as_the_rules_do(game: Game) -> None:
    engine, table, chance = Engine(), deal(game, "pipe"), random.Random(game.key)
    engine.reply(f"new {game.key} pipe")
    start = engine.reply("show")
    for _ in range(40):
        legal = engine.reply("legal").split()
        assert legal == sorted(move_text(game, move) for move in table.legal())
        if not legal:
            break
        move = chance.choice(legal)
        table.play(parse_move(game, move))
        assert engine.reply(f"play {move}").startswith(f"ok {move} moved ")
        assert engine.reply("status").split() == [
            table.status.value,
            f"{table.home}/{game.goal}",
            table.digest(),
        ]
    for _ in range(table.depth):
        assert engine.reply("undo") == f"ok {move_text(game, table.undo())}\n"
    assert engine.reply("show") == start


def test_legal_without_moves_is_an_empty_line() -> None:
    said = replies("position", "game: abandon-hope", "redeals: 3", "W: AC", "", "legal")
    assert said[-2:] == ["ok\n", "\n"]


def test_an_illegal_move_says_the_rules_own_code_and_sentence() -> None:
    table = deal(find("opus"), "friday-night")
    refusal = table.refusal(parse_move(table.game, "T1-F1"))
    assert refusal is not None
    said = replies("new opus friday-night", "play T1-F1")[1]
    assert said == f"illegal {refusal.code} {refusal.sentence}\n"


def test_a_move_that_is_no_move_is_illegal_as_well() -> None:
    assert replies("new opus 1", "play nonsense")[1].startswith("illegal bad-move ")


def test_a_refused_position_leaves_the_game_that_was_there() -> None:
    said = replies("new opus 1", "status", "position", "game: opus", "T1: ??", "", "status")
    assert said[5].startswith("error bad-position ")
    assert said[6] == said[1]


def test_a_position_with_hidden_cards_cannot_be_played() -> None:
    engine = Engine()
    engine.reply("new forty-thieves 1")
    view = engine.reply("view")
    engine.reply("position")
    assert [engine.reply(line) for line in view.splitlines()][-1].startswith("error bad-position ")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("frobnicate", "unknown-command"),
        ("GAMES", "unknown-command"),
        ("new", "bad-arguments"),
        ("new opus", "bad-arguments"),
        ("new klondike 1", "unknown-game"),
        ("new opus " + "x" * 65, "bad-seed"),
        ("new opus \x01", "bad-seed"),
        ("show", "no-game"),
        ("view", "no-game"),
        ("legal", "no-game"),
        ("play T1-F1", "no-game"),
        ("play", "bad-arguments"),
        ("undo", "no-game"),
        ("status", "no-game"),
        ("perft 1", "no-game"),
        ("perft", "bad-arguments"),
        ("perft -1", "bad-arguments"),
        ("perft 1.5", "bad-arguments"),
        ("perft ٣", "bad-arguments"),
        ("perft 65", "bad-arguments"),
        ("perft 99999999999999999999", "bad-arguments"),
        ("rules", "no-game"),
        ("rules klondike", "unknown-game"),
        ("quit now", "bad-arguments"),
        ("games please", "bad-arguments"),
    ],
)
def test_what_cannot_be_done_gets_one_line_with_a_code(line: str, code: str) -> None:
    said = replies(line)[0]
    assert said.startswith(f"error {code} ")
    assert said.count("\n") == 1
    assert len(said.split()) > 3


def test_undo_at_the_start_is_refused() -> None:
    assert replies("new opus 1", "undo")[1].startswith("error nothing-to-undo ")


def test_rules_have_no_empty_line_inside() -> None:
    said = replies("new opus 1", "rules")[1]
    assert said.endswith("\n\n")
    assert "\n\n" not in said[:-1]


@given(st.lists(st.text(max_size=40), max_size=30))
def test_no_text_ends_the_engine_or_goes_unanswered_outside_a_position(lines: list[str]) -> None:
    engine = Engine()
    for line in lines:
        said = engine.reply(line)
        assert said == "" or said.endswith("\n")
    engine.end()
    assert engine.reply("games").startswith(GAMES[0].key)


WORDS = st.sampled_from(
    "games new position show view legal play undo status perft rules opus fortress game: T1: "
    "T1-F1 T1-C1 9H AS F1: S: draw deal redeal 1 2 redeals: base: 64 cards hidden".split()
)


@given(st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=40))
def test_no_mixture_of_its_own_words_ends_the_engine(lines: list[str]) -> None:
    engine = Engine()
    for line in lines:
        engine.reply(line)
    engine.end()
    assert engine.reply("games").startswith(GAMES[0].key)


# --- the shell -------------------------------------------------------------------------------


def test_line_ends_may_be_those_of_windows() -> None:
    text = b"new opus 1\r\nposition\r\n" + POSITION.replace("\n", "\r\n").encode() + b"undo\r\n"
    assert talk([text]).splitlines()[:2] == [b"ok opus 1", b"ok"]


def test_lines_may_come_in_any_pieces() -> None:
    text = b"new opus 1\nlegal\nstatus\nquit\n"
    assert talk([bytes([byte]) for byte in text]) == talk([text])


def test_a_last_line_without_its_end_is_answered() -> None:
    assert talk([b"new opus 1\nstatus"]).splitlines()[1].startswith(b"playing 3/52 ")


def test_the_end_of_the_input_within_a_position_is_told() -> None:
    assert talk([b"position\ngame: opus\n"]).startswith(b"error unfinished-position ")


def test_what_is_no_utf8_gets_an_error_and_the_next_line_its_answer() -> None:
    first, second = talk([b"new opus \xff\xfe\nnew opus 1\n"]).splitlines()
    assert first.startswith(b"error bad-utf8 ")
    assert second == b"ok opus 1"


def test_what_is_no_utf8_spoils_the_position_it_stands_in_and_no_more() -> None:
    first, second = talk([b"position\ngame: opus\n\xff\n\nnew opus 1\n"]).splitlines()
    assert first.startswith(b"error bad-position ")
    assert second == b"ok opus 1"


def test_a_line_without_end_is_not_kept_in_memory() -> None:
    cutter = LineCutter(100)
    for _ in range(1000):
        assert list(cutter.feed(b"x" * 1000)) == []
    assert list(cutter.feed(b"\nshort\n")) == [None, b"short"]


def test_a_line_that_is_too_long_gets_an_error() -> None:
    first, second = talk([b"x" * (LINE_BYTES + 1) + b"\nnew opus 1\n"]).splitlines()
    assert first.startswith(b"error too-long ")
    assert second == b"ok opus 1"


def test_a_position_of_too_many_lines_is_refused() -> None:
    text = b"position\ngame: opus\n" + b"T1:\n" * 5000 + b"\nnew opus 1\n"
    assert talk([text]).splitlines()[1] == b"ok opus 1"


def test_nothing_is_answered_after_quit() -> None:
    assert talk([b"quit\nnew opus 1\n", b"new opus 1\n"]) == b"ok\n"


@pytest.fixture
def engine() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_each_reply_is_there_before_the_next_line_is_sent(engine: subprocess.Popen[bytes]) -> None:
    assert engine.stdin is not None
    assert engine.stdout is not None
    for line, reply in [(b"new opus 1", b"ok opus 1\n"), (b"perft 1", b"36\n"), (b"quit", b"ok\n")]:
        engine.stdin.write(line + b"\n")
        engine.stdin.flush()
        assert engine.stdout.readline() == reply
    assert engine.wait(10) == 0


def test_ten_thousand_commands_take_less_than_a_second_of_cpu() -> None:
    lines = ["play T7-F1", "undo", "legal", "status", "play T1-F1"] * 800
    engine, took = Engine(), []
    engine.reply("new forty-thieves friday-night")
    for _ in range(3):
        begun = time.process_time()
        for line in lines:
            engine.reply(line)
        took.append(time.process_time() - begun)
    assert len(lines) / min(took) > 10_000


def test_thousands_of_lines_at_once_are_all_answered_by_the_process() -> None:
    lines = "new forty-thieves friday-night\n" + "play T7-F1\nundo\n" * 5000
    result = subprocess.run(COMMAND, input=lines.encode(), capture_output=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.count(b"\n") == 10_001


def test_a_reader_that_goes_away_ends_the_engine_quietly() -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE
    ) as it:
        os.close(write)
        os.close(read)
        _, stderr = it.communicate(b"games\n" * 10, timeout=PATIENCE_S)
    assert (it.returncode, stderr) == (141, b"")
