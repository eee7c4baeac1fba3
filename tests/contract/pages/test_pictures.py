"""The board of a match as a picture: the public's, at every position, without names."""

import pytest

from domain.games import GAMES
from service.observability.work import PICTURE_PAINTED, REQUEST
from service.web.painting import WIDTH, painted
from tests.support.games import fewest
from tests.support.http.match_play import assert_problem
from tests.support.http.rewind_client import steps
from tests.support.servers.live_server import Live, LiveMatch


@pytest.mark.parametrize("game", GAMES)
def test_each_game_is_drawn_and_painted(live: Live, game: str) -> None:
    match = steps(live.started(game, fewest(game)), 6)
    drawn = live.anyone.get(f"/m/{match.id}/board.svg").raise_for_status()
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.headers["cache-control"] == "public, no-cache"
    assert drawn.text.startswith("<svg ") and "<text" not in drawn.text
    png = live.anyone.get(f"/m/{match.id}/board.png").raise_for_status()
    assert png.headers["content-type"] == "image/png"
    assert png.content.startswith(b"\x89PNG") and png.content[16:20] == WIDTH.to_bytes(4)


def test_a_position_keeps_its_picture(live: Live, played: LiveMatch) -> None:
    last = played.anyone.view().json()["public_seq"]
    for form in ("svg", "png"):
        path = f"/m/{played.id}/board.{form}"
        then = live.anyone.get(f"{path}?at=3").raise_for_status()
        assert then.headers["cache-control"] == "public, max-age=86400"
        known = {"If-None-Match": then.headers["etag"]}
        assert live.anyone.get(f"{path}?at=3", known).status_code == 304
        assert_problem(live.anyone.get(f"{path}?at={last + 1}"), 409, "history_went_back")
        nowhere = f"/m/01890000-0000-7000-8000-000000000000/board.{form}"
        assert_problem(live.anyone.get(nowhere), 404, "no_such_match")


def test_before_the_start_there_are_seats_alone(live: Live) -> None:
    made = live.create("liars-dice", ("Ann", "Ben", "Cy"))
    drawn = live.anyone.get(f"/m/{made.id}/board.svg").text
    assert drawn.count("<g ") == 6, "a mark and a number for each seat"
    assert live.anyone.get(f"/m/{made.id}/board.svg?at=0").status_code == 200


def test_painting_is_paid_for_and_done_once(live: Live, played: LiveMatch) -> None:
    assert PICTURE_PAINTED > REQUEST
    path = f"/m/{played.id}/board.png?at=4"
    live.anyone.get(path).raise_for_status()
    before = painted.cache_info().misses
    live.anyone.get(path).raise_for_status()
    assert painted.cache_info().misses == before
