"""`/m/{id}/audit` as it is sent: what everyone may read, and nothing that depends on a key."""

import re

from tests.support.servers.live_server import Answer, Live, LiveMatch

NOWHERE = "01890000-0000-7000-8000-000000000000"
IMAGE = "<img src=x>"


def audit(live: Live, match: str, language: str = "en") -> Answer:
    return live.anyone.get(f"/m/{match}/audit", {"Accept-Language": language})


def types(live: Live, match: str) -> set[str]:
    """What is said on the page of each event."""
    return set(re.findall(r'<td lang="en"><bdi>([\w ]+)', audit(live, match).text))


def test_a_running_match_shows_what_is_public(live: Live, hidden: LiveMatch) -> None:
    page = audit(live, hidden.id)
    assert page.status_code == 200
    assert "The match is not over." in page.text
    lines = hidden.anyone.client.get(f"{hidden.anyone.path}/timeline").json()["lines"]
    assert page.text.count('<th scope="row">') == len(lines)
    assert not {one for one in types(live, hidden.id) if "has rolled" in one}
    assert IMAGE not in page.text and "&lt;img src=x&gt;" in page.text


def test_an_open_record_is_shown_whole(live: Live, played: LiveMatch) -> None:
    assert "The record is open" in audit(live, played.id).text
    assert {one for one in types(live, played.id) if "picks up" in one}


def test_a_closed_record_shows_what_was_public(live: Live, played_closed: LiveMatch) -> None:
    page = audit(live, played_closed.id)
    assert "its record is closed" in page.text
    assert not {one for one in types(live, played_closed.id) if "picks up" in one}


def test_what_does_not_exist(live: Live) -> None:
    missing = audit(live, NOWHERE, language="de")
    assert (missing.status_code, missing.headers["content-language"]) == (404, "de")


def test_the_verifier_is_a_script_of_its_own(live: Live) -> None:
    script = live.anyone.get("/assets/verifier.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert "globalThis.Arbiter" in script.text and "PAGE.begin" not in script.text
    tag = script.headers["etag"]
    assert live.anyone.get("/assets/verifier.js", {"If-None-Match": tag}).status_code == 304
