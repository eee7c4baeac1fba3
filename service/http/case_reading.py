"""Who takes part in a case, and what is shown to its readers."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from litestar.di import NamedDependency
from msgspec import Struct

from domain.case_state import Role, Speaker
from domain.commands import Conflict
from domain.people import Actor
from projections.audience_projection import AudienceProjection
from projections.cases import CaseReader
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from service.application.match_sessions import MatchSessions, UnknownPosition
from service.http.case_schemas import NewCase
from service.http.grants import found_grant
from service.http.guards import own_viewer
from service.http.parameters import MatchId
from service.http.problems import AnyRequest
from service.instance import Instance


class Participant(Struct, frozen=True):
    """Somebody who reads cases: those of the audience `lists`, with the numbers of events that the
    audience `counts` has. `role` is whom they speak for; None for those who only read."""

    lists: Viewer
    counts: Viewer
    role: Role | None

    @property
    def directs(self) -> bool:
        """Whether it is a moderator or an organiser, who reads all cases."""
        return self.lists == MODERATOR


async def participant(
    request: AnyRequest, instance: NamedDependency[Instance], match_id: MatchId
) -> Participant:
    """Who reads. Raises UnknownMatch."""
    grant, viewer = found_grant(request), await own_viewer(instance, request, match_id)
    if grant is not None and grant.role == "organiser":
        return Participant(MODERATOR, PUBLIC_VIEWER, "organiser")
    if viewer == MODERATOR:
        return Participant(MODERATOR, MODERATOR, "moderator")
    return Participant(viewer, viewer, "seat" if isinstance(viewer, int) else None)


async def speaker(
    participant: NamedDependency[Participant],
    actor: NamedDependency[Actor],
) -> Speaker:
    """Who speaks: a seat, a moderator or an organiser."""
    assert participant.role is not None, "the route's guard needs one of them"
    if isinstance(participant.lists, int):
        return Speaker("seat", participant.lists, None, actor.key_id)
    return Speaker(participant.role, None, actor.by, actor.key_id)


def id_of(case: str) -> UUID:
    """The id of a case as it stands in a path. Raises Conflict for what is no id."""
    try:
        return UUID(case)
    except ValueError:
        raise Conflict("no_such_case") from None


def numbered_for(participant: Participant, new: NewCase) -> Viewer:
    """The audience in whose numbers a new case names the event that it is about."""
    return participant.counts if new.about_public is None else PUBLIC_VIEWER


async def position_of(
    sessions: MatchSessions, match_id: UUID, counts: Viewer, new: NewCase
) -> int | None:
    """The position on the match's record of the event that a new case is about, in the numbers of
    the audience `counts`. Raises UnknownPosition."""
    number = new.about if new.about_public is None else new.about_public
    if number is None:
        return None
    _, projection = await sessions.projection(match_id, counts)
    if number > projection.seq:
        raise UnknownPosition
    return projection.positions[number - 1]


async def case_reader(
    sessions: MatchSessions, match_id: UUID, participant: Participant
) -> CaseReader:
    """What a participant is shown of cases."""
    _, projection = await sessions.projection(match_id, participant.counts)
    _, public = await sessions.projection(match_id, PUBLIC_VIEWER)
    rulings = (await sessions.current(match_id)).match.rulings

    def ruling_number(ruling: str) -> int | None:
        past = rulings.was(ruling)
        return None if past is None else past.n

    own, published = partial(number_of, projection), partial(number_of, public)
    return CaseReader(participant.directs, own, published, ruling_number)


def number_of(projection: AudienceProjection, position: int) -> int | None:
    """The audience's own number of the event at a position; None if it is not theirs."""
    positions: Sequence[int] = projection.positions
    place = bisect_left(positions, position)
    return place + 1 if place < len(positions) and positions[place] == position else None
