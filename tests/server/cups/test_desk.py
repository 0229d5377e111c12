"""What connections are told of tournaments: sheets, changes, lists, logs."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from samedeal_protocol import messages
from samedeal_protocol.terms import Visibility
from samedeal_protocol.tournament import requests, views
from samedeal_protocol.tournament.formats import SingleElimination, Swiss
from samedeal_protocol.tournament.views import TournamentChanged
from samedeal_server.ports import Entry, LogUnavailable
from support.halls import Lobby, Person, lobby
from support.nodes import Fakes, fakes
from support.stage import Stage, act, an_act, announce, cups_of, follow, settled, table, terms_of


@pytest.fixture
def world() -> Fakes:
    return fakes()


@pytest.fixture
async def hall(world: Fakes) -> AsyncIterator[Lobby]:
    async with lobby(world) as up:
        yield up


async def registered(hall: Lobby, **changes: object) -> Stage:
    people = [await hall.person(name) for name in ("Ann", "Bob")]
    code = await announce(people[0], terms_of(SingleElimination(), **changes))
    stage = Stage(hall, people, code)
    await stage.register()
    return stage


async def listed(person: Person, *, mine: bool = False, over: bool = False) -> list[str]:
    message = requests.ListTournaments(id=person.next_id(), mine=mine, over=over)
    found = await person.get(views.TournamentList, message)
    return [card.tournament for card in found.tournaments]


async def log_of(person: Person, code: str, *, after: int = 0) -> views.TournamentLogPage:
    message = requests.TournamentLog(id=person.next_id(), tournament=code, after=after)
    return await person.get(views.TournamentLogPage, message)


async def test_what_is_asked_too_often_counts_as_refused(hall: Lobby, world: Fakes) -> None:
    ann = await hall.person("Ann")
    for _ in range(50):
        await listed(ann)
    assert world.meter.totals["requests_refused"] == 0
    assert await ann.refusal(requests.ListTournaments(id=ann.next_id())) == "rate-limited"
    assert world.meter.totals["requests_refused"] == 1


def upheld(sheet: views.TournamentSheet, changes: list[TournamentChanged]) -> dict[str, object]:
    """What a client knows that puts changes in the place of what was."""
    players = {each.player: each for each in sheet.players}
    matches = {each.match: each for each in sheet.matches}
    head, seq, staff = sheet.head, sheet.seq, sheet.staff
    for change in changes:
        assert change.after <= seq < change.seq
        players |= {each.player: each for each in change.players}
        matches |= {each.match: each for each in change.matches}
        for gone in change.gone:
            del matches[gone]
        head, seq, staff = change.head, change.seq, change.staff or staff
    return {
        "players": players,
        "matches": matches,
        "head": head,
        "seq": seq,
        "staff": staff,
    }


def known(sheet: views.TournamentSheet) -> dict[str, object]:
    return upheld(sheet, [])


# --- following ---------------------------------------------------------------------------------


async def test_changes_keep_a_sheet_as_true_as_a_new_one(hall: Lobby) -> None:
    stage = await registered(hall)
    fan = await hall.person("Zoe")
    sheet = await follow(fan, stage.code)
    await act(stage.people[stage.strength[0]], stage.code, requests.StartTournament())
    await stage.play()
    changes = fan.of(TournamentChanged)
    assert upheld(sheet, changes) == known(await follow(fan, stage.code, once=True))
    assert any("has won" in line for change in changes for line in change.text)


async def test_changes_are_told_together_when_they_come_together(hall: Lobby) -> None:
    stage = await registered(hall)
    fan = await hall.person("Zoe")
    await follow(fan, stage.code)
    host = stage.people[stage.strength[0]]
    for name in ("Cyd", "Dee"):
        await host.ask(an_act(host, stage.code, requests.Invite(names=(name,))))
    assert fan.of(TournamentChanged) == []
    cups_of(hall).flush()
    (change,) = fan.of(TournamentChanged)
    assert len(change.text) == 2
    cups_of(hall).flush()
    assert len(fan.of(TournamentChanged)) == 1


async def test_who_asks_once_is_told_nothing_more(hall: Lobby) -> None:
    stage = await registered(hall)
    fan = await hall.person("Zoe")
    await follow(fan, stage.code, once=True)
    await act(stage.people[stage.strength[0]], stage.code, requests.StartTournament())
    assert fan.of(TournamentChanged) == []


async def test_who_unfollows_is_told_nothing_more(hall: Lobby) -> None:
    stage = await registered(hall)
    fan = await hall.person("Zoe")
    await follow(fan, stage.code)
    await fan.ask(requests.UnfollowTournament(id=fan.next_id(), tournament=stage.code))
    await act(stage.people[stage.strength[0]], stage.code, requests.StartTournament())
    assert fan.of(TournamentChanged) == []


async def test_who_follows_twice_is_told_once(hall: Lobby) -> None:
    stage = await registered(hall)
    fan = await hall.person("Zoe")
    await follow(fan, stage.code)
    await follow(fan, stage.code)
    await act(stage.people[stage.strength[0]], stage.code, requests.Halt(reason="tea"))
    assert len(fan.of(TournamentChanged)) == 1


async def test_who_does_not_read_is_told_all_together_afterwards(hall: Lobby) -> None:
    stage = await registered(hall)
    slow = await hall.person("Zoe")
    sheet = await follow(slow, stage.code)
    slow.is_clogged = True
    await act(stage.people[stage.strength[0]], stage.code, requests.StartTournament())
    await stage.play()
    assert slow.of(TournamentChanged) == []
    slow.is_clogged = False
    slow.caller.drained()
    (change,) = slow.of(TournamentChanged)
    assert upheld(sheet, [change]) == known(await follow(slow, stage.code, once=True))


async def test_who_has_gone_is_forgotten(hall: Lobby) -> None:
    stage = await registered(hall)
    fan = await hall.person("Zoe")
    await follow(fan, stage.code)
    cup = cups_of(hall).shelf.cups.get(stage.code)
    assert cup is not None
    assert len(cup.crowd) == 1
    fan.leave()
    assert len(cup.crowd) == 0


async def test_a_change_is_put_into_words_once_for_all(hall: Lobby) -> None:
    stage = await registered(hall)
    fans = [await hall.person(f"Fan {number}") for number in range(5)]
    for fan in fans:
        await follow(fan, stage.code)
    await act(stage.people[stage.strength[0]], stage.code, requests.Halt(reason="tea"))
    assert len({id(fan.frames[-1]) for fan in fans}) == 1


async def test_a_sheet_says_who_looks(hall: Lobby) -> None:
    stage = await registered(hall)
    host, other = (stage.people[player] for player in stage.strength)
    await act(host, stage.code, requests.Invite(names=("Cyd",)))
    own, others = await follow(host, stage.code), await follow(other, stage.code)
    stranger = await follow(await hall.person("Zoe"), stage.code)
    assert (own.you, own.role, own.invited) == (1, "host", ("Cyd",))
    assert (others.you, others.role, others.invited) == (2, None, ())
    assert (stranger.you, stranger.role) == (None, None)


async def test_no_such_tournament_is_refused(hall: Lobby) -> None:
    person = await hall.person("Ann")
    for code in ("cup-nothing", "nothing"):
        message = requests.FollowTournament(id=person.next_id(), tournament=code)
        assert await person.refusal(message) == "no-such-tournament"


async def test_a_tournament_is_no_race(hall: Lobby) -> None:
    stage = await registered(hall)
    person = stage.people[stage.strength[0]]
    for message in (
        messages.Join(id=person.next_id(), race=stage.code),
        messages.Watch(id=person.next_id(), race=stage.code),
        messages.Replay(id=person.next_id(), race=stage.code),
    ):
        assert await person.refusal(message) == "no-such-race"


async def test_a_race_is_no_tournament(hall: Lobby) -> None:
    person = await hall.person("Ann")
    race = await hall.race(person)
    message = requests.TournamentStandings(id=person.next_id(), tournament=race)
    assert await person.refusal(message) == "no-such-tournament"


# --- lists and logs ----------------------------------------------------------------------------


async def test_a_list_shows_what_goes_on_and_what_is_over_if_asked(hall: Lobby) -> None:
    stage = await registered(hall)
    hidden = await registered_by(hall, "Cyd", visibility=Visibility.UNLISTED)
    fan = await hall.person("Zoe")
    assert await listed(fan) == [stage.code]
    assert await listed(fan, mine=True) == []
    cyd = hidden[1]
    assert await listed(cyd, mine=True) == [hidden[0]]
    await act(stage.people[stage.strength[0]], stage.code, requests.StartTournament())
    await stage.play()
    await settled(hall)
    assert await listed(fan) == []
    assert await listed(fan, over=True) == [stage.code]
    assert await listed(stage.people[stage.strength[1]], mine=True, over=True) == [stage.code]


async def test_a_list_of_ones_own_has_what_goes_on_however_much_is_over(
    hall: Lobby, world: Fakes
) -> None:
    code, host = await registered_by(hall, "Cyd")
    for number in range(100):
        old = f"cup-old{number}"
        await world.log.open_race(
            Entry(old, 1, b""), opened_at=0, is_listed=False, phrase_hash=None
        )
        await world.log.enter(host.player, old)
        await world.log.append([], over=[old])
    assert await listed(host, mine=True) == [code]


async def registered_by(hall: Lobby, name: str, **changes: object) -> tuple[str, Person]:
    host = await hall.person(name)
    return await announce(host, terms_of(SingleElimination(), **changes)), host


async def test_the_races_of_a_player_do_not_name_their_tournaments(hall: Lobby) -> None:
    stage = await registered(hall)
    person = stage.people[stage.strength[0]]
    mine = await person.get(messages.Listed, messages.Mine(id=person.next_id()))
    assert mine.races == ()


async def test_the_log_shows_no_secret_before_the_end_and_the_seed_after_it(hall: Lobby) -> None:
    stage = await registered(hall)
    host = stage.people[stage.strength[0]]
    await act(host, stage.code, requests.AddHook(url="https://example.org/secret-path"))
    await act(host, stage.code, requests.StartTournament())
    fan = await hall.person("Zoe")
    state = stage.state
    before = "\n".join((await log_of(fan, stage.code)).lines)
    race = stage.rooms()[0].race
    (secret,) = state.hooks.values()
    for hidden in (state.announced.seed, state.announced.salt, race.opened.seed, race.opened.salt):
        assert hidden not in before
    await stage.play()
    after = "\n".join((await log_of(fan, stage.code)).lines)
    assert state.announced.seed in after
    assert secret not in before + after
    assert "secret-path" not in before + after


async def test_the_log_comes_in_pages(hall: Lobby) -> None:
    stage = await registered(hall)
    fan = await hall.person("Zoe")
    first = await log_of(fan, stage.code)
    assert [msgspec.json.decode(line)["event"] for line in first.lines] == [
        "announced", "registered", "registered",
    ]  # fmt: skip
    rest = await log_of(fan, stage.code, after=2)
    assert rest.lines == first.lines[2:]
    assert not rest.more
    assert (await log_of(fan, stage.code, after=99)).lines == ()


async def test_the_standings_are_those_of_the_moment(hall: Lobby) -> None:
    people = [await hall.person(name) for name in ("Ann", "Bob", "Cyd", "Dee")]
    code = await announce(people[0], terms_of(Swiss(rounds=2)))
    stage = Stage(hall, people, code)
    await stage.register()
    assert (await table(people[0], code)).lines == ()
    await act(people[0], code, requests.StartTournament())
    assert {line.place for line in (await table(people[0], code)).lines} == {1}
    await stage.play()
    assert (await table(people[0], code)).final


# --- hooks -------------------------------------------------------------------------------------


async def test_a_hooks_secret_is_told_once(hall: Lobby) -> None:
    stage = await registered(hall)
    host = stage.people[stage.strength[0]]
    add = requests.AddHook(url="https://example.org/hook")
    added = await act(host, stage.code, add)
    assert isinstance(added, views.HookAdded)
    assert added.secret == stage.state.hooks[add.url]
    assert added.secret.startswith("whsec_")
    assert await act(host, stage.code, add) is None


async def test_a_url_to_which_nothing_can_be_posted_is_refused(hall: Lobby) -> None:
    stage = await registered(hall)
    host = stage.people[stage.strength[0]]
    add = an_act(host, stage.code, requests.AddHook(url="http://example.org"))
    assert await host.refusal(add) == "bad-url"


# --- when the log fails ------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [False, True])
async def test_an_act_whose_append_fails_is_tried_again_to_the_same_end(
    hall: Lobby, world: Fakes, stored: bool
) -> None:
    stage = await registered(hall)
    host = stage.people[stage.strength[0]]
    world.log.fail_next(LogUnavailable("the disk is full"), stored=stored)
    halt = requests.Halt(reason="tea")
    assert await host.refusal(an_act(host, stage.code, halt)) == "store-unavailable"
    for _ in range(100):
        reply = await host.reply_to(an_act(host, stage.code, halt))
        if isinstance(reply, messages.Ok):
            break
    await settled(hall)
    assert stage.state.halted == "tea"
    kinds = [msgspec.json.decode(line)["event"] for line in await world.log.read(stage.code)]
    assert kinds.count("halted") == 1


async def test_followers_stay_when_a_tournament_is_read_again(hall: Lobby, world: Fakes) -> None:
    stage = await registered(hall)
    fan = await hall.person("Zoe")
    sheet = await follow(fan, stage.code)
    host = stage.people[stage.strength[0]]
    world.log.fail_next(LogUnavailable("the disk is full"), stored=True)
    halt = requests.Halt(reason="tea")
    await host.refusal(an_act(host, stage.code, halt))
    for _ in range(20):
        await settled(hall)
    assert upheld(sheet, fan.of(TournamentChanged)) == known(
        await follow(fan, stage.code, once=True)
    )
