"""Records that name another input than their own: found by the rules where everything is opened,
and where it is not, as far as what is opened shows it."""

import os
from collections.abc import Iterator
from functools import cache
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
from domain.proof.rejudging import rejudge
from domain.rulings.events import AGAIN
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from projections.evidence.bundle import MatchLog
from tests.projections.evidence.directed_match import EVE, KEYS, directed_log, directed_match
from tests.projections.evidence.undetected_changes import UNDETECTED, honest_log
from tests.support.evidence.forged_bundles import SHORT, found, rewritten
from tests.support.evidence.record_changes import changes_at
from tests.support.evidence.signed_bundles import bundled
from tests.support.tables.forged_records import arranged, with_consequences, with_input, without

REAPPLIED = "liars-dice.reapplied"
MATCHES = (*SHORT, REAPPLIED)
PARTLY: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0)
STEP = 1 if "ARBITER_EDITS" in os.environ else 15

Records = list[Record[Event]]

EVERY_MATCH = pytest.mark.parametrize("name", MATCHES)


def forged(log: MatchLog, index: int) -> Iterator[Records]:
    """The record with another number at an index."""
    for change in changes_at(log.records, index):
        if change.how == "cause":
            yield list(change.records)
    for back in {0, index, index + 1, 2**40} - {log.records[index].back}:
        yield with_back(log, index, back)


def with_back(log: MatchLog, index: int, back: int) -> Records:
    records = list(log.records)
    records[index] = replace(records[index], back=back)
    return records


# Where everything is opened.


@EVERY_MATCH
def test_another_number_is_found_by_the_rules(name: str) -> None:
    log = honest_log(name)
    for index in (0, *range(len(name) % STEP, len(log.records), STEP)):
        for records in forged(log, index):
            with pytest.raises(RecordDiffers) as differs:
                rejudge(log.subject.id, records)
            assert differs.value.index <= index + 1
        assert found(rewritten(log, records, MODERATOR)) in ("rules", "receipts")


def test_what_follows_from_an_input_that_is_given_again_follows_from_the_ruling() -> None:
    log = honest_log(REAPPLIED)
    given = [n for n, one in enumerate(log.records) if isinstance(one.event, AGAIN)]
    assert given
    for index in given:
        behind = index + 1
        assert log.records[behind].back == log.records[index].back + 1
        assert found(rewritten(log, with_back(log, behind, 1), MODERATOR)) == "rules"


DIRECTED = [n for n, one in enumerate(directed_log().records) if isinstance(one.event, Directed)]


@pytest.mark.parametrize("place", DIRECTED)
def test_who_directed_an_input_stands_nowhere_else(place: int) -> None:
    """Also not with the number that is right there."""
    log = directed_log()
    rest = [n for n in range(len(log.records)) if n != place]
    for after in {place + 1, DIRECTED[0], DIRECTED[-1]} - {place}:
        if after < len(log.records):
            cut = rest.index(after) + 1
            moved = arranged(log.records, [*rest[:cut], place, *rest[cut:]])
            moved[cut] = replace(moved[cut], at=moved[cut - 1].at)
            assert found(rewritten(log, moved)) == "receipts"
    assert found(rewritten(log, with_back(log, place, 0))) == "receipts"
    assert found(rewritten(log, with_back(log, place, 2))) == "receipts"


# Where only a part is opened.


@cache
def opened(name: str, viewer: Viewer) -> list[int]:
    """The indices of what a bundle opens to a viewer."""
    log = honest_log(name)
    viewer = PUBLIC_VIEWER if log.created.record == "closed" else viewer
    return [n for n, one in enumerate(log.records) if may_see(viewer, one.event)]


def betrayed(records: Records, seen: list[int]) -> bool:
    """Whether what is opened shows by itself that a number is wrong: between two opened events
    begins no later input than the one that the second names, and that one, where it is opened, is
    none or is of another instant."""
    for place, index in enumerate(seen):
        cause = index - records[index].back
        between = [n for n in seen[:place] if n > cause and records[n].back == 0]
        if cause < 0 or between:
            return True
        of = records[cause]
        if cause != index and cause in seen:
            if of.back:
                return True
            if of.at != records[index].at:
                return True
    return False


@pytest.mark.parametrize("viewer", PARTLY)
@EVERY_MATCH
def test_another_number_is_found_as_far_as_what_is_opened_shows_it(
    name: str, viewer: Viewer
) -> None:
    log, seen = honest_log(name), opened(name, viewer)
    assert not betrayed(log.records, seen)
    said = set()
    for index in seen[len(name) % STEP :: STEP]:
        for records in forged(log, index):
            verdict = found(rewritten(log, records, viewer))
            if betrayed(records, seen):
                assert verdict in ("rules", "chance", "receipts")
            said.add(verdict)
    assert "rules" in said and "" not in said, "what is not found is sealed"


@pytest.mark.parametrize("viewer", PARTLY)
@EVERY_MATCH
def test_a_number_beyond_an_opened_input_is_always_found(name: str, viewer: Viewer) -> None:
    log, seen = honest_log(name), opened(name, viewer)
    beyond = [n for n in seen if log.records[n].back and n - log.records[n].back in seen]
    for index in beyond[::STEP]:
        records = with_back(log, index, log.records[index].back + 1)
        assert found(rewritten(log, records, viewer)) in ("rules", "receipts")


# Who directed a match, and the keys on its record: what cannot be is found. `test_rejudging` tries
# every change of a record.

ISSUED = (SeatKeyIssued, ModeratorKeyIssued)
OF_KEYS = (*ISSUED, *ENDED)
DIRECTABLE = (MatchStarted, SealedDrawSettled, DrawRefused, PhaseClosed, *OF_KEYS)
RECORDS = directed_log().records


def test_the_match_has_every_kind_of_directed_input_and_passes() -> None:
    before = {type(one.event) for one, behind in pairwise(RECORDS) if is_directed(behind)}
    assert before == set(DIRECTABLE)
    assert len([one for one in RECORDS if isinstance(one.event, OF_KEYS)]) == len(KEYS)
    assert rejudge(directed_match().match.id, RECORDS).status == "ended"
    assert found(bundled(directed_log())) == UNDETECTED


def is_directed(record: Record[Event]) -> bool:
    return isinstance(record.event, Directed)


def differs(records: list[Record[Event]]) -> str:
    with pytest.raises(RecordDiffers) as differs:
        rejudge(directed_match().match.id, records)
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
