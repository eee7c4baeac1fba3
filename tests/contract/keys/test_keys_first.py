"""401 before any 400: who has no valid key learns nothing of what a route takes."""

from collections.abc import Iterator

from tests.support.http.match_play import assert_problem
from tests.support.http.openapi_document import Operation, operations
from tests.support.servers.live_server import Json, Live, LiveMatch

BAD_QUERY = "nonsense=1&limit=x&after=-1&at=x&wait=7&as=x&as=y"
BAD_HEADERS = {"Idempotency-Key": "a b", "Last-Event-ID": "x"}
WORTHLESS = ("Bearer arb_s0_x", "Bearer arb_mod_x_y", "Bearer", "Basic eDp5", "nonsense")


def worthless(document: Json) -> Iterator[tuple[Operation, dict[str, str], str]]:
    """Each operation that reads a key, with no key that opens anything, and the code for that."""
    for operation in operations(document):
        if security := operation.said["security"]:
            for authorization in WORTHLESS:
                yield operation, {"Authorization": authorization}, "key_unknown"
            if {} not in security:
                yield operation, {}, "key_missing"


def path(operation: Operation, match: LiveMatch) -> str:
    """Its address, in which every id has the right form."""
    values = {
        one["name"]: 1 if one["schema"]["type"] == "integer" else match.id
        for one in operation.said.get("parameters", ())
        if one["in"] == "path"
    }
    return f"{operation.path.format(**values)}?{BAD_QUERY}"


def test_without_a_valid_key_it_is_401_whatever_else_is_wrong(
    live: Live, coins: LiveMatch, document: Json
) -> None:
    tried = list(worthless(document))
    assert len(tried) > 80
    for operation, key, code in tried:
        headers, method = key | BAD_HEADERS, operation.method.upper()
        answer = live.anyone.send(method, path(operation, coins), b"{", headers)
        assert_problem(answer, 401, code)
        assert answer.headers["www-authenticate"] == "Bearer"
        if method == "GET":
            head = live.anyone.send("HEAD", path(operation, coins), None, headers)
            assert head.status_code == 401


def test_a_ticket_that_was_never_issued_is_401_whatever_else_is_wrong(coins: LiveMatch) -> None:
    answer = coins.anyone.try_stream(ticket="x", after="x", as_="x", nonsense=1)
    assert_problem(answer, 401, "ticket_unknown")
