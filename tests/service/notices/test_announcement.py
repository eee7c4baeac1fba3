"""A round as a text to paste into a letter or a chat."""

from msgspec.structs import replace

from domain.game import Result
from domain.match.events import AwaitingChanged
from projections.audience.matches import MatchRow, ScheduledDeadline, ScheduledMatch
from projections.audience.results import CorrectedResult, ShownResult
from projections.fields import rfc3339
from service.notices.announcement import UNBOUND, AnnouncedRound, announcement
from tests.support.instants import NOON, SECOND

BASE = "https://play.example"
HOUR = 3_600 * SECOND
ROW = MatchRow(
    "m1", "dollar-prize", ("Ann", "Ben"), "running", "server", "rules", "opened_at_end", "t",
    rfc3339(NOON), rfc3339(NOON + SECOND // 2),
)  # fmt: skip
WON = ShownResult((0,), (1,), False, (100, 50))


def pairing(row: MatchRow, deadline: int | None = None) -> ScheduledMatch:
    awaiting = AwaitingChanged((0,), phase="bid", deadline=deadline)
    return ScheduledMatch(row, NOON, 1, None if deadline is None else ScheduledDeadline(awaiting))


def text(*pairings: ScheduledMatch, name: str = "Cup", without: tuple[str, ...] = ("Cy",)) -> str:
    return announcement(AnnouncedRound("t", name, 2, pairings, without), BASE)


def said(row: MatchRow, deadline: int | None = None) -> str:
    """What the text says of the match."""
    return text(pairing(row, deadline)).splitlines()[2].partition(": ")[2]


def test_it_names_who_plays_whom_when_and_where() -> None:
    created = replace(ROW, id="m2", seats=("Di", "Ed"), status="created", started=None)
    assert text(pairing(ROW, NOON + HOUR), pairing(created)) == (
        "Cup, round 2\n"
        "\n"
        "1. Ann against Ben (Dollar Prize): "
        "started 2026-01-01 12:00 UTC; deadline 2026-01-01 13:00 UTC\n"
        "   https://play.example/m/m1\n"
        "2. Di against Ed (Dollar Prize): has not started\n"
        "   https://play.example/m/m2\n"
        "\n"
        "Not in this round: Cy\n"
        "\n"
        "The tournament: https://play.example/t/t\n"
    )


def test_it_says_how_matches_ended() -> None:
    ended = replace(ROW, status="ended", ended=rfc3339(NOON + HOUR), result=WON)
    began = "started 2026-01-01 12:00 UTC; "
    assert said(ended) == f"{began}ended 2026-01-01 13:00 UTC; won by Ann"
    both = ShownResult((0, 1), (), True, (50, 50), False)
    shared = f"{began}ended 2026-01-01 13:00 UTC; shared by Ann and Ben (provisional)"
    assert said(replace(ended, result=both)) == shared
    assert said(replace(ROW, status="paused")) == "paused, started 2026-01-01 12:00 UTC"
    assert said(replace(ended, status="void", result=None)) == "void"
    assert said(replace(ROW, status="void", started=None)) == "void"
    lost = CorrectedResult(Result((1,), (0,), False, (0, 1)))
    corrected = "2026-01-01 13:00 UTC; won by Ben (by a ruling)"
    assert said(replace(ended, corrected=lost)) == f"{began}ended {corrected}"
    void = replace(ended, status="void", result=None, corrected=lost)
    assert said(void) == "void; won by Ben (by a ruling)"
    out = said(replace(ended, corrected=CorrectedResult(None)))
    assert out.endswith("UTC; does not count (by a ruling)")


def test_no_name_calls_everybody_in_a_chat() -> None:
    won = replace(ROW, seats=("@all", "Ben"), status="ended", result=WON, ended=ROW.started)
    announced = text(pairing(won), name="@here", without=("@channel",))
    assert announced.count("@") == announced.count(UNBOUND) == 4
