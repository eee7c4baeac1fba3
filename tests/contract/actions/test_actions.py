"""`POST /v1/matches/{id}/actions`: accepted, refused, stale or not possible now."""

from typing import Any

import pytest

from tests.support.games import fewest
from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import Json, Live, LiveMatch, Player

SIDE: Json = {"type": "choose_side", "side": "heads"}
PENNY: Json = {"type": "place", "coin": "penny"}


def first_offer(player: Player) -> Json:
    action: Json = player.menu().json()["actions"][0]["examples"][0]
    return action


def test_an_accepted_action_is_201_with_its_receipt_and_the_senders_view(coins: LiveMatch) -> None:
    answer = coins.seats[0].act(SIDE)
    assert answer.status_code == 201
    body = answer.json()
    assert set(body) == {"receipt", "view"}
    assert body["receipt"]["valid"] is True
    assert body["receipt"]["code"] is None


@pytest.mark.parametrize("game", ["dollar-prize", "liars-dice", "twelve-chips", "together"])
def test_view_in_the_answer_is_the_senders_whole_answer_of_view(live: Live, game: str) -> None:
    match = live.started(game, fewest(game))
    answer = match.seats[0].act(first_offer(match.seats[0])).json()["view"]
    assert answer == match.seats[0].view().json()
    assert answer["audience"] == "seat:0"


@pytest.mark.parametrize(
    ("prefer", "minimal"),
    [
        ("return=minimal", True), ('wait=5 , Return = "minimal"; a=b', True),
        ("return=representation", False), ("x-return=minimal", False), ("", False),
    ],
)  # fmt: skip
def test_a_preference_leaves_the_view_out(coins: LiveMatch, prefer: str, minimal: bool) -> None:
    """DESIGN, the wire: for clients that follow a stream (RFC 7240)."""
    headers = {"Prefer": prefer, "Idempotency-Key": "1"}
    first, again = (
        coins.seats[0].act({"type": "choose_side", "side": "heads"}, headers) for _ in range(2)
    )
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.content == again.content
    assert ("view" in first.json()) is not minimal
    assert first.headers.get("preference-applied") == ("return=minimal" if minimal else None)


@pytest.mark.parametrize(
    "body",
    [
        {"type": "fly"}, {}, [], {"chip": 4}, {"type": "play"}, {"type": "play", "chip": True},
        {"type": "play", "chip": 4, "seat": 0}, {"type": "play", "chip": 10**400},
        {"type": "choose_side", "side": "heads"},
    ],
    ids=lambda body: str(body)[:40],
)  # fmt: skip
def test_an_invalid_action_is_400_and_changes_nothing(chips: LiveMatch, body: Any) -> None:
    before = chips.moderator.view().content
    assert_problem(chips.seats[0].act(body), 400, "wrong_shape")
    assert chips.moderator.view().content == before


def test_an_if_match_may_be_short_or_of_another_release(coins: LiveMatch) -> None:
    tag = coins.seats[0].view().headers["etag"]
    position, _, history = tag.strip('"').rpartition(".")
    other = f"0a1b2c3d-{history.partition('-')[2]}"
    assert coins.seats[0].act(SIDE, {"If-Match": f'"{position}.{other}"'}).status_code == 201
    short = coins.seats[0].view().headers["etag"].rpartition(".")[0] + '"'
    assert coins.seats[0].act(PENNY, {"If-Match": short}).status_code == 201


def test_a_stale_if_match_is_412_and_leaves_no_trace(coins: LiveMatch) -> None:
    tag = coins.seats[0].view().headers["etag"]
    coins.seats[0].act(SIDE)
    before = coins.moderator.view().content
    assert_problem(coins.seats[0].act(PENNY, {"If-Match": tag}), 412, "stale")
    assert coins.moderator.view().content == before


@pytest.mark.parametrize("tag", ["seat:0", "seat:0.3", '"seat:0', "3", '"a" "b"', '*, "a"', ","])
def test_an_if_match_that_is_no_list_of_tags_is_400(coins: LiveMatch, tag: str) -> None:
    before = coins.moderator.view().content
    assert_problem(coins.seats[0].act(SIDE, {"If-Match": tag}), 400, "bad_if_match")
    assert coins.moderator.view().content == before, "nothing is on record"


@pytest.mark.parametrize("tag", ['"seat:1.1"', '"nonsense"', '"public.3"', '""', '"seat:0.x"'])
def test_an_if_match_of_no_present_view_is_412(coins: LiveMatch, tag: str) -> None:
    assert_problem(coins.seats[0].act(SIDE, {"If-Match": tag}), 412, "stale")


def test_if_match_any_and_lists_are_understood(coins: LiveMatch) -> None:
    tag = coins.seats[0].view().headers["etag"]
    assert coins.seats[0].act(SIDE, {"If-Match": f'"other", {tag}'}).status_code == 201
    assert coins.seats[0].act(PENNY, {"If-Match": "*"}).status_code == 201


def test_the_tag_of_an_answer_is_the_tag_of_its_view(coins: LiveMatch) -> None:
    answer = coins.seats[0].act(SIDE)
    assert answer.headers["etag"] == coins.seats[0].view().headers["etag"]
