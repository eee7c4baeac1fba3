"""Invitations for the players of a tournament: a link in place of a key."""

from tests.support.http.invitations import MINE, OTHERS, token_of
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import Answer, Json, Live, body_of


def invited(spring: LiveCup, player: int = 0, **more: object) -> Json:
    return body_of(spring.post(f"players/{player}/invitation", more), 201)


def accept(spring: LiveCup, made: Json, key: str = MINE) -> Answer:
    path, body = f"{spring.path}/invitations/accept", {"token": token_of(made)}
    return spring.live.anyone.post(path, body, {"Idempotency-Key": key})


def test_a_player_gets_a_key_that_no_one_else_has(live: Live) -> None:
    spring = cup(live, keys="invitations", moderators=["Mo"])
    assert not any(spring.players) and spring.moderators[0] is not None
    assert spring.post("players", {"name": "Di"}).json()["key"] is None
    made = invited(spring)
    assert (
        made["link"].startswith(f"{live.url}/t/{spring.id}/me?player=0#") and made["name"] == "Ann"
    )
    given = accept(spring, made)
    assert (given.status_code, given.json()["player"], given.json()["name"]) == (201, 0, "Ann")
    own = live.bearing(given.json()["key"]).get(f"{spring.path}/ledger")
    assert own.status_code == 200
    assert_problem(accept(spring, made, OTHERS), 409, "invitation_accepted")


def test_an_accepted_invitation_ends_the_players_earlier_keys(live: Live) -> None:
    spring = cup(live)
    assert accept(spring, invited(spring)).status_code == 201
    assert_problem(spring.player(0).get(f"{spring.path}/ledger"), 401, "key_unknown")
    assert spring.player(1).get(f"{spring.path}/ledger").status_code == 200


def test_another_invitation_or_key_takes_its_place(live: Live) -> None:
    spring = cup(live)
    first, of_ben = invited(spring), invited(spring, 1)
    second = invited(spring)
    assert_problem(accept(spring, first), 409, "invitation_revoked")
    assert spring.post("players/0/key", None).status_code == 201
    assert_problem(accept(spring, second), 409, "invitation_revoked")
    assert accept(spring, of_ben).status_code == 201
    assert_problem(spring.post("players/9/invitation", {}), 422, "no_such_player")


def test_the_token_of_another_tournament_is_unknown(live: Live) -> None:
    spring, autumn = cup(live), cup(live)
    assert_problem(accept(autumn, invited(spring)), 404, "no_such_invitation")
