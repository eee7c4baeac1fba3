"""`GET /v1/matches/{id}/view`: a match as an audience sees it, now and at any position."""

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import Live, LiveMatch

VIEW_FIELDS = [
    *("match", "game", "seats", "audience", "seq", "public_seq"),
    *("status", "awaiting", "view", "result"),
]


@pytest.mark.parametrize("audience", ["public", "seat:0", "seat:1", "moderator"])
def test_a_view_has_the_fields_of_the_contract_in_their_order(
    chips: LiveMatch, audience: str
) -> None:
    seen = chips.audiences()[audience].view().json()
    assert list(seen) == VIEW_FIELDS
    assert list(seen["awaiting"]) == ["seats", "draw", "deadline"]
    assert seen["match"] == chips.id
    assert seen["game"] == "twelve-chips"
    assert seen["status"] == "running"
    assert seen["awaiting"] == {"seats": [0], "draw": None, "deadline": None}
    assert seen["result"] is None


@pytest.mark.parametrize("asked", ["", "seat", "seat:", "seat:-1", "seat:x", "Public", "seat:0:1"])
def test_an_unknown_audience_is_400(chips: LiveMatch, asked: str) -> None:
    assert_problem(chips.moderator.view(asked), 400, "bad_audience")


def test_position_0_is_before_the_first_event(chips: LiveMatch) -> None:
    for audience, player in chips.audiences().items():
        seen = player.view(at=0).json()
        assert seen["seq"] == 0
        assert seen["audience"] == audience
        assert seen["view"] is None
        assert seen["result"] is None
        assert seen["status"] == "created"


def test_before_the_start_view_is_null(live: Live) -> None:
    match = live.create("twelve-chips")
    for player in match.audiences().values():
        seen = player.view().json()
        assert (seen["status"], seen["view"], seen["result"]) == ("created", None, None)
        assert seen["awaiting"] == {"seats": [], "draw": None, "deadline": None}


def test_at_counts_in_the_audiences_own_numbering(played: LiveMatch) -> None:
    for audience, player in played.audiences().items():
        last = player.view(audience).json()["seq"]
        assert [player.view(audience, at).json()["seq"] for at in range(last + 1)] == list(
            range(last + 1)
        )
        assert player.view(audience, last).content == player.view(audience).content


def test_a_position_not_reached_yet_is_a_problem(chips: LiveMatch) -> None:
    last = chips.anyone.view().json()["seq"]
    assert_problem(chips.anyone.view(at=last + 1), 409, "history_went_back")


def test_at_a_position_the_body_is_the_same_for_ever(live: Live) -> None:
    match = live.started("twelve-chips", chance="manual", options={"tokens_to_win": 1})
    kept: dict[tuple[str, int], bytes] = {}
    draw = match.moderator.view().json()["awaiting"]["draw"]
    match.moderator.draw(draw["id"], [part["items"] for part in draw["parts"]])
    for _ in range(6):
        for audience, player in match.audiences().items():
            now = player.view()
            kept.setdefault((audience, now.json()["seq"]), now.content)
        seat = match.seats[match.anyone.view().json()["awaiting"]["seats"][0]]
        assert seat.act({"type": "play", "chip": 99}).status_code == 422
        assert seat.act(seat.menu().json()["actions"][0]["examples"][0]).status_code == 201
    for (audience, seq), body in kept.items():
        assert match.audiences()[audience].view(at=seq).content == body


def test_an_etag_belongs_to_an_audience_and_a_position(played: LiveMatch) -> None:
    seen: dict[str, tuple[str, int]] = {}
    for audience, player in played.audiences().items():
        for at in range(player.view(audience).json()["seq"] + 1):
            tag = player.view(audience, at).headers["etag"]
            assert tag.startswith('"')
            assert tag.endswith('"')
            assert seen.setdefault(tag, (audience, at)) == (audience, at)
