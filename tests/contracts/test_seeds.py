"""What every source of secrets promises."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from samedeal_rules.shuffle import check_seed, commitment
from samedeal_server.adapters.seeds import SecretSeeds
from samedeal_server.ports import Seeds
from support.fakes import FixedSeeds

SOURCES: dict[str, Callable[[], Seeds]] = {"secret": SecretSeeds, "fixed": FixedSeeds}


@pytest.fixture(params=SOURCES)
def seeds(request: pytest.FixtureRequest) -> Seeds:
    return SOURCES[request.param]()


def test_nothing_is_drawn_twice(seeds: Seeds) -> None:
    for draw in (seeds.seed, seeds.salt, seeds.race, seeds.player, seeds.token):
        assert len({draw() for _ in range(1000)}) == 1000


def test_seed_and_salt_make_a_commitment(seeds: Seeds) -> None:
    seed = seeds.seed()
    assert check_seed(seed) == seed
    assert re.fullmatch("[0-9a-f]{64}", commitment(seed, seeds.salt()))


def test_codes_and_ids_fit_topics_and_addresses(seeds: Seeds) -> None:
    for name in (seeds.race(), seeds.player()):
        assert re.fullmatch("[A-Za-z0-9_-]{1,32}", name)


def test_tokens_fit_the_protocol(seeds: Seeds) -> None:
    assert 1 <= len(seeds.token()) <= 128
