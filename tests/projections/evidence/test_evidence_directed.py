"""Who directed a match, and the keys on its record: what cannot be is found. `test_rejudging` tries
every change of a record."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from domain.events import Event, Record
from domain.match.events import (
    ActionReceived,
    Directed,
    DrawRefused,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
)
from domain.match.inputs import ORPHAN, UNDIRECTED
from domain.match.key_events import ENDED, ModeratorKeyIssued, SeatKeyIssued
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import judged
from tests.projections.evidence.directed_match import EVE, KEYS, directed_log, directed_match
from tests.projections.evidence.undetected_changes import UNDETECTED
from tests.support.evidence.forged_bundles import found, rewritten
from tests.support.evidence.signed_bundles import bundled
from tests.support.tables.forged_records import with_consequences, with_input, without

ISSUED = (SeatKeyIssued, ModeratorKeyIssued)
OF_KEYS = (*ISSUED, *ENDED)
DIRECTABLE = (MatchStarted, SealedDrawSettled, DrawRefused, PhaseClosed, *OF_KEYS)
RECORDS = directed_log().records


def test_the_match_has_every_kind_of_directed_input_and_passes() -> None:
    before = {type(one.event) for one, behind in pairwise(RECORDS) if is_directed(behind)}
    assert before == set(DIRECTABLE)
    assert len([one for one in RECORDS if isinstance(one.event, OF_KEYS)]) == len(KEYS)
    assert judged(directed_match().match.id, RECORDS).status == "ended"
    assert found(bundled(directed_log())) == UNDETECTED


def is_directed(record: Record[Event]) -> bool:
    return isinstance(record.event, Directed)


def differs(records: list[Record[Event]]) -> str:
    with pytest.raises(RecordDiffers) as differs:
        judged(directed_match().match.id, records)
    return differs.value.why


@pytest.mark.parametrize("kind", DIRECTABLE, ids=lambda kind: kind.__name__)
def test_an_order_of_nobody_is_found_by_the_rules_too(kind: type[Event]) -> None:
    index = next(i for i, one in enumerate(RECORDS) if isinstance(one.event, kind))
    by_nobody = without(RECORDS, index + 1)
    assert differs(by_nobody).endswith(UNDIRECTED)
    assert found(rewritten(directed_log(), by_nobody)) == "receipts"


@pytest.mark.parametrize("bare", [MatchPaused(), MatchResumed()], ids=["pause", "resume"])
def test_a_pause_that_nobody_ruled_is_found_by_the_rules(bare: Event) -> None:
    index = next(i for i, one in enumerate(RECORDS) if isinstance(one.event, ActionReceived))
    for behind in ((), (Directed(EVE.by, EVE.key_id),)):
        assert differs(with_input(RECORDS, index, bare, *behind)).endswith(ORPHAN)


def test_somebody_behind_a_players_action_is_found_by_the_rules() -> None:
    acted = next(i for i, one in enumerate(RECORDS) if isinstance(one.event, ActionReceived))
    named = with_consequences(RECORDS, acted + 1, Directed(EVE.by, EVE.key_id))
    assert differs(named).startswith("match.directed.1: the rules give ")


def test_a_key_is_on_record_once_and_not_after_the_end() -> None:
    index = next(i for i, one in enumerate(RECORDS) if isinstance(one.event, ISSUED))
    pair = [replace(one, at=RECORDS[-1].at) for one in RECORDS[index : index + 2]]
    assert differs([*RECORDS[: index + 2], *RECORDS[index : index + 2]]).endswith("key_on_record")
    assert differs([*RECORDS, *pair]).endswith("match_over")
