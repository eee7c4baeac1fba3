"""The page of a seat as it is sent; that no key changes it is in `test_pages_as_readers`."""

import json
import re

from domain.games import GAMES
from service.web.assets import board_of, form_of
from tests.support.servers.live_server import Answer, Live

NOWHERE = "01890000-0000-7000-8000-000000000000"


def page(live: Live, match: str, language: str = "en") -> Answer:
    return live.anyone.get(f"/play/{match}", {"Accept-Language": language})


def test_it_loads_files_of_the_service_alone(live: Live) -> None:
    shown = page(live, NOWHERE)
    policy = shown.headers["content-security-policy"]
    assert "noindex" in shown.text
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert shown.headers["referrer-policy"] == "no-referrer"
    addresses = re.findall(r'(?:src|href)="([^"#]+)', shown.text)
    assert {live.anyone.get(address).status_code for address in addresses} == {200}


def test_it_names_what_each_game_brings(live: Live) -> None:
    (given,) = re.findall(r'id="given">(.*?)</script>', page(live, NOWHERE).text)
    brought = json.loads(given)["data"]["games"]
    times = brought["grouping-bw"]["options"]
    assert (times["bet_seconds"], times["group_seconds"]) == (60, 120)
    for each in brought.values():
        assert each.pop("options")
    assert brought == {game: {**board_of(game)._asdict(), "form": form_of(game)} for game in GAMES}


def test_it_is_in_the_readers_language(live: Live) -> None:
    assert "Ihr Platz in einer Partie" in page(live, NOWHERE, "de").text
