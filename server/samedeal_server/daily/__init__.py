"""One deal a day for everybody, and a league of every week's seven: what of it is pure.

    days      days and weeks of UTC, and how they are written
    rooms     the races of a day: their codes, their terms, which game it is
    board     who did how on a day, over all its rooms
    league    points for places
    sheets    what of it a player is told

Nothing here reads a clock or a store.
"""
