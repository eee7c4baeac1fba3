"""401 before any 400: who has no valid key learns nothing of what a route takes."""

from collections.abc import Iterator

from tests.support.http.match_play import assert_problem
from tests.support.http.openapi_document import Operation, operations
from tests.support.servers.live_server import Json, Live, LiveMatch

BAD_QUERY = "nonsense=1&limit=x&after=-1&at=x&wait=7&as=x&as=y"
BAD_HEADERS = {"Idempotency-Key": "a b", "Last-Event-ID": "x"}
WORTHLESS = ("Bearer arb_s0_x", "Bearer arb_mod_x_y", "Bearer", "Basic eDp5", "nonsense")


def with_keys(document: Json, *, needed: bool) -> Iterator[Operation]:
    """The operations that read a key; with `needed`, only those that no one uses without one."""
    for operation in operations(document):
        security = operation.said["security"]
        if security and not (needed and {} in security):
            yield operation


def path(operation: Operation, match: LiveMatch) -> str:
    values = dict.fromkeys(("{id}", "{match}", "{webhook}", "{calendar}"), match.id)
    numbers = ("stage", "number", "player", "moderator", "organiser", "seat")
    values |= {f"{{{one}}}": "1" for one in numbers}
    filled = operation.path
    for name, value in values.items():
        filled = filled.replace(name, value)
    return f"{filled}?{BAD_QUERY}"


def test_an_unknown_key_is_401_whatever_else_is_wrong(
    live: Live, coins: LiveMatch, document: Json
) -> None:
    tried = list(with_keys(document, needed=False))
    assert len(tried) > 15
    for operation in tried:
        for authorization in WORTHLESS:
            headers = {"Authorization": authorization, **BAD_HEADERS}
            method = operation.method.upper()
            answer = live.anyone.send(method, path(operation, coins), b"{", headers)
            assert_problem(answer, 401, "key_unknown")
            if method == "GET":
                head = live.anyone.send("HEAD", path(operation, coins), None, headers)
                assert head.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"


def test_no_key_is_401_where_one_is_needed_whatever_else_is_wrong(
    live: Live, coins: LiveMatch, document: Json
) -> None:
    tried = list(with_keys(document, needed=True))
    assert len(tried) > 10
    for operation in tried:
        method = operation.method.upper()
        answer = live.anyone.send(method, path(operation, coins), b"{", BAD_HEADERS)
        assert_problem(answer, 401, "key_missing")
        if method == "GET":
            head = live.anyone.send("HEAD", path(operation, coins), None, BAD_HEADERS)
            assert head.status_code == 401


def test_a_ticket_that_was_never_issued_is_401_whatever_else_is_wrong(coins: LiveMatch) -> None:
    answer = coins.anyone.try_stream(ticket="x", after="x", as_="x", nonsense=1)
    assert_problem(answer, 401, "ticket_unknown")
