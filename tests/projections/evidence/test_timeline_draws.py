"""Whether a draw on the timeline follows from the seed, as far as its reader can know."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from domain.chance.draws import Outcome
from domain.events import Event, Record
from domain.games import GAMES
from domain.games.dollar_prize.actions import ChooseSide
from domain.match.events import (
    ClientSeedGiven,
    DrawAsked,
    DrawSettled,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
)
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.timeline import shown_whole, timeline, timeline_for
from tests.recorded.files import outcome, records
from tests.support.evidence.recorded_timelines import entries_of, whole
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.tables.forged_records import with_input
from tests.support.tables.match_table import MATCH, seated, secrets_of

SETTLED = (DrawSettled, SealedDrawSettled)

DRAWN = [
    game
    for game in GAMES
    if any(isinstance(record.event, SETTLED) for record in records(f"{game}.seeded"))
]
"""Games of which something was drawn in the match recorded with a seed."""


def verdicts(match: str, played: Sequence[Record[Event]], viewer: Viewer = MODERATOR) -> list[str]:
    entries = timeline_for(match, entries_of(match, played), viewer)
    return [entry.draw.verdict for entry in entries if entry.draw is not None]


def changed(name: str, kind: type[Event], **fields: object) -> list[Record[Event]]:
    """A recorded match with the last event of a kind changed."""
    played = records(name)
    index = max(n for n, record in enumerate(played) if isinstance(record.event, kind))
    played[index] = Record(
        played[index].at, played[index].back, replace(played[index].event, **fields)
    )
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
def test_a_draw_that_does_not_follow_from_the_seed_is_marked(game: str) -> None:
    name = f"{game}.seeded"
    settled = [r.event for r in records(name) if isinstance(r.event, SETTLED)]
    kind = type(settled[-1])
    for fields in ({"outcome": other(settled[-1].outcome)}, {"key_commit": bytes(32)}):
        found = verdicts(outcome(name).match, changed(name, kind, **fields))
        assert found[-1] == "does not derive"
        assert set(found[:-1]) == {"derives"}


def other(outcome: Outcome) -> Outcome:
    """The outcome with its first part reversed."""
    first, *rest = outcome
    if isinstance(first, str):
        return ("heads" if first == "tails" else "tails", *rest)
    if isinstance(first, int):
        return (first % 6 + 1, *rest)
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
    table = seated(GAMES["dollar-prize"], chance="server")
    table.hidden = secrets_of(table.match.created, b"another seed, chosen afterwards!")
    table.when(START).accepted(0, ChooseSide("heads"))
    seed = table.hidden.seeds[0].seed
    played = [*table.records, Record(NOON, 0, SeedRevealed(0, seed))]
    assert verdicts(MATCH, played) == ["does not derive"]


def test_nothing_derives_for_another_match() -> None:
    assert set(verdicts(MATCH, records("dollar-prize.seeded"))) == {"does not derive"}


def test_a_client_seed_after_the_seal_counts_for_nothing() -> None:
    played = records("dollar-prize.seeded")
    played = with_input(played, 11, ClientSeedGiven(1, "too late"))
    assert set(verdicts(outcome("dollar-prize.seeded").match, played)) == {"derives"}


def test_a_seed_for_moderators_alone_shows_nobody_else_whether_draws_derive() -> None:
    match, played = outcome("dollar-prize.seeded").match, records("dollar-prize.seeded")
    last = played[-1]
    assert isinstance(last.event, SeedRevealed)
    played[-1] = replace(last, event=SealedSeedRevealed(last.event.epoch, last.event.seed))
    assert set(verdicts(match, played)) == {"derives"}
    for viewer in (PUBLIC_VIEWER, 0, 1):
        found = verdicts(match, played, viewer)
        assert found and set(found) == {"seed not revealed"}


def test_a_draw_is_not_derived_from_the_request_of_another() -> None:
    match, played = outcome("dollar-prize.seeded").match, records("dollar-prize.seeded")
    index = next(n for n, r in enumerate(played) if isinstance(r.event, DrawSettled))
    played[index] = Record(
        played[index].at, played[index].back, replace(played[index].event, id="another")
    )
    found = verdicts(match, played)
    assert (found[0], set(found[1:])) == ("not shown what was asked", {"derives"})


def test_the_request_of_a_draw_must_be_opened() -> None:
    match, played = outcome("twelve-chips.seeded").match, records("twelve-chips.seeded")
    sealed = (None if isinstance(record.event, DrawAsked) else record for record in played)
    entries = timeline(match, shown_whole(sealed))
    found = [entry.draw.verdict for entry in entries if entry.draw is not None]
    assert found and set(found) == {"not shown what was asked"}


def test_draws_by_hand_cannot_be_derived() -> None:
    for name in (f"{game}.manual" for game in DRAWN):
        found = verdicts(outcome(name).match, records(name))
        assert found and set(found) == {"by hand"}


def test_a_draw_is_not_derived_where_the_record_has_no_commitment() -> None:
    match, played = outcome("dollar-prize.seeded").match, records("dollar-prize.seeded")
    bare = [record for record in played if not isinstance(record.event, SeedCommitted)]
    found = verdicts(match, bare)
    assert found and set(found) == {"no seed committed"}


def test_a_draw_shows_its_outcome_and_who_made_it() -> None:
    entry = next(entry for entry in whole("dollar-prize.seeded") if entry.draw is not None)
    assert entry.record is not None and isinstance(entry.record.event, DrawSettled)
    event, draw = entry.record.event, entry.draw
    assert draw is not None
    assert (draw.id, draw.outcome, draw.by) == (event.id, event.outcome, "server")
    assert (draw.epoch, draw.key_commit) == (0, event.key_commit)
