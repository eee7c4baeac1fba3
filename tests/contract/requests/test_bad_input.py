"""No input causes a 5xx: the answer is always a problem document, and only the record changes."""

import json
from typing import Any
from urllib.parse import quote_from_bytes

import httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.contract.requests.raw_http import request, send
from tests.support.effort import times
from tests.support.http.match_play import all_events, problem_of
from tests.support.servers.live_server import Client, Live, LiveMatch

fuzz = settings(
    max_examples=25 * times("fuzz"),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

texts = st.text(st.characters(codec="utf-8"), max_size=20)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**60, max_value=2**80)
    | st.floats(allow_nan=True)
    | texts
    | st.sampled_from(["play", "take", "choose_side", "heads", "twelve-chips", "type", "chip"])
)
names = texts | st.sampled_from(["type", "chip", "game", "seats", "options", "id", "outcome"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5)
)
near_actions = st.fixed_dictionaries(
    {"type": st.sampled_from(["play", "take"]) | scalars}, optional={"chip": scalars, "x": values}
)
near_matches = st.fixed_dictionaries(
    {"game": st.just("twelve-chips") | scalars, "seats": st.lists(scalars, max_size=5) | values},
    optional={
        "options": st.dictionaries(names | st.sampled_from(["deal", "tokens_to_win"]), values),
        "chance": scalars,
        "clock": scalars,
        "record": scalars,
        "tournament": scalars,
    },
)
near_draws = st.fixed_dictionaries({"id": scalars, "outcome": st.lists(values) | values})
bodies = (near_actions | near_matches | near_draws | values).map(
    lambda value: json.dumps(value).encode()
) | st.binary(max_size=60)

CURIOUS = {
    "deep lists": b"[" * 30_000,
    "deep and closed": b"[" * 20_000 + b"]" * 20_000,
    "deep objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "a deep chip": b'{"type":"play","chip":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    "a huge number": b'{"type":"play","chip":' + b"9" * 60_000 + b"}",
    "a huge exponent": b'{"type":"play","chip":1e999999}',
    "a fraction": b'{"type":"play","chip":4.0000000000000001}',
    "minus zero": b'{"type":"play","chip":-0}',
    "NaN": b'{"type":"play","chip":NaN}',
    "Infinity": b'{"type":"play","chip":-Infinity}',
    "a field twice": b'{"type":"play","chip":4,"chip":5,"type":"take"}',
    "a mark of byte order": b'\xef\xbb\xbf{"type":"play","chip":4}',
    "UTF-16": '{"type":"play","chip":4}'.encode("utf-16"),
    "broken UTF-8": b'{"type":"\xff\xfe","chip":4}',
    "half a surrogate": b'{"type":"\\ud800","chip":4}',
    "overlong UTF-8": b'{"type":"\xc0\xaf"}',
    "a null byte": b'{"type":"play","chip":4}\x00',
    "null in a text": b'{"type":"play\\u0000","chip":4}',
    "two values": b'{"type":"play","chip":4}{"type":"play","chip":4}',
    "a comment": b'{"type":"play","chip":4} // hm',
    "nothing": b"",
    "white space": b" \n\t ",
    "a form": b"type=play&chip=4",
    "XML": b"<play chip='4'/>",
    "many fields": json.dumps({f"f{n}": n for n in range(4_000)}).encode(),
    "a long list": b"[" + b"1," * 30_000 + b"1]",
}


@pytest.fixture(scope="module")
def dealt(live: Live) -> LiveMatch:
    """A match by hand in which seat 0 is to play, so that nothing seat 1 sends is accepted."""
    match = live.started("twelve-chips", chance="manual")
    match.moderator.draw("round1/deal", [[4, 5, 6, 7, 8, 9], [1, 2, 3, 10, 11, 12]])
    return match


def targets(live: Live, match: LiveMatch) -> list[tuple[Client, str]]:
    """Where bodies go, each sent by a key that is allowed to."""
    return [
        (match.seats[1].client, f"{match.anyone.path}/actions"),
        (match.moderator.client, f"{match.anyone.path}/draws"),
        (match.moderator.client, f"{match.anyone.path}/start"),
        (live.organiser, "/v1/matches"),
    ]


def assert_fine(answer: httpx.Response) -> None:
    """No 5xx, and every error a problem document."""
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        problem_of(answer)


@fuzz
@given(body=bodies)
def test_any_body_gets_its_code(live: Live, dealt: LiveMatch, body: bytes) -> None:
    before = dealt.anyone.view().content
    for client, path in targets(live, dealt):
        assert_fine(client.send("POST", path, body))
    assert dealt.anyone.view().content == before


@pytest.mark.parametrize("name", CURIOUS)
def test_unusual_json_gets_its_code(live: Live, dealt: LiveMatch, name: str) -> None:
    """As an action it leaves nothing on record, unless it is one."""
    before, recorded = dealt.anyone.view().content, dealt.moderator.view().content
    acting, *others = targets(live, dealt)
    answer = acting[0].send("POST", acting[1], CURIOUS[name])
    if name not in ("minus zero", "a field twice"):
        assert answer.status_code == 400
        assert dealt.moderator.view().content == recorded
    for found in (answer, *(one.send("POST", path, CURIOUS[name]) for one, path in others)):
        assert_fine(found)
        assert found.status_code >= 400
    assert dealt.anyone.view().content == before


@fuzz
@given(action=near_actions)
def test_only_a_refusal_leaves_a_record(dealt: LiveMatch, action: Any) -> None:
    before = len(all_events(dealt.moderator))
    answer = dealt.seats[1].act(action)
    assert answer.status_code in (400, 422)
    grown = len(all_events(dealt.moderator)) - before
    assert grown == (2 if answer.status_code == 422 else 0)


latin = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"))
HEADERS = [
    "Authorization", "If-Match", "If-None-Match", "Idempotency-Key", "Last-Event-ID", "Accept",
    "Accept-Encoding", "Content-Type", "Cookie", "Host", "Range", "X-Forwarded-For", "Origin",
]  # fmt: skip


@fuzz
@given(
    headers=st.lists(st.tuples(st.sampled_from(HEADERS), latin), min_size=1, max_size=4),
    path=st.sampled_from(["view", "actions", "events", "stream?after=999999"]),
)
@example(headers=[("If-Match", '"seat:1.' + "9" * 5_000 + '"')], path="actions")
@example(headers=[("If-None-Match", '"' + "a," * 5_000)], path="view")
@example(headers=[("Authorization", "Bearer " + "\xff" * 100)], path="view")
@example(headers=[("Authorization", "Bearer arb_s0_" + "\u00b2" * 32 + "_x")], path="view")
@example(headers=[("Authorization", "Bearer a"), ("Authorization", "Bearer b")], path="view")
def test_any_header_gets_its_code(
    live: Live, dealt: LiveMatch, headers: list[tuple[str, str]], path: str
) -> None:
    before = dealt.anyone.view().content
    own = () if "Authorization" in dict(headers) else (f"Authorization: Bearer {dealt.keys[1]}",)
    lines = (*own, *(f"{name}: {value}" for name, value in headers))
    sent = [request("GET", f"{dealt.anyone.path}/{path}", headers=lines)]
    if path == "actions":
        body = b'{"type":"play","chip":4}'
        sent.append(request("POST", f"{dealt.anyone.path}/{path}", body, lines))
    for one in sent:
        for reply in send(live, one, patience=1.0):
            assert reply.status < 500, reply
            assert reply.status < 400 or reply.is_problem or b"Invalid HTTP" in reply.body
    assert dealt.anyone.view().content == before


PARAMETERS = ["as", "at", "after", "limit", "game", "status", "tournament", "x"]


@fuzz
@given(
    query=st.lists(st.tuples(st.sampled_from(PARAMETERS), latin | texts | scalars), max_size=4),
    path=st.sampled_from(["/v1/matches", "view", "events", "stream"]),
)
@example(query=[("at", "1" * 5_000)], path="view")
@example(query=[("at", 1), ("at", 2)], path="view")
@example(query=[("as", "seat:" + "9" * 5_000)], path="view")
@example(query=[("as", "seat:²")], path="view")
@example(query=[("as", "seat:٣")], path="events")
@example(query=[("after", "0x10")], path="events")
@example(query=[("after", "1_0")], path="events")
@example(query=[("game", "'; DROP TABLE matches; --")], path="/v1/matches")
@example(query=[("game", "\x00")], path="/v1/matches")
@example(query=[("tournament", "x" * 50_000)], path="/v1/matches")
@example(query=[("after", "01900000-0000-7000-8000-000000000000")], path="/v1/matches")
@example(query=[("after", "ffffffff-ffff-ffff-ffff-ffffffffffff")], path="/v1/matches")
def test_any_query_gets_its_code(
    live: Live, dealt: LiveMatch, query: list[tuple[str, Any]], path: str
) -> None:
    where = path if path.startswith("/") else f"{dealt.anyone.path}/{path}"
    if path == "stream":
        query = [*query, ("after", "999999")]
    address = httpx.URL(live.url + where).copy_with(params=[(n, str(v)) for n, v in query])
    assert_fine(live.http.get(address))


@fuzz
@given(tail=st.binary(max_size=30), method=st.sampled_from(["GET", "POST", "DELETE"]))
@example(tail=b"\xff", method="GET")
@example(tail=b"../../../etc/passwd", method="GET")
@example(tail=b"{}", method="POST")
def test_any_path_gets_its_code(live: Live, tail: bytes, method: str) -> None:
    for start in ("/", "/v1/", "/v1/games/", "/v1/matches/", "/schema/assets/"):
        [reply] = send(live, request(method, start + quote_from_bytes(tail, safe="/")))
        assert reply.status < 500, reply
        assert reply.status < 400 or reply.is_problem, reply


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/xml", "multipart/form-data", "application/x-msgpack", "x", "",
     "multipart/form-data; boundary=x", "application/x-www-form-urlencoded",
     "application/json; charset=utf-16", "application/json; charset=nonsense"],
)  # fmt: skip
def test_any_content_type_gets_its_code(live: Live, dealt: LiveMatch, content_type: str) -> None:
    for client, path in targets(live, dealt)[:2]:
        for body in (b'{"type":"play","chip":4}', b"x=1", b"\x81\xa4type\xa4play"):
            assert_fine(client.send("POST", path, body, {"Content-Type": content_type}))


@pytest.mark.parametrize(
    "name",
    ["\\ud800", "\\u0000", "\\u202e", "\\ud83d\\ude00", "a" * 10_000, "\\n", " ", "\\ufffe",
     "%s%n", "<script>", "${x}", "../..", "e\\u0301"],
    ids=lambda name: name[:12],
)  # fmt: skip
def test_an_unusual_name_is_accepted_whole_or_refused(live: Live, name: str) -> None:
    body = b'{"game":"dollar-prize","seats":["Ann","%s"]}' % name.encode()
    answer = live.organiser.send("POST", "/v1/matches", body)
    assert_fine(answer)
    assert live.anyone.get("/v1/matches").status_code == 200
    if answer.status_code == 201:
        made = live.anyone.get(f"/v1/matches/{answer.json()['id']}/events").json()
        assert made["events"][3]["data"]["name"] == json.loads(f'"{name}"')
