"""A match for everyone: what its list row says, and more. Made from what the public knows of it,
so nothing in it depends on what is hidden."""

from msgspec import Struct

from domain.match.state import Status
from domain.rulings.kinds import RulingPeople
from projections.audience.matches import FormerHolder, MatchRow
from projections.audience.results import CorrectedResult, ShownResult
from projections.audience.view import AudienceState
from projections.fields import ShownOptions, Timestamp


class ShownMatch(Struct, frozen=True):
    """A match as it is now. `title` is what its organiser calls it, or else that of its game, and
    `prize` what is played for; `options` are as they are played, with every default filled in.

    `seats` are the names of those who have the seats, `former_holders` those whom someone has
    replaced. `rulings` is how many people certain rulings need, `protest_hours` how long the
    result is provisional: 0 if it is final at once. `protests_until` is the instant at which that
    ends. `replaced_by` is the match that is played instead of a void one. An `open_table` has no
    organiser: it starts when all of its seats are ready. The result of a match that is `ruled` was
    given by a ruling, and not by the rules of the game. `corrected` is there if the match counts
    otherwise in its tournament, by a ruling there.
    """

    id: str
    game: str
    title: str
    prize: str | None
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
    open_table: bool
    ruled: bool
    corrected: CorrectedResult | None


def shown_match(match: str, state: AudienceState) -> ShownMatch:
    """The match, by what an audience knows after its first event or later."""
    created, course = state.created, state.course
    assert created is not None and course is not None, "every audience sees the creation"
    row = course.row
    row_fields = {name: getattr(row, name) for name in _LISTED}
    return ShownMatch(
        **row_fields,
        id=match,
        rules_version=created.rules_version,
        options=created.options,
        former_holders=course.former,
        protests_until=course.protests_until,
    )


_LISTED = {*ShownMatch.__struct_fields__} & {*MatchRow.__struct_fields__} - {"id"}
"""The fields that are those of its row."""
