"""`GET /v1/matches/{id}/stream`: the same lines, live, to the end of the match."""

import re
from collections.abc import Iterator
from itertools import islice

import httpx
import pytest

from tests.support.http.match_play import all_events, assert_problem, ndjson, play_out, sse, step
from tests.support.servers.live_server import NDJSON, SSE, Json, LiveMatch

AS_LINES = {"Accept": NDJSON}
FORMS = [SSE, NDJSON]


def stream_lines(response: httpx.Response, form: str = SSE) -> Iterator[Json]:
    """The lines of an open stream of either form."""
    if form == NDJSON:
        return ndjson(response)
    return (line for _, line in sse(response))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("audience", ["public", "seat:0", "moderator"])
def test_after_0_a_stream_of_a_match_that_is_over_is_all_its_events(
    played: LiveMatch, audience: str, form: str
) -> None:
    with played.moderator.stream({"Accept": form}, as_=audience, after=0) as response:
        assert response.status_code == 200
        assert response.headers["cache-control"] == "no-store"
        assert list(stream_lines(response, form)) == all_events(played.moderator, audience)


@pytest.mark.parametrize(
    ("accept", "form"),
    [(SSE, SSE), (NDJSON, NDJSON), ("*/*", SSE), (f"{NDJSON}, */*;q=0.1", NDJSON)],
)
def test_a_stream_names_the_form_it_has(played: LiveMatch, accept: str, form: str) -> None:
    with played.anyone.stream({"Accept": accept}, after=0) as response:
        assert response.headers["content-type"].split(";")[0] == form
        first = next(response.iter_lines())
    assert first.startswith("{" if form == NDJSON else "retry:")


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_begins_from_now(short: LiveMatch, form: str) -> None:
    seen = short.anyone.view().json()["seq"]
    with short.anyone.stream({"Accept": form}) as response:
        step(short)
        assert next(stream_lines(response, form))["seq"] == seen + 1


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_ends_with_the_match(short: LiveMatch, form: str) -> None:
    with short.anyone.stream({"Accept": form}) as response:
        play_out(short)
        received = list(stream_lines(response, form))
    assert received == all_events(short.anyone)[-len(received) :]
    assert [line["type"] for line in received[-2:]] == ["match.ended.1", "match.seed-revealed.1"]


@pytest.mark.parametrize("at", [1, 4, 9])
def test_a_reader_that_was_cut_off_resumes_without_loss_or_doubling(
    short: LiveMatch, at: int
) -> None:
    first: list[tuple[int, Json]] = []
    with short.seats[0].stream(after=0) as response:
        for _ in range(3):
            step(short)
        first = list(islice(sse(response), at))
    step(short)
    with short.seats[0].stream({"Last-Event-ID": str(first[-1][0])}) as response:
        play_out(short)
        rest = list(sse(response))
    assert [line for _, line in first + rest] == all_events(short.seats[0], "seat:0")


def test_last_event_id_wins_over_after(short: LiveMatch) -> None:
    """A browser that comes back repeats the address, and says what it saw last."""
    with short.anyone.stream({"Last-Event-ID": "1"}, after=4) as response:
        assert next(stream_lines(response))["seq"] == 2


def test_an_empty_last_event_id_means_from_now(short: LiveMatch) -> None:
    seen = short.anyone.view().json()["seq"]
    with short.anyone.stream({"Last-Event-ID": ""}) as response:
        step(short)
        assert next(stream_lines(response))["seq"] == seen + 1


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 40, "1 2"])
def test_a_last_event_id_of_no_stream_is_400(short: LiveMatch, last: str) -> None:
    answer = short.anyone.try_stream({"Last-Event-ID": last})
    assert_problem(answer, 400, "bad_request")


def test_a_reader_who_has_seen_more_than_there_is_learns_that_history_went_back(
    short: LiveMatch,
) -> None:
    last = {"Last-Event-ID": "999"}
    for headers, query in ((last, {}), (last, {"after": 1}), ({}, {"after": 999})):
        answer = short.anyone.try_stream(headers, **query)
        assert_problem(answer, 409, "history_went_back")
        assert answer.headers["arbiter-incarnation"]


@pytest.mark.parametrize("headers", [{}, {"Last-Event-ID": "all"}, {"Accept": NDJSON}])
def test_who_asks_again_after_the_end_is_answered_204(
    played: LiveMatch, headers: dict[str, str]
) -> None:
    """So that browsers stop."""
    seq = played.anyone.view().json()["seq"]
    given = {name: value.replace("all", str(seq)) for name, value in headers.items()}
    with played.anyone.stream(given) as response:
        assert (response.status_code, response.read()) == (204, b"")


def test_a_stream_opens_with_a_delay_and_the_number_behind_which_it_begins(
    short: LiveMatch,
) -> None:
    """A browser that is cut off before the first event sends this number when it comes back."""
    seen = short.anyone.view().json()["seq"]
    for after, number in ((None, seen), (2, 2)):
        with short.anyone.stream(after=after) as response:
            delay, name, end = islice(response.iter_lines(), 3)
        assert re.fullmatch(r"retry: \d+", delay)
        assert (name, end) == (f"id: {number}", "")


@pytest.mark.parametrize("audience", ["public", "seat:0", "moderator"])
def test_a_stream_says_that_it_is_at_the_end(short: LiveMatch, audience: str) -> None:
    player = short.audiences()[audience]
    with player.stream() as events, player.stream(AS_LINES) as lines:
        play_out(short)
        browser, program = list(events.iter_lines()), list(lines.iter_lines())
    seq = player.view().json()["seq"]
    assert browser[-3:] == ["event: end", f'data: {{"seq":{seq}}}', ""]
    assert program[-1] == f'{{"end":true,"seq":{seq}}}'


@pytest.mark.parametrize(("form", "ping"), [(SSE, ": ping"), (NDJSON, "")])
def test_pings_keep_a_silent_stream_open(
    short: LiveMatch, monkeypatch: pytest.MonkeyPatch, form: str, ping: str
) -> None:
    monkeypatch.setattr("service.streams.live_stream.PING_SECONDS", 0.05)
    with short.anyone.stream({"Accept": form}) as response:
        received = response.iter_lines()
        if form == SSE:
            assert list(islice(received, 3))[-1] == "", "the opening"
        assert [line for line in islice(received, 4) if line] in ([ping] * 2, [])
        step(short)
        seq = short.anyone.view().json()["seq"]
        assert any(f'"seq":{seq}' in line for line in received if line)
