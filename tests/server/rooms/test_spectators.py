"""Whoever watches: from which instant on, how late, and no more than the terms allow."""

from __future__ import annotations

import random

import pytest

from samedeal_client.scene import Scene
from samedeal_protocol import messages
from samedeal_protocol.messages import Ok, Snapshot
from samedeal_protocol.terms import Mode, Sight, Undo
from support.halls import GAME, SEED, Lobby, Person, lobby, seqs, walk

MOVES = walk(60)
STEPS = 80


# --- joining at any instant ----------------------------------------------------------------------


def folded(person: Person, race: str) -> Scene:
    """Returns the race as the watcher knows it. Every event came once, in order, without a gap."""
    scene: Scene | None = None
    for message in person.heard:
        inner = message.result if isinstance(message, Ok) else message
        if isinstance(inner, Snapshot) and inner.race == race:
            if scene is None:
                scene = Scene.of(inner, 0)
            else:
                assert inner.seq == scene.seq, "a snapshot stands where the events stood"
                scene.apply(inner, 0)
        elif scene is not None and getattr(inner, "race", None) == race:
            assert isinstance(inner, messages.RaceEvent)
            assert inner.seq == scene.seq + 1
            assert not scene.apply(inner, 0)
    assert scene is not None
    assert scene.doubts == 0
    return scene


class Game:
    """Two who race, and what one may do to the other's peace: all of it at random."""

    def __init__(self, hall: Lobby, dice: random.Random, race: str, people: list[Person]) -> None:
        self.hall = hall
        self.dice = dice
        self.race = race
        self.people = people
        self.boards: dict[str, list[str]] = {person.player: [] for person in people}
        self.numbers = dict.fromkeys(self.boards, 0)

    def act(self) -> None:
        """Has something happen in the race; nobody waits until it is durable."""
        at = self.dice.randrange(len(self.people))
        person = self.people[at]
        made = self.boards[person.player]
        match self.dice.choice(("play", "play", "play", "undo", "chat")):
            case "chat":
                person.say_now(
                    messages.Chat(id=person.next_id(), race=self.race, text="so it goes")
                )
            case "undo" if made:
                made.pop()
                number = self.number(person)
                person.say_now(messages.Undo(id=person.next_id(), race=self.race, number=number))
            case _:
                made.append(MOVES[len(made)])
                person.say_now(person.a_play(self.race, self.number(person), made[-1]))

    def number(self, person: Person) -> int:
        self.numbers[person.player] += 1
        return self.numbers[person.player]


@pytest.mark.parametrize("delay", [0, 2])
@pytest.mark.parametrize("seed", range(12))
async def test_whoever_comes_at_any_instant_misses_nothing_and_hears_nothing_twice(
    seed: int, delay: int
) -> None:
    dice = random.Random(seed)
    async with lobby(chat_per_minute=1000) as hall:
        people = [await hall.person("Ann"), await hall.person("Ben")]
        race = await hall.started(*people, undo=Undo.FREE, delay=delay)
        game = Game(hall, dice, race, people)
        guests = [await hall.person() for _ in range(8)]
        arrivals = {step: guests.pop() for step in dice.sample(range(STEPS), len(guests))}
        watchers = list(arrivals.values())
        for step in range(STEPS):
            if step in arrivals:
                watch = messages.Watch(id=arrivals[step].next_id(), race=race)
                errand = arrivals[step].say_now(watch)
                game.act()
                if errand is not None:
                    await errand
            game.act()
            if dice.random() < 0.2:
                await hall.pass_time(dice.randrange(2000))
        await hall.settle()
        await hall.pass_time(delay * 1000)
        last = len(await hall.world.log.read(race))
        late = await hall.person()
        await late.watch(race)
        wanted = folded(late, race)
        assert all(wanted.board(entrant) is not None for entrant in (1, 2))
        for watcher in watchers:
            seen = folded(watcher, race)
            assert seen.seq == wanted.seq == last
            for entrant in (1, 2):
                mine, theirs = seen.board(entrant), wanted.board(entrant)
                assert mine is not None
                assert theirs is not None
                assert mine.position == theirs.position


async def test_a_watcher_who_comes_back_is_told_what_was_missed_and_nothing_twice() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.started(ann, ben)
        eve = await hall.person("Eve")
        await eve.watch(race)
        await ann.play(race, 1, MOVES[0])
        heard = seqs(eve, race)[-1]
        eve.leave()
        await ann.play(race, 2, MOVES[1])
        again = await hall.again(eve)
        resume = messages.Resume(id=again.next_id(), race=race, after=heard)
        errand = again.say_now(resume)
        ann.say_now(ann.a_play(race, 3, MOVES[2]))
        if errand is not None:
            await errand
        await hall.settle()
        await hall.settle()
        told = seqs(again, race)
        assert told == list(range(heard, len(await hall.world.log.read(race)) + 1))


# --- no more than the terms allow ----------------------------------------------------------------


async def test_a_new_name_gives_an_entrant_no_other_sight() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.started(ann, ben, spectators=Sight.BOARDS)
        assert ann.welcome is not None
        renamed = await Person(hall).hello("Nan", token=ann.welcome.token)
        snapshot = await renamed.watch(race)
        assert [view.board is not None for view in snapshot.entrants] == [True, False]
        await ben.play(race, 1, MOVES[0])
        assert renamed.of(messages.Moved) == []


@pytest.mark.parametrize("terms", [{"spectators": Sight.PROGRESS}, {"delay": 30}])
async def test_an_entrant_who_comes_as_a_stranger_is_shown_what_any_stranger_is(
    terms: dict[str, object],
) -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.started(ann, ben, **terms)
        stranger = await hall.person("Nan")
        snapshot = await stranger.watch(race)
        await ben.play(race, 1, MOVES[0])
        assert [view.board for view in snapshot.entrants if view.board is not None] == []
        assert stranger.of(messages.Moved) == []
        again = messages.Resume(id=stranger.next_id(), race=race)
        whole = await stranger.get(Snapshot, again)
        assert [view.board for view in whole.entrants if view.board is not None] == []


async def test_the_host_who_does_not_race_sees_a_delayed_race_at_once() -> None:
    async with lobby() as hall:
        host = await hall.person("Host")
        race = await hall.race(host, entrants_min=2, delay=30)
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        for person in (ann, ben):
            await person.join(race)
        for person in (ann, ben):
            await person.ready(race)
        await hall.pass_time(0)
        screen, eve = await hall.again(host), await hall.person("Eve")
        assert (await screen.watch(race)).phase == "running"
        assert (await eve.watch(race)).phase == "open"
        await ann.play(race, 1, MOVES[0])
        assert [moved.number for moved in screen.of(messages.Moved)] == [1]
        assert eve.of(messages.Moved) == []


# --- blind races ---------------------------------------------------------------------------------


async def finished(hall: Lobby, race: str, person: Person) -> None:
    """Has somebody open the deal of an async race, play and end it."""
    await person.join(race)
    await person.ask(messages.Begin(id=person.next_id(), race=race))
    await person.play(race, 1, MOVES[0])
    await person.give_up(race)


async def test_a_blind_async_race_tells_no_result_to_anyone_who_could_still_play() -> None:
    async with lobby() as hall:
        host = await hall.person("Host")
        race = await hall.race(host, mode=Mode.ASYNC, blind=True, entrants_min=1)
        told: list[bytes] = []
        hall.world.bus.subscribe("races/+/progress", lambda _, payload: told.append(payload))
        stranger, entered = await hall.person("Eve"), await hall.person("Ben")
        await stranger.watch(race)
        await entered.join(race)
        await finished(hall, race, await hall.person("Ann"))
        await hall.pass_time(5_000)
        for person in (stranger, entered, host):
            heard = [
                each
                for each in person.heard
                if isinstance(each, messages.Done | messages.Moved | messages.Progressed)
            ]
            assert heard == []
            snapshot = (
                await person.watch(race)
                if person is not entered
                else await person.get(Snapshot, messages.Resume(id=person.next_id(), race=race))
            )
            ann = next(view for view in snapshot.entrants if view.name == "Ann")
            assert (ann.state, ann.home, ann.moves, ann.elapsed_ms) == ("hidden", None, None, None)
            results = messages.Results(id=person.next_id(), race=race)
            assert (await person.get(messages.ResultsSheet, results)).standings == ()
        assert (await hall.hall.records.sheet(race)).standings == ()
        assert not any(b"gave-up" in payload for payload in told)


async def test_when_a_blind_async_race_is_over_all_who_watched_are_told_everything() -> None:
    async with lobby() as hall:
        host = await hall.person("Host")
        race = await hall.race(host, mode=Mode.ASYNC, blind=True, entrants_min=1, closes=60)
        eve = await hall.person("Eve")
        await eve.watch(race)
        await finished(hall, race, await hall.person("Ann"))
        await hall.pass_time(61_000)
        [over] = eve.of(messages.Over)
        assert [(line.name, line.state) for line in over.standings] == [("Ann", "gave-up")]
        assert over.seed == SEED
        scene = folded(eve, race)
        board = scene.board(1)
        assert board is not None
        assert board.position.game.key == GAME


async def test_an_entrant_of_a_blind_live_race_learns_of_no_rival_by_any_connection() -> None:
    async with lobby() as hall:
        ann, ben = await hall.person("Ann"), await hall.person("Ben")
        race = await hall.started(ann, ben, blind=True)
        screen = await hall.again(ann)
        await screen.watch(race)
        await ben.play(race, 1, MOVES[0])
        await ben.give_up(race)
        for person in (ann, screen):
            progressed = {each.entrant for each in person.of(messages.Progressed)}
            done = {each.entrant for each in person.of(messages.Done)}
            assert 2 not in progressed | done
        for person in (ann, screen):
            results = messages.Results(id=person.next_id(), race=race)
            sheet = await person.get(messages.ResultsSheet, results)
            assert [line for line in sheet.standings if line.name == "Ben"] == []


async def test_a_connection_that_has_gone_is_found_in_no_race_by_what_it_asked() -> None:
    async with lobby() as hall:
        ann, eve = await hall.person("Ann"), await hall.person("Eve")
        race = await hall.race(ann)
        await ann.join(race)
        await eve.watch(race)
        for text in ("seen", "unseen"):
            eve.say_now(messages.Chat(id=eve.next_id(), race=race, text=text))
            await hall.settle()
            eve.leave()
        assert [said.text for said in ann.of(messages.Said)] == ["seen"]
