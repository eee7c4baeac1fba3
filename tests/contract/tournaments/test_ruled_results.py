"""Results that a ruling has given say so: in the list of matches, in rounds, in the export."""

from tests.contract.tournaments.test_corrections import correction
from tests.contract.tournaments.test_stages import CHIPS, NAMES, added, live_match, played, publish
from tests.support.http.ruling_client import LOST, ruled
from tests.support.http.tournament_client import LiveCup, cup, shown_round
from tests.support.servers.live_server import Live
from tests.support.waiting import wait_until


def said(spring: LiveCup) -> list[bool]:
    """What the pairings of the first round say, here and in the export."""
    (stage,) = spring.live.anyone.get(f"{spring.path}/export").json()["stages"]
    both = [
        [one["ruled"] for one in of["pairings"]]
        for of in (shown_round(spring, 1), *stage["rounds"])
    ]
    assert both[0] == both[1]
    return both[0]


def test_a_pairing_says_that_a_ruling_has_given_its_result_or_corrected_it(live: Live) -> None:
    four = cup(live, players=NAMES, moderators=["Mo"])
    added(four, match=CHIPS | {"rulings": "single"})
    assert publish(four).status_code == 201
    wait_until(
        lambda: [one["status"] for one in shown_round(four, 1)["pairings"]] == ["running"] * 2
    )
    first, second = (
        live_match(four, one["matches"][0], one["players"])
        for one in shown_round(four, 1)["pairings"]
    )
    ruled(first.organiser, "result", result=LOST, because="adjudicated")
    played(four, 1)
    assert said(four) == [True, False]
    rows = live.anyone.get("/v1/matches", tournament=four.id).json()["matches"]
    assert {row["id"]: row["ruled"] for row in rows} == {first.id: True, second.id: False}
    ruled(four.by(), **correction(second, LOST))
    assert said(four) == [True, True]
