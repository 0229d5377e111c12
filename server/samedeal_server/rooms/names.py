"""What a player may be called, and names for those who bring none.

A name is 1-24 visible characters after NFKC, with single spaces between. Whatever a reader cannot
see, or what could change how the text around it is read, is refused: control and format characters,
bidi marks, zero-width ones, blank letters, towers of accents. Nor do letters of several alphabets
stand in one word, where they could be taken for each other. Names whose first word is House are
the server's own bots': nobody else can pose as one of them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

from samedeal_protocol.errors import ErrorCode
from samedeal_protocol.requests import NAME_CHARACTERS
from samedeal_server.racing.race import Refused
from samedeal_server.rooms.alphabets import mixed_word
from samedeal_server.spelling import UNSEEN

__all__ = ["drawn_name", "guests_name", "proper_name"]

_BLANK: Final = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and symbols that are drawn as nothing."""
_PRESENTATION: Final = {0xFE0E: None, 0xFE0F: None}
"""They only choose between a text and a picture; names do without."""
_HOUSE: Final = re.compile(r"house(?![^\W\d_])")
"""How the house's names begin, folded; Householder is anybody's."""
_MARKS: Final = frozenset(("Mn", "Me"))

_FIRST: Final = (
    "Able Amber Bold Brave Bright Brisk Calm Clever Coral Crisp Dapper Eager Early Fair Fleet Fond "
    "Gentle Glad Golden Grand Happy Hardy Honest Ivory Jade Jolly Keen Kind Lively Loyal Lucky "
    "Mellow Merry Mild Misty Neat Nimble Noble Patient Plucky Polite Proud Quick Quiet Ready Rosy "
    "Scarlet Silver Snug Steady Sunny Swift Tidy True Vivid Warm Wise Witty"
).split()
_SECOND: Final = (
    "Badger Beaver Bittern Bunting Crane Curlew Deer Dipper Dove Dunlin Egret Falcon Ferret Finch "
    "Fox Gannet Goose Grebe Hare Hawk Heron Hoopoe Ibis Jackdaw Jay Kestrel Kite Lapwing Lark "
    "Linnet Lynx Magpie Marten Merlin Mole Newt Oriole Osprey Otter Owl Pigeon Pipit Plover Quail "
    "Rail Raven Redstart Robin Rook Seal Shrew Siskin Snipe Sparrow Squirrel Stoat Stork Swallow "
    "Swan Swift Teal Tern Thrush Toad Vole Warbler Weasel Wren"
).split()


def proper_name(text: str) -> str:
    """Returns the name as it is kept and shown.

    Raises:
        Refused: bad-name, with what is wrong.
    """
    name = unicodedata.normalize("NFKC", text).translate(_PRESENTATION)
    if (wrong := _unseen(name)) is not None:
        raise Refused(ErrorCode.BAD_NAME, f"a name cannot hold {wrong}")
    name = " ".join(name.split())
    if not name:
        raise Refused(ErrorCode.BAD_NAME, "a name has at least one visible character")
    if len(name) > NAME_CHARACTERS:
        raise Refused(ErrorCode.BAD_NAME, f"a name has at most {NAME_CHARACTERS} characters")
    if unicodedata.category(name[0]) in _MARKS:
        raise Refused(ErrorCode.BAD_NAME, "a name cannot begin with an accent")
    for one, two, three in zip(name, name[1:], name[2:], strict=False):
        if all(unicodedata.category(character) in _MARKS for character in (one, two, three)):
            raise Refused(ErrorCode.BAD_NAME, "a letter carries at most two accents")
    return name


def guests_name(text: str) -> str:
    """Returns the name of somebody who is none of the house, as it is kept and shown.

    Raises:
        Refused: bad-name, with what is wrong.
    """
    name = proper_name(text)
    if (word := mixed_word(name)) is not None:
        raise Refused(ErrorCode.BAD_NAME, f"{word} has letters of several alphabets: keep to one")
    letters = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(each for each in letters if unicodedata.category(each) not in _MARKS)
    if _HOUSE.match(plain):
        raise Refused(ErrorCode.BAD_NAME, "names that begin with House are the server's own bots'")
    return name


def drawn_name(player: str, attempt: int) -> str:
    """Returns a pleasant name for a player without one; another one at each attempt."""
    digest = hashlib.sha256(f"{player}/{attempt}".encode()).digest()
    first = _FIRST[int.from_bytes(digest[:4]) % len(_FIRST)]
    second = _SECOND[int.from_bytes(digest[4:8]) % len(_SECOND)]
    number = "" if attempt < 3 else f" {int.from_bytes(digest[8:10]) % 9000 + 1000}"
    return f"{first} {second}{number}"


def _unseen(name: str) -> str | None:
    """Says which character cannot be seen, or None."""
    for character in name:
        category = unicodedata.category(character)
        if category in UNSEEN or character in _BLANK:
            return f"the invisible character U+{ord(character):04X}"
        if category == "Zs" and character != " ":
            return f"the space U+{ord(character):04X}"
    return None
