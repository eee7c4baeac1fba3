"""The seeds of a match: commitment, client seeds, sealing, revealing; and the draws that follow."""

from collections.abc import Iterator
from dataclasses import replace as changed

import pytest
from msgspec.structs import replace

from domain.chance import generator, seeds
from domain.chance.draws import Draw, Shuffle
from domain.events import Event
from domain.match.commands import GiveClientSeed, RevealSeed
from domain.match.decide import decide
from domain.match.events import (
    Chance,
    ClientSeedGiven,
    DrawSettled,
    MatchEnded,
    MatchStarted,
    NameSalted,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
)
from domain.match.state import AnyGame
from domain.rulings.kinds import VoidMatch
from projections.audience.disclosure import may_see
from tests.support.tables import toy_game
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.match_table import MATCH, SEED, MatchTable, seated
from tests.support.tables.ruling_tables import rule
from tests.support.tables.toy_game import Bid, Thank

NAMES = ("Ann", "Ben")
LOTS = Draw("lots", (Shuffle(toy_game.LOTS),))


def table(drawn_by: Chance = "server", game: AnyGame = toy_game.GAME) -> MatchTable:
    return seated(game, chance=drawn_by)


def found(events: list[Event], kind: type[Event]) -> Iterator[Event]:
    return (event for event in events if isinstance(event, kind))


def test_the_commitment_names_the_seed_the_rules_and_the_roster() -> None:
    committed = table().events[1]
    assert isinstance(committed, SeedCommitted)
    salted = [(bytes(16), name) for name in NAMES]
    assert committed.commit == generator.commit(MATCH, 0, SEED)
    assert committed.roster_hash == generator.roster_hash(salted)
    assert committed.names == tuple(generator.digest(salt, name) for salt, name in salted)
    assert committed.rules_hash == seeds.match_rules_hash(table().match.created)
    assert (committed.epoch, committed.scheme) == (0, "arbiter-rng/1")


def test_the_seed_is_sealed_with_the_start_before_anything_of_the_game() -> None:
    started = table().when(START)
    assert [type(event) for event in started.effect[:2]] == [MatchStarted, SeedSealed]


def test_without_client_seeds_the_transcript_is_that_of_none() -> None:
    started = table().when(START)
    (sealed,) = found(started.new_events, SeedSealed)
    committed = started.records[1].event
    assert isinstance(committed, SeedCommitted) and isinstance(sealed, SeedSealed)
    assert sealed == seeds.sealing(MATCH, committed, {})


def test_the_last_seed_of_a_seat_counts() -> None:
    seeded = table()
    for seat, seed in ((1, "first"), (0, "añade"), (1, "last")):
        seeded.when(GiveClientSeed(seat, seed)).then(ClientSeedGiven(seat, seed))
    (sealed,) = found(seeded.when(START).new_events, SeedSealed)
    assert isinstance(sealed, SeedSealed)
    assert sealed.clients == generator.clients({0: "añade".encode(), 1: b"last"})


def test_a_client_seed_changes_every_draw_to_come() -> None:
    orders = set()
    for seed in ("", "one", "two"):
        seeded = table()
        if seed:
            seeded.when(GiveClientSeed(0, seed))
        (settled,) = found(seeded.when(START).new_events, SealedDrawSettled)
        assert isinstance(settled, SealedDrawSettled)
        orders.add(settled.key_commit)
    assert len(orders) == 3


@pytest.mark.parametrize("seed", ["x" * 64, "ä" * 32, "x"])
def test_a_client_seed_has_up_to_64_bytes(seed: str) -> None:
    table().when(GiveClientSeed(0, seed)).then(ClientSeedGiven(0, seed))


@pytest.mark.parametrize("seed", ["x" * 65, "ä" * 33, ""])
def test_a_client_seed_of_another_length_does_not_get_as_far_as_the_match(seed: str) -> None:
    with pytest.raises(AssertionError):
        table().when(GiveClientSeed(0, seed))


def test_each_seat_has_one_salt() -> None:
    created = table().match.created
    for salts in ([bytes(16)], [bytes(16)] * 3):
        with pytest.raises(ValueError, match="zip"):
            seeds.commit_seed(MATCH, 0, created, SEED, salts, NAMES)


@pytest.mark.parametrize("status", ["running", "paused", "ended", "void"])
def test_no_seed_can_be_added_after_the_sealing(status: str) -> None:
    """Nor to a match that is void before it started."""
    sealed = table().when(rule("r", VoidMatch()) if status == "void" else START)
    if status == "paused":
        sealed.pause()
    if status == "ended":
        play(sealed)
    assert sealed.match.status == status
    sealed.conflicts(GiveClientSeed(0, "late"), "seed_sealed")


def test_with_draws_by_hand_there_is_no_seed_to_add_to() -> None:
    table("manual").conflicts(GiveClientSeed(0, "mine"), "chance_is_manual")
    assert not any(found(table("manual").when(START).new_events, SeedSealed))


def play(started: MatchTable) -> MatchTable:
    return started.accepted(0, Bid(4)).accepted(1, Bid(3)).accepted(0, Thank())


def test_the_seed_is_revealed_right_after_the_end() -> None:
    ended = play(table().when(START))
    assert [type(event) for event in ended.new_events[-2:]] == [MatchEnded, SeedRevealed]
    assert ended.new_events[-1] == SeedRevealed(0, SEED)
    assert ended.match.epoch is not None and ended.match.epoch.revealed


@pytest.mark.parametrize("hides", [True, False], ids=["hidden draws", "no hidden draws"])
def test_under_a_closed_record_a_seed_that_would_open_it_is_revealed_to_moderators(
    hides: bool,
) -> None:
    ended = play(table().when(START)).match
    closed = replace(ended, created=replace(ended.created, record="closed"))
    game = changed(toy_game.GAME, hides_draws=hides)
    kind = SealedSeedRevealed if hides else SeedRevealed
    assert decide(game, closed, RevealSeed(0, SEED), 0) == [kind(0, SEED)]


def test_every_draw_follows_from_the_revealed_seed_and_the_transcript() -> None:
    ended = play(table().when(START))
    (sealed,) = found(ended.events, SeedSealed)
    (revealed,) = found(ended.events, SeedRevealed)
    assert isinstance(sealed, SeedSealed) and isinstance(revealed, SeedRevealed)
    (settled,) = [e for e in ended.events if isinstance(e, DrawSettled | SealedDrawSettled)]
    answer = seeds.answer_draw(revealed.seed, sealed.transcript, 0, LOTS)
    assert answer == (settled.outcome, settled.key_commit)


def test_a_resumed_match_keeps_the_seed_it_has() -> None:
    resumed = table().when(START).pause().resume()
    assert not any(found(resumed.new_events, SeedSealed))


def test_draws_of_one_id_differ_from_epoch_to_epoch() -> None:
    outcomes = {seeds.answer_draw(SEED, bytes(32), epoch, LOTS) for epoch in range(5)}
    assert len({commit for _, commit in outcomes}) == 5


def test_by_hand_nothing_is_revealed() -> None:
    entered = table("manual").when(START)
    ended = play(entered.when(enter_draw("lots", (toy_game.LOTS,))))
    assert not any(found(ended.events, SeedRevealed))


def test_each_seat_receives_the_salt_of_its_own_name_only() -> None:
    _, *committed = table().events[:4]
    assert committed[1:] == [NameSalted(0, bytes(16)), NameSalted(1, bytes(16))]
    assert [may_see(0, event) for event in committed] == [True, True, False]
    assert not any(may_see("public", event) for event in committed[1:])
