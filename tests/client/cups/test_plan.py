"""A host's plan: what it comes to, and that every fault says where it is and what to do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_client.cups.plan import BadPlan, merged, parsed, seconds_of, setting, terms_of
from samedeal_client.cups.templates import FORMATS, template
from samedeal_protocol.terms import Terms
from samedeal_protocol.tournament.formats import Length, SingleElimination, Swiss
from samedeal_protocol.tournament.schedule import Every, Schedule, Weekday
from samedeal_protocol.tournament.terms import Choice, Seeding, TournamentTerms

NOW = 1_780_000_000_000  # 2026-05-28
HEAD = 'name = "Cup"\nformat = "swiss"\ngame = "opus"\n'
SWISS = f"{HEAD}[swiss]\nrounds = 5\n"


def read(text: str) -> TournamentTerms:
    return terms_of(parsed(text), now=NOW)


def test_the_least_plan_has_the_defaults_of_the_protocol() -> None:
    assert read(SWISS) == TournamentTerms(
        name="Cup", format=Swiss(rounds=5), race=Terms(game="opus")
    )


def test_games_of_a_plan_are_understood_however_they_are_spelt() -> None:
    terms = read(SWISS.replace('game = "opus"', 'games = ["Forty thieves", "Penguin II"]'))
    assert (terms.race.game, terms.games) == ("forty-thieves", ("penguin-ii",))


def test_a_whole_plan_is_understood() -> None:
    terms = read(
        """
        name = "Advent cup"
        format = "single-elimination"
        games = ["forty-thieves", "opus", "tuxedo"]
        choice = "pick"
        pick = "45s"
        seeding = "lots"
        starts = 2026-12-24T18:00:00+01:00
        check_in = "30m"
        no_show = 240
        [single-elimination]
        third_place = true
        length = { best_of = 3 }
        lengths = { final = { best_of = 5, replays = 1 } }
        [race]
        limit = "20m"
        grace = "none"
        [repeat]
        zone = "Europe/Berlin"
        every = "week"
        weekdays = ["thursday"]
        at = 18:00:00
        since = 2026-12-24
        """
    )
    assert terms == TournamentTerms(
        name="Advent cup",
        format=SingleElimination(
            third_place=True,
            length=Length(best_of=3),
            lengths={"final": Length(best_of=5, replays=1)},
        ),
        race=Terms(game="forty-thieves", limit=1200, grace=None),
        games=("opus", "tuxedo"),
        choice=Choice.PICK,
        pick=45,
        seeding=Seeding.LOTS,
        starts=1_798_131_600_000,  # 2026-12-24T17:00:00Z
        check_in=1800,
        no_show=240,
        repeat=Schedule(
            zone="Europe/Berlin",
            every=Every.WEEK,
            weekdays=(Weekday.THURSDAY,),
            at="18:00",
            since="2026-12-24",
        ),
    )


def test_a_place_of_the_bracket_may_be_a_bye() -> None:
    plan = HEAD.replace("swiss", "single-elimination") + "[single-elimination]\n"
    assert read(f'{plan}bracket = ["Ada", "", "Bo", "Cy"]').format == SingleElimination(
        bracket=("Ada", None, "Bo", "Cy")
    )


def test_matches_of_another_length_replay_their_draws_like_the_others() -> None:
    terms = read(
        """
        name = "Cup"
        format = "single-elimination"
        game = "opus"
        [single-elimination]
        length = { replays = 0 }
        lengths = { final = { best_of = 5 }, semi-final = { best_of = 3, replays = 2 } }
        """
    )
    assert terms.format == SingleElimination(
        length=Length(replays=0),
        lengths={"final": Length(best_of=5, replays=0), "semi-final": Length(best_of=3, replays=2)},
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('name = "Cup', "it is no TOML: .*"),
        ('format = "swiss"\ngame = "opus"', 'name is missing: name = "Friday cup"'),
        ('name = "Cup"\ngame = "opus"', "format is missing: .*ladder"),
        ('name = "Cup"\nformat = "swis"\ngame = "opus"', "format: 'swis' .* did you mean swiss?"),
        ('name = "Cup"\nformat = "swiss"', "name what is played: game = "),
        (f'{HEAD}games = ["opus"]', "name what is played"),
        (HEAD.replace("opus", "opsu"), "games: .*opsu.* did you mean opus.*samedeal games"),
        (HEAD, "swiss: rounds is missing"),
        (f"{HEAD}[swiss]\nround = 5", "swiss.round: no such setting: did you mean rounds?"),
        (f"{HEAD}[swis]\nrounds = 5", "swis: no such setting: did you mean swiss?"),
        (f"{HEAD}seting = 1\n[swiss]\nrounds = 5", "seting: .* did you mean seeding?"),
        (f"{SWISS}[ladder]", r"\[ladder\] is not for format = 'swiss'"),
        (f"{HEAD}[swiss]\nrounds = 0", "swiss.rounds: from 1 to 99, not 0"),
        (f"{HEAD}[swiss]\nrounds = 100", "swiss.rounds: from 1 to 99, not 100"),
        (f'{HEAD}[swiss]\nrounds = "5"', "swiss.rounds: wanted is a whole number, not a text"),
        (f"{SWISS}length = 3", "swiss.length: wanted is a table, not a whole number"),
        (f"{SWISS}length = {{ best = 3 }}", "swiss.length.best: .* did you mean best_of?"),
        (f"{SWISS}points = {{ win = 0, draw = 1 }}", "swiss.points: a win must be worth more"),
        (f'{SWISS}tie_breaks = ["buchholtz"]', "tie_breaks: 'buchholtz' .* did you mean buchholz?"),
        (f'{HEAD}seeding = "lot"\n[swiss]\nrounds = 5', "seeding: 'lot' .* did you mean lots?"),
        (f"{HEAD}cap = 1\n[swiss]\nrounds = 5", "cap: from 2 to 512, not 1"),
        (f"{HEAD}about = 3\n[swiss]\nrounds = 5", "about: wanted is a text"),
        (f'{HEAD}no_show = "soon"\n[swiss]\nrounds = 5', "no_show: 'soon' is no duration: .*5m"),
        (f"{HEAD}no_show = 5.5\n[swiss]\nrounds = 5", "no_show: '5.5' is no duration"),
        (f"{HEAD}no_show = true\n[swiss]\nrounds = 5", "no_show: 'True' is no duration"),
        (f'{SWISS}[race]\nlimit = "none"', "race.limit"),
        (f"{HEAD}starts = 2026-12-24T18:00:00\n[swiss]\nrounds = 5", "starts: .* offset: 2026"),
        (f'{HEAD}starts = "now"\n[swiss]\nrounds = 5', "starts: 'now' is no instant: write 2026"),
        (
            f"{HEAD}starts = 2020-01-01T00:00:00Z\n[swiss]\nrounds = 5",
            "it must start later than now",
        ),
        (f'{SWISS}[race]\nstart = "host"', "race.start: leave it out, for the tournament starts"),
        (f'{SWISS}[race]\ngame = "opus"', "race.game: leave it out, .* at the top"),
        (f'{SWISS}[race]\nundo = "fre"', "race.undo: 'fre' .* did you mean free?"),
        (f"{SWISS}[race]\nentrants_min = 9", "race: at least 9 entrants, but at most 8"),
        (f"{HEAD}race = 3\n[swiss]\nrounds = 5", "race is a table of terms"),
        (f"{HEAD}bell = 3600\n[swiss]\nrounds = 5", "only a ladder has a bell"),
        ('name="C"\nformat="ladder"\ngame="opus"', "a ladder needs a bell"),
        (
            'name="C"\nformat="ladder"\ngame="opus"\nbell="40s"',
            "bell: from 1 min to 30 d, not 40 s",
        ),
        (f"{HEAD}[swiss]\nrounds = 5\n[race]\nlimit = 0", "race.limit: from 10 s to 7 d, not 0 s"),
        (f'{SWISS}[repeat]\nzone = "Berlin!"\nevery = "day"\nat = "19:30"', "repeat: .* time zone"),
    ],
)
def test_a_fault_says_where_it_is_and_what_to_do(text: str, sentence: str) -> None:
    with pytest.raises(BadPlan) as caught:
        read(text)
    assert re.search(sentence, str(caught.value)), str(caught.value)


@pytest.mark.parametrize("format", FORMATS)
def test_every_template_is_a_plan_of_its_format(format: str) -> None:
    terms = read(template(format, now=NOW))
    assert terms.format.__struct_config__.tag == format


OFFERED = re.compile(r"^# \w+ = .+$", re.MULTILINE)


@pytest.mark.parametrize("format", FORMATS)
def test_whatever_a_template_offers_can_be_set(format: str) -> None:
    plan, _, _ = template(format, now=NOW).partition("# [repeat]")
    offered = OFFERED.findall(plan)
    assert len(offered) > 20
    for line in offered:
        chosen = plan.replace(line, line.removeprefix("# "), 1)
        if line.startswith("# games"):
            chosen = chosen.replace("\ngame = ", "\n# game = ")
        read(chosen)


@pytest.mark.parametrize("format", FORMATS)
def test_the_series_that_a_template_offers_can_be_set(format: str) -> None:
    plan, mark, repeat = template(format, now=NOW).partition("# [repeat]")
    series = "\n".join(line.removeprefix("# ") for line in f"{mark}{repeat}".splitlines())
    terms = read(plan.replace("# starts = ", "starts = ") + series)
    assert terms.repeat is not None
    assert terms.starts == NOW - NOW % 86_400_000 + 7 * 86_400_000 + 18 * 3_600_000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("5m", 300), ("5min", 300), ("2h", 7200), ("1d", 86_400), ("0s", 0)],
)
def test_durations_are_read(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


@given(st.text(max_size=8).filter(lambda text: not re.fullmatch("[0-9]{1,9}(s|m|min|h|d)?", text)))
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(BadPlan, match="is no duration"):
        seconds_of(text)


def test_settings_may_be_typed_bare() -> None:
    assert setting("swiss.rounds=7") == {"swiss": {"rounds": 7}}
    assert setting("seeding=lots") == {"seeding": "lots"}
    assert setting("race.limit=20m") == {"race": {"limit": "20m"}}
    with pytest.raises(BadPlan, match="KEY=VALUE"):
        setting("rounds")


def test_later_plans_win_key_by_key() -> None:
    first = {"name": "a", "swiss": {"rounds": 5, "order": "lots"}}
    assert merged([first, {"swiss": {"rounds": 7}}]) == {
        "name": "a",
        "swiss": {"rounds": 7, "order": "lots"},
    }
