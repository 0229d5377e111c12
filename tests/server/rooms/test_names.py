"""What a player may be called."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samedeal_protocol.requests import NAME_CHARACTERS
from samedeal_server.ports import Player
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.alphabets import mixed_word, twins
from samedeal_server.rooms.names import drawn_name, guests_name, proper_name
from samedeal_server.spelling import seemly
from support.halls import lobby


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann \u3000 Lee ", "Ann Lee"),
        ("\uff21\uff4e\uff4e", "Ann"),
        ("Zoë", "Zoë"),
        ("李雷", "李雷"),
        ("❤\ufe0f", "❤"),
        ("x" * 24, "x" * 24),
    ],
)
def test_a_name_is_kept_as_it_is_seen(said: str, kept: str) -> None:
    assert proper_name(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "",
        " ",
        "x" * 25,
        "A\u0000nn",
        "Ann\n",
        "\u202eAnn",
        "A\u200bnn",
        "A\u200dnn",
        "\ufeffAnn",
        "Ann\u2066",
        "A\u00adnn",
        "\u3164",
        "\u2800",
        "\u115f",
        "\u0301Ann",
        "a\u0316\u0317\u0318\u0319",
        "\ud800",
        "\ue000",
        "A\u2028nn",
    ],
    ids=ascii,
)
def test_a_name_with_what_cannot_be_seen_is_refused(said: str) -> None:
    with pytest.raises(Refused) as refused:
        proper_name(said)
    assert refused.value.code.code == "bad-name"


@given(st.text(max_size=40))
def test_whatever_is_taken_as_a_name_stays_as_it_is(said: str) -> None:
    try:
        name = proper_name(said)
    except Refused:
        return
    assert proper_name(name) == name
    assert 1 <= len(name) <= NAME_CHARACTERS
    assert name == name.strip() == unicodedata.normalize("NFKC", name)


@given(st.text(max_size=12), st.integers(0, 20))
def test_drawn_names_are_proper_names(player: str, attempt: int) -> None:
    drawn = drawn_name(ascii(player), attempt)
    assert guests_name(drawn) == drawn


@pytest.mark.parametrize(
    "said",
    [
        "House Greedy 9",
        "hOUSE greedy 9",
        "\uff28ouse Greedy",
        "House",
        " House-Bot",
        "Ho\u0301use Bot",
    ],
    ids=ascii,
)
async def test_nobody_poses_as_a_bot_of_the_house(said: str) -> None:
    async with lobby() as hall:
        ann = await hall.person("Ann")
        assert ann.welcome is not None
        for token in (None, ann.welcome.token):
            with pytest.raises(AssertionError, match="bad-name"):
                await hall.person(said, token=token, bot=True)


async def test_only_what_shows_the_door_has_a_name_of_the_house() -> None:
    async with lobby() as hall:
        bot = await hall.person("House Greedy 9", token=hall.hall.players.door)
        assert bot.welcome is not None
        assert (bot.welcome.name, bot.welcome.bot) == ("House Greedy 9", True)
        again = await hall.person(token=bot.welcome.token)
        assert again.welcome is not None
        assert again.welcome.player == bot.welcome.player


@pytest.mark.parametrize("said", ["Аnn", "Ноuse Bot", "Annα", "Иvan", "Ann Ивaн"])  # noqa: RUF001
def test_a_word_in_several_alphabets_is_refused(said: str) -> None:
    with pytest.raises(Refused, match="several alphabets"):
        guests_name(said)


@pytest.mark.parametrize("name", ["DJ Иван", "Ἀριστοτέλης", "李Ann", "さくらTV", "김Ann", "Kaʻimi"])  # noqa: RUF001
def test_words_each_in_an_alphabet_of_their_own_are_names(name: str) -> None:
    assert guests_name(name) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [("Max", "Мах"), ("Мах", "Max"), ("Max Bee", "Мах Bee"), ("ZOO", "ΖΟΟ"), ("ХОХ", "ΧΟΧ")],  # noqa: RUF001
)
async def test_nobody_is_called_as_somebody_else_is_in_another_alphabet(
    one: str, other: str
) -> None:
    async with lobby() as hall:
        max = await hall.person(one)
        with pytest.raises(AssertionError, match="name-taken"):
            await hall.person(other)
        eve = await hall.person("Eve")
        assert eve.welcome is not None
        with pytest.raises(AssertionError, match="name-taken"):
            await hall.person(other, token=eve.welcome.token)
        assert max.welcome is not None
        own = await hall.person(other, token=max.welcome.token)
        assert own.welcome is not None
        assert own.welcome.name == other


@given(st.text("AaBbCcEeHIXxАаВСсЕеНІХхΑΒΕΗΙΧ ", max_size=8))  # noqa: RUF001
def test_whatever_looks_like_a_name_knows_the_name_as_its_twin(said: str) -> None:
    if mixed_word(said) is None and len(said.split(" ")) == 1:
        assert all(said in twins(twin) for twin in twins(said))


@pytest.mark.parametrize("old", ["House Ann", "Аnn"])  # noqa: RUF001
async def test_whoever_has_a_name_that_is_given_to_nobody_now_keeps_it(old: str) -> None:
    async with lobby() as hall:
        hashed = hashlib.sha256(b"token").digest()
        await hall.world.log.add_player(Player("p-old", old, False, hashed, 1))
        for said in (old, None):
            person = await hall.person(said, token="token")
            assert person.welcome is not None
            assert (person.welcome.player, person.welcome.name) == ("p-old", old)
        with pytest.raises(AssertionError, match="bad-name"):
            await hall.person(f"{old} 2", token="token")


@pytest.mark.parametrize("name", ["Householder", "Ann House", "<b>/Ann>"])
def test_other_names_are_anybodys(name: str) -> None:
    assert guests_name(name) == name


@given(st.text(max_size=60))
def test_chat_keeps_nothing_that_cannot_be_seen(text: str) -> None:
    kept = seemly(text)
    assert not any(unicodedata.category(each) in {"Cc", "Zl", "Zp", "Co"} for each in kept)
    assert seemly(kept) == kept


async def test_a_name_in_use_is_refused_to_others_whatever_its_case() -> None:
    async with lobby() as hall:
        await hall.person("Ann")
        with pytest.raises(AssertionError, match="name-taken"):
            await hall.person("aNN")


async def test_a_guest_without_a_name_is_given_one_that_nobody_has() -> None:
    async with lobby() as hall:
        people = [await hall.person() for _ in range(50)]
        names = {person.welcome.name for person in people if person.welcome is not None}
        assert len(names) == 50


async def test_a_token_with_another_name_renames() -> None:
    async with lobby() as hall:
        ann = await hall.person("Ann")
        assert ann.welcome is not None
        again = await hall.person("Anna", token=ann.welcome.token)
        assert again.welcome is not None
        assert (again.welcome.name, again.welcome.player) == ("Anna", ann.welcome.player)
        assert again.welcome.token is None


async def test_a_token_nobody_has_is_refused() -> None:
    async with lobby() as hall:
        with pytest.raises(AssertionError, match="bad-token"):
            await hall.person(token="made up")


async def test_once_a_bot_always_a_bot() -> None:
    async with lobby() as hall:
        robot = await hall.person("Robot", bot=True)
        assert robot.welcome is not None
        again = await hall.person(token=robot.welcome.token)
        assert again.welcome is not None
        assert again.welcome.bot
        person = await hall.person("Ann")
        assert person.welcome is not None
        await hall.person(token=person.welcome.token, bot=True)
        later = await hall.person(token=person.welcome.token)
        assert later.welcome is not None
        assert later.welcome.bot


async def test_tokens_are_stored_as_hashes_only() -> None:
    async with lobby() as hall:
        ann = await hall.person("Ann")
        assert ann.welcome is not None
        assert ann.welcome.token is not None
        stored = repr(hall.world.log._players)
        assert ann.welcome.token not in stored
