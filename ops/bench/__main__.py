"""Measures the rules core and the server, side by side with what they are compared to.

make bench                            everything
make bench PARTS=rules                nanoseconds of the rules core, game by game
make bench PARTS=load                 moves a second and their cost, beside a relay and an echo
make bench PARTS=fanout               what thousands of spectators cost, beside broadcast()
make bench PARTS="memory skew"        memory a connection; how fair the start is
make bench PARTS=recovery             the time from start to listening over a long log
make bench PARTS=brokers              what a message costs through each bus
make bench PARTS=stores               what it costs to make an event durable, store by store
make bench PARTS=nodes                one server and three, and how long fail-over takes
make bench PARTS=pairing              how long it takes to pair a round of a Swiss tournament
make bench PARTS=tournament           how many races a minute a tournament of bots comes to
make bench PARTS=browser              the browser client's first load, and how soon a move is seen
"""

from __future__ import annotations

import argparse
import platform

from bench import brokers, browser, core, fanout, hosting, load, nodes, pairing, shape, stores

_PARTS = (
    "rules", "load", "fanout", "memory", "skew", "recovery", "brokers", "stores", "nodes",
    "pairing", "tournament", "browser",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(_PARTS))
    parser.add_argument("--game", default="beleaguered-castle", help="the game that the load plays")
    parser.add_argument("--players", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--rounds", type=int, default=5, help="what medians are taken of")
    parser.add_argument("--seconds", type=float, default=3.0, help="of load in a round")
    parser.add_argument("--spectators", type=int, nargs="+", default=[1000, 5000], help="of fanout")
    parser.add_argument("--pace", type=float, default=2.0, help="moves a second of its players")
    parser.add_argument("--connections", type=int, default=1000, help="for memory")
    parser.add_argument("--races", type=int, default=10_000, help="logged races for recovery")
    parser.add_argument("--field", type=int, nargs="+", default=[64, 256, 512], help="for pairing")
    parser.add_argument("--starts", type=int, default=40, help="of races, for skew")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(_PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}: say {', '.join(_PARTS)}")
    parts = options.parts or _PARTS
    print(f"Python {platform.python_version()} on {platform.machine()}")
    if "rules" in parts:
        core.report(options.rounds)
    if "load" in parts:
        load.report(options.game, options.players, rounds=options.rounds, seconds=options.seconds)
    if "fanout" in parts:
        fanout.report(
            options.game,
            options.spectators,
            rounds=options.rounds,
            seconds=options.seconds,
            pace=options.pace,
        )
    if "memory" in parts:
        shape.report_memory(options.connections)
    if "skew" in parts:
        shape.report_skew(options.starts)
    if "recovery" in parts:
        shape.report_recovery(options.races)
    if "brokers" in parts:
        brokers.report(options.rounds, seconds=options.seconds)
    if "stores" in parts:
        stores.report(rounds=options.rounds, seconds=options.seconds)
    if "pairing" in parts:
        pairing.report(options.field, repeats=min(3, options.rounds))
    if "tournament" in parts:
        hosting.report(max(options.field[0], 2), repeats=min(3, options.rounds))
    if "browser" in parts:
        browser.report(options.rounds)
    if "nodes" in parts:
        nodes.report(options.game, rounds=options.rounds, seconds=options.seconds)


if __name__ == "__main__":
    main()
