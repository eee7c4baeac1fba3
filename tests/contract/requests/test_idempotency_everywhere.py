"""An `Idempotency-Key` is taken by every request that changes something, and is its sender's; what
was done by a request whose answer was lost is answered, what was not is done, nothing twice."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.sqlite import SQLiteAggregateRecorder

from service.application.idempotency import IdempotencyStore, RequestAnswered
from service.application.matches.match_service import MatchService
from service.composition.leading import unsettled, unsigned
from service.event_store.errors import StoreUnavailable
from service.http.description.described import operation_id
from service.http.requests.request_form import options_of
from tests.contract.requests.changing_requests import (
    ANYONE,
    HOLDER,
    REQUESTS,
    Sent,
    operations,
    request,
)
from tests.support.http.openapi_document import check
from tests.support.http.routes import handlers
from tests.support.servers.live_server import Answer, Json, Live, serving
from tests.support.waiting import wait_until

SHOWN_ONCE = {"key", "moderator_key", "link", "qr", "secret"}
"""Fields with secrets that the service does not store: null in the answer to a repeat."""

ON_RECORD = {
    "act", "addStage", "enterPlayer", "appointModerator", "appointOrganiser", "postGarnets",
    "withdrawPlayer", "withdrawRound", "extendRound", "openCheckIn", "checkIn", "giveLotsSeed",
    "sayReady", "renamePlayer", "openRegistration",
}  # fmt: skip
"""Requests whose keys are on the record of the match or of the tournament."""

KEPT_BY_THE_SENDER = {name for name, row in REQUESTS.items() if row.by in (ANYONE, HOLDER)}
"""Requests whose secrets are shown again to the sender who repeats the idempotency key: such a
request gives them their first key, or a new key in place of one."""


def followed(live: Live, name: str, asked: Sent) -> None:
    """Returns when the service has done by itself what follows from a request."""
    if name in ("withdrawRound", "forfeitMatch"):
        wait_until(lambda: not unsettled(live.instance.index))
    if name == "chooseOpponent":
        shown = asked.path.removesuffix("/opponent")
        wait_until(lambda: _death_matches(live, shown) == ["running"])


def _death_matches(live: Live, path: str) -> list[str]:
    """The statuses of the death matches of a round."""
    matches = live.anyone.get(path).json()["show"]["death"]
    return [live.anyone.get(f"/v1/matches/{match}").json()["status"] for match in matches]


def without_what_followed(body: Any) -> Any:
    """The answer to a choice without the match that follows from it."""
    return {name: value for name, value in body.items() if name not in ("created", "show")}


def without_secrets(body: Any) -> Any:
    """What is shown of a body that is shown again."""
    if isinstance(body, list):
        return [without_secrets(one) for one in body]
    if not isinstance(body, dict):
        return body
    return {
        name: None if name in SHOWN_ONCE else without_secrets(value) for name, value in body.items()
    }


def shows_a_secret(body: Any) -> bool:
    return bool(without_secrets(body) != body)


def content(answer: Answer) -> Any:
    return answer.json() if answer.content else None


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A service of our own: what it writes is counted."""
    with serving(tmp_path_factory.mktemp("once")) as server:
        yield server


def written(live: Live) -> tuple[int, int, int]:
    """How much is on record, when the logs of all matches that are over are signed."""
    wait_until(lambda: not unsigned(live.instance.index))
    webhooks = live.instance.webhooks
    return live.instance.store.end(), len(webhooks.all()), len(webhooks.calendars.all())


def test_every_request_that_changes_something_is_tried() -> None:
    assert operations().keys() == REQUESTS.keys()
    for name, (_, _, operation) in operations().items():
        headers = {one["name"] for one in operation["parameters"] if one["in"] == "header"}
        assert "Idempotency-Key" in headers, name


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_done_once_under_a_key_of_its_sender(
    live: Live, document: Json, name: str
) -> None:
    asked = request(live, name)
    a_malformed_key_changes_nothing(live, asked)
    first = asked.send(live)
    assert first.status_code in (200, 201, 202, 204), first.text
    assert "idempotent-replayed" not in first.headers
    followed(live, name, asked)
    before = written(live)

    again = asked.send(live)

    for answer in (first, again):
        if shows_a_secret(content(answer)):
            assert answer.headers["cache-control"] == "no-store"
    check(document, name, again)
    assert again.status_code == (204 if first.status_code == 204 else 200), again.text
    assert again.headers["idempotent-replayed"] == "true"
    for header in ("etag", "location"):
        assert again.headers.get(header) == first.headers.get(header)
    shown = without_secrets if name not in KEPT_BY_THE_SENDER else lambda body: body
    if name == "chooseOpponent":
        shown = without_what_followed
        assert shown(content(again)) == shown(content(first))
    else:
        assert content(again) == shown(content(first))
    assert written(live) == before
    no_secret_is_stored(live, asked, content(first))
    if name not in ON_RECORD:
        another_request_under_the_key_is_refused(live, asked)
    if asked.other is not None:
        # The same of another person is a request of its own.
        other = asked.send(live, asked.other)
        assert "idempotent-replayed" not in other.headers
        assert other.status_code != 422 or other.json()["code"] != "idempotency_key_reused"


def a_malformed_key_changes_nothing(live: Live, asked: Sent) -> None:
    before = written(live)
    answer = asked._replace(key="two words").send(live)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_idempotency_key")
    assert written(live) == before


def another_request_under_the_key_is_refused(live: Live, asked: Sent) -> None:
    """Of senders with a key that is not for one match."""
    body = {"match": live.started("dollar-prize").id}
    elsewhere = asked.by.post("/v1/calendars", body, {"Idempotency-Key": asked.key})
    if elsewhere.status_code not in (401, 403, 404):
        assert elsewhere.json()["code"] == "idempotency_key_reused"


def no_secret_is_stored(live: Live, asked: Sent, shown: Any) -> None:
    recorder = live.instance.store.keyrings
    if not isinstance(recorder, SQLiteAggregateRecorder):
        return
    with recorder.datastore.transaction(commit=False) as c:
        c.execute(f"SELECT state FROM {recorder.events_table_name}")  # noqa: S608  the test's own
        stored = b"".join(row["state"] for row in c.fetchall())
    assert [secret for secret in secrets(shown) if secret.encode() in stored] == []
    assert asked.key.encode() not in stored


def secrets(body: Any) -> Iterator[str]:
    """What an answer shows once; of links, what stands after the address."""
    for one in body if isinstance(body, list) else ():
        yield from secrets(one)
    for name, value in body.items() if isinstance(body, dict) else ():
        if name in SHOWN_ONCE | {"ticket"} and isinstance(value, str):
            yield value.partition("#")[2] or value.partition("?token=")[2] or value
        else:
            yield from secrets(value)


# Requests whose first try has an unknown outcome.

OF_A_MATCH = [
    operation_id(handler)
    for _, handler in handlers("POST")
    if options_of(handler).looks_back and options_of(handler).remembered
]
"""Requests whose first try is looked for on the record of their match."""

SAYS_SO = {
    "withdrawRuling": "not_pending",
    "withdrawRulingOnTournament": "not_pending",
    "closeCase": "case_closed",
    "appealCase": "already_appealed",
    "closeTournamentCase": "case_closed",
    "appealTournamentCase": "already_appealed",
    "removeCalendar": "no_such_calendar",
    "removeWebhook": "no_such_webhook",
}
"""Requests whose repeat is refused, with the code of what was done: nothing of theirs has an id or
a receipt that would be lost."""


def done_and_forgotten(live: Live, asked: Sent) -> bytes:
    """Sends a request that is carried out, and whose answer is lost. Returns that, up to a view."""
    answers: list[bytes] = []

    def lost(_self: IdempotencyStore, _stream: UUID, answered: RequestAnswered) -> None:
        answers.append(answered.answer.body)
        raise StoreUnavailable

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IdempotencyStore, "_conclude", lost)
        asked.send(live)
    return b"".join(answers)


@pytest.mark.parametrize("name", REQUESTS)
def test_what_was_done_is_answered_and_not_done_again(live: Live, name: str) -> None:
    asked = request(live, name)
    done_and_forgotten(live, asked)
    followed(live, name, asked)
    before = written(live)

    again = asked.send(live)

    if name in SAYS_SO:
        assert again.json()["code"] == SAYS_SO[name]
    else:
        assert again.status_code in (200, 201, 202, 204), again.text
    assert written(live) == before
    assert asked.send(live).content == again.content


def not_done(asked: Sent, live: Live) -> None:
    """Sends a request that fails before it is carried out."""

    async def away(*_: object, **__: object) -> None:
        raise StoreUnavailable

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MatchService, "execute", away)
        assert asked.send(live).status_code == 503


@pytest.mark.parametrize("name", OF_A_MATCH)
def test_what_was_not_done_is_done_once(live: Live, name: str) -> None:
    asked = request(live, name)
    not_done(asked, live)
    assert asked.send(live).status_code == 201
    before = written(live)
    assert asked.send(live).headers["idempotent-replayed"] == "true"
    assert written(live) == before


def test_the_phase_that_was_open_is_ended_and_no_later_one(live: Live) -> None:
    asked = request(live, "closePhase")
    not_done(asked, live)
    other = asked.send(live, asked.other)
    assert other.status_code == 201
    before = written(live)
    again = asked.send(live)
    assert (again.status_code, again.json()["code"]) == (409, "nothing_to_close")
    assert written(live) == before


def test_an_order_of_before_is_not_taken_for_this_one(live: Live) -> None:
    asked = request(live, "closePhase")
    earlier = asked._replace(key="earlier")
    first = earlier.send(live).json()
    not_done(asked, live)
    again = asked.send(live)
    assert again.status_code == 201
    assert again.json()["receipt"]["seq"] > first["receipt"]["seq"]


@pytest.mark.parametrize("name", OF_A_MATCH)
def test_the_receipt_of_a_repeat_is_the_first_one(live: Live, name: str) -> None:
    asked = request(live, name)
    first = done_and_forgotten(live, asked)
    again = asked.send(live)
    assert first.startswith(b'{"receipt":{')
    assert again.content.startswith(first)
    assert again.headers["idempotent-replayed"] == "true"
