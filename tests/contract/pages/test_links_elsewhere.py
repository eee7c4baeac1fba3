"""What other sites show of a match: its board in a frame, and the card of a link."""

import re

import pytest
from msgspec.structs import replace

from service.settings import ServerSettings
from service.web.texts import languages
from tests.support.http.match_play import play_out
from tests.support.servers.live_server import Live, LiveMatch

ENGLISH = {"Accept-Language": "en"}


@pytest.fixture(scope="module")
def hidden(live: Live) -> LiveMatch:
    """A match in which every seat has dice that others do not see."""
    return live.started("liars-dice", ("Ann", '"><script>'))


def card(live: Live, path: str) -> dict[str, str]:
    """What the page says to programs that show its link."""
    text = live.anyone.get(path, ENGLISH).text
    return dict(re.findall(r'<meta (?:property|name)="([a-z:_]+)" content="([^"]*)">', text))


def test_a_board_may_stand_in_a_frame_of_any_site(live: Live, hidden: LiveMatch) -> None:
    answer = live.anyone.get(f"/embed/{hidden.id}", ENGLISH)
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors *" in policy and "form-action 'none'" in policy
    assert "x-frame-options" not in answer.headers
    assert "<nav" not in answer.text and "<script>" not in answer.text
    missing = live.anyone.get("/embed/01890000-0000-7000-8000-000000000000", ENGLISH)
    assert missing.status_code == 404 and "There is no such match" in missing.text


def test_a_link_has_a_card_of_public_facts(
    live: Live, hidden: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = card(live, f"/m/{hidden.id}")
    assert shown["og:title"] == "Liar&#39;s Dice: Ann \N{EN DASH} &#34;&gt;&lt;script&gt;"
    assert shown["og:description"] == "running"
    assert "og:image" not in shown, "an address that people do not reach leads nowhere"
    public = replace(
        live.instance.settings, server=ServerSettings(public_url="https://play.example.org")
    )
    monkeypatch.setitem(vars(live.instance), "settings", public)
    shown = card(live, f"/m/{hidden.id}")
    assert shown["og:url"] == f"https://play.example.org/m/{hidden.id}"
    assert shown["og:image"] == f"https://play.example.org/m/{hidden.id}/board.png"
    then = card(live, f"/m/{hidden.id}?as=public&at=2")["og:image"]
    assert then == f"https://play.example.org/m/{hidden.id}/board.png?at=2"
    assert card(live, "/")["og:image"] == "https://play.example.org/assets/card.png"
    for picture in ("/assets/card.png", f"/m/{hidden.id}/board.png"):
        assert live.anyone.get(picture).content.startswith(b"\x89PNG")


def test_the_card_of_a_match_that_is_over_says_who_won(live: Live) -> None:
    over = live.started("twelve-chips", options={"tokens_to_win": 1})
    play_out(over)
    said = card(live, f"/m/{over.id}")["og:description"]
    assert re.fullmatch(r"over: ((Ann|Ben) wins|Shared by Ann, Ben)", said)


def test_the_lobby_has_one(live: Live) -> None:
    assert card(live, "/")["og:description"] == languages()["en"].say("lobby.about")
