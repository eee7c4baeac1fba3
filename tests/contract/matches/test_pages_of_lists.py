"""Every list that can grow has pages, and their readers follow them."""

from typing import Any

import pytest

from tests.support.http.case_client import opened
from tests.support.http.routes import description
from tests.support.http.ruling_client import rule
from tests.support.servers.live_server import Live, LiveMatch, Player

SHORT = {
    "/v1/games": "as many as there are games",
    "/v1/games/{game}": "bounds of the seats, kinds of records",
    "/v1/keys": "one more at each change of the signing key",
    "/v1/webhooks": "twenty a key",
    "/v1/calendars": "twenty a key",
    "/v1/matches/{id}": "its seats",
    "/v1/matches/{id}/actions": "as many as a game has kinds of actions",
    "/v1/matches/{id}/cases/{case}": "seats may say so many bytes, and moderators write by hand",
    "/v1/tournaments/{id}/cases/{case}": "players may say so many bytes, and staff write by hand",
    "/v1/tournaments/{id}": "its players and their matches",
    "/v1/tournaments/{id}/organisers": "sixteen a tournament",
    "/v1/tournaments/{id}/stages": "sixty-four a tournament",
    "/v1/tournaments/{id}/stages/{stage}/rounds/{number}": "its players",
    "/v1/tournaments/{id}/stages/{stage}/rounds/{number}/absences": "its tables",
    "/v1/tournaments/{id}/stages/{stage}/bracket": "two matches a player",
    "/v1/tournaments/{id}/export": "its stages, their rounds and players, once for programs",
    "/v1/tournaments/{id}/players": "512 a tournament",
    "/v1/tournaments/{id}/players/{player}": "sixty-four rounds a stage",
    "/v1/tournaments/{id}/standings": "its players",
}
"""Lists without pages, and why they stay short."""


def lists() -> dict[str, Any]:
    """The operations that answer a list, by their paths."""
    document = description()
    schemas = document["components"]["schemas"]
    found = {}
    for path, operations in document["paths"].items():
        content = operations.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        named = content.get("application/json", {}).get("schema", {}).get("$ref", "")
        members = schemas.get(named.rpartition("/")[2], {}).get("properties", {})
        if any(one.get("type") == "array" for one in members.values()):
            found[path] = (operations["get"], members)
    return found


def test_every_list_that_can_grow_has_pages() -> None:
    every = lists()
    paged = {
        path
        for path, (operation, members) in every.items()
        if {"limit", "after"} <= {one["name"] for one in operation.get("parameters", ())}
        and "next" in members
    }
    assert set(every) == paged | set(SHORT)
    assert paged.isdisjoint(SHORT)


@pytest.mark.parametrize("kind", ["rulings", "cases", "keys", "invitations", "reads", "receipts"])
def test_the_pages_of_a_list_are_all_of_it(live: Live, kind: str) -> None:
    match = live.started("dollar-prize")
    for number in range(3):
        rule(match.moderator, "note", to="public", text=str(number), severity="clarification")
        opened(match.seats[number % 2], says=str(number))
        live.organiser.post(f"{match.anyone.path}/invitations", {"seat": number % 2})
        match.seats[number % 2].view()
    reader = match.moderator
    whole = page(reader, kind, limit=1000)
    assert whole["next"] is None and len(whole[kind]) >= 3
    found, after = [], 0
    while after is not None:
        one = page(reader, kind, limit=1, after=after)
        assert len(one[kind]) == 1, "and none is empty"
        found += one[kind]
        after = one["next"]
    assert list(map(unused, found)) == list(map(unused, whole[kind]))


def unused(item: Any) -> Any:
    """Without when a key was last used and a list last read: to ask does both."""
    return {name: value for name, value in item.items() if name not in ("last_used", "last")}


def page(reader: Player, kind: str, **asked: Any) -> Any:
    answer = reader.client.get(f"{reader.path}/{kind}", **asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_number_of_pages_says_nothing_of_what_is_hidden(coins: LiveMatch) -> None:
    for _ in range(3):
        rule(coins.moderator, "note", to="sealed", text="hidden", severity="clarification")
    rule(coins.moderator, "note", to="public", text="seen", severity="clarification")
    listed = page(coins.anyone, "rulings", limit=1)
    assert (len(listed["rulings"]), listed["next"]) == (1, None)
