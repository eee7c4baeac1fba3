"""What ends later in a tournament because the service was away: no one is judged by a clock that
they could not reach (/docs/operate#when-the-service-was-away)."""

from collections.abc import Callable

from msgspec.structs import replace

from domain.events import Event, Instant, later
from domain.game import Refused
from domain.tournament.competition import Competition, PublishedRound
from domain.tournament.open_stages import StageFacts
from domain.tournament.stage_commands import MoveEnds
from domain.tournament.stage_events import EndsMoved

Move = Callable[[Instant | None], Instant | None]


def move_ends(now: StageFacts, command: MoveEnds) -> list[Event]:
    """The ends in force are moved by an absence that is over now; nothing if there are none."""
    begun, ended = command.absence.begun, command.absence.ended
    if not begun < ended == command.at:
        raise Refused("not_in_future")
    event = EndsMoved(begun, ended)
    return [] if after_absence(now.competition, event) == now.competition else [event]


def after_absence(before: Competition, event: EndsMoved) -> Competition:
    """The stages and the check-in after an absence: what had not ended when it began ends later by
    its length."""

    def moved(end: Instant | None) -> Instant | None:
        if end is None or end <= event.begun:
            return end
        return later(end, event.ended - event.begun)

    stages = tuple(
        replace(stage, rounds=tuple(_moved_round(one, moved) for one in stage.rounds))
        for stage in before.stages
    )
    check_in = before.check_in
    if check_in is not None and not check_in.closed:
        check_in = replace(check_in, closes=moved(check_in.closes) or 0)
    return replace(before, stages=stages, check_in=check_in)


def _moved_round(one: PublishedRound, moved: Move) -> PublishedRound:
    if one.status != "published":
        return one
    tables, show = tuple(replace(table, ends=moved(table.ends)) for table in one.tables), one.show
    if show is not None and show.opponent is None:
        show = replace(show, choice_until=moved(show.choice_until))
    return replace(one, ends=moved(one.ends), tables=tables, show=show)
