"""Errors at addresses that people open: a page for browsers, a problem document for programs."""

from uuid import UUID

import pytest

from service.application.matches.match_sessions import MatchSessions
from service.event_store.errors import StoreUnavailable
from service.event_store.integrity.digests import RecordAltered
from tests.support.servers.live_server import Answer, Live

NO_MATCH = UUID(int=0)
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def opened(live: Live, path: str, language: str = "en", accept: str = BROWSER) -> Answer:
    return live.anyone.get(path, {"Accept": accept, "Accept-Language": language})


@pytest.mark.parametrize("path", ["/nowhere", "/m/none", "/t/none", "/m/%3Cimg%3E", "/docs/none"])
def test_a_browser_gets_a_page(live: Live, path: str) -> None:
    answer = opened(live, path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "There is nothing at this address" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "Unter dieser Adresse steht nichts" in opened(live, path, "de").text


@pytest.mark.parametrize(("path", "accept"), [("/nowhere", "*/*"), ("/v1/nowhere", BROWSER)])
def test_programs_and_the_api_get_a_problem_document(live: Live, path: str, accept: str) -> None:
    answer = opened(live, path, accept=accept)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StoreUnavailable(None), "cannot answer right now"),
        (RecordAltered(NO_MATCH, "a row is gone"), "record of this match is damaged"),
    ],
)
def test_a_page_says_when_it_cannot_be_shown(
    live: Live, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    async def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(MatchSessions, "projection", failing)
    answer = opened(live, f"/table/{NO_MATCH}")
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert told in answer.text
