"""The pages of tournaments, as they are sent: complete without a script, and only what everyone
may see."""

import re

import pytest

from tests.support.http.ruling_client import LOST, ruled
from tests.support.http.tournament_client import LiveCup, cup, staged
from tests.support.servers.live_server import Answer, Live

IMAGE = "<img src=x>"
TURN = 3_600


@pytest.fixture(scope="module")
def spring(live: Live) -> LiveCup:
    """A tournament with a match that is over and corrected, one that is running on a clock, and one
    that has not begun."""
    made = cup(live, name="Spring Cup", players=["Ann", "Ben", IMAGE], garnets={"Ann": 777_001})
    ruled(made.by(), "correct", match=made.played(rulings="single").id, result=LOST)
    running = made.match(
        ("Ann", IMAGE), game="dollar-prize", options={"turn_seconds": TURN}, clock="rules"
    )
    assert running.moderator.start().status_code == 201
    assert made.give(running).status_code == 201
    made.match(("Ben", IMAGE))
    return made


def page(live: Live, path: str, language: str = "en") -> Answer:
    return live.anyone.get(path, {"Accept-Language": language})


def part(answer: Answer, heading: str) -> str:
    """The text of the part of a page that begins with the heading of this id."""
    found = re.search(rf'<section aria-labelledby="{heading}">(.*?)</section>', answer.text, re.S)
    assert found is not None, heading
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())


def test_a_tournament_is_shown_with_all_that_is_public(live: Live, spring: LiveCup) -> None:
    shown = page(live, f"/t/{spring.id}")
    assert shown.status_code == 200
    assert "<h1><bdi>Spring Cup</bdi></h1>" in shown.text
    assert "777001" not in shown.text, "garnets are nobody else's business"
    assert part(shown, "standings").endswith(
        "1 Ben 1 1 0 0 2 &lt;img src=x&gt; 0 0 0 0 2 Ann 1 0 0 1"
    )
    assert part(shown, "round-1").endswith("1 Ann 0 2 Ben 1 Ben wins (by a ruling)")
    assert "1 Ann 2 &lt;img src=x&gt; until" in part(shown, "round-2")
    assert part(shown, "round-2").endswith("Moderated by Mo")
    assert "not started" in part(shown, "round-3")
    assert re.search(r"UTC Ann . &lt;img src=x&gt;$", part(shown, "due"))
    assert part(shown, "players").endswith("3 Ann Ben &lt;img src=x&gt;")
    assert part(shown, "moderators").endswith("2 Mo Cy")
    assert re.search(r"Ann . Ben : counts differently: The judges have", part(shown, "rulings"))
    for row in spring.shown()["matches"]:
        assert f'href="/m/{row["match"]}"' in shown.text


def test_a_stage_is_shown_with_its_points(live: Live) -> None:
    made = cup(live, players=["Ann", "Ben", IMAGE])
    staged(made, published=True, name="Swiss")
    shown = page(live, f"/t/{made.id}")
    assert part(shown, "stage-1").endswith("Played 1 Ann 2 0 1 Ben 2 0 1 &lt;img src=x&gt; 2 0")
    assert 'id="standings"' not in shown.text


def test_what_people_write_is_text(live: Live, spring: LiveCup) -> None:
    assert IMAGE not in page(live, f"/t/{spring.id}").text


def test_a_tournament_without_matches_says_so(live: Live) -> None:
    empty = cup(live, players=[], moderators=[], name=IMAGE)
    shown = page(live, f"/t/{empty.id}")
    assert "There are no matches yet." in shown.text
    assert "No deadline is running." in shown.text
    assert IMAGE not in shown.text


def test_what_does_not_exist_is_a_page_too(live: Live) -> None:
    answer = page(live, "/t/01890000-0000-7000-8000-000000000000")
    assert answer.status_code == 404
    assert "There is no such tournament" in answer.text


def test_the_lobby_leads_to_tournaments_and_to_organising(live: Live) -> None:
    newest = cup(live)
    lobby = page(live, "/").text
    assert f'href="/t/{newest.id}"' in lobby
    assert 'href="/organise"' in lobby


def test_without_javascript_an_organiser_is_told_why_nothing_can_be_done(live: Live) -> None:
    assert "<noscript>" in page(live, "/organise").text
