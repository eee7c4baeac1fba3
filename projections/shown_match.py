"""A match for everybody: what its list row says, and more. Made from what the public knows of it,
so nothing in it depends on what is hidden."""

from msgspec import UNSET, Struct

from domain.games import rules_of
from domain.match_state import Status
from domain.ruling_kinds import RulingPeople
from projections.audience import AudienceState
from projections.course import FormerHolder
from projections.game_values import ShownOptions
from projections.results import ShownResult, shown
from projections.timestamps import Timestamp, rfc3339


class ShownMatch(Struct, frozen=True):
    """A match as it is now. `title` is that of its game, `options` are as they are played, with
    every default filled in.

    `seats` are the names of those who have the seats, `former_holders` those whom somebody has
    replaced. `rulings` is how many people certain rulings need, `protest_hours` how long the
    result is provisional: 0 if it is final at once. `protests_until` is the instant at which that
    ends. `replaced_by` is the match that is played instead of a void one.
    """

    id: str
    game: str
    title: str
    rules_version: int
    options: ShownOptions
    seats: tuple[str, ...]
    former_holders: tuple[FormerHolder, ...]
    status: Status
    chance: str
    clock: str
    record: str
    rulings: RulingPeople
    protest_hours: int
    tournament: str | None
    created: Timestamp
    started: Timestamp | None
    ended: Timestamp | None
    protests_until: Timestamp | None
    result: ShownResult | None
    replaced_by: str | None


def shown_match(match: str, known: AudienceState) -> ShownMatch:
    """The match, by what an audience knows after its first event or later."""
    created, course = known.created, known.course
    assert created is not None and course is not None, "every audience sees the creation"
    return ShownMatch(
        id=match,
        game=created.game,
        title=rules_of(created).title,
        rules_version=created.rules_version,
        options=created.options,
        seats=course.seats,
        former_holders=course.former,
        status=known.status,
        chance=created.chance,
        clock=created.clock,
        record=created.record,
        rulings="two" if created.rulings is UNSET else created.rulings,
        protest_hours=0 if created.protest_hours is UNSET else created.protest_hours,
        tournament=created.tournament,
        created=rfc3339(course.created),
        started=_instant(course.started),
        ended=_instant(course.ended),
        protests_until=_instant(course.protests_until),
        result=shown(known.result, known.final),
        replaced_by=course.replaced_by,
    )


def _instant(microseconds: int | None) -> str | None:
    return None if microseconds is None else rfc3339(microseconds)
