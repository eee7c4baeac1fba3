"""The account of reads across a tournament."""

from typing import Any

import pytest

from service.http.evidence import tournament_reads
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import Client, Json, Live


def listed(spring: LiveCup, client: Client, **asked: Any) -> Json:
    answer = client.get(f"{spring.path}/reads", **asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "private, no-cache"
    body: Json = answer.json()
    return body


def whole(spring: LiveCup, client: Client, **asked: Any) -> list[tuple[str, str, str]]:
    """All pages: of which match, by whom and as what."""
    found, after = [], 0
    while after is not None:
        page = listed(spring, client, after=after, **asked)
        assert len(page["reads"]) <= asked.get("limit", 100)
        found += [(one["match"], one["person"], one["as"]) for one in page["reads"]]
        after = page["next"]
    return found


def test_staff_see_who_has_read_what_of_their_matches(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    spring = cup(live)
    one, two = spring.match(("Ann", "Ben")), spring.match(("Ben", "Cy"))
    assert spring.give(one).status_code == 201
    mo = spring.moderator()
    assert mo.get(f"/v1/matches/{one.id}/view").status_code == 200
    assert spring.player(1).get(f"/v1/matches/{two.id}/view").status_code == 200
    by_mo, by_ben = (one.id, "Mo", "moderator"), (two.id, "Ben", "seat:0")
    judge = live.judge
    assert {by_mo, by_ben} <= set(whole(spring, judge))
    assert {match for match, *_ in whole(spring, mo)} == {one.id}
    assert whole(spring, judge, person="BEN") == [by_ben]
    assert {match for match, *_ in whole(spring, judge, match=two.id)} == {two.id}
    begun = listed(spring, judge, person="Ben")["reads"][0]["first"]
    assert whole(spring, judge, person="Ben", until=begun) == []
    assert whole(spring, judge, person="Ben", since=begun) == [by_ben]
    monkeypatch.setattr(tournament_reads, "MOST_MATCHES", 1)
    assert whole(spring, judge, limit=1) == whole(spring, judge)
    # To see them was a look at each match.
    assert (two.id, "Judge Judy", "moderator") in whole(spring, judge)
    assert whole(spring, spring.moderator(1)) == []
    assert_problem(spring.player(0).get(f"{spring.path}/reads"), 403, "not_allowed")
    assert_problem(live.anyone.get(f"{spring.path}/reads"), 401, "key_missing")
