"""Cacheable history: what everyone may see, under addresses that name the public."""

from collections.abc import Iterator
from itertools import product

import pytest

from tests.support.http.match_play import all_events, assert_problem
from tests.support.servers.live_server import Answer, Client, Live, LiveMatch

CHANGING = "public, max-age=1"
PAGE = "public, max-age=300"
POSITION = "public, max-age=86400, s-maxage=300"
"""A shared cache may show a name for no longer than it does on a page."""
HISTORY = "public, max-age=31536000, immutable"
PUBLIC_ADDRESSES = (
    "view?as=public", "view?as=public&at=0", "view?at=1&as=public", "view?%61s=publi%63",
    "events?as=public", "events?as=public&limit=2", "events?as=public&after=1&limit=1",
    "events?as=public&wait=5", "view?as=public&at=99999", "events?as=public&after=99999",
    "view?as=public&at=x", "events?as=public&limit=0", "events?as=public&wait=6",
    "events?as=public&nonsense=1", "note",
)  # fmt: skip
PRIVATE_ADDRESSES = (
    "view", "view?at=1", "view?as=seat:0", "view?as=moderator", "view?as=public&as=public",
    "view?as=public&as=seat:0", "view?as=Public", "events", "events?after=0&limit=1",
    "events?as=seat:1", "actions", "receipts", "checkpoint", "bundle", "bundle?as=public",
    "view?at=x", "view?as=x", "view?at=99999", "nothing/view", "view?ticket=x&public",
)  # fmt: skip


def senders(live: Live, match: LiveMatch) -> Iterator[Client]:
    """One client for each kind of key, for worthless ones, and for none."""
    yield from (player.client for player in match.audiences().values())
    yield live.organiser
    yield from (live.bearing(key) for key in ("arb_s0_x", "arb_mod_x_y", "nonsense"))


def all_of(answer: Answer) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    headers = [(name, b"" if name == b"date" else value) for name, value in answer.headers.raw]
    return answer.status_code, headers, answer.content


def shared(answer: Answer) -> bool:
    return "public" in answer.headers.get("cache-control", "")


@pytest.mark.parametrize("address", PUBLIC_ADDRESSES)
def test_the_publics_address_has_one_answer_for_every_key(
    live: Live, coins: LiveMatch, played_closed: LiveMatch, address: str
) -> None:
    for match in (coins, played_closed):
        path = f"{match.anyone.path}/{address}"
        answers = [client.get(path) for client in senders(live, match)]
        assert len({str(all_of(answer)) for answer in answers}) == 1
        assert shared(answers[0])
        assert "vary" not in answers[0].headers


@pytest.mark.parametrize("address", PRIVATE_ADDRESSES)
def test_everything_else_is_private(
    live: Live, coins: LiveMatch, played: LiveMatch, address: str
) -> None:
    for match in (coins, played):
        for client in senders(live, match):
            answer = client.get(f"{match.anyone.path}/{address}")
            if answer.status_code == 404 and answer.json()["code"] == "not_found":
                continue
            assert answer.headers["cache-control"] == "private, no-cache", answer.status_code
            assert answer.headers["vary"] == "Authorization"


def test_a_page_that_others_follow_never_changes(played: LiveMatch) -> None:
    last = played.anyone.view().json()["seq"]
    for after, limit in product(range(0, last + 1, 3), (1, 2, last)):
        answer = played.anyone.events("public", after, limit)
        followed, named = answer.json()["next"] is not None, "seat-named" in answer.text
        lasting = PAGE if named else HISTORY  # A name may be withheld.
        assert answer.headers["cache-control"] == (lasting if followed else CHANGING)


def test_a_followed_page_is_the_same_after_the_match_has_gone_on(coins: LiveMatch) -> None:
    before = coins.anyone.events("public", 4, 1)
    assert before.headers["cache-control"] == HISTORY
    act(coins)
    assert all_of(coins.anyone.events("public", 4, 1)) == all_of(before)


def test_the_last_page_has_another_tag_once_it_is_followed(coins: LiveMatch) -> None:
    """It ends with the same event, but now has a `next`."""
    for audience, player in (("public", coins.anyone), ("seat:0", coins.seats[0])):
        last = player.view().json()["seq"]
        page = player.events(audience, 0, last)
        act(coins)
        path, tag = f"{player.path}/events", {"If-None-Match": page.headers["etag"]}
        answer = player.client.get(path, tag, as_=audience, after=0, limit=last)
        assert answer.status_code == 200
        assert answer.json()["next"] == last


def act(match: LiveMatch) -> None:
    """One action that the public can see."""
    before = len(all_events(match.anyone))
    while len(all_events(match.anyone)) == before:
        (number, *_) = match.anyone.view().json()["awaiting"]["seats"]
        seat = match.seats[number]
        assert seat.act(seat.menu().json()["actions"][0]["examples"][0]).status_code == 201


def test_a_view_at_a_position_is_kept_for_a_day(played: LiveMatch) -> None:
    for at in range(played.anyone.view().json()["seq"] + 1):
        assert played.anyone.view("public", at).headers["cache-control"] == POSITION


def test_the_view_at_the_end_is_asked_for_each_time(coins: LiveMatch) -> None:
    assert coins.anyone.view("public").headers["cache-control"] == "public, no-cache"


@pytest.mark.parametrize(
    "address", [*PUBLIC_ADDRESSES[:3], *PUBLIC_ADDRESSES[4:7], "view", "events", "events?limit=2"]
)
def test_what_is_known_is_not_sent_again(live: Live, coins: LiveMatch, address: str) -> None:
    path = f"{coins.anyone.path}/{address}"
    first = live.anyone.get(path)
    for known in (first.headers["etag"], f'"other", W/{first.headers["etag"]}', "*"):
        again = live.anyone.get(path, {"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        for name in ("etag", "cache-control"):
            assert again.headers[name] == first.headers[name]
    assert live.anyone.get(path, {"If-None-Match": '"public.1"'}).status_code == 200


def test_another_release_or_another_incarnation_has_other_tags(
    live: Live, coins: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {coins.anyone.view("public", 1).headers["etag"]}
    for edition in ("another release", "another incarnation"):
        monkeypatch.setattr(live.instance, "edition", edition)
        seen.add(coins.anyone.view("public", 1).headers["etag"])
    assert len(seen) == 3


def test_an_error_of_a_public_address_is_kept_for_a_moment(coins: LiveMatch) -> None:
    """Otherwise a cache lets those who wait for it through one after the other."""
    missing = coins.anyone.view("public", 99_999)
    assert_problem(missing, 409, "history_went_back")
    assert missing.headers["cache-control"] == CHANGING
