"""What a service has shown of its matches, to be compared with what it shows later."""

from collections.abc import Iterator
from typing import NamedTuple

import httpx

from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, named
from tests.support.faults.http_writers import Acknowledged, Ledger, Service, Table


class Question(NamedTuple):
    """A request that changes nothing: a read, or, with an action, the repeat of it."""

    match: str
    path: str
    key: str
    repeats: Acknowledged | None = None

    async def ask(self, service: Service) -> httpx.Response:
        """Sends it once."""
        if self.repeats is None:
            return await service.once("GET", self.path, self.key)
        headers = {"Idempotency-Key": self.repeats.key}
        return await service.once(
            "POST", self.path, self.key, json=self.repeats.action, headers=headers
        )


class Known(NamedTuple):
    """A question, and the body of the right answer."""

    question: Question
    body: bytes


def questions(ledger: Ledger) -> Iterator[Question]:
    """Views, events and receipts of every match for every audience, and its last action again."""
    last = {action.match: action for action in ledger.actions}
    for there in ledger.tables.values():
        path = f"/v1/matches/{there.id}"
        for viewer, key in _viewers(there):
            shown = named(viewer)
            yield Question(there.id, f"{path}/view?as={shown}", key)
            yield Question(there.id, f"{path}/events?as={shown}&limit=1000", key)
        yield Question(there.id, f"{path}/receipts?limit=1000", there.seat_keys[0])
        if (action := last.get(there.id)) is not None:
            yield Question(there.id, f"{path}/actions", there.seat_keys[action.seat], action)


def _viewers(there: Table) -> list[tuple[Viewer, str]]:
    return [
        (PUBLIC_VIEWER, there.seat_keys[0]),
        (MODERATOR, there.moderator_key),
        *enumerate(there.seat_keys),
    ]


async def known(service: Service, ledger: Ledger) -> list[Known]:
    """The right answers, from a service whose store works."""
    return [await _known(service, question) for question in questions(ledger)]


async def _known(service: Service, question: Question) -> Known:
    answer = await question.ask(service)
    assert answer.status_code in (200, 422), (question, answer.text)
    return Known(question, answer.content)
