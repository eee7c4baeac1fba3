"""Sealed submissions over HTTP: 201 whether they count or not, shown to their sender alone."""

from typing import Any

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch, Player, body_of

NAMES = ("Ann", "Ben", "Cy", "Dee")


@pytest.fixture
def round_one(live: Live) -> LiveMatch:
    """A round of `together` with two in each group."""
    return live.started("together", NAMES)


def submit(player: Player, headers: dict[str, str] | None = None, **said: Any) -> Answer:
    return player.act({"type": "submit", "round": 1, **said}, headers)


def receipt(answer: Answer) -> Json:
    return dict(body_of(answer, 201)["receipt"])


def test_an_invalid_submission_is_recorded_and_replaces_nothing(round_one: LiveMatch) -> None:
    seat = round_one.seats[0]
    submit(seat, a=[0])
    answer = submit(seat, a=[2**53 - 1])
    verdict = receipt(answer)
    assert (verdict["valid"], verdict["code"]) == (False, "not_on_stage")
    view = answer.json()["view"]["view"]
    assert [entry["status"] for entry in view["submissions"]] == ["valid", "invalid"]
    assert view["submissions"][1]["code"] == "not_on_stage"
    assert view["standing"] == view["submissions"][0]


def test_it_is_stored_as_it_was_sent_and_a_repeat_may_spell_it_otherwise(
    round_one: LiveMatch,
) -> None:
    seat, key = round_one.seats[0], {"Idempotency-Key": "k"}
    submit(seat, key, a=[1])
    again = submit(seat, key, b=None, a=[1], pay_garnet=False)
    assert again.headers["idempotent-replayed"] == "true"
    (entry,) = seat.view().json()["view"]["submissions"]
    assert entry["body"] == {"type": "submit", "round": 1, "a": [1]}


def test_a_repeat_of_what_is_invalid_gets_the_same_body(round_one: LiveMatch) -> None:
    """Also after something else has been submitted."""
    said: Json = {"a": [9]}
    seat, key = round_one.seats[0], {"Idempotency-Key": "first"}
    first = submit(seat, key, **said)
    submit(seat, a=[1])
    again = submit(seat, key, **said)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    assert len(seat.view().json()["view"]["submissions"]) == 2


# Grouping: a phase that resolves once both are in.

GROUPS = {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8]}


@pytest.fixture
def grouping(live: Live) -> LiveMatch:
    match = live.started("grouping-bw", chance="manual")
    assert match.seats[1].act({"type": "name_starter", "seat": 0}).status_code == 201
    return match


# The record of `together` stays closed; options are shown complete.


def test_the_record_of_together_is_closed(live: Live) -> None:
    created = {"game": "together", "seats": list(NAMES), "record": "opened_at_end"}
    assert_problem(live.organiser.post("/v1/matches", created), 422, "record_not_allowed")
    match = live.create("together", NAMES)
    first = match.anyone.events().json()["events"][0]["data"]
    assert first["record"] == "closed"
    assert live.create("twelve-chips").anyone.events().json()["events"][0]["data"]["record"] == (
        "opened_at_end"
    )


@pytest.mark.parametrize("field", ["a", "b"])
def test_of_an_overlong_list_of_votes_nothing_is_stored(round_one: LiveMatch, field: str) -> None:
    """A recorded submission stays in its sender's view. With two rounds for four seats no one can
    have more than 25 tokens."""
    seat = round_one.seats[0]
    long: Json = {field: [0] * 25}
    assert not receipt(submit(seat, None, **long))["valid"]
    before = seat.view().content
    longer: Json = {field: [0] * 26}
    answer = submit(seat, None, **longer)
    assert_problem(answer, 400, "wrong_shape")
    assert seat.view().content == before


def test_of_an_overlong_list_of_groups_nothing_is_stored(grouping: LiveMatch) -> None:
    seat = grouping.seats[0]
    assert not receipt(seat.act({**GROUPS, "a": [0] * 32}))["valid"]
    assert_problem(seat.act({**GROUPS, "a": [0] * 33}), 400, "wrong_shape")
