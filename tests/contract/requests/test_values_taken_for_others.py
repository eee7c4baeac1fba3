"""What could be read in two ways is refused: members sent twice, `null` in a query, and instants
that there are not."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from service.app import create_app
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import rule
from tests.support.http.tournament_client import cup
from tests.support.roles.declared_routes import Route, routes
from tests.support.servers.live_server import Answer, Client, Live, LiveMatch


def twice(body: Any) -> bytes:
    """The body with one more member, sent twice."""
    text = json.dumps(body).replace("{", '{"says":1,"says":1,', 1)
    return text.replace(",}", "}").encode()


def senders(live: Live, match: LiveMatch) -> Iterator[Client]:
    yield from (live.organiser, match.moderator.client, match.seats[0].client)


def allowed(live: Live, match: LiveMatch, route: Route, body: bytes) -> Answer:
    """What is answered to the one of them who may use the route."""
    there = {"match_id": match.id, "tournament_id": cup(live, moderators=["Mo"]).id}
    path = route.path.format(**(dict.fromkeys(route.parameters, match.id) | there))
    headers = {"Idempotency-Key": "twice-twice-twice-twice"}
    answers = [one.send(route.method, path, body, headers) for one in senders(live, match)]
    return next((one for one in answers if one.status_code not in (401, 403, 404)), answers[0])


def test_a_member_sent_twice_is_refused_at_every_route_with_a_body(
    live: Live, coins: LiveMatch
) -> None:
    tried = 0
    for route in routes(create_app(live.instance)):
        for example in filter(None, route.examples):
            answer = allowed(live, coins, route, twice(json.loads(example)))
            if answer.status_code in (403, 404):
                continue
            assert_problem(answer, 400, "not_json")
            assert answer.json()["errors"][0]["code"] == "sent_twice", route.name
            tried += 1
    assert tried > 20


def test_a_note_that_names_two_audiences_is_published_to_none(coins: LiveMatch) -> None:
    body = (
        b'{"kind":"note","to":"sealed","to":"public","text":"They whisper.",'
        b'"severity":"warning","reason":"Because."}'
    )
    path = f"{coins.moderator.path}/rulings"
    before = coins.anyone.view().content
    answer = coins.moderator.client.send("POST", path, body)
    assert_problem(answer, 400, "not_json")
    assert answer.json()["errors"][0]["pointer"] == "/to"
    assert coins.anyone.view().content == before


def test_null_is_a_value_and_a_wrong_one_of_every_parameter_that_is_no_text(
    live: Live, coins: LiveMatch
) -> None:
    described = live.anyone.get("/schema/openapi.json").json()["paths"]
    tried = 0
    for path, operations in described.items():
        for one in operations.get("get", {}).get("parameters", ()):
            if one["in"] != "query" or is_text(one["schema"]) or "{" in path.replace("{id}", ""):
                continue
            there = path.replace("{id}", coins.id)
            for null in ("null", "NULL", "%6eull"):
                for client in (coins.seats[0].client, live.organiser):
                    answer = client.get(f"{there}?{one['name']}={null}")
                    assert answer.status_code in (400, 403, 404), (path, one["name"], null)
                    tried += answer.status_code == 400
    assert tried > 30


def is_text(schema: Any) -> bool:
    if "enum" in schema:
        return False
    return "string" in (schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ())))


def test_a_player_may_be_called_null(live: Live) -> None:
    match = live.create("dollar-prize", ("null", "Ben"))
    assert live.anyone.get("/v1/matches", name="null").status_code == 200
    assert match.anyone.view().status_code == 200


@pytest.mark.parametrize(
    "instant",
    [
        "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2256-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ],
)  # fmt: skip
def test_an_instant_that_there_is_not_is_400(coins: LiveMatch, instant: str) -> None:
    assert_problem(rule(coins.moderator, "extend", deadline=instant), 400, "wrong_shape")
