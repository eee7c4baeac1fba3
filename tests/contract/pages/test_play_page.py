"""The page of a seat as it is sent: the same for everyone, because keys are in browsers alone."""

import json
import re

import pytest

from domain.games import GAMES
from service.web.assets import board_of, form_of
from tests.support.servers.live_server import Answer, Live, LiveMatch

NOWHERE = "01890000-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def match(live: Live) -> LiveMatch:
    return live.started("liars-dice")


def page(live: Live, match: str, language: str = "en") -> Answer:
    return live.anyone.get(f"/play/{match}", {"Accept-Language": language})


def test_it_is_the_same_for_every_match_and_key(live: Live, match: LiveMatch) -> None:
    shown = page(live, match.id)
    assert shown.status_code == 200
    assert page(live, NOWHERE).content == shown.content, "whether there is a match is not looked up"
    with_key = match.seats[0].client.get(f"/play/{match.id}", {"Accept-Language": "en"})
    assert with_key.content == shown.content, "no key is read"
    assert "noindex" in shown.text


def test_what_a_messenger_adds_to_a_link_changes_nothing(live: Live) -> None:
    assert page(live, f"{NOWHERE}?from=messenger").content == page(live, NOWHERE).content


def test_it_loads_files_of_the_service_alone(live: Live) -> None:
    shown = page(live, NOWHERE)
    policy = shown.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert shown.headers["referrer-policy"] == "no-referrer"
    addresses = re.findall(r'(?:src|href)="([^"#]+)', shown.text)
    assert {live.anyone.get(address).status_code for address in addresses} == {200}


def test_it_names_what_each_game_brings(live: Live) -> None:
    (given,) = re.findall(r'id="given">(.*?)</script>', page(live, NOWHERE).text)
    assert json.loads(given)["data"]["games"] == {
        game: {**board_of(game)._asdict(), "form": form_of(game)} for game in GAMES
    }


def test_it_is_in_the_readers_language(live: Live) -> None:
    assert "Ihr Platz in einer Partie" in page(live, NOWHERE, "de").text
