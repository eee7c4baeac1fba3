"""A record judged again: every single change of it is detected, or listed with what else detects
it.

Some are tried at random, with a fixed seed, most of them of the smallest matches. In `make
long` every change of the smallest is tried.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from domain.events import Event, Record, stored_name
from domain.games import GAMES
from domain.match.commands import Act
from domain.match.decide import decide
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    DeadlinePassed,
    DrawSettled,
    MatchCreated,
    SealedDrawSettled,
    SeedRevealed,
)
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import rejudge
from projections.evidence.bundle import MatchLog
from service.cli.simulating.simulation import MATCH, SimulatedMatch
from service.event_store.secret_store import MatchSecrets
from tests.projections.evidence.undetected_changes import (
    MATCHES,
    NOT_REVEALED,
    UNDETECTED,
    UNSEEN,
    honest_log,
    submitted,
)
from tests.support.effort import times
from tests.support.evidence.forged_bundles import (
    SHORT,
    found,
    rewritten,
    saved_checkpoint,
    saved_receipts,
    short_log,
)
from tests.support.evidence.record_changes import Change, batches, changes, sampled
from tests.support.evidence.signed_bundles import bundled
from tests.support.games import DRAWING
from tests.support.tables.forged_records import with_input
from tests.support.tables.match_table import replayed

CHANGES = times("changes of inputs")
EVERY = 1_000
"""Number of changes above which every change of the smallest matches is tried."""

SMALL = ("together", "grouping-bw")
DRAWN = (DrawSettled, SealedDrawSettled)

EVERY_MATCH = pytest.mark.parametrize("name", MATCHES)


def is_seen(log: MatchLog, records: Sequence[Record[Event]]) -> bool:
    """Whether judging it again shows that this is not what happened."""
    try:
        rejudge(log.subject.id, records)
    except RecordDiffers:
        return True
    except KeyError as unknown:
        # Only for unknown rules.
        (key,) = unknown.args
        created = records[0].event
        assert isinstance(created, MatchCreated)
        assert key == (created.game, created.rules_version)
        return True
    return False


def is_drawn(log: MatchLog) -> bool:
    """Whether anything was drawn in the match."""
    return any(isinstance(record.event, DRAWN) for record in log.records)


def goes_back(records: Sequence[Record[Event]]) -> bool:
    """Whether any event has an earlier time than the one before it."""
    return any(later.at < one.at for one, later in pairwise(records))


def tried(name: str) -> Iterator[Change]:
    """Changes of a match's record."""
    records = honest_log(name).records
    if name in SMALL and CHANGES > EVERY:
        return changes(records)
    return sampled(records, Random(name), CHANGES * (5 if name in SMALL else 1))


@EVERY_MATCH
def test_an_honest_record_is_what_its_inputs_give(name: str) -> None:
    log = honest_log(name)
    assert rejudge(log.subject.id, log.records).status in ("ended", "void")
    assert found(bundled(log)) == UNDETECTED


@EVERY_MATCH
def test_a_change_is_detected_or_listed_with_what_else_detects_it(name: str) -> None:
    log = honest_log(name)
    memory = {"checkpoints": [saved_checkpoint(log)]}
    saved = {"receipts": saved_receipts(log)}
    sent = submitted(log.records)
    for change in tried(name):
        if is_seen(log, change.records):
            continue
        bundle = rewritten(log, change.records)
        said = found(bundle)
        unseen = UNSEEN.get(change.name, set())
        if change.name == "field match.created.1 chance" and not is_drawn(log):
            unseen = {NOT_REVEALED}  # nothing shows who would have drawn
        assert said in unseen, (change.name, change.index, said)
        if goes_back(change.records):
            assert said == "openings", (change.name, change.index)
        if change.records[: len(log.records)] != log.records:
            assert found(bundle, **memory) == "checkpoints", (change.name, change.index)
        else:
            assert said == "chance", "what is put behind the end needs no memory"
        if not sent <= submitted(change.records):
            assert found(bundle, **saved) in ("openings", "receipts"), (change.name, change.index)


@pytest.mark.parametrize("name", SMALL)
def test_a_detected_change_fails_the_verifier(name: str) -> None:
    """By the claim of the rules, unless an earlier one has found it."""
    log = honest_log(name)
    for change in sampled(log.records, Random(name), 3 * CHANGES):
        if is_seen(log, change.records):
            claims = ("container", "openings", "receipts", "chance", "rules")
            assert found(rewritten(log, change.records)) in claims, (change.name, change.index)


NAMED = re.compile(
    r"event (?P<index>\d+)(, (?P<there>[a-z-]+\.[a-z-]+\.\d+))?: (?P<why>.+)", re.DOTALL
)


@pytest.mark.parametrize("name", MATCHES)
def test_what_differs_is_named(name: str) -> None:
    """The event that stands there, and what the rules give or wait for there; where nothing stands,
    what is missing."""
    log = honest_log(name)
    for change in sampled(log.records, Random(name), CHANGES):
        differs = difference(log, change)
        if differs is None:
            continue
        said = NAMED.fullmatch(str(differs))
        assert said is not None, differs
        standing = stored_name(type([*change.records, *log.records[-1:]][differs.index].event))
        assert said["there"] == standing or "and nothing" in said["why"], differs


def difference(log: MatchLog, change: Change) -> RecordDiffers | None:
    """What judging says of a change; None if it sees nothing, or does not know the rules."""
    try:
        rejudge(log.subject.id, change.records)
    except RecordDiffers as differs:
        return differs
    except KeyError:
        assert change.name.startswith("field match.created.1"), change.name
    return None


def test_every_change_listed_as_undetected_is() -> None:
    """Each kind of change that is listed happens in some match, and judging does not see it."""
    missing = set(UNSEEN)

    def is_missing(kind: str) -> bool:
        return any(kind in name.split() for name in missing)

    # The shorter a match, the sooner it is judged.
    for log in sorted(map(honest_log, MATCHES), key=lambda log: len(log.records)):
        for change in changes(log.records, is_missing):
            if change.name in missing and not is_seen(log, change.records):
                missing.remove(change.name)
    assert missing == set()


# Where a record may end.


@pytest.mark.parametrize("game", SHORT)
def test_a_record_truncated_between_inputs_is_one_of_a_running_match(game: str) -> None:
    records = short_log(game).records
    for start, _ in batches(records)[1:]:
        assert rejudge(MATCH, records[:start]).status in ("created", "running")


def breaks(log: MatchLog) -> set[type[Event]]:
    """The positions after an input's first consequence at which the record can be truncated
    undetected."""
    starts = {start for start, _ in batches(log.records)}
    inside = [index for index in range(1, len(log.records)) if index not in starts]
    return {
        type(log.records[index].event) for index in inside if not is_seen(log, log.records[:index])
    }


@pytest.mark.parametrize("game", SHORT)
def test_a_record_truncated_among_consequences_is_none(game: str) -> None:
    assert breaks(short_log(game)) == set()


# When something may come.


def test_a_draw_of_the_service_is_settled_before_any_later_command() -> None:
    """Also if that would be refused anyway: the service has drawn in the same instant."""
    log = short_log("dollar-prize")
    at = next(n for n, one in enumerate(log.records) if isinstance(one.event, DrawSettled))
    before, game = log.records[:at], GAMES["dollar-prize"]
    sent = {"type": "end_turn"}
    act = Act(0, msgspec.convert(sent, game.Action), sent)
    events = decide(game, replayed(game, before, MATCH), act, before[-1].at)
    assert [type(event) for event in events] == [ActionReceived, ActionRefused]
    assert is_seen(log, with_input(log.records, at, *events))


@pytest.mark.parametrize("game", SHORT)
def test_an_input_is_no_consequence_of_the_one_before(game: str) -> None:
    """Also where both came at the same instant, and the rules give the same."""
    log, tried = short_log(game), 0
    for (start, begun), (_, end) in pairwise(batches(log.records)):
        before, at = log.records[:begun], log.records[start].at
        same = [replace(one, at=at) for one in log.records[begun:end]]
        if not is_seen(log, [*before, *same]):
            joined = [replace(one, back=one.back + begun - start) for one in same]
            assert is_seen(log, [*before, *joined]), begun
            tried += 1
    assert tried


def test_a_deadline_passes_when_it_is_due_and_neither_sooner_nor_later() -> None:
    log = short_log("together", "27")
    records = log.records
    passed = [
        (start, end)
        for start, end in batches(records)
        if isinstance(records[start].event, DeadlinePassed)
    ]
    assert passed
    for start, end in passed:
        for step in (-1, 1):
            moved = [replace(one, at=one.at + step) for one in records[start:end]]
            assert is_seen(log, [*records[:start], *moved, *records[end:]])


# What is consistent in itself.


class Loaded(SimulatedMatch):
    """A match whose dealer draws from another seed than they have committed to, and at the end
    reveals it as the right one."""

    def __init__(self, game: str) -> None:
        luck, options = SHORT[game]
        super().__init__(GAMES[game], GAMES[game].seats[0], options, luck)
        (kept,) = self.match_secrets.seeds
        self.right = kept.seed
        self.match_secrets = MatchSecrets(b"", (replace(kept, seed=bytes(32)),))

    def revealed(self) -> list[Record[Event]]:
        """The record, with the right seed revealed."""
        *rest, last = self.records
        assert isinstance(last.event, SeedRevealed)
        return [*rest, replace(last, event=replace(last.event, seed=self.right))]


@pytest.mark.parametrize("game", DRAWING)
def test_consistent_draws_from_another_seed_are_left_to_the_claim_of_chance(game: str) -> None:
    log = short_log(game)
    if not is_drawn(log):
        pytest.skip("nothing was drawn in its short match")
    table = Loaded(game)
    table.play()
    assert not is_seen(log, table.revealed())
    assert found(rewritten(log, table.revealed())) == "chance"
