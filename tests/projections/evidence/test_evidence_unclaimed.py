"""Changes that an operator with every key can make to a match so that nothing in its bundle shows
them.

A saved checkpoint detects each of them, and `FORMAT.md` lists each among what is not claimed.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

import projections.evidence
from domain.chance.draws import Shuffle
from domain.events import Record
from domain.games import GAMES
from domain.match.commands import Command, GiveClientSeed
from domain.match.events import ActionReceived, ActionRefused, SeatNamed
from domain.match.fold import fold
from projections.evidence.archive import pack
from projections.evidence.bundle import MatchLog, spelt_opening
from projections.evidence.verify import verify
from service.application.matches.chance import commit_seed
from service.cli.simulating.simulation import MATCH, SimulatedMatch
from tests.projections.evidence.undetected_changes import NEITHER
from tests.support.evidence.forged_bundles import (
    SHORT,
    apart,
    found,
    resigned,
    rewritten,
    saved_checkpoint,
    saved_receipts,
    short_log,
)
from tests.support.evidence.record_changes import HOUR, Records, batches
from tests.support.evidence.signed_bundles import bundled, log_of, trusted
from tests.support.tables.directing import PAUSE, RESUME, START, enter_draw
from tests.support.tables.forged_records import instead, without
from tests.support.tables.match_table import seated

FORMAT = Path(projections.evidence.__path__[0], "FORMAT.md").read_text()
NOT_CLAIMED = " ".join(FORMAT.partition("## What is not claimed")[2].split())

# The sentences in it.
NO_RECEIPT = "with a receipt it cannot be dropped, without one it can"
TIMES = "That the times are right"
BY_HAND = "That a draw entered by hand is what lay on the table"
TWO_LOGS = "That two readers were shown one log, until they compare checkpoints"
SEALED = "That a sealed event is well-formed, as long as it is sealed"
ANEW = "the holder of both keys can rewrite a match"
COMMITTED = "if its commitment was seen before they were given"
MODERATORS = "what had been sent before to no holder of a saved receipt"
LEFT_OUT = "That a seat's bundle opens what came last to that seat"


class Table(SimulatedMatch):
    """A match of Dollar Prize, played at random from some point on."""

    def __init__(self, hidden: str = "21") -> None:
        _, options = SHORT["dollar-prize"]
        super().__init__(GAMES["dollar-prize"], 2, options, hidden)

    def after(self, *commands: Command) -> "Table":
        for command in commands:
            self.take(command, self.at)
        return self

    def ended(self, luck: str) -> MatchLog:
        """The log, once it has been played to its end."""
        self.rng = Random(luck)
        while self.match.status == "running":
            self.step()
        return log_of(self.records)


DICE = GiveClientSeed(0, "dice")


@cache
def honest() -> MatchLog:
    return Table().after(DICE, START).ended("as it was")


# Possible changes: the true record, and the one that is shown.

Forgery = Callable[[MatchLog], Records]


def last_inputs_dropped(log: MatchLog) -> Records:
    return log.records[: batches(log.records)[-3][0]]


def refused_action_dropped(log: MatchLog) -> Records:
    """With its refusal, as if it had never come."""
    at = next(n for n, one in enumerate(log.records) if isinstance(one.event, ActionRefused))
    return without(log.records, at - 1, at + 1)


def played_otherwise(log: MatchLog) -> Records:
    """From the same seeds, with other actions."""
    return Table().after(DICE, START).ended("as it was not").records


def played_from_another_seed(log: MatchLog) -> Records:
    """Chosen when its effect was known: the client's seed is the same."""
    return Table("22").after(DICE, START).ended("as it was not").records


def everything_later(log: MatchLog) -> Records:
    return [replace(one, at=one.at + HOUR) for one in log.records]


def created_with(log: MatchLog, **fields: object) -> Records:
    return instead(log.records, 0, replace(log.created, **fields))


def names_exchanged(log: MatchLog) -> Records:
    names = [one.event.name for one in log.records if isinstance(one.event, SeatNamed)]
    return [
        replace(one, event=replace(one.event, name=names.pop()))
        if isinstance(one.event, SeatNamed)
        else one
        for one in log.records
    ]


def names_committed_to_otherwise(log: MatchLog) -> Records:
    """To the hashes of other names, which no one can check without the salts."""
    table = Table()
    strangers = ("Nobody", "No one")
    commit = commit_seed(MATCH, table.created, strangers, table.match_secrets.seeds[0]).committed
    table.records[1] = replace(table.records[1], event=commit)
    table.match = fold(table.game, table.match, [commit])
    return table.after(DICE, START).ended("as it was").records


def another_tournament(log: MatchLog) -> Records:
    return created_with(log, tournament="another")


def action_under_another_key(log: MatchLog) -> Records:
    """Under another key: what the seat sent is the same."""
    at = next(n for n, one in enumerate(log.records) if isinstance(one.event, ActionReceived))
    changed = replace(log.records[at].event, key="another")
    return instead(log.records, at, changed)


def paused(log: MatchLog) -> Records:
    """And resumed at once."""
    table = Table().after(DICE, START, PAUSE, RESUME)
    return table.ended("as it was").records


def client_seed_dropped(log: MatchLog) -> Records:
    """With all draws derived from the others alone."""
    return Table().after(START).ended("as it was").records


FORGERIES: dict[str, tuple[Forgery, str, str]] = {
    "last inputs dropped": (last_inputs_dropped, NO_RECEIPT, NEITHER),
    "refused action dropped": (refused_action_dropped, NO_RECEIPT, ""),
    "client seed dropped": (client_seed_dropped, NO_RECEIPT, ""),
    "everything later": (everything_later, TIMES, ""),
    "played otherwise": (played_otherwise, ANEW, ""),
    "played from another seed": (played_from_another_seed, COMMITTED, ""),
    "another tournament": (another_tournament, ANEW, ""),
    "action under another key": (action_under_another_key, ANEW, ""),
    "paused": (paused, MODERATORS, ""),
}
"""The change, the sentence that covers it, and the verifier's verdict."""


@pytest.mark.parametrize("name", FORGERIES)
def test_nothing_in_the_bundle_shows_it_and_saved_notes_do(name: str) -> None:
    """Receipts bind all that their receivers had been told, and not only what was submitted."""
    forge, _, said = FORGERIES[name]
    log = honest()
    records = forge(log)
    assert records != log.records
    assert found(bundled(log)) == ""
    forged = rewritten(log, records)
    assert found(forged) == said
    assert found(forged, checkpoints=[saved_checkpoint(log)]) == "checkpoints"
    assert found(forged, receipts=saved_receipts(log)) == "receipts"


def test_a_receipt_shows_that_the_seed_was_chosen_and_an_early_checkpoint_does_not() -> None:
    """It names what the service had committed itself to before."""
    log = honest()
    receipt, *_ = saved_receipts(log)
    forged = rewritten(log, played_from_another_seed(log))
    assert found(forged, receipts=[receipt]) == "receipts"
    before = log_of(log.records[:2])
    assert found(bundled(log), checkpoints=[saved_checkpoint(before)]) == ""
    assert found(forged, checkpoints=[saved_checkpoint(before)]) == "checkpoints"


@pytest.mark.parametrize(
    "sentence",
    sorted(
        {said for _, said, _ in FORGERIES.values()}
        | {BY_HAND, TWO_LOGS, SEALED, LEFT_OUT, COMMITTED}
    ),
)
def test_it_is_not_claimed(sentence: str) -> None:
    assert sentence in NOT_CLAIMED


@pytest.mark.parametrize("forge", [names_exchanged, names_committed_to_otherwise])
def test_names_are_checked_by_the_salts_that_the_seats_received(forge: Forgery) -> None:
    assert found(rewritten(honest(), forge(honest()))) == "chance"


# What needs another match, or another bundle.


def dealt(*, backwards: bool) -> MatchLog:
    """A match of 12 Chips with its chips dealt by hand, in one order or the other."""
    table = seated(GAMES["twelve-chips"]).when(START)
    assert table.draw is not None
    orders = [part.items for part in table.draw.parts if isinstance(part, Shuffle)]
    outcome = tuple(order[::-1] if backwards else order for order in orders)
    return log_of(table.when(enter_draw(table.draw.id, outcome)).records, table.match.id)


def test_draws_entered_by_hand_may_have_been_others() -> None:
    """BY_HAND: with all that follows from them."""
    log, other = dealt(backwards=False), dealt(backwards=True)
    assert other.records != log.records
    assert found(bundled(log)) == found(bundled(other)) == "receipts sealed+result sealed"
    assert found(bundled(other), checkpoints=[saved_checkpoint(log)]) == "checkpoints"


def test_two_readers_may_have_been_shown_two_logs() -> None:
    """TWO_LOGS: each passes, and is no beginning of the other."""
    one = honest()
    another = log_of(played_otherwise(one))
    for log, other in ((one, another), (another, one)):
        assert found(bundled(log)) == ""
        assert found(bundled(log), checkpoints=[saved_checkpoint(other)]) == "checkpoints"


def test_a_sealed_event_may_be_anything() -> None:
    """SEALED: to the public a hidden event is a hash, which may be of no event at all."""
    log = short_log("twelve-chips")
    at = next(n for n, one in enumerate(log.records) if isinstance(one.event, ActionReceived))
    odd = Record(0, 0, ActionReceived(0, {"type": "no such action"}))
    records = [*log.records[:at], odd, *log.records[at + 1 :]]
    honest_bundle, forged = bundled(log, "public"), rewritten(log, records, "public")
    assert found(forged) == found(honest_bundle)
    assert found(rewritten(log, records)) == "openings"


def test_a_seats_bundle_may_omit_what_came_last() -> None:
    """LEFT_OUT: its last action, with its receipt. It counts as sealed, and sealed events honour a
    saved receipt."""
    parts, log = apart("twelve-chips", 0), short_log("twelve-chips")
    openings, receipts = (
        parts[name].splitlines(keepends=True) for name in ("openings", "receipts")
    )
    *_, last = log.inputs(0)
    action = spelt_opening(log.opening(last.index))
    rest = [one for one in openings if one != action]
    shorter = {"openings": b"".join(rest), "receipts": b"".join(receipts[:-1])}
    fewer = resigned({**parts, **shorter})
    whole, left = verify(pack(parts), trusted()), verify(fewer, trusted())
    assert whole.sealed is not None and left.sealed == whole.sealed + 1
    assert left.finding is None
    with_receipts = found(fewer, receipts=saved_receipts(log, 0))
    assert with_receipts.replace("receipts sealed+", "") == found(fewer)


def test_of_a_seats_openings_only_the_last_can_be_omitted() -> None:
    parts = apart("twelve-chips", 0)
    openings = parts["openings"].splitlines(keepends=True)
    for index in range(len(openings)):
        rest = b"".join([*openings[:index], *openings[index + 1 :]])
        assert found(resigned({**parts, "openings": rest})) == "receipts", index
