"""Judges a match again: the pinned rules decide every input once more and must give the events on
the record."""

from collections.abc import Iterable, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from domain.events import Event, Record, batches
from domain.events import batch as batched
from domain.game import Refused
from domain.games import rules_of
from domain.match.commands import Command, CommitSeed, Conflict, NameSeat, RevealSeed, SettleDraw
from domain.match.deadlines import APART, UNSEEN
from domain.match.decide import decide
from domain.match.events import (
    DeadlinePassed,
    DeadlineSet,
    DrawSettled,
    MatchCreated,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeatNamed,
    SeedCommitted,
    SeedRevealed,
)
from domain.match.inputs import Given, NotGiven, command_of, given_in
from domain.match.play import window_end
from domain.match.recorded import add_records
from domain.match.replay import after_command
from domain.match.seats import check_count
from domain.match.state import AnyGame, Match, awaited_draw, create, lacks_seed
from domain.names import readable
from domain.proof.commitments import BLIND_BYTES
from domain.proof.record_differences import RecordDiffers, coming, compare
from domain.proof.withholding import is_without_name
from domain.rulings.commands import LapseRuling
from domain.rulings.decide import DueCommand, due_lapse, new_holders
from domain.rulings.events import MatchConfirmed, RulingLapsed, RulingOrdered
from domain.rulings.looking_back import past_of

SETTLED = (DrawSettled, SealedDrawSettled)
REVEALED = (SeedRevealed, SealedSeedRevealed)

BY_SERVICE = (CommitSeed, NameSeat, SettleDraw, RevealSeed)
"""The commands that the service gives at once, so that their events are consequences of the input
before them."""

NO_CREATION = "a record begins with match.created.1"

Batch = Sequence[Record[Event]]
"""The records of an input and its consequences."""


def rejudge(match_id: str, records: Iterable[Record[Event]], game: AnyGame | None = None) -> Match:
    """The match that follows from the inputs among `records`, its whole record, by the rules to
    which it is pinned, or those of `game`.

    Raises RecordDiffers at the first record that does not follow, and KeyError for rules that are
    not here.
    """
    judge: _Judge | None = None
    start = 0
    for batch in batches(records):
        try:
            if judge is None:
                judge = _Judge(match_id, batch, game)
            else:
                judge.take(batch)
        except RecordDiffers as differs:
            raise differs.standing_in(batch, start) from None
        start += len(batch)
    if judge is None:
        raise RecordDiffers(0, NO_CREATION)
    _check_whole(judge.game, judge.match, len(judge.so_far))
    return judge.match


class _Judge:
    """A match that is judged batch by batch: its state, its record so far, and the keys of the
    seats' actions."""

    def __init__(self, match_id: str, first: Batch, game: AnyGame | None) -> None:
        """Judges the batch of the creation."""
        record = first[0]
        if record.back or not isinstance(record.event, MatchCreated):
            raise RecordDiffers(0, NO_CREATION)
        self.game = game or rules_of(record.event)
        self.created = created_match(self.game, match_id, record.event)
        self.match = replace(self.created, recorded=add_records(self.created.recorded, [record]))
        self.before = record.at
        self.so_far = [record]
        self.keys = set[tuple[int, str]]()
        self.look_back = partial(past_of, self.game, self.created, self.so_far)
        self._take(first, 1)

    def take(self, batch: Batch) -> None:
        """Judges the next input, and what the service added to its consequences."""
        self._take(batch, 0)

    def _take(self, batch: Batch, place: int) -> None:
        context = given_in(batch, self.game, self.match, self.keys, self.look_back)
        while place < len(batch):
            place += self._command(batch, place, replace(context, match=self.match))
        # A ruling lapses at its instant also while the service is away.
        if not isinstance(batch[0].event, RulingLapsed):
            self.before = batch[0].at

    def _command(self, batch: Batch, place: int, context: Given) -> int:
        """Judges a command whose first event has this place in its batch. Returns how many events
        it gave."""
        record, index = batch[place], len(self.so_far)
        _check_turn(self.game, self.match, record, self.before, index)
        _check_ordered_name(context.order, record.event, index)
        _check_revealed(self.match, record.event, self.so_far)
        command, events = _decide_again(context, record, index)
        if isinstance(command, BY_SERVICE) != (place > 0):
            raise RecordDiffers(index, "it does not say rightly of which input it is")
        due_records = batched(events, batch[0].at, place)
        for offset, due in enumerate(due_records):
            actual = batch[place + offset] if place + offset < len(batch) else None
            self.so_far.append(compare(due, actual, index + offset))
        after = after_command(self.game, self.match, command, events)
        self.match = replace(after, recorded=add_records(after.recorded, due_records))
        return len(due_records)


def created_match(game: AnyGame, match_id: str, created: MatchCreated) -> Match:
    """The match as it was created. Raises RecordDiffers if its rules do not allow that."""
    try:
        options = msgspec.convert(created.options, game.Options)
        check_count(created.seats, game.seats)
        game.check(options, created.seats)
    except Refused as refused:
        raise RecordDiffers(0, f"the rules do not allow such a match: {refused.code}") from None
    except msgspec.ValidationError as error:
        raise RecordDiffers(0, f"options: {error}") from None
    if created.record not in game.records:
        raise RecordDiffers(0, "the rules do not allow this kind of record")
    return create(game, match_id, created, options)


def _check_turn(
    game: AnyGame, match: Match, record: Record[Event], before: int, index: int
) -> None:
    """Raises RecordDiffers for an input that could not have come here, even if `decide` would
    accept it. `before` is the time of the record before it."""
    event, seats = record.event, match.created.seats
    if not 0 <= getattr(event, "seat", 0) < seats:
        raise RecordDiffers(index, "there is no such seat")
    by_service = match.created.chance == "server"
    if (index == 1 and by_service) != (isinstance(event, SeedCommitted) and match.epoch is None):
        raise RecordDiffers(index, "a seed is committed to right after the creation")
    _check_named(match, event, index)
    if lacks_seed(match) and not isinstance(event, SeedCommitted):
        raise RecordDiffers(index, "a seed is committed to right behind a rewind")
    if by_service and awaited_draw(game, match) is not None and not isinstance(event, SETTLED):
        raise RecordDiffers(index, "the draw that is awaited is not settled at once")
    if record.back == 0:
        _check_window(match, record, before, index)
        _check_lapse(match, record, index)
        _check_time(match.awaiting.deadline, record, before, index)


def _check_named(match: Match, event: Event, index: int) -> None:
    """Raises RecordDiffers unless every seat is named at once: when the match has been created and
    has committed itself to its seed, and when someone takes over the seat."""
    if isinstance(event, SeatNamed):
        if is_without_name(event):
            return
        others = {name for seat, name in match.names if seat != event.seat}
        if not readable(event.name) or event.name in others:
            raise RecordDiffers(index, "the name is not one that the seat can have")
        if len(event.blind) != BLIND_BYTES:
            raise RecordDiffers(index, f"a name is blinded by {BLIND_BYTES} bytes")
    elif match.unnamed and not (index == 1 and isinstance(event, SeedCommitted)):
        raise RecordDiffers(index, "every seat is named at once")


def _check_ordered_name(order: RulingOrdered | None, event: Event, index: int) -> None:
    """Raises RecordDiffers if a ruling gives the seat to another person than is named."""
    if order is not None and isinstance(event, SeatNamed) and [event.name] != new_holders([order]):
        raise RecordDiffers(index, "the ruling gives the seat to another name")


def _check_revealed(match: Match, event: Event, so_far: Sequence[Record[Event]]) -> None:
    """Raises RecordDiffers for a seed that is not the next: all are revealed, epoch by epoch."""
    if isinstance(event, REVEALED):
        count = sum(isinstance(record.event, REVEALED) for record in so_far)
        if match.epoch is None or not event.epoch == count <= match.epoch.committed.epoch:
            raise RecordDiffers(len(so_far), "it is not the seed that is revealed next")


def _check_window(match: Match, record: Record[Event], before: int, index: int) -> None:
    """Raises RecordDiffers for an input when the protest window should have ended, or if it ends
    at another time: at its instant, or when the last case is closed after it."""
    end = window_end(match)
    if isinstance(record.event, MatchConfirmed):
        if end is not None and record.at != max(end, before):
            raise RecordDiffers(index, "the protest window did not end then")
    elif end is not None and record.at >= end:
        raise RecordDiffers(index, "the protest window had ended before")


def _check_lapse(match: Match, record: Record[Event], index: int) -> None:
    """Raises RecordDiffers for an input when a pending ruling should have lapsed, or for one that
    lapses at another time. A deadline may pass at the same instant, before or after, and before it
    a protest window may end."""
    lapse = due_lapse(match)
    if isinstance(record.event, RulingLapsed):
        if lapse is not None and DueCommand(record.at, LapseRuling(record.event.id)) != lapse:
            raise RecordDiffers(index, "it is not the pending ruling that lapses then")
    elif lapse is not None and record.at >= lapse.at:
        if isinstance(record.event, DeadlinePassed | MatchConfirmed) and record.at == lapse.at:
            return
        raise RecordDiffers(index, "a pending ruling had lapsed before")


def _check_time(due: int | None, record: Record[Event], before: int, index: int) -> None:
    """Raises RecordDiffers for an input at another time than the deadline in force allows. A ruling
    lapses at its instant also in an absence that moves an overdue deadline afterwards."""
    event = record.event
    if isinstance(event, RulingLapsed):
        return
    if isinstance(event, DeadlineSet):
        if event.begun + UNSEEN + APART < before:
            raise RecordDiffers(index, "the service was not away: this match went on meanwhile")
    elif isinstance(event, DeadlinePassed):
        if due is not None and record.at != due:
            raise RecordDiffers(index, "the deadline that passed is not the one in force")
    elif due is not None and record.at >= due:
        raise RecordDiffers(index, "the deadline in force had passed before")


def _check_whole(game: AnyGame, match: Match, length: int) -> None:
    """Raises RecordDiffers if the events that are recorded together with the last one are
    missing."""
    epoch = match.epoch
    if match.unnamed:
        raise RecordDiffers(length, "every seat should be named, and nothing follows")
    if lacks_seed(match):
        raise RecordDiffers(length, "a seed should be committed to, and nothing follows")
    if match.created.chance == "server" and awaited_draw(game, match) is not None:
        raise RecordDiffers(
            length, "the draw that is awaited should be settled, and nothing follows"
        )
    if match.over and epoch is not None and not epoch.revealed:
        raise RecordDiffers(length, "the seed should be revealed, and nothing follows")


def _decide_again(context: Given, record: Record[Event], index: int) -> tuple[Command, list[Event]]:
    try:
        command = command_of(record.event, context)
        return command, decide(context.game, context.match, command, record.at)
    except Conflict as conflict:
        raise RecordDiffers(
            index, f"the match was in no position for it: {conflict.code}"
        ) from None
    except msgspec.ValidationError as error:
        raise RecordDiffers(index, f"no action of this game: {error}") from None
    except NotGiven as missing:
        raise RecordDiffers(index, str(missing)) from None
    except AssertionError:
        raise RecordDiffers(
            index, f"it does not fit where the match is: {coming(context)}"
        ) from None
