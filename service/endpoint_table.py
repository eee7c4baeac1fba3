"""The table of endpoints and roles in `api.md`, made from what the routes declare by
`python -m service.endpoint_table`.

It stands under the last heading of the document.
"""

from pathlib import Path
from typing import Any

import service.web
from service.app import api_description
from service.http.access.key_needed import EVERYBODY_ONCE_OPENED, ONCE_OVER

DOCUMENT = Path(service.web.__path__[0], "docs", "api.md")

HEADING = "## All endpoints\n"
"""What stands after it is made here."""

INTRODUCTION = """
`make tables` makes this from what the routes declare. A column is what a key is to what the path
names:

- **organiser**: the person who made the match or the tournament, an organiser of that tournament,
  or the service's own key; for what is made anew, any organiser;
- **moderator**: the match's moderator, or a tournament's moderator who has been given the match;
  of a tournament, a moderator of one of its matches;
- **seat**: a seat of the match, or the tournament's player who sits there;
- **player**: a player of the tournament, or a moderator of it with the name of a player;
- **other key**: any other valid key, such as that of another match.

What is *public*, a seat's *own*, or *all* is shown; with `as` another audience is 403, unless the
record is [opened](#create-a-match). *At the end* is when the match is over; a bundle is then for an
audience, as a view is. *Once opened* is when the record is opened. *No* is 401 without a key, 403
with one. An unknown or revoked key is 401 wherever a key is read. A ticket opens a stream in place
of a key.

| endpoint | no key | other key | organiser | moderator | seat | player |
|---|---|---|---|---|---|---|
"""

ROLES = ("organiser", "moderator", "seat", "player")

SHOWN = {"organiser": "public", "moderator": "all", "seat": "own", "player": "public"}
"""What is shown to each role by a route that reads as an audience."""


def table() -> str:
    """The table, from the heading on."""
    paths: dict[str, dict[str, Any]] = api_description()["paths"]
    rows = (
        _row([f"{method.upper()} `{path}`", *_cells(operation["security"])])
        for path, operations in sorted(paths.items())
        for method, operation in operations.items()
    )
    return "".join((HEADING, INTRODUCTION, *rows))


def _cells(security: list[dict[str, list[str]]]) -> list[str]:
    """What no one's key, another key and the key of each role may do."""
    if not security:
        return ["yes"] * (2 + len(ROLES))
    named = {role for requirement in security for role in requirement.get("key", ())}
    keyless = {} in security
    if not named:
        return ["public" if keyless else "no", "public", *(SHOWN[role] for role in ROLES)]
    refused = "no"
    if keyless:
        refused = "once opened" if EVERYBODY_ONCE_OPENED in named else "at the end"
    later = {role.removesuffix(ONCE_OVER) for role in named if role.endswith(ONCE_OVER)}
    may = {role: "yes" if role in named else "at the end" for role in named | later}
    return [refused, refused, *(may.get(role, refused) for role in ROLES)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def current() -> str:
    """The document with the table as the routes are now."""
    text, heading, _ = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)
    assert heading, "the document has a place for the table"
    return text + table()


if __name__ == "__main__":
    DOCUMENT.write_text(current(), encoding="utf-8")
