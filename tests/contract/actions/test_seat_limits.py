"""What a seat may put on a record, over HTTP: 429 with a code of its own, and nothing recorded."""

from tests.support.http.match_play import all_events, assert_problem
from tests.support.http.sealed_play import camp, close, seen, submit
from tests.support.servers.live_server import Json, Live

MOST = 200


def test_after_200_submissions_in_a_phase_it_is_429_and_nothing_is_recorded(live: Live) -> None:
    match = camp(live, 4, {"all_tied": "none_out"})
    for _ in range(MOST):
        assert submit(match, 0, a=[1], round=1).status_code == 201
    before = all_events(match.moderator)
    answer = submit(match, 0, a=[0], round=1)
    assert_problem(answer, 429, "too_many_submissions")
    assert int(answer.headers["Retry-After"]) > 0
    assert all_events(match.moderator) == before
    assert submit(match, 1, a=[1], round=1).status_code == 201
    assert len(seen(match.seats[0])["submissions"]) == 20
    close(match)
    assert submit(match, 0, a=[1], round=2).status_code == 201


def test_the_description_names_the_limits(live: Live) -> None:
    document: Json = live.anyone.get("/schema/openapi.json").json()
    paths = document["paths"]
    said = paths["/v1/matches/{id}/actions"]["post"]["responses"]["429"]
    for code in ("too_many_requests", "too_many_submissions", "too_much_recorded"):
        assert f"`{code}`" in said["description"]
    assert "Retry-After" in said["headers"]
    seeds = paths["/v1/matches/{id}/client-seeds"]["post"]["responses"]["429"]
    assert "`too_much_recorded`" in seeds["description"]
    receipt = document["components"]["schemas"]["Receipt"]
    assert receipt["properties"]["supersedes"]["enum"] == ["a", "b"]
    assert "supersedes" not in receipt["required"]
