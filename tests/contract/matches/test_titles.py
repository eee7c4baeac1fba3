"""What a match is called and played for: public wherever it is shown."""

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.servers.live_server import Json, Live

PEANUT: Json = {"title": "Semi-final", "prize": "a peanut"}


def test_a_title_and_a_prize_are_shown_in_lists_views_and_on_pages(live: Live) -> None:
    match = live.create("dollar-prize", **PEANUT)
    shown = live.anyone.get(match.anyone.path).json()
    listed = live.anyone.get("/v1/matches").json()["matches"]
    row = next(one for one in listed if one["id"] == match.id)
    for said in (shown, row, match.anyone.view().json(), match.seats[0].view().json()):
        assert {name: said[name] for name in PEANUT} == PEANUT
    page = live.anyone.get(f"/m/{match.id}", {"Accept-Language": "en"}).text
    assert "Semi-final" in page and "Played for: a peanut" in page


def test_without_them_a_match_has_the_title_of_its_game(live: Live) -> None:
    match = live.create("dollar-prize")
    shown = live.anyone.get(match.anyone.path).json()
    assert (shown["title"], shown["prize"]) == ("Dollar Prize", None)
    assert not match.anyone.view().json().keys() & PEANUT.keys()


@pytest.mark.parametrize("text", ["", " Final", "Fi\u200bnal", "x" * 65, "a\nb"])
def test_they_can_be_read(live: Live, text: str) -> None:
    body = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    for name in PEANUT:
        assert_problem(live.organiser.post("/v1/matches", body | {name: text}), 400, "wrong_shape")
