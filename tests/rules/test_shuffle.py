"""The shuffle against docs/deal.md: its prose's vectors, its Python, its table of layouts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import naive
from samedeal_rules import BadSeed, deal, every_game
from samedeal_rules.cards import card_text, parse_card
from samedeal_rules.shuffle import (
    SHUFFLE_VERSION,
    check_seed,
    commitment,
    keeps_commitment,
    order,
    redeal_keys,
    start_order,
)

PAGE = (Path(__file__).parents[2] / "docs" / "deal.md").read_text(encoding="utf-8")
SEEDS = ("friday-night", "1", "Zürich 42", "♠ ♥ ♦ ♣", "x" * 64)
KEYS = [game.key for game in every_game()]


def fenced(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def vectors() -> list[tuple[str, str, str]]:
    """(kind, what, value) of each test vector of the page."""
    found = re.findall(r"^(\w+): (.+)\n((?:(?!\w+: ).+\n?)+)", fenced("text"), re.MULTILINE)
    return [(kind, what, " ".join(value.split())) for kind, what, value in found]


def codes(ranks: str) -> list[int]:
    return [naive.RANKS.index(rank) + 1 for rank in ranks]


def texts(cards: tuple[int, ...]) -> str:
    return " ".join(map(card_text, cards))


# -- the page's vectors, against the product and against plain hashlib -----------------------------


def by_product(kind: str, what: str) -> str:
    match kind, re.split(r" \| | x ", what):
        case "order", [seed, copies, ranks]:
            return texts(order(seed, start_order(codes(ranks), copies=int(copies))))
        case "commitment", [seed, salt]:
            return commitment(seed, salt)
        case "keys", [text]:
            seed, _, number = text.partition(" redeal ")
            keys = redeal_keys(seed, int(number), start_order(range(1, 14)))
            return " ".join(f"{key:016x}" for key in keys[:3])
        case "redeal", [text]:
            seed, _, number = text.removesuffix(" of all Clubs and Diamonds").partition(" redeal ")
            pack = start_order(range(1, 14))
            key = dict(zip(pack, redeal_keys(seed, int(number), pack), strict=True))
            return texts(tuple(sorted(pack[:26], key=key.__getitem__)))
        case _:
            raise AssertionError(f"no such vector: {kind}: {what}")


def by_hashlib(kind: str, what: str) -> str:
    match kind, re.split(r" \| | x ", what):
        case "block", [text]:
            return sha256(
                "\n".join(["samedeal/1", "deal", text.split()[0], "0"]).encode()
            ).hexdigest()
        case "words", [text]:
            numbers = naive.words("deal", text.split()[0])
            return " ".join(f"{next(numbers):016x}" for _ in range(5))
        case "order", [seed, copies, ranks]:
            return " ".join(naive.shuffled(seed, naive.a_pack(int(copies), ranks)))
        case "commitment", [seed, salt]:
            return sha256(seed.encode() + bytes.fromhex(salt)).hexdigest()
        case "keys", [text]:
            seed, _, number = text.partition(" redeal ")
            numbers = naive.words(f"redeal/{number}", seed)
            return " ".join(f"{next(numbers):016x}" for _ in range(3))
        case "redeal", [text]:
            seed, _, number = text.removesuffix(" of all Clubs and Diamonds").partition(" redeal ")
            pack = naive.a_pack()
            return " ".join(naive.redeal_order(seed, int(number), pack, pack[:26]))
        case _:
            raise AssertionError(f"no such vector: {kind}: {what}")


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: f"{vector[0]}: {vector[1]}")
def test_published_vector_follows_from_plain_hashlib(vector: tuple[str, str, str]) -> None:
    kind, what, value = vector
    assert by_hashlib(kind, what) == value


@pytest.mark.parametrize(
    "vector",
    [vector for vector in vectors() if vector[0] not in ("block", "words")],
    ids=lambda vector: f"{vector[0]}: {vector[1]}",
)
def test_published_vector_is_what_we_deal(vector: tuple[str, str, str]) -> None:
    kind, what, value = vector
    assert by_product(kind, what) == value


def test_the_page_has_vectors_of_every_kind() -> None:
    kinds = Counter(kind for kind, _, _ in vectors())
    assert kinds == {"block": 1, "words": 1, "order": 6, "keys": 2, "redeal": 1, "commitment": 2}
    assert SHUFFLE_VERSION in PAGE


# -- the page's Python and its table of layouts ----------------------------------------------------


def the_pages_python() -> dict[str, Callable[..., list[str]]]:
    names: dict[str, Callable[..., list[str]]] = {}
    exec(compile(fenced("python"), "docs/deal.md", "exec"), names)
    return names


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pages_python_deals_as_we_do(seed: str) -> None:
    page = the_pages_python()
    for copies, ranks in ((1, "A23456789TJQK"), (2, "A789TJQK"), (1, "A789TJQ")):
        ours = order(seed, start_order(codes(ranks), copies=copies))
        assert " ".join(page["shuffle"](seed, page["pack"](copies, ranks))) == texts(ours)
    pack = start_order(range(1, 14))
    key = dict(zip(map(card_text, pack), redeal_keys(seed, 3, pack), strict=True))
    remaining = page["pack"]()[::3]
    assert page["reshuffle"](seed, 3, page["pack"](), remaining) == sorted(
        remaining, key=key.__getitem__
    )


def layouts() -> dict[str, list[str]]:
    rows = re.findall(r"^\| `([\w:-]+)` \|(.*)\|$", PAGE, re.MULTILINE)
    return {key: [cell.strip() for cell in cells.split("|")] for key, cells in rows}


def named_piles(text: str) -> list[str]:
    first, _, last = text.partition("-")
    if not last:
        return [first]
    return [f"{first[0]}{i}" for i in range(int(first[1:]), int(last[1:]) + 1)]


def dealt_from_the_page(key: str, seed: str) -> dict[str, list[str]]:
    """Deals from the table of the page alone, as a stranger would."""
    page = the_pages_python()
    table = layouts()
    pack, taken, rows, rest = table.get(key) or table[key.split(":")[0]]
    copies, _, ranks = pack.replace("`", "").partition(" × ")
    cards = page["shuffle"](seed, page["pack"](int(copies), ranks))
    first = cards[0]
    piles: dict[str, list[str]] = {}
    for step in re.findall("`(.+?)`", taken):
        targets, _, what = step.partition("=")
        match what:
            case "first":
                wanted = [first]
            case "base":
                wanted = [card for card in cards if card[0] == first[0]]
            case "aces":
                wanted = [card for card in cards if card[0] == "A"]
            case _:
                wanted = [what]
        for name, card in zip(targets.split(), wanted, strict=True):
            cards.remove(card)
            piles[name] = [card]
    for step in re.findall("`(.+?)`", rows):
        times, _, target = step.rpartition(" × ")
        for name in named_piles(target) * int(times or 1):
            piles.setdefault(name, []).append(cards.pop(0))
    if rest:
        piles[rest.strip("`")] = cards
    else:
        assert not cards
    return piles


def piles_of(position: str) -> dict[str, list[str]]:
    pairs = (line.split(":", 1) for line in position.splitlines())
    return {name: cards.split() for name, cards in pairs if name[0] in "FTCRSW" and cards.split()}


@pytest.mark.parametrize("key", KEYS)
def test_the_pages_table_lays_out_every_game_as_we_do(key: str) -> None:
    game = next(game for game in every_game() if game.key == key)
    for seed in SEEDS:
        assert piles_of(deal(game, seed).position().text()) == dealt_from_the_page(key, seed)


@pytest.mark.parametrize("key", KEYS)
def test_every_game_is_dealt_as_the_rulebook_says(key: str) -> None:
    game = next(game for game in every_game() if game.key == key)
    for seed in SEEDS:
        assert deal(game, seed).position().text() == naive.deal(key, seed).text()


# -- laws ------------------------------------------------------------------------------------------


@given(st.text(min_size=1, max_size=64), st.integers(1, 2), st.sets(st.integers(1, 13), min_size=1))
def test_an_order_is_the_whole_pack_and_always_the_same(
    seed: str, copies: int, ranks: set[int]
) -> None:
    pack = start_order(sorted(ranks), copies=copies)
    try:
        dealt = order(seed, pack)
    except BadSeed:
        return
    assert sorted(dealt) == sorted(pack)
    assert order(seed, list(pack)) == dealt


def test_every_order_of_three_cards_comes_equally_often() -> None:
    pack = tuple(map(parse_card, ("AC", "2C", "3C")))
    orders = Counter(order(str(seed), pack) for seed in range(6000))
    assert len(orders) == 6
    assert all(880 < count < 1120 for count in orders.values())


def test_purposes_and_numbers_give_unrelated_orders() -> None:
    pack = start_order(range(1, 14))
    assert order("a", pack) != order("a", pack, purpose="redeal/1")
    assert redeal_keys("a", 1, pack) != redeal_keys("a", 2, pack)
    assert len(set(redeal_keys("a", 1, pack))) == 52


def test_the_pack_starts_copy_by_copy_suits_cdhs_ranks_from_the_ace() -> None:
    assert texts(start_order([7, 1], copies=2)) == " ".join(
        ["AC 7C AD 7D AH 7H AS 7S", "AC 7C AD 7D AH 7H AS 7S"]
    )


# -- seeds and commitments -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seed",
    ["", "x" * 65, "a\nb", "tab\t", "\x00", "\x7f", "\x85", "\u2028", "\u2029", "\ud800", "é" * 65],
    ids=ascii,
)
def test_a_bad_seed_is_refused(seed: str) -> None:
    with pytest.raises(BadSeed):
        check_seed(seed)
    with pytest.raises(BadSeed):
        order(seed, start_order(range(1, 14)))


@pytest.mark.parametrize("seed", ["x", " ", "x" * 64, "é" * 64, "🂡🂱", "e\u0301" * 64], ids=ascii)
def test_a_good_seed_is_accepted(seed: str) -> None:
    assert 1 <= len(check_seed(seed)) <= 64


def test_two_ways_to_type_a_letter_are_one_seed() -> None:
    pack = start_order(range(1, 14))
    assert check_seed("Zu\u0308rich") == "Z\u00fcrich"
    assert order("Zu\u0308rich", pack) == order("Z\u00fcrich", pack)
    assert commitment("Zu\u0308rich", b"") == commitment("Z\u00fcrich", b"")


def test_case_and_spaces_make_another_seed() -> None:
    pack = start_order(range(1, 14))
    assert len({order(seed, pack) for seed in ("a", "A", " a", "a ")}) == 4


@given(st.text("abc ü", min_size=1, max_size=20), st.binary(max_size=32))
def test_a_commitment_is_kept_by_its_seed_and_salt_only(seed: str, salt: bytes) -> None:
    promised = commitment(seed, salt)
    assert promised == commitment(seed, salt.hex()) == commitment(seed, salt.hex().upper())
    assert keeps_commitment(promised, seed, salt)
    assert keeps_commitment(promised.upper(), seed, salt.hex())
    assert not keeps_commitment(promised, seed + "x", salt)
    assert not keeps_commitment(promised, seed, salt + b"x")


@pytest.mark.parametrize("salt", ["xyz", "abc", "--"])
def test_a_salt_that_is_not_hexadecimal_is_refused(salt: str) -> None:
    with pytest.raises(BadSeed):
        commitment("friday-night", salt)
