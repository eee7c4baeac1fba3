"""A result is PASS only where it was judged: by the rules, or by the public events alone."""

import pytest
from msgspec.structs import replace

from domain.events import PUBLIC, Event, Record, numbered
from domain.game import Result
from domain.games import GAMES
from domain.match.events import MatchEnded
from domain.match.public_result import public_result
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.bundle import MatchLog
from service.cli.simulating.simulation import MATCH, SimulatedMatch
from tests.support.evidence.forged_bundles import rewritten, short_log
from tests.support.evidence.signed_bundles import bundled
from tests.support.tables.forged_records import with_consequences
from tests.support.web.two_verdicts import Given, agreed

MORE = 500
LUCK = 5

PARTLY: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, 1)
"""Audiences to whom something is sealed."""

OPEN = [name for name, game in GAMES.items() if game.public_result]


def claimed(bundle: bytes) -> tuple[str, object]:
    """What is said of the result, and which claim fails. The page judges no result."""
    first = agreed(Given("result", bundle))
    return dict(first["claims"]).get("result", "not judged"), first["finding"]


def exchanged(result: Result) -> Result:
    """Winners and losers exchanged, and everyone with more."""
    scores = tuple(score + MORE for score in result.scores)
    return replace(result, winners=result.losers, losers=result.winners, scores=scores)


def with_other_result(log: MatchLog) -> list[Record[Event]]:
    """The record with a result that did not come of it."""
    return [
        replace(one, event=MatchEnded(exchanged(one.event.result)))
        if isinstance(one.event, MatchEnded)
        else one
        for one in log.records
    ]


@pytest.mark.parametrize("audience", PARTLY)
@pytest.mark.parametrize("game", GAMES)
def test_a_result_is_judged_by_what_is_public_or_sealed(game: str, audience: Viewer) -> None:
    log = short_log(game)
    wanted = "PASS" if game in OPEN else "SEALED"
    assert claimed(bundled(log, audience)) == (wanted, None)


@pytest.mark.parametrize("audience", PARTLY)
@pytest.mark.parametrize("game", GAMES)
def test_another_result_never_passes(game: str, audience: Viewer) -> None:
    """Signed by the operator, in a bundle that does not open everything."""
    log = short_log(game)
    forged = rewritten(log, with_other_result(log), audience)
    wanted = ("FAIL", "result") if game in OPEN else ("SEALED", None)
    assert claimed(forged) == wanted


@pytest.mark.parametrize("game", GAMES)
def test_where_everything_is_opened_the_rules_judge_the_result(game: str) -> None:
    log = short_log(game)
    assert claimed(bundled(log, MODERATOR)) == ("PASS", None)
    assert claimed(rewritten(log, with_other_result(log), MODERATOR)) == ("not judged", "rules")


@pytest.mark.parametrize("game", OPEN)
def test_a_result_of_an_unfinished_match_fails(game: str) -> None:
    """The end alone is made up: the public events before it give no result."""
    log = short_log(game)
    ended = next(one for one in log.records if isinstance(one.event, MatchEnded))
    half = [one for one in log.records[: len(log.records) // 2] if one.at <= ended.at]
    ending = with_consequences(half, len(half), ended.event)
    forged = rewritten(log, ending, PUBLIC_VIEWER)
    status, finding = claimed(forged)
    assert (status, finding) == ("FAIL", "result")


@pytest.mark.parametrize("game", OPEN)
@pytest.mark.parametrize("luck", range(LUCK))
def test_the_public_events_alone_give_the_result(game: str, luck: int) -> None:
    """What a game with `public_result` promises, in every variant and at its smallest and largest
    table."""
    rules = GAMES[game]
    for options in rules.variants:
        for seats in {rules.seats[0], rules.seats[-1]}:
            table = SimulatedMatch(rules, seats, dict(options), f"{options} {luck}")
            table.play()
            public = [one for one in numbered(table.records) if one.event.audience == PUBLIC]
            assert public_result(MATCH, public) == table.match.result is not None


def test_an_event_of_another_game_fails_also_where_not_everything_is_opened() -> None:
    log, other = short_log("dollar-prize"), short_log("twelve-chips")
    foreign = next(
        one.event
        for one in other.records
        if one.event.audience == PUBLIC and type(one.event).__module__.endswith("chips.events")
    )
    end = next(n for n, one in enumerate(log.records) if isinstance(one.event, MatchEnded))
    changed = with_consequences(log.records, end, foreign)
    assert claimed(rewritten(log, changed, PUBLIC_VIEWER)) == ("not judged", "rules")
