"""A key is made its holder's: renewed by itself, and only then a second person's
(/docs/api#make-a-key-yours)."""

from collections.abc import Callable

import pytest

from service.auth.keyring import ORGANISERS
from tests.support.http.invitations import accept, invited, token_of
from tests.support.http.match_keys import moderating, renew, renewed
from tests.support.http.match_play import all_events, assert_problem
from tests.support.http.ruling_client import ruled, second, seconded
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Client, Json, Live, LiveMatch, Player

MINE, OTHERS = "5d0c98a77b3f41e2", "another-0000-0000"


@pytest.fixture
def match(live: Live) -> LiveMatch:
    return live.started("twelve-chips")


def keys(match: LiveMatch) -> list[Json]:
    """The valid keys of a match, as its moderator sees them."""
    listed: list[Json] = match.organiser.client.get(f"{match.anyone.path}/keys").json()["keys"]
    return listed


# What was shown: one hand with two keys.


def test_a_moderator_seconds_what_the_issuer_of_their_key_ruled_once_it_is_theirs(
    live: Live, match: LiveMatch
) -> None:
    eve = moderating(live, match, "Eve")
    pending = ruled(match.organiser, "void")["ruling"]
    assert_problem(second(eve, pending, preview=True), 403, "key_not_renewed")
    mine = Player(live.bearing(renewed(live, eve.client.key or "")), match.id)
    assert seconded(mine, pending).status_code == 201


# The record.


def test_the_record_says_whose_key_the_second_has_and_since_when(
    live: Live, match: LiveMatch
) -> None:
    eve = moderating(live, match, "Eve", live.judge)
    mine = Player(live.bearing(renewed(live, eve.client.key or "")), match.id)
    before = all_events(mine)
    [renewal] = [one for one in before if one["data"].get("renews")]
    assert renewal["type"] == "match.moderator-key-issued.1"
    old = renewal["data"]["renews"]
    directed = {"by": "Eve", "key_id": old}
    at = before.index(renewal)
    assert [one["data"] for one in before[at + 1 : at + 2]] == [directed]
    seconded(mine, ruled(match.judge, "void")["ruling"])
    _, by_eve = (
        one for one in all_events(mine)[len(before) :] if one["type"] == "match.directed.1"
    )
    said = by_eve["data"]
    assert said["by"] == "Eve" and said["issued_by"] == "Judge Judy"
    [row] = [one for one in keys(match) if one["name"] == "Eve"]
    assert row["issued_by"] == "Judge Judy"
    assert row["theirs_since"] == row["since"] == said["theirs_since"]


def test_a_seat_is_told_of_its_own_renewal_and_nobody_else_but_moderators(
    live: Live, match: LiveMatch
) -> None:
    others = (match.anyone, match.seats[1])
    before = [all_events(one) for one in others]
    mine = Player(live.bearing(renewed(live, match.keys[0])), match.id)
    assert [all_events(one) for one in others] == before
    told = all_events(mine)[-1]
    assert told["type"] == "match.key-issued.1" and told["data"]["renews"]


# The route.


KINDS: dict[str, Callable[[Live, LiveMatch], str]] = {
    "organiser": lambda live, _: live.instance.keyring.issue(ORGANISERS, ["org"], "Olga")[0],
    "moderator": lambda _, match: match.moderator_key,
    "seat": lambda _, match: match.keys[0],
    "player": lambda live, _: cup(live).players[0],
    "tournament's moderator": lambda live, _: cup(live).moderators[0],
}


def right(client: Client, match: LiveMatch) -> tuple[int, str]:
    """What a key is worth: the audience that it reads a match as."""
    answer = client.get(f"{match.anyone.path}/view")
    return answer.status_code, answer.json().get("audience")


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_renews_itself_and_the_old_one_ends(
    live: Live, match: LiveMatch, kind: str
) -> None:
    old = live.bearing(KINDS[kind](live, match))
    was = right(old, match)
    answer = renew(old)
    assert (answer.status_code, set(answer.json())) == (201, {"key"})
    assert answer.headers["cache-control"] == "no-store"
    assert_problem(old.get(f"{match.anyone.path}/view"), 401, "key_unknown")
    assert_problem(renew(old), 401, "key_unknown")
    new = answer.json()["key"]
    assert new.rpartition("_")[0] == (old.key or "").rpartition("_")[0]
    assert right(live.bearing(new), match) == was


def test_whoever_lost_the_answer_sends_the_same_request_again(live: Live, match: LiveMatch) -> None:
    old = live.bearing(match.keys[0])
    first, again = renew(old, MINE), renew(old, MINE)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    for other in (OTHERS, None):
        assert_problem(renew(old, other), 401, "key_unknown")
    assert len([one for one in keys(match) if one["role"] == "seat:0"]) == 1


def test_a_key_that_was_renewed_once_more_is_not_shown_again(live: Live, match: LiveMatch) -> None:
    old = live.bearing(match.keys[0])
    renewed(live, renew(old, MINE).json()["key"])
    assert_problem(renew(old, MINE), 401, "key_unknown")


def test_whoever_may_guess_the_request_is_not_shown_the_key(live: Live, match: LiveMatch) -> None:
    """Who issued the key has it, too: an idempotency key that can be guessed would be no secret."""
    old = live.bearing(match.keys[0])
    assert_problem(renew(old, "1"), 400, "idempotency_key_needed")
    assert match.seats[0].view().status_code == 200


def test_the_key_from_the_settings_is_changed_there(live: Live) -> None:
    assert_problem(renew(live.organiser), 409, "key_in_settings")


def test_a_key_that_an_invitation_gave_is_its_holders(live: Live) -> None:
    match = live.create("twelve-chips")
    assert accept(live.anyone, match.id, token_of(invited(match)), MINE).status_code == 201
    made, accepted = [one for one in keys(match) if one["role"] == "seat:0"]
    assert made["theirs_since"] is None
    assert accepted["theirs_since"] == accepted["since"]
