"""The staff of a tournament over HTTP, and their keys and the players'. That organisers have no
part in what others have made is in the table of roles (`tests/contract/keys/test_roles.py`)."""

from itertools import islice

import pytest

from service.auth.keyring import ORGANISERS
from tests.support.http.match_play import assert_problem, ndjson
from tests.support.http.tournament_client import LiveCup, at, cup
from tests.support.servers.live_server import NDJSON, Client, Live


@pytest.fixture
def zoe(live: Live, spring: LiveCup) -> Client:
    """An organiser of this tournament alone."""
    made = spring.post("organisers", {"name": "Zoe"})
    assert (made.status_code, made.json()["organiser"]) == (201, 0)
    return live.bearing(made.json()["key"])


def test_an_organiser_of_a_tournament_runs_it_and_nothing_else(
    spring: LiveCup, zoe: Client
) -> None:
    match = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    assert zoe.post("/v1/matches", match | {"tournament": spring.id}).status_code == 201
    assert zoe.post(f"{spring.path}/players", {"name": "Di"}).status_code == 201
    elsewhere = match | {"tournament": cup(spring.live).id}
    for path, body in (
        ("/v1/matches", match),
        ("/v1/matches", elsewhere),
        ("/v1/tournaments", {"name": "Own"}),
    ):
        assert_problem(zoe.post(path, body), 403, "not_allowed")
    [listed] = [zoe.get(f"{spring.path}/organisers").json()]
    assert listed == {"maker": "Judge Judy", "organisers": [{"organiser": 0, "name": "Zoe"}]}


def test_a_person_has_what_they_made_by_every_key_of_theirs_and_no_one_else(live: Live) -> None:
    """Also in a match of no tournament, and by the key of a renewal."""
    first, second, other = (
        live.bearing(live.instance.keyring.issue(ORGANISERS, ["org"], name)[0])
        for name in ("Otto", "OTTO", "Odo")
    )
    made = first.post("/v1/matches", {"game": "dollar-prize", "seats": ["Ann", "Ben"]}).json()
    path = f"/v1/matches/{made['id']}"
    renewed = live.bearing(second.post("/v1/keys/renew").json()["key"])
    assert renewed.get(f"{path}/keys").status_code == 200
    assert_problem(other.get(f"{path}/keys"), 403, "not_allowed")
    assert live.organiser.get(f"{path}/keys").status_code == 200


def test_an_organiser_who_is_removed_opens_nothing(spring: LiveCup, zoe: Client) -> None:
    assert zoe.send("DELETE", f"{spring.path}/organisers/0").status_code == 204
    assert_problem(zoe.get(f"{spring.path}/organisers"), 401, "key_unknown")
    assert_problem(spring.post("organisers/0/key", None), 404, "no_such_organiser")
    again = spring.post("organisers", {"name": "Zoe"}).json()
    assert (again["organiser"], again["key"][:7]) == (1, "arb_o1_")


def test_a_stream_ends_with_the_players_key(live: Live, spring: LiveCup) -> None:
    match = spring.match()
    ann = at(match, spring.player(0))
    with ann.stream({"Accept": NDJSON}, after=0) as stream:
        lines = ndjson(stream)
        assert next(lines)["seq"] == 1
        assert spring.post("players/0/key", None).status_code == 201
        assert ann.view().status_code == 401
        assert match.moderator.start().status_code == 201
        assert all(line["type"] != "match.started.1" for line in lines)


def test_a_stream_ends_at_once_when_its_moderator_is_taken_off_the_match(spring: LiveCup) -> None:
    """Their key stays good for the rest of the tournament."""
    match = spring.match()
    assert spring.give(match).status_code == 201
    mo = at(match, spring.moderator(0))
    with mo.stream({"Accept": NDJSON}, after=0) as stream:
        lines = ndjson(stream)
        seq = mo.view().json()["seq"]
        assert [line["seq"] for line in islice(lines, seq)] == list(range(1, seq + 1))
        moderators = f"{spring.path}/matches/{match.id}/moderators/0"
        assert spring.live.organiser.send("DELETE", moderators).status_code == 204
        assert list(lines) == []


@pytest.mark.parametrize("who", ["moderators", "organisers"])
def test_staff_are_handed_a_link_with_their_key_once(live: Live, who: str) -> None:
    made = live.judge.post("/v1/tournaments", {"name": "C", "players": [], "moderators": ["Mo"]})
    path = f"/v1/tournaments/{made.json()['id']}/{who}"
    appointed = live.judge.post(path, {"name": "Eve"}, once="e")
    another = live.judge.post(f"{path}/0/key", None)
    given = [*made.json()["moderators"], appointed.json(), another.json()]
    for one in given:
        assert one["link"].endswith(f"/t/{made.json()['id']}#{one['key']}")
        assert one["qr"].startswith("<svg")
    again = live.judge.post(path, {"name": "Eve"}, once="e").json()
    assert (again["key"], again["link"], again["qr"]) == (None, None, None)


@pytest.mark.parametrize("who", ["players", "moderators", "organisers"])
def test_a_key_that_is_replaced_ends_and_the_new_one_is_shown_once(
    live: Live, spring: LiveCup, zoe: Client, who: str
) -> None:
    old = {"players": spring.player(0), "moderators": spring.moderator(0), "organisers": zoe}[who]
    made = spring.post(f"{who}/0/key", None, key=spring.id)
    assert made.status_code == 201 and made.json()["key"]
    assert spring.post(f"{who}/0/key", None, key=spring.id).json()["key"] is None
    path = f"/v1/matches/{spring.match().id}/view"
    assert_problem(old.get(path), 401, "key_unknown")
    assert live.bearing(made.json()["key"]).get(path).status_code == 200


def test_a_moderator_is_removed_from_a_match_or_from_all(spring: LiveCup) -> None:
    match, other = spring.match(), spring.match()
    for one in (match, other):
        assert spring.give(one).status_code == 201
    mo, organiser = spring.moderator(0), spring.live.organiser
    taken = organiser.send("DELETE", f"{spring.path}/matches/{match.id}/moderators/0")
    assert taken.status_code == 204
    assert at(match, mo).view().json()["audience"] == "public"
    assert at(other, mo).view().json()["audience"] == "moderator"
    assert organiser.send("DELETE", f"{spring.path}/moderators/0").status_code == 204
    assert_problem(at(other, mo).view(), 401, "key_unknown")
    assert [one["name"] for one in spring.shown()["moderators"]] == ["Cy"]
    assert all(row["moderators"] == [] for row in spring.shown()["matches"])
