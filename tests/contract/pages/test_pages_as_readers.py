"""Every page for people is a reader like others: no key and nothing hidden changes a byte of it."""

import pytest

from tests.support.http.rewind_client import steps
from tests.support.http.tournament_client import LiveCup, cup, publish, shown_round, staged
from tests.support.servers.live_server import Answer, Live, LiveMatch
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def made(live: Live) -> LiveCup:
    return cup(live)


@pytest.fixture(scope="module")
def hidden(live: Live, made: LiveCup) -> LiveMatch:
    """A match of a tournament that waits for what its seats choose in secret."""
    match = made.match(("Ann", "Ben"), game="grouping-bw", options={})
    assert match.moderator.start().status_code == 201
    return steps(match, 1)


def paths(made: LiveCup, match: LiveMatch) -> tuple[str, ...]:
    of_match = (f"/m/{match.id}", f"/m/{match.id}?as=seat:0", f"/m/{match.id}?as=moderator&at=3")
    others = (f"/m/{match.id}/audit", f"/embed/{match.id}", f"/table/{match.id}")
    return (
        *of_match,
        *others,
        f"/play/{match.id}",
        f"/t/{made.id}",
        f"/t/{made.id}/me",
        f"/t/{made.id}/audit",
        f"/t/{made.id}?wall",
        f"/t/{made.id}?print",
        "/organise",
        "/offline",
        "/games/liars-dice",
        "/",
    )


def sent(live: Live, path: str, key: str | None = None) -> Answer:
    client = live.anyone if key is None else live.bearing(key)
    answer = client.get(path, {"Accept-Language": "en"})
    assert answer.status_code == 200, path
    return answer


def told(answer: Answer) -> tuple[bytes, dict[str, str]]:
    """All that a reader is told, but for the time of day."""
    return answer.content, {name: text for name, text in answer.headers.items() if name != "date"}


def test_no_key_changes_a_page(live: Live, made: LiveCup, hidden: LiveMatch) -> None:
    keys = (hidden.moderator_key, hidden.keys[0], made.players[2], live.organiser.key, "arb_none")
    pictures = (f"/m/{hidden.id}/board.svg", f"/m/{hidden.id}/board.png?at=3")
    for path in (*paths(made, hidden), *pictures):
        public = told(sent(live, path))
        for key in keys:
            assert told(sent(live, path, key)) == public, path


def test_nothing_hidden_changes_a_page(live: Live, made: LiveCup, hidden: LiveMatch) -> None:
    before = {path: told(sent(live, path)) for path in paths(made, hidden)}
    seat = next(one for one in hidden.seats if one.menu().json()["actions"])
    (entry, *_) = seat.menu().json()["actions"]
    public = hidden.anyone.view().json()["seq"]
    assert seat.act(entry["examples"][0]).status_code == 201
    assert hidden.moderator.view().json()["seq"] > public == hidden.anyone.view().json()["seq"]
    for path, seen in before.items():
        assert told(sent(live, path)) == seen, path


READ_BY_SCRIPTS = (
    "", "/stages", "/standings", "/standings?explain=0", "/stages/1/rounds/1", "/stages/1/bracket",
    "/players/0", "/events", "/rulings", "/cases",
)  # fmt: skip
"""What the pages of an event read, below its address."""


def test_nothing_hidden_changes_what_an_event_shows(live: Live) -> None:
    made = cup(live, players=["Ann", "Ben"])
    match = {"game": "grouping-bw"}
    staged(made, published=False, format="elimination", match=match, round={"start": "at_once"})
    publish(made, 1)
    [pairing] = shown_round(made, 1)["pairings"]
    keys = tuple(made.players[player] for player in pairing["players"])
    hidden = live.match(pairing["matches"][0], keys, live.organiser.key or "")
    wait_until(lambda: hidden.anyone.view().json()["status"] == "running")
    steps(hidden, 1)
    pages = [f"/t/{made.id}{more}" for more in ("", "/me", "/audit", "?wall", "?print")]
    read = (*pages, *(f"{made.path}{path}" for path in READ_BY_SCRIPTS))
    before = {path: told(sent(live, path)) for path in read}
    seat = next(one for one in hidden.seats if one.menu().json()["actions"])
    (entry, *_) = seat.menu().json()["actions"]
    public, own = (one.view().json()["seq"] for one in (hidden.anyone, seat))
    assert seat.act(entry["examples"][0]).status_code == 201
    assert seat.view().json()["seq"] > own
    assert hidden.anyone.view().json()["seq"] == public
    for path, seen in before.items():
        assert told(sent(live, path)) == seen, path


def test_only_a_board_may_stand_in_a_frame(live: Live, made: LiveCup, hidden: LiveMatch) -> None:
    for path in (*paths(made, hidden), "/docs", "/verify", "/schema"):
        headers = sent(live, path).headers
        frames = "*" if path.startswith("/embed/") else "'none'"
        assert f"frame-ancestors {frames}" in headers["content-security-policy"], path
        assert "set-cookie" not in headers
    for path in paths(made, hidden):
        headers = sent(live, path).headers
        assert headers["referrer-policy"] == ("same-origin" if path == "/" else "no-referrer")
        assert "unsafe" not in headers["content-security-policy"], path
