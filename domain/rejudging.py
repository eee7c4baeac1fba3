"""Judges a match again: the pinned rules decide every input once more and must give the events on
the record."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import msgspec

from domain.commands import Command, Conflict
from domain.deadlines import APART, UNSEEN
from domain.encoding import encode
from domain.events import Event, Record
from domain.game import Refused
from domain.games import rules_of
from domain.inputs import Given, NotGiven, actor_of, command_of
from domain.looking_back import past_of
from domain.match import decide
from domain.match_events import (
    DeadlinePassed,
    DeadlineSet,
    DrawSettled,
    MatchCreated,
    NameSalted,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeedCommitted,
    SeedRevealed,
)
from domain.match_state import AnyGame, Match, awaited_draw, create, lacks_seed
from domain.protests import window_end
from domain.replay import after_command
from domain.ruling_events import MatchConfirmed, RulingLapsed
from domain.rulings import Lapse, due_lapse
from domain.seats import check_names

SETTLED = (DrawSettled, SealedDrawSettled)
REVEALED = (SeedRevealed, SealedSeedRevealed)


class RecordDiffers(Exception):
    """The record differs from what its inputs give: where first, counted from 0, and why."""

    def __init__(self, index: int, why: str) -> None:
        super().__init__(f"event {index}: {why}")
        self.index = index
        self.why = why


def judged(match_id: str, records: Iterable[Record[Event]], game: AnyGame | None = None) -> Match:
    """The match that follows from the inputs among `records`, its whole record, by the rules to
    which it is pinned, or those of `game`.

    Raises RecordDiffers at the first record that does not follow, and KeyError for rules that are
    not here.
    """
    todo = _Todo(records)
    first = next(todo, None)
    if first is None or not isinstance(first.event, MatchCreated):
        raise RecordDiffers(0, "a record begins with match.created.1")
    game = game or rules_of(first.event)
    created = created_match(game, match_id, first.event)
    match, before, so_far, keys = created, first.at, [first], set[tuple[int, str]]()
    look_back = partial(past_of, game, created, so_far)
    for given in todo:
        index = len(so_far)
        _check_turn(game, match, given, before, index)
        _check_revealed(match, given.event, so_far)
        actor = actor_of(todo.ahead)
        where = Given(game, match, keys, actor, todo.second, look_back)
        command, events = _decided(where, given, index)
        rest = chain((given,), todo)
        for offset, event in enumerate(events):
            so_far.append(_compared(Record(given.at, event), next(rest, None), index + offset))
        match = after_command(game, match, command, events)
        # A ruling lapses at its instant also while the service is away.
        before = before if isinstance(given.event, RulingLapsed) else given.at
    _check_whole(game, match, len(so_far))
    return match


class _Todo(Iterator[Record[Event]]):
    """The records still to be judged; `ahead` is the next one, then comes `behind`."""

    def __init__(self, records: Iterable[Record[Event]]) -> None:
        self._records = iter(records)
        self.ahead = next(self._records, None)
        self.behind = next(self._records, None)

    def __next__(self) -> Record[Event]:
        given = self.ahead
        if given is None:
            raise StopIteration
        self.ahead, self.behind = self.behind, next(self._records, None)
        return given

    @property
    def second(self) -> Event | None:
        """The second event from here."""
        return None if self.behind is None else self.behind.event


def created_match(game: AnyGame, match_id: str, created: MatchCreated) -> Match:
    """The match as it was created. Raises RecordDiffers if its rules do not allow that."""
    try:
        options = msgspec.convert(created.options, game.Options)
        check_names(created.seats, game.seats)
        game.check(options, len(created.seats))
    except Refused as refused:
        raise RecordDiffers(0, f"the rules do not allow such a match: {refused.code}") from None
    except msgspec.ValidationError as error:
        raise RecordDiffers(0, f"options: {error}") from None
    if created.record not in game.records:
        raise RecordDiffers(0, "the rules do not allow this kind of record")
    return create(game, match_id, created, options)


def _check_turn(game: AnyGame, match: Match, given: Record[Event], before: int, index: int) -> None:
    """Raises RecordDiffers for an input that could not have come here, even if `decide` would
    accept it. `before` is the time of the record before it."""
    event, seats = given.event, len(match.created.seats)
    if not 0 <= getattr(event, "seat", 0) < seats:
        raise RecordDiffers(index, "there is no such seat")
    by_service = match.created.chance == "server"
    if (index == 1 and by_service) != (isinstance(event, SeedCommitted) and match.epoch is None):
        raise RecordDiffers(index, "a seed is committed to right after the creation")
    if _to_salt(match) and not isinstance(event, NameSalted):
        raise RecordDiffers(index, "every seat gets the salt of its name at once")
    if lacks_seed(match) and not isinstance(event, SeedCommitted):
        raise RecordDiffers(index, "a seed is committed to right behind a rewind")
    if by_service and awaited_draw(game, match) is not None and not isinstance(event, SETTLED):
        raise RecordDiffers(index, "the draw that is awaited is not settled at once")
    if not (isinstance(event, SETTLED) and by_service):
        _check_window(match, given, before, index)
        _check_lapse(match, given, index)
        _check_time(match.awaiting.deadline, given, before, index)


def _check_revealed(match: Match, event: Event, so_far: Sequence[Record[Event]]) -> None:
    """Raises RecordDiffers for a seed that is not the next: all are revealed, epoch by epoch."""
    if isinstance(event, REVEALED):
        revealed = sum(isinstance(record.event, REVEALED) for record in so_far)
        if match.epoch is None or not event.epoch == revealed <= match.epoch.committed.epoch:
            raise RecordDiffers(len(so_far), "it is not the seed that is revealed next")


def _check_window(match: Match, given: Record[Event], before: int, index: int) -> None:
    """Raises RecordDiffers for an input when the protest window should have ended, or if it ends
    at another time: at its instant, or when the last case is closed behind it."""
    end = window_end(match)
    if isinstance(given.event, MatchConfirmed):
        if end is not None and given.at != max(end, before):
            raise RecordDiffers(index, "the protest window did not end then")
    elif end is not None and given.at >= end:
        raise RecordDiffers(index, "the protest window had ended before")


def _check_lapse(match: Match, given: Record[Event], index: int) -> None:
    """Raises RecordDiffers for an input when a pending ruling should have lapsed, or for one that
    lapses at another time. A deadline may pass at the same instant, before or after, and before it
    a protest window may end."""
    lapse = due_lapse(match)
    if isinstance(given.event, RulingLapsed):
        if lapse is not None and Lapse(given.at, given.event.id) != lapse:
            raise RecordDiffers(index, "it is not the pending ruling that lapses then")
    elif lapse is not None and given.at >= lapse.at:
        if isinstance(given.event, DeadlinePassed | MatchConfirmed) and given.at == lapse.at:
            return
        raise RecordDiffers(index, "a pending ruling had lapsed before")


def _check_time(due: int | None, given: Record[Event], before: int, index: int) -> None:
    """Raises RecordDiffers for an input at another time than the deadline in force allows."""
    event = given.event
    if isinstance(event, RulingLapsed) and due == given.at:
        return
    if isinstance(event, DeadlineSet):
        if event.begun + UNSEEN + APART < before:
            raise RecordDiffers(index, "the service was not away: this match went on meanwhile")
    elif isinstance(event, DeadlinePassed):
        if due is not None and given.at != due:
            raise RecordDiffers(index, "the deadline that passed is not the one in force")
    elif due is not None and given.at >= due:
        raise RecordDiffers(index, "the deadline in force had passed before")


def _to_salt(match: Match) -> bool:
    """Whether a seat has not got the salt of its name yet."""
    epoch = match.epoch
    if epoch is None or epoch.committed.epoch:
        return False
    return epoch.salted < len(match.created.seats)


def _check_whole(game: AnyGame, match: Match, length: int) -> None:
    """Raises RecordDiffers if the events that are recorded together with the last one are
    missing."""
    epoch = match.epoch
    if _to_salt(match):
        raise RecordDiffers(
            length, "every seat should get the salt of its name, and nothing follows"
        )
    if lacks_seed(match):
        raise RecordDiffers(length, "a seed should be committed to, and nothing follows")
    if match.created.chance == "server" and awaited_draw(game, match) is not None:
        raise RecordDiffers(
            length, "the draw that is awaited should be settled, and nothing follows"
        )
    if match.over and epoch is not None and not epoch.revealed:
        raise RecordDiffers(length, "the seed should be revealed, and nothing follows")


def _decided(given: Given, record: Record[Event], index: int) -> tuple[Command, list[Event]]:
    try:
        command = command_of(record.event, given)
        return command, decide(given.game, given.match, command, record.at)
    except Conflict as conflict:
        raise RecordDiffers(
            index, f"the match was in no position for it: {conflict.code}"
        ) from None
    except msgspec.ValidationError as error:
        raise RecordDiffers(index, f"no action of this game: {error}") from None
    except (AssertionError, NotGiven):
        raise RecordDiffers(index, "it does not follow from what came before") from None


def _compared(given: Record[Event], recorded: Record[Event] | None, index: int) -> Record[Event]:
    """The recorded event, which is the one that the rules give. Raises RecordDiffers."""
    if recorded is None:
        raise RecordDiffers(index, f"{_name(given)} should follow, and nothing does")
    # Compared as stored: in memory a list may be a tuple, and 1 equals True.
    if encode(recorded) != encode(given):
        name, due = _name(recorded), _name(given)
        if name == due:
            raise RecordDiffers(index, f"{name} is recorded otherwise than the rules give it")
        raise RecordDiffers(index, f"{name} is recorded where the rules give {due}")
    return recorded


def _name(record: Record[Event]) -> str:
    return str(record.event.__struct_config__.tag)
