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
    start, end = command.absence.begun, command.absence.ended
    if not start < end == command.at:
        raise Refused("not_in_future")
    event = EndsMoved(start, end)
    return [] if after_absence(now.competition, event) == now.competition else [event]


def after_absence(before: Competition, event: EndsMoved) -> Competition:
    """The stages and the check-in after an absence: what had not ended when it began ends later by
    its length."""

    def move(end: Instant | None) -> Instant | None:
        if end is None or end <= event.begun:
            return end
        return later(end, event.ended - event.begun)

    stages = tuple(
        replace(stage, rounds=tuple(_moved_round(round_, move) for round_ in stage.rounds))
        for stage in before.stages
    )
    check_in = before.check_in
    if check_in is not None and not check_in.closed:
        check_in = replace(check_in, closes=move(check_in.closes) or 0)
    return replace(before, stages=stages, check_in=check_in)


def _moved_round(round_: PublishedRound, move: Move) -> PublishedRound:
    if round_.status != "published":
        return round_
    tables, show = (
        tuple(replace(table, ends=move(table.ends)) for table in round_.tables),
        round_.show,
    )
    if show is not None and show.opponent is None:
        show = replace(show, choice_until=move(show.choice_until))
    return replace(round_, ends=move(round_.ends), tables=tables, show=show)
