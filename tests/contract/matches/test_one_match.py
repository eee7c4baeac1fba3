"""`GET /v1/matches/{id}`: a match for everyone, without reading an event. And who sits where, in
every view."""

from typing import Any

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import replaced, ruled, seconded
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Json, Live, LiveMatch, body_of

OPTIONS = {"tokens_to_win": 1}


def shown(match: LiveMatch) -> Json:
    return body_of(match.anyone.client.get(match.anyone.path), 200)


def row(live: Live, match: LiveMatch) -> Json:
    """What the list says of the match."""
    rows = live.anyone.get("/v1/matches", limit=200).json()["matches"]
    found: Json = next(row for row in rows if row["id"] == match.id)
    return found


def test_it_says_what_the_list_says_and_more(live: Live) -> None:
    match = live.create("twelve-chips", options=OPTIONS, chance="manual", record="closed")
    created = shown(match)
    assert created.items() >= row(live, match).items()
    assert created["title"] == "12 Chips"
    assert created["options"]["tokens_to_win"] == 1
    assert (created["seats"], created["status"]) == (["Ann", "Ben"], "created")
    assert (created["started"], created["ended"], created["result"]) == (None, None, None)
    match.moderator.start()
    running = shown(match)
    assert running.items() >= row(live, match).items()
    assert running["started"] == match.anyone.events().json()["events"][-1]["at"]


def test_it_is_the_same_for_everybody_and_no_key_is_read(chips: LiveMatch) -> None:
    everybody = [player.client for player in chips.audiences().values()]
    path = chips.anyone.path
    bodies = {client.get(path).content for client in everybody}
    assert len(bodies) == 1
    assert chips.anyone.client.get(path, {"Authorization": "Bearer nonsense"}).content in bodies
    answer = chips.anyone.client.get(path)
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["vary"] == "Authorization"


def test_its_tag_changes_with_what_the_public_sees_and_with_nothing_else(live: Live) -> None:
    match = live.started("twelve-chips", chance="manual", options=OPTIONS)
    path, client = match.anyone.path, match.anyone.client
    tag = client.get(path).headers["etag"]
    ruled(match.moderator, "note", to="sealed", text="Seen.", severity="warning")
    assert client.get(path, {"If-None-Match": tag}).status_code == 304
    ruled(match.moderator, "pause")
    paused = client.get(path, {"If-None-Match": tag})
    assert (paused.status_code, paused.json()["status"]) == (200, "paused")
    assert paused.headers["etag"] != tag


def test_a_new_name_is_in_every_view_from_then_on_and_never_before(live: Live) -> None:
    match = live.started("twelve-chips", chance="manual")
    before = {name: one.view().json()["seq"] for name, one in match.audiences().items()}
    assert replaced(match).status_code == 201
    body = shown(match)
    assert body["seats"] == ["Ann", "Zoe"]
    (former,) = body["former_holders"]
    assert (former["seat"], former["name"]) == (1, "Ben")
    for name, one in match.audiences().items():
        if name == "seat:1":
            continue  # The key of who had the seat has ended.
        assert one.view(at=0).json()["seats"] == []
        assert one.view(at=before[name]).json()["seats"] == ["Ann", "Ben"]
        assert one.view().json()["seats"] == ["Ann", "Zoe"]


def test_a_void_match_says_what_is_played_instead(live: Live) -> None:
    match, instead = live.started("twelve-chips"), live.create("twelve-chips")
    pending = ruled(match.organiser, "void", replaced_by=instead.id)
    assert seconded(match.judge, pending["ruling"]).status_code == 201
    body = shown(match)
    assert (body["status"], body["result"], body["replaced_by"]) == ("void", None, instead.id)
    assert body["ended"] is not None
    assert body.items() >= row(live, match).items()


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/matches/01a10000-0000-7000-8000-000000000000", 404, "no_such_match"),
        ("/v1/matches/{id}?as=public", 400, "bad_request"),
    ],
)
def test_its_problems(chips: LiveMatch, path: str, status: int, code: str) -> None:
    assert_problem(chips.anyone.client.get(path.format(id=chips.id)), status, code)


def test_matches_are_listed_by_who_plays_and_moderates_and_when(live: Live) -> None:
    spring = cup(live, players=["Zara", "Yves", "Xena"], moderators=["Wilma"])
    one, two = spring.match(("Zara", "Yves")), spring.match(("Zara", "Xena"))
    assert spring.give(one).status_code == 201
    made = shown(one)["created"]

    def listed(**asked: Any) -> list[str]:
        answer = live.anyone.get("/v1/matches", tournament=spring.id, **asked)
        assert answer.status_code == 200, answer.text
        return [row["id"] for row in answer.json()["matches"]]

    assert listed(player="ZARA") == listed(name="zara") == [two.id, one.id]
    assert listed(moderator="wilma") == listed(player="Yves") == [one.id]
    assert listed(until=made) == []
    assert listed(since=made, until=shown(two)["created"]) == [one.id]
    for wrong in ({"player": "a", "name": "b"}, {"since": "today"}, {"until": made[:-1]}):
        assert_problem(live.anyone.get("/v1/matches", **wrong), 400, "bad_request")
