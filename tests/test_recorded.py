"""Recorded matches must replay forever: they decode, fold and are judged again as they were."""

from typing import get_args

import pytest

from domain.cases.state import CaseStreamEvent
from domain.encoding import decode, encode
from domain.games import GAMES, AnyEvent, rules_of
from domain.match.events import MatchEnded
from domain.proof.log_events import LogEvent
from domain.rulings.events import MatchVoided
from domain.tournament.events import TournamentEvent
from tests.recorded.files import created, outcome, recorded, records, states, views
from tests.support.tables.match_table import judged_again, replayed

EVERY_MATCH = pytest.mark.parametrize("name", recorded())


def test_every_game_is_recorded_in_both_chance_modes() -> None:
    played = {(created(name).game, created(name).chance) for name in recorded()}
    assert played >= {(game, chance) for game in GAMES for chance in ("server", "manual")}


def test_every_event_that_can_stand_in_a_record_is_recorded() -> None:
    kinds = {type(record.event) for name in recorded() for record in records(name)}
    of_matches = set(get_args(AnyEvent)) - {
        *get_args(TournamentEvent),
        *get_args(CaseStreamEvent),
        LogEvent,
    }
    assert {kind.__name__ for kind in of_matches - kinds} == set()


@EVERY_MATCH
def test_a_recorded_match_decodes_to_what_was_stored(name: str) -> None:
    for state in states(name):
        assert encode(decode(state)) == state


@EVERY_MATCH
def test_a_recorded_match_folds_to_what_each_audience_saw_at_its_end(name: str) -> None:
    kept = outcome(name)
    assert views(kept.match, records(name)) == kept.views


@EVERY_MATCH
def test_a_recorded_match_folds_to_its_result(name: str) -> None:
    played = records(name)
    match = replayed(rules_of(created(name)), played)
    *_, end = (r.event for r in played if isinstance(r.event, MatchEnded | MatchVoided))
    expected = ("ended", end.result) if isinstance(end, MatchEnded) else ("void", None)
    assert (match.status, match.result) == expected


@EVERY_MATCH
def test_a_recorded_match_is_judged_again_to_the_same_bytes(name: str) -> None:
    """From its inputs alone; where the service drew, from the seed too."""
    kept = outcome(name)
    again = judged_again(rules_of(created(name)), records(name), kept.hidden, kept.match)
    assert list(map(encode, again.records)) == states(name)
