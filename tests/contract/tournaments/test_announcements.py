"""`/v1/tournaments/{id}/rounds/{n}/announcement`: the matches of a round as a text."""

from uuid import uuid4

from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import Live


def test_a_round_is_announced_as_a_text(live: Live) -> None:
    spring = cup(live)
    first, second = spring.match(("Ann", "Ben")), spring.match(("Cy", "Ann"))
    assert second.moderator.start().status_code == 201
    path = f"{spring.path}/rounds/{{}}/announcement"
    plain = live.anyone.get(path.format(1))
    assert plain.headers["content-type"] == "text/plain; charset=utf-8"
    assert "1. Ann against Ben (12 Chips): has not started" in plain.text
    assert "Not in this round: Cy" in plain.text
    assert f"{live.url}/m/{first.id}" in plain.text
    later = live.anyone.get(path.format(2))
    assert later.text.startswith("Cup, round 2\n")
    assert "Cy against Ann" in later.text and first.id not in later.text
    for number in (0, 3):
        assert_problem(live.anyone.get(path.format(number)), 404, "no_such_round")
    nowhere = f"/v1/tournaments/{uuid4()}/rounds/1/announcement"
    assert_problem(live.anyone.get(nowhere), 404, "no_such_tournament")
    assert_problem(live.anyone.get(f"{path.format(1)}?as=public"), 400, "bad_request")
