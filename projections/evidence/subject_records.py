"""What a record says of the match or the tournament that it is of."""

from collections.abc import Iterable, Iterator, Sequence

from domain.events import PUBLIC, Event, Record, batches
from domain.match.events import MatchCreated, makes_over
from domain.proof.receipts import DIRECTOR, Receiver
from domain.tournament.events import MatchSettled, PlayerEntered
from domain.tournament.lots import GAME, RULES_VERSION
from domain.tournament.stage_events import TournamentClosed
from projections.audience.disclosure import MODERATOR, Viewer, may_see

Records = Iterable[Record[Event] | None]
"""The events of a record, in order; None in place of those that cannot be read."""


def rules_of_record(created: Event) -> tuple[str, int]:
    """The id and the version of the rules, by the first event."""
    if isinstance(created, MatchCreated):
        return created.game, created.rules_version
    return GAME, RULES_VERSION


def seats_of(created: Event, records: Records) -> int:
    """How many seats a match has, or players a tournament."""
    if isinstance(created, MatchCreated):
        return created.seats
    return sum(record is not None and isinstance(record.event, PlayerEntered) for record in records)


def receivers(created: Event, records: Records) -> tuple[Receiver, ...]:
    """All who may have receipts: those who direct a match, and its seats, or players."""
    seats = range(seats_of(created, records))
    return (DIRECTOR, *seats) if isinstance(created, MatchCreated) else tuple(seats)


def ends(event: Event) -> bool:
    """Whether an event makes a match over, or closes a tournament."""
    return makes_over(event) or isinstance(event, TournamentClosed)


def stays_closed(created: Event) -> bool:
    """Whether it is a match with a closed record: a seat must not be able to prove what it
    submitted."""
    return isinstance(created, MatchCreated) and created.record == "closed"


def opens(audience: Viewer, created: Event, event: Event) -> bool:
    """Whether a bundle for this audience opens a private event, by the first event of the record.
    Under a closed record no seat's bundle does."""
    if audience == MODERATOR:
        return True
    return not stays_closed(created) and may_see(audience, event)


def public_end(records: Sequence[Record[Event]]) -> int:
    """How many events there are up to the end of the last batch with a public one."""
    length = end = 0
    for batch in batches(records):
        length += len(batch)
        if any(record.event.audience == PUBLIC for record in batch):
            end = length
    return end


def settled_in(records: Records) -> Iterator[str]:
    """The matches that have been settled, in order."""
    for record in records:
        if record is not None and isinstance(record.event, MatchSettled):
            yield record.event.match
