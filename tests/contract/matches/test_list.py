"""`GET /v1/matches`: the public list, page by page."""

from typing import Any

from tests.support.servers.live_server import Json, Live, LiveMatch


def pages(live: Live, **query: Any) -> list[list[Json]]:
    """All pages of the list, as a client walks them."""
    found: list[list[Json]] = []
    after: str | None = None
    while True:
        page = live.anyone.get("/v1/matches", after=after, **query).json()
        assert set(page) == {"matches", "next"}
        found.append(page["matches"])
        if page["next"] is None:
            return found
        after = page["next"]


def test_a_match_is_listed_as_soon_as_it_is_acknowledged(live: Live) -> None:
    match = live.create("dollar-prize", ["Cy", "Di"])
    row = live.anyone.get("/v1/matches", limit=1).json()["matches"][0]
    assert row["id"] == match.id
    assert row["game"] == "dollar-prize"
    assert row["seats"] == ["Cy", "Di"]
    assert row["status"] == "created"
    match.moderator.start()
    row = live.anyone.get("/v1/matches", limit=1).json()["matches"][0]
    assert (row["id"], row["status"], row["result"]) == (match.id, "running", None)


def test_walking_the_cursor_gives_every_match_once(live: Live) -> None:
    made = {live.create("dollar-prize").id for _ in range(5)}
    walked = [row["id"] for page in pages(live, limit=2) for row in page]
    assert made <= set(walked)
    assert len(walked) == len(set(walked))
    assert walked == [row["id"] for page in pages(live, limit=200) for row in page]


def test_an_ended_match_shows_its_result(live: Live, played: LiveMatch) -> None:
    rows = [row for page in pages(live, status="ended", limit=200) for row in page]
    row = next(row for row in rows if row["id"] == played.id)
    assert row["result"] == played.anyone.view().json()["result"]
