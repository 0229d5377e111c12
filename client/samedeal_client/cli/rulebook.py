"""The commands that need no server: games, rules, deal, perft, engine."""

from __future__ import annotations

import sys

from samedeal_client.board import board, facts
from samedeal_client.cli.parts import Context, Exit, Fault, Group, add_json, game_of, say_json
from samedeal_client.engine_pipe import PERFT_DEPTH, serve_descriptors
from samedeal_rules import GAMES, BadSeed, Game, Position, Table, deal, every_game, perft
from samedeal_rules.cards import card_text
from samedeal_rules.prose import describe, rules_text, title

__all__ = ["add_to"]


def add_to(commands: Group) -> None:
    """Adds the commands."""
    parser = commands.add(
        "games",
        _games,
        "list the games",
        examples=["samedeal games", "samedeal games --variants", "samedeal games --json"],
    )
    parser.add_argument("--variants", action="store_true", help="list the variants as well")
    add_json(parser)

    parser = commands.add(
        "rules",
        _rules,
        "print the rules of a game",
        examples=["samedeal rules forty-thieves", "samedeal rules opus:no-wrap"],
    )
    parser.add_argument("game", metavar="KEY", help="a game's key")
    add_json(parser)

    parser = commands.add(
        "deal",
        _deal,
        "print a deal, every card of it",
        examples=[
            "samedeal deal forty-thieves --seed friday-night",
            "samedeal deal forty-thieves --seed friday-night --view",
            "samedeal deal opus --seed 1 --board",
        ],
    )
    parser.add_argument("game", metavar="KEY", help="a game's key")
    parser.add_argument("--seed", required=True, help="1-64 characters of text")
    parser.add_argument("--view", action="store_true", help="hide what a player may not see")
    parser.add_argument("--board", action="store_true", help="draw the table instead")
    add_json(parser)

    parser = commands.add(
        "perft",
        _perft,
        "count the move sequences of a length from a deal",
        examples=["samedeal perft forty-thieves 3 --seed friday-night"],
    )
    parser.add_argument("game", metavar="KEY", help="a game's key")
    parser.add_argument("depth", metavar="DEPTH", type=int, help="how many moves")
    parser.add_argument("--seed", required=True, help="1-64 characters of text")
    add_json(parser)

    commands.add(
        "engine",
        _engine,
        "speak the rules over standard input and output, for bots in any language",
        examples=["samedeal engine", r"printf 'new opus 1\nlegal\nquit\n' | samedeal engine"],
    )


def _games(context: Context) -> Exit:
    games = every_game() if context.arguments.variants else GAMES
    if context.arguments.json:
        say_json(context.terminal, [_listed(game) for game in games])
        return Exit.DONE
    width = max(len(game.key) for game in games)
    for game in games:
        packs = "1 pack " if game.deck.packs == 1 else f"{game.deck.packs} packs"
        hidden = "" if game.is_open else "  luck" if not game.hides else "  hidden cards"
        context.terminal.say(f"{game.key:{width}}  {title(game):22}  {packs}{hidden}".rstrip())
    return Exit.DONE


def _listed(game: Game) -> dict[str, object]:
    return {
        "key": game.key,
        "name": game.name,
        "packs": game.deck.packs,
        "cards": game.size,
        "goal": game.goal,
        "hides_cards": game.hides,
        "variants": [variant.key for variant in game.variants],
    }


def _rules(context: Context) -> Exit:
    game = game_of(context.arguments.game)
    if context.arguments.json:
        say_json(context.terminal, {**describe(game), "rules": rules_text(game)})
    else:
        context.terminal.say_all(context.terminal.wrapped(rules_text(game)))
    return Exit.DONE


def _dealt(context: Context) -> Table:
    try:
        return deal(game_of(context.arguments.game), context.arguments.seed)
    except BadSeed as refusal:
        raise Fault(str(refusal)) from refusal


def _deal(context: Context) -> Exit:
    table = _dealt(context)
    arguments, terminal = context.arguments, context.terminal
    position = table.view() if arguments.view or arguments.board else table.position()
    if arguments.json:
        say_json(terminal, {"seed": table.seed, **_as_json(position)})
    elif arguments.board:
        said = facts(table.game, position)
        has_colour = context.settings.has_colour
        terminal.say_all(board(table.game, position, has_colour=has_colour))
        terminal.say_all([said] if said else [])
    else:
        terminal.say_all(position.text().splitlines())
    return Exit.DONE


def _as_json(position: Position) -> dict[str, object]:
    piles = zip(position.game.piles, position.piles, strict=True)
    return {
        "game": position.game.key,
        "piles": {name: [card_text(card) for card in cards] for name, cards in piles},
        "digest": position.digest(),
        "text": position.text(),
    }


def _perft(context: Context) -> Exit:
    depth = context.arguments.depth
    if not 0 <= depth <= PERFT_DEPTH:
        raise Fault(f"DEPTH is from 0 to {PERFT_DEPTH}", Exit.USAGE)
    table = _dealt(context)
    count = perft(table, depth)
    if context.arguments.json:
        said = {"game": table.game.key, "seed": table.seed, "depth": depth, "count": count}
        say_json(context.terminal, said)
    else:
        context.terminal.say(str(count))
    return Exit.DONE


def _engine(context: Context) -> Exit:
    sys.stdout.flush()
    serve_descriptors(sys.stdin.fileno(), sys.stdout.fileno())
    return Exit.DONE
