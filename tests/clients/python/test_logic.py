"""What the Python client does with what the network brings, without a network."""

import msgspec
import pytest

from arbiter_client import (
    ArbiterError,
    Awaiting,
    Disconnected,
    Elsewhere,
    Event,
    HistoryWentBack,
    Match,
    NotUnderstood,
    Play,
    Refused,
    Retries,
    Stale,
    TooMany,
    Unavailable,
    View,
)
from arbiter_client.asynchronous.calls import Calls
from arbiter_client.asynchronous.transport import Channel
from arbiter_client.blocking import Service
from arbiter_client.problems import NotSent
from arbiter_client.requests import Answer
from arbiter_client.transport import LineSplitter, address
from tests.clients.scripted_transport import (
    ScriptedChannel,
    ScriptedTransport,
    problem,
    receipt_note,
)

AT = "2026-11-21T14:00:00Z"
RECEIPT = {
    "valid": True, "code": None, "seat": 0, "seq": 4, "at": AT, "idempotency_key": "k",
    "note": receipt_note(0, 4),
}  # fmt: skip
VIEW = {
    "match": "m", "game": "g", "audience": "seat:0", "seq": 5, "status": "running",
    "awaiting": {"seats": [0], "draw": None, "deadline": None}, "view": {}, "result": None,
}  # fmt: skip
TAKEN = {"receipt": RECEIPT, "view": VIEW}
DONE = Answer(201, {}, msgspec.json.encode(TAKEN))
SEEN = View("m", "g", "seat:0", 5, "running", Awaiting((0,)))
ACTION = {"type": "keep"}
BUSY = Answer(503, {"retry-after": "7"}, b"<html>busy</html>")
LOST = Disconnected("lost")


def line(seq: int, kind: str = "match.started.1") -> dict[str, object]:
    return {"seq": seq, "at": AT, "type": kind, "data": {}}


def match_over(transport: ScriptedTransport, retries: Retries | None = None) -> Match:
    return Service(Calls(transport, "arb_s0_key", retries or Retries())).match("m")


def numbers(transport: ScriptedTransport, after: int | View = 0) -> list[int]:
    return [event.seq for event in match_over(transport).follow(after)]


@pytest.mark.parametrize(
    "failure",
    [
        LOST,
        BUSY,
        Answer(502, {}),
        problem(409, "request_in_flight"),
        problem(429, "too_many_requests"),
    ],
)
def test_an_action_is_repeated_with_the_same_key(failure: Answer | Exception) -> None:
    transport = ScriptedTransport([failure, DONE])
    match = match_over(transport)
    assert match.act(ACTION).receipt.valid
    first, second = transport.requests
    assert first == second and len(first.headers["Idempotency-Key"]) > 20
    assert len(match.receipts) == 1


def test_it_waits_as_long_as_it_is_told_to() -> None:
    transport = ScriptedTransport([BUSY, DONE])
    match_over(transport).act(ACTION)
    assert transport.pauses == [7.0]


def test_each_pause_is_reported_before_it_is_made() -> None:
    reported: list[tuple[str, float]] = []
    retries = Retries(on_pause=lambda error, seconds: reported.append((str(error), seconds)))
    streams: list[Answer | Channel] = [
        ScriptedChannel([]),
        problem(429, "busy", retry_after=7),
        Answer(204, {}),
    ]
    assert not list(match_over(ScriptedTransport(streams=streams), retries).follow())
    (cut, _), told = reported
    assert (cut, told) == ("cut", ("429 busy: No.", 7.0))


@pytest.mark.parametrize("text", [b"<html>", b'{"seq":"x"}', b"[]", b"\xff"])
def test_what_is_no_answer_of_the_api_is_not_understood(text: bytes) -> None:
    with pytest.raises(NotUnderstood):
        match_over(ScriptedTransport([Answer(200, {}, text)])).view()
    with pytest.raises(NotUnderstood):
        numbers(ScriptedTransport(streams=[ScriptedChannel([text])]))


def test_pages_that_do_not_end_are_not_read_for_ever() -> None:
    page = Answer(200, {}, b'{"events":[],"next":5}')
    with pytest.raises(NotUnderstood, match="do not end"):
        list(match_over(ScriptedTransport([page, page])).events(after=5))


def test_a_service_that_is_elsewhere_says_where() -> None:
    moved = Answer(308, {"location": "https://new.example.org"}, b"")
    with pytest.raises(Elsewhere, match=r"https://new\.example\.org"):
        match_over(ScriptedTransport([moved])).menu()


def test_pauses_grow_and_end() -> None:
    transport = ScriptedTransport([LOST] * 10)
    with pytest.raises(Disconnected):
        match_over(transport, Retries(first=1.0, longest=8.0)).menu()
    longest = [1, 2, 4, 8, 8, 8, 8, 8, 8]
    assert all(top / 2 <= p <= top for p, top in zip(transport.pauses, longest, strict=True))


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (problem(503, "operator_needed", retry_after=60), Unavailable),
        (problem(429, "too_many_submissions", retry_after=5), TooMany),
        (problem(503, "try_again", retry_after=3_600), Unavailable),
        (problem(412, "stale"), Stale),
    ],
)
def test_what_does_not_help_is_not_repeated(answer: Answer, raised: type[ArbiterError]) -> None:
    with pytest.raises(raised):
        match_over(ScriptedTransport([answer])).act(ACTION)


def test_a_start_is_repeated_only_if_it_was_not_sent() -> None:
    order = {**RECEIPT, "seat": None, "note": receipt_note("moderator", 4)}
    started = Answer(201, {}, msgspec.json.encode({**TAKEN, "receipt": order}))
    assert match_over(ScriptedTransport([NotSent("refused"), started])).start()
    with pytest.raises(Disconnected):
        match_over(ScriptedTransport([LOST])).start()


def test_a_refusal_keeps_its_receipt_and_says_what_is_wrong() -> None:
    mistake = {"in": "body", "code": "unknown_value", "detail": "Not so.", "pointer": "/side"}
    refusal = problem(422, "not_yet", receipt={**RECEIPT, "valid": False}, errors=[mistake])
    match = match_over(ScriptedTransport([refusal]))
    with pytest.raises(Refused) as refused:
        match.act(ACTION)
    assert (refused.value.code, refused.value.errors[0].pointer) == ("not_yet", "/side")
    assert str(refused.value) == "422 not_yet: No. /side: Not so."
    assert [receipt.valid for receipt in match.receipts] == [False]


def test_lines_of_unknown_types_are_passed_on_and_other_things_left_out() -> None:
    lines = [
        line(1, "new.1"),
        {"notice": "hello"},
        {"seq": 7, "at": None},
        line(2),
        {"end": True, "seq": 2},
    ]
    transport = ScriptedTransport(streams=[ScriptedChannel(lines)])
    seen = list(match_over(transport).follow())
    assert [(event.seq, event.type) for event in seen] == [(1, "new.1"), (2, "match.started.1")]


def test_a_stream_that_is_cut_goes_on_behind_the_last_event() -> None:
    first, second = ScriptedChannel([line(1), line(2)]), ScriptedChannel([line(2), line(3)])
    transport = ScriptedTransport(
        streams=[first, problem(503, "try_again"), second, Answer(204, {})]
    )
    assert numbers(transport) == [1, 2, 3]
    assert [r.headers["Last-Event-ID"] for r in transport.requests] == ["0", "2", "2", "3"]
    assert first.closed and second.closed


def test_history_that_went_back_is_told() -> None:
    with pytest.raises(HistoryWentBack):
        numbers(ScriptedTransport(streams=[problem(409, "history_went_back")]))
    view = msgspec.structs.replace(SEEN, incarnation="another")
    with pytest.raises(HistoryWentBack):
        numbers(ScriptedTransport(streams=[ScriptedChannel([])]), view)
    with pytest.raises(HistoryWentBack):
        events_of(ScriptedTransport(streams=[problem(409, "history_went_back")]))


def events_of(transport: ScriptedTransport) -> list[Event]:
    return list(match_over(transport).play(SEEN))


def test_a_seat_acts_by_requests_and_goes_on_with_the_events_of_a_stream_that_is_cut() -> None:
    streams = [ScriptedChannel([line(6), line(7)]), ScriptedChannel([line(7), line(8)])]
    transport = ScriptedTransport([LOST, DONE], streams)
    play = match_over(transport).play(SEEN)
    assert [event.seq for event in taken_from(play, 1)] == [6]
    assert play.act(ACTION, key="k", if_match=SEEN).receipt.valid
    assert [event.seq for event in taken_from(play, 2)] == [7, 8]
    lost, sent = (r for r in transport.requests if r.method == "POST")
    assert lost == sent
    assert sent.headers["Idempotency-Key"] == "k"
    assert sent.headers["If-Match"] == '"seat:0.5"'
    streamed = [r.headers["Last-Event-ID"] for r in transport.requests if r.method == "GET"]
    assert streamed == ["5", "7"]


def taken_from(play: Play, count: int) -> list[Event]:
    events: list[Event] = []
    for event in play:
        events.append(event)
        if len(events) == count:
            break
    return events


def test_lines_are_whole() -> None:
    splitter = LineSplitter()
    chunks = [b'{"a"', b":1}\n\n", '{"b":"\u2028"}\n{'.encode()]
    assert [splitter.lines(chunk) for chunk in chunks] == [
        [], [b'{"a":1}'], ['{"b":"\u2028"}'.encode()],
    ]  # fmt: skip


@pytest.mark.parametrize("url", ["http://x", "http://x/", "http://x/v1", "http://x/v1/"])
def test_the_address_may_end_with_v1(url: str) -> None:
    assert address(url) == "http://x"
