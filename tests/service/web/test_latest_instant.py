"""Both verifiers read every instant up to the latest there is, and none beyond."""

from typing import Any

import pytest

from domain.encoding import encode
from domain.events import LATEST, Record
from domain.game import Result
from domain.match.events import ActionReceived, AwaitingChanged, MatchCreated, MatchEnded
from projections.audience.disclosure import MODERATOR
from tests.support.evidence.forged_bundles import of_bytes
from tests.support.web.two_verdicts import Given, by_first, by_second

CREATED = MatchCreated("together", 1, {}, 4, "manual", record="closed")
INSTANTS = [LATEST - 1, LATEST, LATEST + 1, LATEST + 2, 2**63 - 1, 2**64 - 1, -1]
WON = Result((0,), (1, 2, 3), False, (1, 0, 0, 0))


def public(at: int, event: Any, time: int | None = None) -> bytes:
    leaves = [(0, encode(Record(0, 0, CREATED))), (at, encode(Record(at, 0, event)))]
    return of_bytes(leaves, audience=MODERATOR)


def received(at: int) -> bytes:
    action = ActionReceived(0, {"type": "submit"}, recorded=at)
    created = encode(Record(0, 0, CREATED))
    return of_bytes([(0, created)], [encode(Record(1, 0, action))], MODERATOR)


PLACES = {
    "a record": lambda at: public(at, AwaitingChanged((0,))),
    "a deadline": lambda at: public(1, AwaitingChanged((0,), None, "round1", at)),
    "a window": lambda at: public(1, MatchEnded(WON, at)),
    "when it was recorded": received,
}


@pytest.mark.parametrize("place", PLACES)
def test_both_verifiers_read_instants_up_to_the_latest(place: str) -> None:
    every = [Given(f"{at}", PLACES[place](at)) for at in INSTANTS]
    unread = [at for at in INSTANTS if not 0 <= at <= LATEST]
    for verdicts in (list(map(by_first, every)), by_second(every)):
        cannot = [at for at, one in zip(INSTANTS, verdicts, strict=True) if _unread(one)]
        assert cannot == unread


def _unread(verdict: dict[str, Any]) -> bool:
    return bool(verdict["finding"] == "openings")
