"""Provisional results in bundles, also where not everything is opened."""

from collections.abc import Callable, Sequence
from functools import cache

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.events import Event, Record, batch_starts
from domain.games import GAMES
from domain.games.liars_dice import Bid, BidPlaced, Challenge, RoundEnded
from domain.match.deadlines import HOUR
from domain.match.events import Chance, MatchCreated, MatchEnded
from domain.rulings.events import MatchConfirmed
from domain.rulings.kinds import Confirm
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.recorded.files import outcome, records
from tests.support.evidence.signed_bundles import bundled, log_of
from tests.support.tables.directing import START
from tests.support.tables.forged_records import arranged, instead, with_consequences
from tests.support.tables.forged_records import without as taken_out
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.rewind_positions import last, resume, rewind, rolled
from tests.support.tables.ruling_tables import rule
from tests.support.web.two_verdicts import Given, agreed

NAMES = ("dollar-prize.protested", "liars-dice.protested")
"""Confirmed by a ruling after the result had been replaced, and by the clock."""

DICE = GAMES["liars-dice"]

AUDIENCES: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, MODERATOR)
EVERY = pytest.mark.parametrize("name", NAMES)
AUDIENCE = pytest.mark.parametrize("audience", AUDIENCES)

Records = Sequence[Record[Event]]


@cache
def played(name: str) -> Records:
    return records(name)


def confirmed_at(name: str) -> int:
    """The place of the confirmation on the record."""
    places = [n for n, one in enumerate(played(name)) if isinstance(one.event, MatchConfirmed)]
    return places[0]


def claimed(name: str, whole: Records, audience: Viewer) -> tuple[dict[str, str], object]:
    """What is said of each claim, and which one fails; on the evidence by both verifiers. All is
    signed by the service."""
    given = Given(name, bundled(log_of(whole, outcome(name).match), audience))
    first = agreed(given)
    return dict(first["claims"]), first["finding"]


@EVERY
@AUDIENCE
def test_a_confirmed_result_passes(name: str, audience: Viewer) -> None:
    assert claimed(name, played(name), audience)[0]["result"] == "PASS"


@EVERY
@AUDIENCE
def test_a_provisional_result_is_sealed_and_nothing_is_wrong(name: str, audience: Viewer) -> None:
    *_, last = batch_starts(played(name))
    claims, finding = claimed(name, played(name)[:last], audience)
    assert (claims["result"], claims["chance"], finding) == ("SEALED", "SEALED", None)


def provisional(chance: Chance) -> MatchTable:
    """A match that has ended, of one die a seat, in which a result is provisional for a day."""
    created = seated(DICE, 2, DICE.Options(dice=1), chance).match.created
    table = MatchTable(DICE, replace(created, rulings="single", protest_hours=24)).when(START)
    if chance == "manual":
        rolled(table, (1,), (2,))
    return table.accepted(0, Bid(1, 6)).accepted(1, Challenge())


def ended_anew(table: MatchTable) -> MatchTable:
    """The same from the first bid on, with a bid that is too high; its result is confirmed."""
    resume(rewind(table, last(table, BidPlaced)))
    return table.accepted(0, Bid(2, 6)).accepted(1, Challenge()).when(rule("c", Confirm()))


def on(table: MatchTable, audience: Viewer) -> dict[str, str]:
    """What is said of each claim; on the evidence by both verifiers."""
    bundle = bundled(log_of(table.records, table.match.id), audience)
    return dict(agreed(Given("ended twice", bundle))["claims"])


@AUDIENCE
def test_a_result_behind_a_rewound_end_passes(audience: Viewer) -> None:
    """The first end, which gave another result, was provisional, and is undone."""
    table = provisional("manual")
    before = table.match.result
    assert before != ended_anew(table).match.result
    assert on(table, audience)["result"] == "PASS"


@AUDIENCE
def test_a_rewind_that_ends_the_match_itself_begins_no_epoch(audience: Viewer) -> None:
    """It judges the last input again; the next rewind begins the next epoch."""
    table = provisional("server")
    rewind(table, last(table, RoundEnded), reapply="while_legal")
    assert table.match.status == "ended"
    ended_anew(table)
    assert (table.match.epoch.committed.epoch, table.match.rulings.branch) == (1, 2)  # type: ignore[union-attr]
    assert on(table, audience)["chance"] == ("PASS" if audience == MODERATOR else "SEALED")


def without(name: str) -> Records:
    return taken_out(played(name), confirmed_at(name))


def early(name: str) -> Records:
    """Right after the first end, as if the window had ended then."""
    first = next(n for n, one in enumerate(played(name)) if isinstance(one.event, MatchEnded))
    at, rest = played(name)[first].at, played(name)[confirmed_at(name) :]
    assert rest[0].back == 0, "the clock confirms it"
    return [*played(name)[: first + 1], *(replace(one, at=at) for one in rest)]


def twice(name: str) -> Records:
    place = confirmed_at(name)
    return arranged(played(name), [*range(place + 1), *range(place, len(played(name)))])


def before_the_end(name: str) -> Records:
    place = next(n for n, one in enumerate(played(name)) if isinstance(one.event, MatchEnded))
    return with_consequences(played(name), place, MatchConfirmed())


def another_window(name: str) -> Records:
    """Every end names another instant."""
    return [
        replace(one, event=replace(one.event, protests_until=one.event.protests_until + HOUR))
        if isinstance(one.event, MatchEnded) and one.event.protests_until is not UNSET
        else one
        for one in played(name)
    ]


def other_hours(name: str) -> Records:
    created = played(name)[0].event
    assert isinstance(created, MatchCreated)
    return instead(played(name), 0, replace(created, protest_hours=47))


def no_window(name: str) -> Records:
    """The end as it would be final at once."""
    return [
        replace(one, event=MatchEnded(one.event.result))
        if isinstance(one.event, MatchEnded)
        else one
        for one in played(name)
    ]


CHANGES = (without, twice, before_the_end, another_window, other_hours, no_window)


@EVERY
@AUDIENCE
@pytest.mark.parametrize("changed", CHANGES)
def test_a_confirmation_or_a_window_that_was_changed_is_found(
    name: str, audience: Viewer, changed: Callable[[str], Records]
) -> None:
    _, finding = claimed(name, changed(name), audience)
    assert finding in (("chance", "rules") if audience == MODERATOR else ("chance", "result", None))
    if changed is not without:
        assert finding is not None


@AUDIENCE
def test_a_confirmation_before_the_window_has_ended_is_found(audience: Viewer) -> None:
    name = "liars-dice.protested"
    _, finding = claimed(name, early(name), audience)
    assert finding == ("rules" if audience == MODERATOR else "result")
