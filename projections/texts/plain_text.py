"""Names and other texts of a record, as people read them in a sentence.

A name cannot be confused with other words."""

import re
from collections.abc import Sequence

from domain.names import readable

Names = Sequence[str]
"""The names of the seats, by seat."""

_PLAIN_NAME = re.compile(r"\w[\w.' -]*")
_ROLES = {
    *("clock", "dealer", "moderator", "moderators", "organiser", "public", "rules", "service"),
    *("everybody", "everyone", "nobody", "none", "no", "seat", "yes"),
}
"""Words that mean another person; a name that begins with one is quoted."""


def person(seat: int, names: Names) -> str:
    """The name of the seat's player; with the seat's number where names do not tell."""
    if not 0 <= seat < len(names):
        return f"seat {seat}"
    name = names[seat]
    return quote_name(name) if names.count(name) == 1 else f"seat {seat} {quote_name(name)}"


def quote_name(name: str) -> str:
    """The name as it stands if it can only be read as a name, or else in quotation marks."""
    first = name.casefold().partition(" ")[0]
    if _PLAIN_NAME.fullmatch(name) and first not in _ROLES:
        return name
    readable_name = name if readable(name) else plain(name)
    return '"' + readable_name.replace('"', '\\"') + '"'


def plain(text: str) -> str:
    """The text with everything escaped that does not print as itself: a forged event must not move
    the reader's cursor."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )
