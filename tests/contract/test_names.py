"""`name=` in the lists of matches and of tournaments."""

from typing import Any

import pytest

from service.http.parameters import MAX_FILTER_LENGTH
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Json, Live

LISTS = {"matches": "/v1/matches", "tournaments": "/v1/tournaments"}


def found(live: Live, what: str, **query: Any) -> list[str]:
    answer = live.anyone.get(LISTS[what], **query)
    assert answer.status_code == 200, answer.text
    rows: list[Json] = answer.json()[what]
    return [row["id"] for row in rows]


def test_a_match_is_found_by_the_name_of_a_seat(live: Live) -> None:
    one = live.create("dollar-prize", ["Quentin Weiß", "Rosa"])
    two = live.create("twelve-chips", ["Sid", "QUENTIN WEISS"])
    for name in ("quentin weiß", "Quentin Weiss"):
        assert found(live, "matches", name=name) == [two.id, one.id]
    assert found(live, "matches", name="quentin weiss", game="dollar-prize") == [one.id]
    assert found(live, "matches", name="quentin weiss", after=two.id) == [one.id]
    assert found(live, "matches", name="quentin weiss", status="ended") == []
    assert found(live, "matches", name="Quentin") == []
    one.moderator.start()
    assert found(live, "matches", name="rosa", status="running") == [one.id]


def test_a_tournament_is_found_by_its_name_and_by_its_players(live: Live) -> None:
    one = cup(live, name="Tobermory Open", players=["Ursula", "Vic"])
    two = cup(live, name="Ursula", players=["Wim", "Xenia"])
    three = cup(live, name="Other", players=["Wim", "Vic"], moderators=["Ursula"])
    assert found(live, "tournaments", name="tobermory OPEN") == [one.id]
    assert found(live, "tournaments", name="ursula") == [two.id, one.id]
    assert found(live, "tournaments", name="ursula", after=two.id) == [one.id]
    three.post("players", {"name": "Yorick"})
    assert found(live, "tournaments", name="yorick", limit=1) == [three.id]


@pytest.mark.parametrize("what", LISTS)
def test_an_unused_name_gives_an_empty_page(live: Live, what: str) -> None:
    for name in ("", "%", "_", "\0", "Ann\0", "\ud7ff", "'; --", "x" * MAX_FILTER_LENGTH):
        assert found(live, what, name=name) == []


@pytest.mark.parametrize("what", LISTS)
def test_a_name_that_is_too_long_or_given_twice_is_400(live: Live, what: str) -> None:
    long = live.anyone.get(LISTS[what], name="x" * (MAX_FILTER_LENGTH + 1))
    assert_problem(long, 400, "bad_request")
    assert_problem(live.anyone.get(LISTS[what], name=["a", "b"]), 400, "bad_request")
