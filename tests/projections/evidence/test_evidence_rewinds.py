"""Bundles of matches with rewinds (/docs/rulings#going-back). What is dropped, moved or altered in
their records `test_rejudging` tries."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games import GAMES
from domain.proof.rejudging import judged
from domain.rulings.commands import ConsentToRuling
from domain.rulings.events import MatchRewound
from domain.rulings.kinds import PauseMatch, ReplaceSeat, Rewind
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.recorded import files
from tests.support.evidence.signed_bundles import bundled, log_of
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH, seated
from tests.support.tables.rewound_matches import REWOUND
from tests.support.tables.ruling_tables import rule
from tests.support.web.two_verdicts import Given, agrees, by_first, by_second
from tests.support.web.verifier_script import Json

NAMES = [f"{game}.{kind}" for kind, (game, _) in REWOUND.items()]
"""The recorded matches that are rewound."""

Records = Sequence[Record[Event]]


def verdict_on(name: str, records: Records, audience: Viewer = MODERATOR) -> Json:
    """The verdict on a bundle of these records of a recorded match, signed again; on its evidence
    the page has the same."""
    given = Given(name, bundled(log_of(records, files.outcome(name).match), audience))
    assert agrees(given, *by_second([given]))
    return by_first(given)


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
@pytest.mark.parametrize("name", NAMES)
def test_a_bundle_with_several_rewinds_verifies(name: str, audience: Viewer) -> None:
    records = files.records(name)
    assert sum(isinstance(record.event, MatchRewound) for record in records) >= 2
    one = verdict_on(name, records, audience)
    assert one["finding"] is None
    assert dict(one["claims"])["result"] == "PASS"
    assert audience != MODERATOR or one["verdict"] == "PASS"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_opened_hides_no_rewind_that_cannot_be(name: str) -> None:
    """A reader of the public events sees that branches are counted."""
    records = [
        Record(one.at, one.back, replace(one.event, branch=9))
        if isinstance(one.event, MatchRewound)
        else one
        for one in files.records(name)
    ]
    assert verdict_on(name, records, PUBLIC_VIEWER)["finding"] in ("chance", "rules")


def test_a_ruling_behind_a_consent_begins_a_batch_of_its_own() -> None:
    table = seated(GAMES["dollar-prize"], chance="server").when(START)
    table.when(rule("replaced", ReplaceSeat(1, "Zoe"), ask_seats=True))
    table.when(ConsentToRuling("replaced", 0)).when(rule("paused", PauseMatch()))
    paused = len(table.records) - len(table.new) + 1
    table.when(rule("undone", Rewind(paused)))
    (rewound,) = (event for event in table.new_events if isinstance(event, MatchRewound))
    assert rewound.before == paused
    assert judged(MATCH, table.records).status == "paused"
