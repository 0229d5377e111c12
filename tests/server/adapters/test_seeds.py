"""How much chance is in what the server draws, and how it can be read aloud."""

from __future__ import annotations

import math
import re

from samedeal_server.adapters.seeds import RACE_ALPHABET, SecretSeeds


def test_a_race_code_is_speakable_and_has_fifty_bits() -> None:
    code = SecretSeeds().race()
    assert re.fullmatch(f"[{RACE_ALPHABET}]{{4}}(-[{RACE_ALPHABET}]{{4}}){{2}}", code)
    assert 12 * math.log2(len(RACE_ALPHABET)) > 50


def test_no_two_letters_of_a_race_code_look_alike() -> None:
    assert not set("0o1il") & set(RACE_ALPHABET)
    assert len(set(RACE_ALPHABET)) == len(RACE_ALPHABET)


def test_every_letter_turns_up_at_every_place() -> None:
    # 28 letters, 2,000 codes: that one is missing somewhere has odds of about 10^-29.
    codes = [SecretSeeds().race() for _ in range(2000)]
    for place in (0, 5, 13):
        assert {code[place] for code in codes} == set(RACE_ALPHABET)


def test_seeds_and_salts_have_128_bits() -> None:
    seeds = SecretSeeds()
    for drawn in (seeds.seed(), seeds.salt()):
        assert re.fullmatch("[0-9a-f]{32}", drawn)


def test_a_token_has_192_bits() -> None:
    assert re.fullmatch("[A-Za-z0-9_-]{32}", SecretSeeds().token())
