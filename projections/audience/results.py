"""Results as they are sent: where there is a protest window, with whether they are final."""

from msgspec import UNSET, Struct, UnsetType

from domain.game import Result
from domain.match.events import MatchEnded
from domain.match.state import Match


class ShownResult(Result, frozen=True):
    """How a match ended. `final` is there only in matches with a protest window: false while the
    result is provisional."""

    final: bool | UnsetType = UNSET


class CorrectedResult(Struct, frozen=True):
    """How a match counts in its tournament by a ruling there: with this `result`, or with null not
    at all."""

    result: Result | None


def show_result(result: Result | None, final: bool | UnsetType) -> ShownResult | None:
    """The result as it is sent, if there is one."""
    if result is None:
        return None
    return ShownResult(result.winners, result.losers, result.shared, result.scores, final)


def correct_result(own: ShownResult | None, result: Result | None) -> CorrectedResult | None:
    """How a match that ended with its `own` result counts by a correction; None if that is its own
    result."""
    same = show_result(result, UNSET if own is None else own.final) == own
    return None if same else CorrectedResult(result)


def final_at_end(event: MatchEnded) -> bool | UnsetType:
    """Whether a result is final right after the end of its match."""
    return UNSET if event.protests_until is UNSET else False


def result_of(match: Match) -> ShownResult | None:
    """The result of a match as it is now."""
    return show_result(match.result, UNSET if match.created.protest_hours is UNSET else match.over)
