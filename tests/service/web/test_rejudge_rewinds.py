"""Matches with rewinds (RULINGS §4), judged again by the page as by the domain; what is dropped,
moved or altered is found by both, at the same event."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from domain.commands import Start
from domain.events import Event, Record, stored_name
from domain.games import GAMES
from domain.match_events import Directed, SeedCommitted, SeedRevealed
from domain.rewind_events import MatchRewound, RewindEvent
from domain.ruling_commands import ConsentToRuling
from domain.ruling_events import MatchRuled, RulingOrdered, SealedRuled, SeatRuled
from domain.ruling_kinds import PauseMatch, ReplaceSeat, Rewind
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.recorded import files
from tests.support.evidence.record_changes import Change, changes_at
from tests.support.evidence.signed_bundles import bundled, log_of
from tests.support.tables.match_table import MATCH, seated
from tests.support.tables.rewinding_tables import rewound_walk
from tests.support.tables.rewound_matches import REWOUND
from tests.support.tables.ruling_tables import rule
from tests.support.web.rejudged_records import by_domain, by_page
from tests.support.web.two_verdicts import Given, by_first, by_second
from tests.support.web.verifier_pages import with_rules

LUCK = range(5)
SAMPLE = 60
CONCERNED = (
    *(*get_args(RewindEvent), RulingOrdered, MatchRuled, SealedRuled, SeatRuled, Directed),
    *(SeedCommitted, SeedRevealed),
)
NAMES = [f"{game}.{kind}" for kind, (game, _) in REWOUND.items()]
"""The recorded matches that are rewound."""

Records = Sequence[Record[Event]]


@cache
def walked(game: str, luck: int) -> Records:
    """A match with rewinds, to its end."""
    *_, table = rewound_walk(game, GAMES[game].seats[0], luck)
    return table.records


@pytest.mark.parametrize("game", with_rules())
def test_matches_with_rewinds_are_judged_alike(game: str) -> None:
    matches = [walked(game, luck) for luck in LUCK]
    assert by_page(MATCH, matches) == [by_domain(MATCH, whole) for whole in matches]
    assert any(isinstance(record.event, MatchRewound) for whole in matches for record in whole)


@pytest.mark.parametrize("game", with_rules())
def test_every_beginning_of_one_is_judged_alike(game: str) -> None:
    whole = walked(game, 1)
    beginnings = [whole[:length] for length in range(1, len(whole), 5)]
    assert by_page(MATCH, beginnings) == [by_domain(MATCH, one) for one in beginnings]


@pytest.mark.parametrize("game", with_rules())
def test_a_change_of_a_rewind_is_detected_at_the_same_event(game: str) -> None:
    whole = walked(game, 0)
    places = [n for n, record in enumerate(whole) if isinstance(record.event, CONCERNED)]
    luck = Random(game)
    every = [change for n in luck.sample(places, 8) for change in changes_at(whole, n)]
    changed = luck.sample(every, min(SAMPLE, len(every)))
    found = by_page(MATCH, [one.records for one in changed])
    for change, place in zip(changed, found, strict=True):
        assert place == by_domain(MATCH, change.records), (change.name, change.index)


# Must-show 20: a bundle with rewinds verifies in both verifiers, and a change of one fails.


def verdicts(name: str, records: Records, audience: Viewer = MODERATOR) -> list[dict[str, Any]]:
    """What both verifiers say of a bundle of these records of a recorded match, signed again."""
    given = Given(name, bundled(log_of(records, files.outcome(name).match), audience))
    return [by_first(given), *by_second([given])]


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
@pytest.mark.parametrize("name", NAMES)
def test_a_bundle_with_several_rewinds_verifies(name: str, audience: Viewer) -> None:
    records = files.records(name)
    assert sum(isinstance(record.event, MatchRewound) for record in records) >= 2
    one, other = verdicts(name, records, audience)
    assert one == other and one["finding"] is None
    assert dict(one["claims"])["result"] == "PASS"
    assert audience != MODERATOR or one["verdict"] == "PASS"


KINDS = [
    "match.rewound.1", "match.rewind-ordered.1", "match.directed.1", "match.struck.1",
    "match.admitted.1", "match.reapplied.1", "match.seat-reapplied.1", "match.sealed-reapplied.1",
]  # fmt: skip


def of_a_rewind(name: str, kind: str) -> list[Change]:
    """The changes of the last event of a kind that stands in a rewind of a recorded match."""
    records = files.records(name)
    ends = [n for n, record in enumerate(records) if isinstance(record.event, RewindEvent)]
    found = [n for n in range(max(ends) + 1) if stored_name(type(records[n].event)) == kind]
    return list(changes_at(records, found[-1])) if found else []


HOW = ["dropped", "moved", "swapped", "doubled", "field"]
OWN_WORD = ("match.directed.1", "field")
"""Who directed it is the moderators' own word."""


@pytest.mark.parametrize(
    ("kind", "how"), [(kind, how) for kind in KINDS for how in HOW if (kind, how) != OWN_WORD]
)
def test_a_rewind_that_is_dropped_moved_or_altered_is_found_and_named_by_both(
    kind: str, how: str
) -> None:
    """All is signed again by the service: only the rules can find it."""
    made = {name: of_a_rewind(name, kind) for name in NAMES}
    name = next(name for name, changes in made.items() if changes)
    changed = [one for one in made[name] if one.how == how][:3]
    assert changed
    for change in changed:
        one, other = verdicts(name, change.records)
        assert one == other
        assert one["finding"] in ("openings", "receipts", "chance", "rules"), change.name


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_opened_hides_no_rewind_that_cannot_be(name: str) -> None:
    """A reader of the public events sees that branches are counted."""
    records = [
        Record(one.at, replace(one.event, branch=9)) if isinstance(one.event, MatchRewound) else one
        for one in files.records(name)
    ]
    one, other = verdicts(name, records, PUBLIC_VIEWER)
    assert one == other and one["finding"] in ("chance", "rules")


def test_a_seed_that_is_not_revealed_with_the_others_fails() -> None:
    name = "grouping-bw.rewound"
    records = files.records(name)
    for place, record in enumerate(records):
        if isinstance(record.event, SeedRevealed):
            some = [*records[:place], *records[place + 1 :]]
            one, other = verdicts(name, some, PUBLIC_VIEWER)
            assert one == other and one["finding"] == "chance"


def test_a_ruling_behind_a_consent_begins_a_batch_of_its_own() -> None:
    table = seated(GAMES["dollar-prize"], chance="server").when(Start())
    table.when(rule("replaced", ReplaceSeat(1, "Zoe"), ask_seats=True))
    table.when(ConsentToRuling("replaced", 0)).when(rule("paused", PauseMatch()))
    paused = len(table.records) - len(table.new) + 1
    table.when(rule("undone", Rewind(paused)))
    (rewound,) = (event for event in table.new_events if isinstance(event, MatchRewound))
    assert rewound.before == paused
    assert by_page(MATCH, [table.records]) == [by_domain(MATCH, table.records)]
