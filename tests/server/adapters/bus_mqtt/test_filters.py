"""Topic filters by themselves: what is wanted is covered once."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from samedeal_server.adapters.bus_local import covers
from samedeal_server.adapters.bus_mqtt.filters import Interests, disjoint, overlap

LEVELS = st.lists(st.sampled_from("ab+"), min_size=1, max_size=4)
PATTERNS = st.builds(
    lambda levels, tail: "/".join((*levels, *tail)), LEVELS, st.sampled_from([(), ("#",)])
)
TOPICS = [
    "/".join(levels) for size in range(1, 6) for levels in itertools.product("abc", repeat=size)
]


@given(patterns=st.lists(PATTERNS, max_size=6))
def test_filters_cover_what_is_wanted_and_each_topic_once(patterns: list[str]) -> None:
    filters = disjoint(patterns)
    for topic in TOPICS:
        covering = [each for each in filters if covers(each, topic)]
        assert len(covering) <= 1
        if any(covers(pattern, topic) for pattern in patterns):
            assert covering


@given(one=PATTERNS, other=PATTERNS)
def test_patterns_overlap_if_a_topic_is_in_both(one: str, other: str) -> None:
    both = any(covers(one, topic) and covers(other, topic) for topic in TOPICS)
    assert overlap(one, other) == overlap(other, one) == both


@given(added=st.lists(PATTERNS, max_size=6), removed=st.integers(0, 6))
def test_interests_are_those_that_are_left(added: list[str], removed: int) -> None:
    interests = Interests()
    for pattern in added:
        interests.add(pattern)
    for pattern in added[:removed]:
        interests.remove(pattern)
    left = added[removed:]
    assert all(pattern in interests for pattern in left)
    for topic in TOPICS:
        covering = [each for each in interests.filters() if covers(each, topic)]
        assert len(covering) <= 1
        assert bool(covering) >= any(covers(pattern, topic) for pattern in left)
