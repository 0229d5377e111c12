"""What waits for the broker, by itself: what makes room, and what is due once."""

from __future__ import annotations

from samedeal_server.adapters.bus_mqtt.outgoing import Outgoing


def outgoing(*, messages: int = 3, size: int = 100) -> tuple[Outgoing, list[int]]:
    dropped: list[int] = []
    return Outgoing(messages=messages, size=size, emptied=2, dropped=dropped.append), dropped


def test_the_oldest_passing_messages_make_room() -> None:
    queue, dropped = outgoing()
    for number in range(5):
        queue.put("a", b"%d" % number)
    queue.put("a", b"x" * 99)
    assert dropped == [1, 1, 2]
    assert [queue.take()[1] for _ in range(2)] == [b"4", b"x" * 99]


def test_of_a_retained_topic_the_newest_is_due_once() -> None:
    queue, _ = outgoing()
    for payload in (b"1", b"2"):
        queue.retain("a", payload)
    assert len(queue) == 1
    assert queue.take_retained() == ("a", b"2")
    queue.repeat()
    assert queue.take_retained() == ("a", b"2")


def test_cleared_topics_are_remembered_up_to_a_bound() -> None:
    queue, _ = outgoing()
    for topic in ("a", "b", "c"):
        queue.retain(topic, b"1")
        queue.retain(topic, b"")
    queue.repeat()
    assert [queue.take_retained() for _ in range(len(queue))] == [("b", b""), ("c", b"")]
