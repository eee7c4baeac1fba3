"""Seats: who sits where in a match, and which names are distinct."""

import re
from collections.abc import Sequence
from unicodedata import name as name_of
from unicodedata import normalize

from domain.game import Refused

LONGEST_NAME = 64

UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""Characters that count as printable but show nothing (Unicode: Default_Ignorable_Code_Point, and
the blank of Braille)."""

ALPHABETS = {"LATIN", "GREEK", "CYRILLIC"}
"""Alphabets with letters that look the same."""


def check_count(count: int, allowed: range) -> None:
    """Raises Refused unless this is a number of seats that the game allows."""
    if count not in allowed:
        low, high = allowed[0], allowed[-1]
        wanted = low if low == high else f"{low} to {high}"
        raise Refused("seats_not_allowed", f"this game seats {wanted}, not {count}")


def check_names(names: Sequence[str], allowed: range) -> None:
    """Raises Refused unless the names match the game's number of seats and are readable and
    distinct."""
    check_count(len(names), allowed)
    for name in names:
        if not readable(name):
            raise Refused(
                "seats_not_allowed",
                f"a name is 1 to {LONGEST_NAME} printable characters with no space at its ends",
            )
    if len(set(map(seen, names))) != len(names):
        raise Refused("seats_not_allowed", "two seats have the same name")


def readable(name: str) -> bool:
    """Whether people can read the name: visible, printable and not too long."""
    plain = name.isprintable() and name == name.strip()
    return 0 < len(name) <= LONGEST_NAME and plain and seen(name) != ""


def seen(name: str) -> str:
    """The name as it looks: without invisible characters, normalised and with single spaces."""
    return " ".join(normalize("NFC", UNSEEN.sub("", name)).split())


def spoken(name: str) -> str:
    """The name as it sounds: as it looks, regardless of case and width."""
    folded = normalize("NFKC", seen(name)).casefold()
    return " ".join(normalize("NFKC", folded).split())


def one_alphabet(name: str) -> bool:
    """Whether no word of the name mixes alphabets whose letters look the same."""
    found = ({name_of(one, "").partition(" ")[0] for one in word} for word in name.split())
    return all(len(alphabets & ALPHABETS) <= 1 for alphabets in found)
