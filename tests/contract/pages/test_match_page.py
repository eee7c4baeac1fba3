"""The page of a match, as it is sent: at every position, for every audience, and how much of it."""

import json
import re

import msgspec
import pytest

from domain.games import GAMES
from service.web.texts import languages
from tests.support.http.match_play import step
from tests.support.http.rewind_client import steps
from tests.support.servers.live_server import Live, LiveMatch

NOWHERE = ("as=seat:2", "as=seat:-1", "as=nobody", "as=", "at=999999", "at=999999&as=public")


@pytest.fixture(scope="module")
def hidden(live: Live) -> LiveMatch:
    """A match in which every seat has dice that others do not see."""
    match = live.started("liars-dice")
    step(match)
    return match


def page(live: Live, match: LiveMatch, query: str = "") -> str:
    answer = live.anyone.get(f"/m/{match.id}?{query}", {"Accept-Language": "en"})
    assert answer.status_code == 200, answer.text
    return answer.text


def given(html: str) -> dict[str, object]:
    """What the page is about, as its script is told."""
    found = re.search(r'id="given">(.*?)</script>', html)
    assert found is not None
    told: dict[str, object] = json.loads(found[1])["data"]
    return told


def test_a_position_has_one_address_for_everybody(live: Live, hidden: LiveMatch) -> None:
    shown = page(live, hidden, "at=3&as=public")
    told = given(shown)
    assert (told["at"], told["as"]) == (3, "public")
    assert 'href="?at=4&amp;as=public" rel="next"' in shown


@pytest.mark.parametrize("audience", ["seat:0", "seat:1", "moderator"])
def test_the_page_of_another_audience_is_a_frame_without_anything_of_it(
    live: Live, hidden: LiveMatch, audience: str
) -> None:
    frame = page(live, hidden, f"at=5&as={audience}")
    elsewhere = page(live, hidden, f"at=999999&as={audience}")
    assert elsewhere.replace("999999", "5") == frame, "no position is looked up"
    assert "with the key that your browser keeps" in frame


def test_options_are_named_in_the_readers_language(live: Live) -> None:
    match = live.create("twelve-chips")
    shown = live.anyone.get(f"/m/{match.id}", {"Accept-Language": "de"}).text
    assert "<dt>Eine Summe über 21</dt><dd><bdi>verliert</bdi></dd>" in shown


def test_without_a_script_the_board_is_in_the_readers_language(live: Live) -> None:
    match = steps(live.started("dollar-prize"), 3)
    for path in ("m", "embed"):
        shown = live.anyone.get(f"/{path}/{match.id}", {"Accept-Language": "de"}).text
        assert "<dt>letzter Wurf</dt>" in shown and "<bdi>Kopf</bdi>" in shown


def test_what_options_mean_is_said_in_every_language() -> None:
    described = {
        option
        for game in GAMES.values()
        for schema in msgspec.json.schema(game.Options)["$defs"].values()
        for option, what in schema["properties"].items()
        if "description" in what
    }
    for language in languages().values():
        assert {f"option.{option}.about" for option in described} <= language.texts.keys()


@pytest.mark.parametrize("query", NOWHERE)
def test_what_no_audience_and_no_position_is_a_page_too(
    live: Live, hidden: LiveMatch, query: str
) -> None:
    answer = live.anyone.get(f"/m/{hidden.id}?{query}")
    assert answer.status_code == 404
    assert "no such match" in answer.text
