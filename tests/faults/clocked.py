"""Matches in which nobody acts, so that nothing but deadlines passes: one a second."""

from collections.abc import Sequence

from domain.events import Event, Record
from domain.match_events import DeadlinePassed
from tests.clock import SECOND
from tests.faults.writers import SEATS, Service
from tests.live import ORGANISER_KEY

TURN = 1

NEW = {
    "game": "dollar-prize",
    "seats": SEATS["dollar-prize"],
    "options": {"turn_seconds": TURN},
    "clock": "rules",
}


async def clocked(service: Service) -> str:
    """A running match in which a turn takes a second."""
    answer = await service.ask("POST", "/v1/matches", ORGANISER_KEY, json=NEW)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    begun = await service.ask("POST", f"/v1/matches/{made['id']}/start", made["moderator_key"])
    assert begun.status_code == 201 or begun.json()["code"] == "already_started"
    return str(made["id"])


def passed(records: Sequence[Record[Event]]) -> list[int]:
    """The instants of the deadlines that have passed."""
    return [record.at for record in records if isinstance(record.event, DeadlinePassed)]


def check_passed(records: Sequence[Record[Event]]) -> None:
    """Every deadline has passed once, at its own instant, however late that was noticed."""
    instants = passed(records)
    assert instants, "none has passed"
    first = instants[0]
    assert instants == [first + turn * TURN * SECOND for turn in range(len(instants))]
