"""What a viewer has missed, told as they would have been told it."""

from __future__ import annotations

from collections.abc import Sequence

from samedeal_protocol.events import Opened, parse_line
from samedeal_server.racing.fold import begin, evolve
from samedeal_server.rooms.crowd import Crowd
from samedeal_server.rooms.viewers import Told, Viewer

__all__ = ["missed"]


def missed(lines: Sequence[bytes], after: int, viewer: Viewer) -> list[bytes]:
    """Returns the frames of the events that followed seq `after`, by the viewer's sight at each.

    `lines` are a race's log from its start, as far as the viewer shall be told.
    """
    opened = parse_line(lines[0])
    if not isinstance(opened, Opened):
        raise AssertionError("a log begins with its race's opening")
    race = begin(opened)
    crowd = Crowd(race)
    shadow = Viewer(viewer.peer, viewer.who)
    told = Told()
    if after == race.seq:
        crowd.add(shadow)
    for line in lines[1:]:
        event = parse_line(line)
        evolve(race, event)
        if race.seq > after:
            crowd.tell(event, told)
            crowd.look_again(told, race.at)
        elif race.seq == after:
            crowd.add(shadow)
    return told.frames()
