"""Behind every order stands whose it is: a bundle in which no one is named there fails in both
verifiers, though everything else is as it was, and signed."""

from functools import cache
from itertools import pairwise

import pytest

from domain.events import Event, stored_name
from domain.match.events import Directed
from domain.rulings.events import MatchRuled
from projections.audience.disclosure import PUBLIC_VIEWER
from tests.recorded.files import outcome, recorded, records
from tests.support.evidence.forged_bundles import rewritten
from tests.support.evidence.signed_bundles import bundled, log_of
from tests.support.tables.forged_records import without
from tests.support.web.two_verdicts import AUDIENCES, Given, on_evidence

ORDERS = (
    "match.started.1", "match.draw-settled.1", "match.sealed-draw-settled.1",
    "match.draw-refused.1", "match.phase-closed.1", "pause", "resume", "match.key-issued.1",
    "match.key-ended.1", "match.moderator-key-issued.1", "match.moderator-key-ended.1",
    "match.ruling-proposed.1", "match.ruling-withdrawn.1", "match.seat-ruled.1",
    "match.sealed-ruled.1",
)  # fmt: skip


def kind(event: Event) -> str:
    return event.kind if isinstance(event, MatchRuled) else stored_name(type(event))


@cache
def examples() -> dict[str, tuple[str, int]]:
    """Of each kind of order one on record: the match, and the index of who gave it."""
    found = dict[str, tuple[str, int]]()
    for name in recorded():
        for index, (order, behind) in enumerate(pairwise(records(name)), 1):
            if isinstance(behind.event, Directed):
                found.setdefault(kind(order.event), (name, index))
    return found


def test_there_is_an_example_of_every_order() -> None:
    assert set(ORDERS) <= set(examples())


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_of_nobody_fails(order: str) -> None:
    name, index = examples()[order]
    honest = log_of(records(name), outcome(name).match)
    forged = without(honest.records, index)
    found = [
        on_evidence(Given(f"{order} {audience}", rewritten(honest, forged, audience)))
        for audience in AUDIENCES
    ]
    assert found[-1]["finding"] == "receipts"


def test_it_fails_to_the_public_too_while_the_match_goes_on() -> None:
    """In a bundle in which the next leaf is public: no one can be named there."""
    name, index = examples()["match.started.1"]
    forged = log_of(without(records(name), index)[: index + 1], outcome(name).match)
    found = on_evidence(Given(name, bundled(forged, PUBLIC_VIEWER)))
    assert found["finding"] == "receipts"
