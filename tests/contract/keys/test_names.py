"""Names by every route that takes one: the same are good, and the same are taken
(/docs/api#names)."""

from collections.abc import Callable
from itertools import count

import pytest

from service.auth.keyring import ORGANISERS
from tests.support.http.ruling_client import rule
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.names import GOOD, NOT_GOOD, SAME
from tests.support.servers.live_server import Answer, Live, created, started

_numbers = count()


def seat(live: Live, name: str, other: str) -> Answer:
    body = {"game": "twelve-chips", "seats": [other, name]}
    return live.organiser.post("/v1/matches", body)


def player_of_a_new_tournament(live: Live, name: str, other: str) -> Answer:
    body = {"name": "Cup", "players": [other, name], "moderators": []}
    return live.organiser.post("/v1/tournaments", body)


def moderator_of_a_new_tournament(live: Live, name: str, other: str) -> Answer:
    body = {"name": "Cup", "players": [], "moderators": [other, name]}
    return live.organiser.post("/v1/tournaments", body)


def _with(live: Live, what: str, other: str) -> LiveCup:
    fields: dict[str, list[str]] = {"players": [], "moderators": []} | {what: [other]}
    return cup(live, **fields)


def player(live: Live, name: str, other: str) -> Answer:
    return _with(live, "players", other).post("players", {"name": name})


def moderator(live: Live, name: str, other: str) -> Answer:
    return _with(live, "moderators", other).post("moderators", {"name": name})


def successor(live: Live, name: str, other: str) -> Answer:
    match = live.started("twelve-chips", (other, "Somebody else"))
    return rule(match.organiser, "replace_seat", seat=1, name=name, preview=True)


def key(live: Live, name: str, other: str) -> Answer:
    match = live.started("twelve-chips", (other, "Somebody else"))
    body = {"role": "moderator", "name": name}
    return match.organiser.client.post(f"{match.anyone.path}/keys", body)


Take = Callable[[Live, str, str], Answer]

PLACES: dict[Take, tuple[str, str]] = {
    seat: ("seats_not_allowed", "seats_not_allowed"),
    player_of_a_new_tournament: ("names_not_allowed", "name_taken"),
    moderator_of_a_new_tournament: ("names_not_allowed", "name_taken"),
    player: ("names_not_allowed", "name_taken"),
    moderator: ("names_not_allowed", "name_taken"),
    successor: ("name_not_allowed", "name_not_allowed"),
    key: ("names_not_allowed", "moderator_plays"),
}
"""What takes a name next to that of another person, and the codes for one that is not good, and for
one that is theirs."""

OTHER = "Somebody"


@pytest.mark.parametrize("take", PLACES, ids=lambda one: one.__name__)
def test_a_name_is_good_everywhere_or_nowhere(live: Live, take: Take) -> None:
    taken = {name: take(live, name, OTHER).status_code for name in GOOD.values()}
    assert set(taken.values()) <= {200, 201}, taken
    not_good, _ = PLACES[take]
    refused = {name: take(live, name, OTHER) for name in NOT_GOOD.values()}
    codes = {name: answer.json().get("code") for name, answer in refused.items()}
    # What has the wrong length for its schema is refused before.
    assert set(codes.values()) <= {not_good, "wrong_shape"}, codes
    assert list(codes.values()).count("wrong_shape") <= 2


@pytest.mark.parametrize("take", PLACES, ids=lambda one: one.__name__)
def test_a_name_is_somebodys_everywhere_however_it_is_written(live: Live, take: Take) -> None:
    _, taken = PLACES[take]
    codes = {pair: take(live, *pair).json().get("code") for pair in SAME.values()}
    assert set(codes.values()) == {taken}, codes


@pytest.mark.parametrize("what", [one for one in SAME if "I for" not in one and one != "Greek"])
def test_whoever_is_on_record_is_found_under_every_spelling(live: Live, what: str) -> None:
    """But for capitals alone that look like other letters: those two names sound different."""
    one, other = SAME[what]
    unlike = f" {next(_numbers)}"
    match = live.create("twelve-chips", (one + unlike, "Somebody"))
    for name in (one + unlike, other + unlike):
        found = live.anyone.get("/v1/matches", name=name).json()["matches"]
        assert match.id in {row["id"] for row in found}


def test_a_name_that_nobody_may_have_any_more_is_still_its_holders(live: Live) -> None:
    """Whether it is someone's does not depend on whether it is a good one."""
    (organiser,) = live.instance.keyring.issue(ORGANISERS, ["org"], "A\u200bnn")
    match = started(created(live.bearing(organiser), "twelve-chips"))
    answer = live.bearing(organiser).post(
        f"{match.anyone.path}/rulings", {"kind": "pause", "reason": "-"}
    )
    assert answer.json()["code"] == "moderator_plays"
    found = live.anyone.get("/v1/matches", name="A\u200bnn").json()["matches"]
    assert match.id in {row["id"] for row in found}
