"""A request under an `Idempotency-Key` whose first try has an unknown outcome can be repeated: what
was done is answered, what was not is done, and nothing is done twice."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from service.application.idempotency import IdempotencyStore, RequestAnswered
from service.application.matches.match_service import MatchService
from service.event_store.errors import StoreUnavailable
from tests.contract.requests.changing_requests import REQUESTS, Sent, request
from tests.contract.requests.test_idempotency_everywhere import followed, written
from tests.support.servers.live_server import Live, serving

OF_A_MATCH = ("startMatch", "enterDraw", "closePhase", "giveClientSeed")
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


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A service of our own: what it writes is counted."""
    with serving(tmp_path_factory.mktemp("doubt")) as server:
        yield server


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
