"""Rulings, section 4: what is submitted or struck in secret in a sealed phase that is open again
changes nothing for others. Worlds that differ in nothing else look the same to them."""

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games import GAMES
from domain.games.grouping_bw.actions import NameStarter
from domain.games.grouping_bw.events import GroupingEnded
from domain.match.commands import PassDeadline
from domain.match.deadlines import HOUR, SECOND
from domain.match.events import ActionReceived, DeadlinePassed
from domain.rulings.commands import ConsentToRuling, SecondRuling
from domain.rulings.kinds import Change, Extend, Note, ResumeMatch, Rewind
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from tests.support.instants import NOON
from tests.support.tables.directing import START, close_phase, enter_draw
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, group, parts_for
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.own_events import own_events
from tests.support.tables.rewind_positions import last
from tests.support.tables.ruling_tables import FINN, rule
from tests.support.tables.together_tables import a

Secret = Callable[[MatchTable], object]
"""What happens in secret, about seat 0."""


def rewound(table: MatchTable, ruling: Rewind, at: int) -> None:
    """Eve rewinds, and Finn seconds it."""
    ruling_id = f"ruling {table.match.rulings.branch} at {at}"
    table.when(rule(ruling_id, ruling), at)
    if table.match.rulings.waiting(ruling_id) is not None:
        table.when(SecondRuling(ruling_id, FINN))


def strike(table: MatchTable) -> None:
    """The last action of seat 0 is struck without a rewind."""
    of = max(
        n for n, e in enumerate(table.events, 1) if isinstance(e, ActionReceived) and e.seat == 0
    )
    rewound(table, Rewind(None, (Change(strike=of),)), table.at)


def seen(viewer: Viewer, table: MatchTable) -> Sequence[Record[Event]]:
    """All that the audience is ever told, in its own numbers."""
    return [one.record for one in own_events(viewer, table.records)]


# A grouping of seats 0 and 1.


def grouping_world(before: Secret, after: Secret) -> MatchTable:
    """Both grouped, the match was rewound into the grouping, and they group again; `before` and
    `after` happen in secret before the grouping ends for the first and the second time."""
    table = seated(GAMES["grouping-bw"], clock="rules").when(START)
    table.accepted(1, NameStarter(0)).accepted(0, group(ASCENDING), NOON + 10 * SECOND)
    before(table)
    table.accepted(1, group(DESCENDING), NOON + 20 * SECOND)
    table.when(enter_draw("set1/pass1", parts_for(ASCENDING, DESCENDING)), NOON + 30 * SECOND)
    rewound(table, Rewind(last(table, GroupingEnded), (), "while_legal"), NOON + HOUR)
    table.when(rule("on", ResumeMatch()), NOON + 2 * HOUR)
    table.at += SECOND
    after(table)
    table.accepted(1, group(ASCENDING), NOON + 2 * HOUR + 2 * SECOND)
    table.when(PassDeadline(), table.due)
    table.when(enter_draw("b1/set1/pass1", parts_for(ASCENDING, ASCENDING)), table.at + SECOND)
    rewound(table, Rewind(last(table, DeadlinePassed)), table.at + SECOND)
    return table.when(rule("again", ResumeMatch()), table.at + SECOND)


def grouped_twice(table: MatchTable) -> None:
    table.accepted(0, group(DESCENDING)).accepted(0, group(ASCENDING))


def grouped_in_vain(table: MatchTable) -> None:
    table.act(0, group((0,) * 9))


def grouped_and_struck(table: MatchTable) -> None:
    table.accepted(0, group(DESCENDING))
    strike(table)


def noted(table: MatchTable) -> None:
    table.when(rule(f"note {len(table.events)}", Note("seat:0", "hurry", "warning")))


GROUPING_SECRETS: tuple[Secret, ...] = (grouped_twice, grouped_in_vain, grouped_and_struck, noted)


def nothing(table: MatchTable) -> None:
    """Nothing happens in secret."""


@pytest.mark.parametrize("secret", GROUPING_SECRETS, ids=lambda one: one.__name__)
def test_rule_4_a_reopened_grouping_shows_nobody_what_another_did(secret: Secret) -> None:
    plain = grouping_world(nothing, nothing)
    for world in (grouping_world(nothing, secret), grouping_world(secret, nothing)):
        assert len(world.records) > len(plain.records)
        assert seen(PUBLIC_VIEWER, world) == seen(PUBLIC_VIEWER, plain)
        assert seen(1, world) == seen(1, plain)
        assert seen(0, world) != seen(0, plain)
        assert world.due == plain.due


# A round of six players.


def round_world(secret: Secret, asked: bool) -> MatchTable:
    """A round of Together We Survive that is opened again by a rewind, which the seats may have
    been asked about."""
    game = GAMES["together"]
    created = seated(game, 6, clock="rules").match.created
    table = MatchTable(game, replace(created, record="closed")).when(START)
    table.accepted(0, a(0), NOON + SECOND).accepted(1, a(1))
    table.when(PassDeadline(), table.due)
    ruling = Rewind(last(table, DeadlinePassed))
    table.when(rule("back", ruling, ask_seats=asked), table.at + SECOND)
    if asked:
        for seat in table.seats:
            table.when(ConsentToRuling("back", seat))
    else:
        table.when(SecondRuling("back", FINN))
    table.when(rule("more", Extend(seconds=3600)))
    table.when(rule("on", ResumeMatch()), table.at + HOUR)
    secret(table)
    table.accepted(0, a(2), table.at + SECOND)
    return table.when(close_phase(), table.at + SECOND)


def submitted(table: MatchTable) -> None:
    table.accepted(0, a(1))


def submitted_late(table: MatchTable) -> None:
    table.act(0, a(1, at=9))


def submitted_and_struck(table: MatchTable) -> None:
    table.accepted(0, a(1))
    strike(table)


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize(
    "secret", [submitted, submitted_late, submitted_and_struck, noted], ids=lambda one: one.__name__
)
def test_rule_4_a_reopened_round_shows_nobody_what_another_did(secret: Secret, asked: bool) -> None:
    plain, world = round_world(nothing, asked), round_world(secret, asked)
    assert len(world.records) > len(plain.records)
    for viewer in (PUBLIC_VIEWER, 1, 2, 3, 4, 5):
        assert seen(viewer, world) == seen(viewer, plain)
