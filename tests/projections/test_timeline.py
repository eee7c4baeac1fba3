"""The time line: every event with its actor, times, cause, rule and readers, and what each audience
could know of it at any time."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.commands import REUSED_KEY, Act, GiveClientSeed, Pause, Start
from domain.draws import Outcome
from domain.events import Event, Record
from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide, Place
from domain.games.dollar_prize.rules import CODES
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    DrawAsked,
    DrawRefused,
    DrawSettled,
    MatchCreated,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
    SubmissionInvalid,
)
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.timeline import Entry, Numbered, known, timeline
from projections.wording import SEATED
from tests.evidence import played
from tests.machines import as_sent
from tests.match_table import MATCH, NOON, SECOND, MatchTable, seated, secrets_of, steps
from tests.recorded.files import outcome, recorded, records

NAMES = recorded()
DRAWN = ("dollar-prize", "twelve-chips", "grouping-bw")
"""Games of which something was drawn in the match recorded with a seed."""

TURNED_DOWN = (ActionRefused, SubmissionInvalid, DrawRefused)


def entries_of(match: str, played: Sequence[Record[Event]]) -> list[Entry]:
    return timeline(match, enumerate(played, 1))


@cache
def whole(name: str) -> list[Entry]:
    """The time line of a recorded match."""
    return entries_of(outcome(name).match, records(name))


def audiences(played: Sequence[Record[Event]]) -> list[Viewer]:
    created = played[0].event
    assert isinstance(created, MatchCreated)
    return [PUBLIC_VIEWER, MODERATOR, *range(len(created.seats))]


def told(viewer: Viewer, event: Event) -> bool:
    """Who may see what, said once more."""
    if viewer == "moderator":
        return True
    return event.audience == "public" or (
        event.audience == "own seat" and getattr(event, "seat") == viewer  # noqa: B009
    )


def filtered(viewer: Viewer, played: Sequence[Record[Event]]) -> list[Numbered]:
    """What a viewer is told, in its own count, by going through everything."""
    own = [record for record in played if told(viewer, record.event)]
    return list(enumerate(own, 1))


def shown(entries: Sequence[Entry]) -> list[Numbered]:
    return [(entry.number, entry.record) for entry in entries]


# What anybody could know, and when.


@pytest.mark.parametrize("name", NAMES)
def test_everybody_knows_what_a_filter_of_the_events_lets_through(name: str) -> None:
    match, played = outcome(name).match, records(name)
    for viewer in audiences(played):
        assert shown(known(match, whole(name), viewer)) == filtered(viewer, played)


@pytest.mark.parametrize("name", NAMES)
def test_a_moderator_knows_the_whole_time_line(name: str) -> None:
    assert known(outcome(name).match, whole(name), MODERATOR) == whole(name)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_was_known_at_an_event_is_the_filter_of_the_events_up_to_it(
    data: st.DataObject,
) -> None:
    name = data.draw(st.sampled_from(NAMES))
    played = records(name)
    upto = data.draw(st.integers(1, len(played)))
    viewer = data.draw(st.sampled_from(audiences(played)))
    match = outcome(name).match
    at_that_time = known(match, whole(name)[:upto], viewer)
    assert shown(at_that_time) == filtered(viewer, played[:upto])
    assert at_that_time == timeline(match, filtered(viewer, played[:upto]))


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(sorted(GAMES)), st.integers(0, 10_000))
def test_matches_by_luck_are_known_as_a_filter_lets_them_through(game: str, seed: int) -> None:
    table = played(game, str(seed))
    entries = entries_of(table.match.id, table.records)
    for viewer in audiences(table.records):
        assert shown(known(table.match.id, entries, viewer)) == filtered(viewer, table.records)
    assert {entry.draw.verdict for entry in entries if entry.draw} <= {"derives"}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_what_is_known_depends_on_what_is_hidden(name: str) -> None:
    match, played = outcome(name).match, records(name)
    for viewer in audiences(played)[:1] + audiences(played)[2:]:
        others = [
            record if told(viewer, record.event) else Record(record.at, DrawRefused("x", (), "y"))
            for record in played
        ]
        changed = known(match, entries_of(match, others), viewer)
        assert changed == known(match, whole(name), viewer)


def test_of_a_cause_that_is_hidden_no_number_is_told() -> None:
    entries = known(MATCH, entries_of(MATCH, act_late().records), 1)
    placed = next(entry for entry in entries if entry.type == "dollar-prize.side-chosen.1")
    assert (placed.cause, placed.recorded) == (None, placed.at)


# Who did what, and from what it follows.


@pytest.mark.parametrize("name", NAMES)
def test_what_follows_from_an_input_bears_its_number(name: str) -> None:
    number, wanted = 1, []
    for step in steps(records(name)):
        wanted += [None] + [number] * (len(step) - 1)
        number += len(step)
    assert [entry.cause for entry in whole(name)] == wanted
    assert [entry.input for entry in whole(name)] == [cause is None for cause in wanted]


@pytest.mark.parametrize("name", NAMES)
def test_a_cause_that_is_told_is_an_input_of_the_same_instant(name: str) -> None:
    for viewer in audiences(records(name)):
        entries = known(outcome(name).match, whole(name), viewer)
        for entry in entries:
            if entry.cause is not None:
                cause = entries[entry.cause - 1]
                assert cause.input and cause.at == entry.at and cause.number < entry.number


ACTORS = {
    "match.created.1": "organiser",
    "match.seed-committed.1": "service",
    "match.client-seed-given.1": "seat 0 Ann",
    "match.seed-sealed.1": "service",
    "match.started.1": "moderator",
    "match.draw-settled.1": "dealer",
    "match.deadline-passed.1": "clock",
    "match.phase-closed.1": "moderator",
    "match.paused.1": "moderator",
    "match.resumed.1": "moderator",
    "match.ended.1": "rules",
    "match.seed-revealed.1": "service",
    "dollar-prize.coin-placed.1": "rules",
}


def test_everything_has_been_done_by_somebody() -> None:
    actors = {entry.type: entry.actor for entry in whole("dollar-prize.seeded")}
    assert {kind: actors[kind] for kind in ACTORS} == ACTORS
    by_hand = {entry.type: entry.actor for entry in whole("dollar-prize.manual")}
    assert by_hand["match.draw-settled.1"] == by_hand["match.draw-refused.1"] == "moderator"


@pytest.mark.parametrize("name", NAMES)
def test_an_action_is_its_seats(name: str) -> None:
    created = records(name)[0].event
    assert isinstance(created, MatchCreated)
    for entry in whole(name):
        event = entry.record and entry.record.event
        if isinstance(event, ActionReceived):
            assert entry.actor == f"seat {event.seat} {created.seats[event.seat]}"
            assert entry.seen_by == f"seat {event.seat}"


@pytest.mark.parametrize("name", NAMES)
def test_it_is_told_who_was_told(name: str) -> None:
    for entry in whole(name):
        assert entry.record is not None
        event = entry.record.event
        for viewer in audiences(records(name))[2:]:
            reached = entry.seen_by in ("public", f"seat {viewer}")
            assert reached == told(viewer, event)
        assert (entry.seen_by == "public") == (event.audience == "public")
        assert (entry.seen_by == "moderators only") == (event.audience == "sealed")


# Why something was refused.


@pytest.mark.parametrize("name", NAMES)
def test_whatever_was_turned_down_has_its_code_and_the_rule_in_words(name: str) -> None:
    for entry in whole(name):
        event = entry.record and entry.record.event
        if isinstance(event, TURNED_DOWN):
            assert entry.code == event.code
            assert entry.rule is not None and entry.rule.endswith(".")
        else:
            assert (entry.code, entry.rule) == (None, None)


def test_the_rule_is_the_games() -> None:
    table = seated(GAMES["dollar-prize"]).when(Start()).act(0, Place("quarter"))
    refused = entries_of(MATCH, table.records)[-1]
    assert (refused.code, refused.rule) == ("wrong_phase", CODES["wrong_phase"])
    assert (refused.actor, refused.cause) == ("rules", refused.number - 1)


def test_a_key_used_before_is_refused_by_the_service() -> None:
    reused = [entry for name in NAMES for entry in whole(name) if entry.code == REUSED_KEY]
    assert reused and {entry.actor for entry in reused} == {"service"}


def test_without_the_rules_of_a_match_there_is_a_code_and_no_sentence() -> None:
    table = seated(GAMES["dollar-prize"]).when(Start()).act(0, Place("quarter"))
    created = table.records[0].event
    assert isinstance(created, MatchCreated)
    older = Record(NOON, replace(created, rules_version=999))
    refused = entries_of(MATCH, [older, *table.records[1:]])[-1]
    assert (refused.code, refused.rule) == ("wrong_phase", None)


# When it was received, and when recorded.


def act_late() -> MatchTable:
    """An action that was put on the record five seconds after it was received."""
    table = seated(GAMES["dollar-prize"]).when(Start())
    side = ChooseSide("heads")
    at = NOON + SECOND
    return table.when(Act(0, side, as_sent(side), recorded=at + 5 * SECOND), at)


def test_what_was_recorded_late_says_so_and_so_does_what_follows_from_it() -> None:
    late = [entry for entry in entries_of(MATCH, act_late().records) if entry.recorded != entry.at]
    assert [entry.type for entry in late] == [
        "match.action-received.1",
        "dollar-prize.side-chosen.1",
        "match.awaiting-changed.1",
    ]
    assert {entry.at for entry in late} == {"2026-01-01T12:00:01Z"}
    assert {entry.recorded for entry in late} == {"2026-01-01T12:00:06Z"}


def test_what_came_at_once_was_recorded_when_it_was_received() -> None:
    table = act_late().when(Pause(), NOON + 2 * SECOND)
    paused = next(e for e in entries_of(MATCH, table.records) if e.type == "match.paused.1")
    assert paused.at == paused.recorded == "2026-01-01T12:00:02Z"


# Whether a draw follows from the seed.


def verdicts(match: str, played: Sequence[Record[Event]], viewer: Viewer = MODERATOR) -> list[str]:
    entries = known(match, entries_of(match, played), viewer)
    return [entry.draw.verdict for entry in entries if entry.draw is not None]


def changed(name: str, kind: type[Event], **fields: object) -> list[Record[Event]]:
    """A recorded match with the last event of a kind changed."""
    played = records(name)
    index = max(n for n, record in enumerate(played) if isinstance(record.event, kind))
    played[index] = Record(played[index].at, replace(played[index].event, **fields))
    return played


@pytest.mark.parametrize("game", DRAWN)
def test_with_the_seed_revealed_every_draw_derives(game: str) -> None:
    found = verdicts(outcome(f"{game}.seeded").match, records(f"{game}.seeded"))
    assert found and set(found) == {"derives"}


@pytest.mark.parametrize("game", DRAWN)
def test_before_that_nobody_can_tell(game: str) -> None:
    name = f"{game}.seeded"
    found = verdicts(outcome(name).match, records(name)[:-1])
    assert found and set(found) == {"seed not revealed"}


@pytest.mark.parametrize("game", DRAWN)
def test_a_draw_that_comes_out_otherwise_is_told_of(game: str) -> None:
    name = f"{game}.seeded"
    kind = DrawSettled if game == "dollar-prize" else SealedDrawSettled
    settled = [r.event for r in records(name) if isinstance(r.event, kind)]
    for fields in ({"outcome": other(settled[-1].outcome)}, {"key_commit": bytes(32)}):
        found = verdicts(outcome(name).match, changed(name, kind, **fields))
        assert found[-1] == "does not derive"
        assert set(found[:-1]) == {"derives"}


def other(outcome: Outcome) -> Outcome:
    """The outcome with its first part turned round."""
    first, *rest = outcome
    if isinstance(first, str):
        return ("heads" if first == "tails" else "tails", *rest)
    return (tuple(reversed(first)), *rest)


@pytest.mark.parametrize("game", DRAWN)
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (SeedRevealed, {"seed": bytes(32)}),
        (SeedRevealed, {"seed": b""}),
        (SeedCommitted, {"commit": bytes(32)}),
        (SeedSealed, {"transcript": bytes(32)}),
        (SeedSealed, {"clients": bytes(32)}),
        (ClientSeedGiven, {"seed": "loaded dice"}),
        (ClientSeedGiven, {"seat": -1}),
    ],
)
def test_nothing_derives_from_another_seed(
    game: str, kind: type[Event], fields: dict[str, object]
) -> None:
    name = f"{game}.seeded"
    if kind is SeedRevealed and not any(isinstance(r.event, kind) for r in records(name)):
        kind = SealedSeedRevealed
    found = verdicts(outcome(name).match, changed(name, kind, **fields))
    assert found and set(found) == {"does not derive"}


def test_nothing_derives_from_a_seed_that_was_not_committed_to() -> None:
    table = seated(GAMES["dollar-prize"], chance="server").committed()
    table.hidden = secrets_of(table.match.created, b"another seed, chosen afterwards!")
    table.when(Start()).accepted(0, ChooseSide("heads"))
    seed = table.hidden.seeds[0].seed
    played = [*table.records, Record(NOON, SeedRevealed(0, seed))]
    assert verdicts(MATCH, played) == ["does not derive"]


def test_nothing_derives_for_another_match() -> None:
    assert set(verdicts(MATCH, records("dollar-prize.seeded"))) == {"does not derive"}


def test_a_client_seed_after_the_seal_counts_for_nothing() -> None:
    played = records("dollar-prize.seeded")
    played.insert(10, Record(played[9].at, ClientSeedGiven(1, "too late")))
    assert set(verdicts(outcome("dollar-prize.seeded").match, played)) == {"derives"}


def test_a_seed_for_moderators_alone_tells_nobody_else_whether_draws_derive() -> None:
    match, played = outcome("dollar-prize.seeded").match, records("dollar-prize.seeded")
    last = played[-1]
    assert isinstance(last.event, SeedRevealed)
    played[-1] = Record(last.at, SealedSeedRevealed(last.event.epoch, last.event.seed))
    assert set(verdicts(match, played)) == {"derives"}
    for viewer in (PUBLIC_VIEWER, 0, 1):
        found = verdicts(match, played, viewer)
        assert found and set(found) == {"seed not revealed"}


def test_a_draw_is_not_derived_from_what_another_one_asked_for() -> None:
    match, played = outcome("dollar-prize.seeded").match, records("dollar-prize.seeded")
    index = next(n for n, r in enumerate(played) if isinstance(r.event, DrawSettled))
    played[index] = Record(played[index].at, replace(played[index].event, id="another"))
    found = verdicts(match, played)
    assert (found[0], set(found[1:])) == ("not shown what was asked", {"derives"})


def test_what_was_asked_must_be_opened() -> None:
    match, played = outcome("twelve-chips.seeded").match, records("twelve-chips.seeded")
    sealed: list[Numbered] = [
        (n, None if isinstance(record.event, DrawAsked) else record)
        for n, record in enumerate(played, 1)
    ]
    found = [entry.draw.verdict for entry in timeline(match, sealed) if entry.draw is not None]
    assert found and set(found) == {"not shown what was asked"}


@pytest.mark.parametrize(
    ("kind", "wanted"), [("manual", "by hand"), ("server", "no seed committed")]
)
def test_other_draws_cannot_be_derived(kind: str, wanted: str) -> None:
    for game in DRAWN:
        found = verdicts(outcome(f"{game}.{kind}").match, records(f"{game}.{kind}"))
        assert found and set(found) == {wanted}


def test_a_draw_says_how_it_came_out_and_by_whom() -> None:
    entry = next(entry for entry in whole("dollar-prize.seeded") if entry.draw is not None)
    assert entry.record is not None and isinstance(entry.record.event, DrawSettled)
    event, draw = entry.record.event, entry.draw
    assert draw is not None
    assert (draw.id, draw.outcome, draw.by) == (event.id, event.outcome, "server")
    assert (draw.epoch, draw.key_commit) == (0, event.key_commit)


# Sealed events.


def test_a_sealed_event_is_there_and_says_nothing() -> None:
    played = records("grouping-bw.seeded")
    sealed: list[Numbered] = [
        (n, record if told(0, record.event) else None) for n, record in enumerate(played, 1)
    ]
    entries = timeline(outcome("grouping-bw.seeded").match, sealed)
    assert [entry.number for entry in entries] == list(range(1, len(played) + 1))
    unopened = [entry for entry in entries if entry.record is None]
    assert unopened and unopened == [Entry(entry.number, None, "sealed") for entry in unopened]
    certain = False
    for entry in entries:
        certain = entry.input or (certain and entry.record is not None)
        assert (entry.cause is not None) == (certain and not entry.input)


def test_of_nothing_there_is_no_time_line() -> None:
    assert timeline(MATCH, []) == []


# Words.


def numbers(value: Any, seated: bool = False) -> Iterator[int]:
    """Every number in a value that stands under a name of seats."""
    match value:
        case dict():
            for name, inside in value.items():
                yield from numbers(inside, seated or name in SEATED)
        case list() | tuple():
            for inside in value:
                yield from numbers(inside, seated)
        case int() if seated:
            yield value


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_told_as_a_seat_is_one(name: str) -> None:
    played = records(name)
    seats = range(len(audiences(played)) - 2)
    happened = [record.event for record in played[1:]]
    found = {
        number
        for event in happened
        if not isinstance(event, ActionReceived)
        for number in numbers(msgspec.to_builtins(event, builtin_types=(bytes,)))
    }
    assert found <= set(seats) and len(found) > 1


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_said_in_words_that_print(name: str) -> None:
    for entry in whole(name):
        assert entry.what.isprintable() and len(entry.what) > 5
        assert "Struct" not in entry.what and "b'" not in entry.what


def test_the_words() -> None:
    said = [entry.what for entry in whole("dollar-prize.seeded")]
    assert said[0].startswith(
        "created a match of dollar-prize, rules 1, for seat 0 Ann, seat 1 Ben; chance server; "
        "clock rules; record opened at end; options {first_player 0, "
    )
    assert said[2].startswith("name salted: seat 0 Ann; salt ")
    assert said[4] == 'added a client seed: "dice"'
    assert "the match waits for seat 0 Ann; phase setup/side; until 2026-01-01T12:00:30Z" in said
    assert "coin placed: seat 0 Ann; coin penny" in said
    assert any(one.startswith("sent place: coin penny (key k") for one in said)
    assert any(one.startswith("drew setup: tails, ") or "drew setup: heads" in one for one in said)
    asked = [one for entry in whole("twelve-chips.seeded") if "shuffle" in (one := entry.what)]
    assert asked and all(one.startswith("ask for the draw ") for one in asked)


def test_what_somebody_wrote_cannot_be_taken_for_something_else() -> None:
    wrong = 'x"; seat 1 \u202e\x1b[2J\x9b1m\nBen'
    table = (
        seated(GAMES["dollar-prize"], chance="server").committed().when(GiveClientSeed(0, wrong))
    )
    said = entries_of(MATCH, table.records)[-1].what
    assert said == 'added a client seed: "x"; seat 1 \\u202e\\x1b[2J\\x9b1m\\nBen"'
    sent = {"type": "a\nb", "c\r": "heads; coin dime", "d": {"e\x00": "x\ty"}}
    received = [*table.records, Record(NOON, ActionReceived(0, sent, "k\x07"))]
    said = entries_of(MATCH, received)[-1].what
    assert said == r'sent a\nb: c\r "heads; coin dime"; d {e\x00 "x\ty"} (key k\x07)'


def test_a_seat_that_there_is_not_has_no_name() -> None:
    table = seated(GAMES["dollar-prize"]).when(Start())
    records: list[Record[Event]] = [
        *table.records,
        Record(NOON, ActionReceived(7, {"type": "vote", "for": 9, "to": -1})),
        Record(NOON, AwaitingChanged((2, -1))),
    ]
    received, awaiting = entries_of(MATCH, records)[-2:]
    assert (received.actor, received.what) == ("seat 7", "sent vote: for 9; to -1")
    assert awaiting.what == "the match waits for seat 2, seat -1"


def test_what_lies_too_deep_is_left_out() -> None:
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    table = seated(GAMES["dollar-prize"]).when(Start())
    records = [*table.records, Record(NOON, ActionReceived(0, {"type": "x", "y": deep}))]
    assert entries_of(MATCH, records)[-1].what == "sent x: y [[[[[[[…]]]]]]]"
