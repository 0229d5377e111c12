"""What stands around a board."""

from __future__ import annotations

from samedeal_client.telling import cells
from samedeal_client.tui.deeds import Deed, bars, called, help_lines
from samedeal_client.tui.lines import clean, lane_line, place_text, podium, rail, spread
from samedeal_client.tui.links import race_link
from samedeal_protocol.messages import EntrantView, Standing

ENTRANTS = {
    1: EntrantView(entrant=1, name="Ada", state="racing", home=12, moves=40),
    2: EntrantView(entrant=2, name="Grace", state="racing", home=16, moves=31, away=True),
    3: EntrantView(entrant=3, name="greedy", bot=True, state="stuck", home=9, moves=20),
}


def entrant(number: int, home: int | None, **more: object) -> EntrantView:
    state = str(more.pop("state", "racing"))
    return EntrantView(entrant=number, name=f"P{number}", state=state, home=home, **more)  # type: ignore[arg-type]


def standing(place: int, name: str, elapsed_ms: int | None) -> Standing:
    state = "stuck" if elapsed_ms is None else "finished"
    return Standing(
        place=place, entrant=place, name=name, state=state, elapsed_ms=elapsed_ms, home=9, moves=9
    )


def test_the_rail_has_oneself_first_then_who_is_furthest_each_with_the_gap() -> None:
    lines = rail(ENTRANTS, 104, you=1, width=26, has_blocks=True)
    assert [line.text for line in lines] == [
        "Ada (you)        -4 12/104",
        "███░░░░░░░░░░░░░░░░░░░░░░░",
        "Grace               16/104",
        "████░░░░░░░░░░░░░░░░░ away",
        "greedy (bot)      -7 9/104",
        "██░░░░░░░░░░░░░░░░░░ stuck",
    ]
    assert [line.kind for line in lines[::2]] == ["own", "", ""]


def test_the_rail_shows_eight_and_counts_the_others() -> None:
    lines = rail({n: entrant(n, n) for n in range(1, 12)}, 52, you=None, width=30, has_blocks=False)
    assert lines[-1].text == "and 3 more"
    assert all(line.text.isascii() for line in lines)


def test_all_lanes_on_one_line_as_far_as_there_is_room() -> None:
    assert lane_line(ENTRANTS, 104, you=1, width=78) == (
        "You 12 (-4)   Grace 16 away   greedy (bot) 9 (-7) stuck"
    )
    assert lane_line(ENTRANTS, 104, you=1, width=36) == "You 12 (-4)   Grace 16 away   +1"


def test_the_place_counts_those_ahead_and_who_finished_has_no_gap() -> None:
    assert place_text(ENTRANTS, 104, 1) == "2nd of 3, -4"
    finished = {1: entrant(1, 52, state="finished", elapsed_ms=9000), 2: entrant(2, 51)}
    assert place_text(finished, 52, 1) == "1st of 2"
    assert place_text(finished, 52, 2) == "2nd of 2, -1"
    assert place_text({1: entrant(1, 3)}, 52, 1) == ""
    crowd = {n: entrant(n, 50 - n) for n in range(1, 24)}
    assert [place_text(crowd, 52, n).split(" ")[0] for n in (1, 3, 11, 12, 13, 22)] == [
        "1st", "3rd", "11th", "12th", "13th", "22nd",
    ]  # fmt: skip


def test_who_is_hidden_has_no_number() -> None:
    hidden = {1: entrant(1, 3), 2: entrant(2, None, state="hidden")}
    assert lane_line(hidden, 52, you=1, width=60) == "You 3   P2 ? hidden"


def test_the_podium_has_the_winner_in_the_middle_and_on_top() -> None:
    finished = standing(1, "Ada", 61_000), standing(2, "Bea", 62_000)
    lines = podium([*finished, standing(3, "Cy", None)])
    assert [line.split() for line in lines[:4]] == [
        ["Ada"],
        ["Bea", "1:01.000"],
        ["1:02.000", "+------------+"],
        ["+------------+", "|", "1", "|"],
    ]
    assert not any("Cy" in line for line in lines)


def test_nobody_stands_on_a_podium_where_nobody_finished() -> None:
    assert podium([standing(1, "Ada", None)]) == []


def test_two_texts_keep_to_their_ends_and_the_left_one_gives_way() -> None:
    assert spread("left", "right", 12) == "left   right"
    assert cells(spread("a long text here", "right", 12)) == 12


def test_text_of_others_cannot_take_hold_of_the_terminal() -> None:
    assert clean("\x1b[2Jhi\r\n") == "[2Jhi"


def test_the_link_of_a_race_is_a_page_of_its_server() -> None:
    assert race_link("ws://127.0.0.1:8642", "a-1") == "http://127.0.0.1:8642/r/a-1"
    assert race_link("wss://race.example.org/", "a-1") == "https://race.example.org/r/a-1"


def deed(*keys: str, label: str = "do it", is_minor: bool = False) -> Deed:
    return Deed(keys, label, lambda: None, f"to {label}", is_minor=is_minor)


DEEDS = (deed("u", "f2", label="undo"), deed("m", label="chat"), deed("question_mark", "f1"))


def test_single_keys_do_nothing_and_are_not_shown_where_they_are_off() -> None:
    assert called(DEEDS, "u", shortcuts=True) is DEEDS[0]
    assert called(DEEDS, "u", shortcuts=False) is None
    assert called(DEEDS, "f2", shortcuts=False) is DEEDS[0]
    assert [key for key, _, _ in bars(DEEDS, 80, 1, shortcuts=False)[0]] == ["F2", "F1"]
    assert help_lines(DEEDS, shortcuts=False) == ["F2  to undo", "F1  to do it"]
    assert help_lines(DEEDS, shortcuts=True) == ["u F2  to undo", "m     to chat", "? F1  to do it"]


def test_the_bar_has_as_many_keys_as_there_is_room_for() -> None:
    assert [label for _, label, _ in bars(DEEDS, 14, 1, shortcuts=True)[0]] == ["undo", "chat"]
    assert [label for _, label, _ in bars(DEEDS, 13, 1, shortcuts=True)[0]] == ["undo"]


def test_the_way_out_is_always_in_the_bar() -> None:
    deeds = [*DEEDS, Deed(("q",), "leave", lambda: None, is_vital=True)]
    assert [label for _, label, _ in bars(deeds, 15, 1, shortcuts=True)[0]] == ["undo", "leave"]


def test_a_bar_of_two_lines_breaks_between_keys_and_ends_with_the_way_out() -> None:
    leave = Deed(("q",), "leave", lambda: None, is_vital=True)
    lines = bars([*DEEDS, leave], 15, 2, shortcuts=True)
    assert [[label for _, label, _ in line] for line in lines] == [["undo", "chat"], ["leave"]]
    assert bars(DEEDS, 80, 2, shortcuts=True)[0] == [], "one line is enough"
