"""Recorded matches must replay for ever: they decode, fold and are judged again as they were."""

from typing import Any, ClassVar, get_args

import msgspec
import pytest

from domain.case_state import CaseStreamEvent
from domain.encoding import Upcaster, decode, encode
from domain.events import PUBLIC, Event, Record
from domain.games import GAMES, AnyEvent, rules_of
from domain.log_events import LogEvent
from domain.match_events import MatchEnded, MatchPaused, MatchStarted, PhaseClosed
from domain.ruling_events import MatchVoided
from domain.tournament_events import TournamentEvent
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


# Upcasters of old shapes.


def stored(at: int, name: str, **fields: Any) -> bytes:
    return msgspec.msgpack.encode([at, 0, {"type": name, **fields}])


def hushed(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A pause was once called a hush, with the remaining time in seconds."""
    return "match.paused.1", {"left": fields["seconds"] * 1_000_000}


def silenced(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Before that it was a silence, in minutes."""
    return "match.hushed.1", {"seconds": fields["minutes"] * 60}


UPCASTERS: dict[str, Upcaster] = {"match.hushed.1": hushed, "match.silenced.1": silenced}


def test_an_event_under_an_old_name_gets_its_new_name_and_shape() -> None:
    state = stored(5, "match.hushed.1", seconds=3)
    assert decode(state, UPCASTERS) == Record(5, 0, MatchPaused(3_000_000))


def test_an_upcaster_may_lead_to_another_old_name() -> None:
    state = stored(5, "match.silenced.1", minutes=2)
    assert decode(state, UPCASTERS) == Record(5, 0, MatchPaused(120_000_000))


def test_an_event_in_todays_shape_is_not_touched_by_upcasters() -> None:
    record: Record[Event] = Record(5, 0, PhaseClosed("bids"))
    assert decode(encode(record), UPCASTERS) == record


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(stored(5, "match.hushed.1", seconds=3))
    with pytest.raises(msgspec.ValidationError):
        decode(stored(5, "match.never-heard-of.1"), UPCASTERS)


def test_a_known_event_with_wrong_fields_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(stored(5, "match.phase-closed.1", phase=7), UPCASTERS)


def test_an_unknown_field_of_a_later_release_does_not_stop_this_one() -> None:
    assert decode(stored(5, "match.started.1", mood="good")) == Record(5, 0, MatchStarted())


class _Unregistered(Event, frozen=True, tag="match.unregistered.1"):
    audience: ClassVar = PUBLIC


def test_only_registered_events_can_be_read() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(encode(Record(5, 0, _Unregistered())))
