"""The tournament service: memory is never ahead of the disk, and no race is lost for good."""

import asyncio
import threading
from collections.abc import Sequence
from uuid import UUID

import pytest
from eventsourcing.persistence import IntegrityError, OperationalError

from domain.events import Event
from domain.game import Refused
from domain.match.events import MatchCreated
from domain.tournament import fold as tournament_fold
from domain.tournament.commands import NewPlayer, PostGarnets
from domain.tournament.events import GarnetsPosted, MatchAdded, PlayerNamed
from domain.tournament.ledger import HOUSE, purse, stake
from domain.tournament.staff import GiveMatch, NewModerator
from domain.tournament.state import KeyedRequest, Tournament
from service.application.tournaments import tournament_service
from service.event_store.errors import MOST_TRIES, StoreUnavailable, UnknownTournament
from service.instance import Instance
from tests.support.instance.service_instance import on_record, recorded, watched
from tests.support.instance.tournament_play import CHIPS, CUP, added, balances
from tests.support.virtual_clock import VirtualClock

# What is on disk.


async def test_memory_equals_the_disk(instance: Instance, cup: UUID) -> None:
    match_id = await added(instance, cup)
    for command in (NewPlayer("Di", 2), NewModerator("Mia"), GiveMatch(str(match_id), 1)):
        await instance.tournaments.execute(cup, command)
    in_memory = await instance.tournaments.current(cup)
    state, posted, length = in_memory.state, in_memory.postings_of(None), in_memory.length
    instance.tournaments._loaded.clear()
    again = await instance.tournaments.current(cup)
    assert (again.state, again.postings_of(None), again.length) == (state, posted, length)
    assert posted == len(recorded(instance, cup, GarnetsPosted)) == 3
    assert length == len(on_record(instance, cup))


@pytest.mark.parametrize("error", [OperationalError("disk full"), RuntimeError("unforeseen")])
async def test_what_cannot_be_recorded_has_not_happened(
    instance: Instance, cup: UUID, error: Exception
) -> None:
    before = on_record(instance, cup)
    watched(instance).before.append(error)
    with pytest.raises(StoreUnavailable):
        await instance.tournaments.execute(cup, PostGarnets(0, 3, "a prize"))
    assert on_record(instance, cup) == before
    assert (await balances(instance, cup))[purse(0)] == 5
    await instance.tournaments.execute(cup, PostGarnets(0, 3, "a prize"))
    assert (await balances(instance, cup))[purse(0)] == 8


async def test_a_request_whose_answer_was_lost_counts_once(instance: Instance, cup: UUID) -> None:
    """It is on disk, but the sender got no response and sends it again."""
    request, command = KeyedRequest("once", b"1"), PostGarnets(0, 3, "a prize")
    watched(instance).after.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await instance.tournaments.execute(cup, command, request)
    done = await instance.tournaments.execute(cup, command, request)
    assert done.repeated
    assert (await balances(instance, cup))[purse(0)] == 8


async def test_a_tournament_that_cannot_be_recorded_does_not_exist(instance: Instance) -> None:
    watched(instance).before.append(OperationalError("disk full"))
    with pytest.raises(StoreUnavailable):
        await instance.creation.tournament(CUP)
    assert (await instance.lists.read(lambda index: index.tournaments(limit=5))).tournaments == []


async def test_times_never_decrease(instance: Instance, cup: UUID, clock: VirtualClock) -> None:
    clock.pass_time(-1_000_000)
    await instance.tournaments.execute(cup, NewPlayer("Di"))
    clock.pass_time(5_000_000)
    await instance.tournaments.execute(cup, NewPlayer("Ed"))
    times = [record.at for record in on_record(instance, cup)]
    assert times == sorted(times) and times[-1] > times[0]


async def test_what_another_instance_has_recorded_counts_here_at_once(
    instance: Instance, other: Instance, cup: UUID
) -> None:
    """And the readers of that are notified."""
    await other.tournaments.current(cup)
    notified: list[UUID] = []
    other.announcer.records_read.listen(notified.append)
    await instance.tournaments.execute(cup, NewPlayer("Di"))
    current = (await instance.tournaments.current(cup)).state
    assert (await other.tournaments.current(cup)).state == current
    assert await other.tournaments.now(cup) == current
    assert notified == [cup]


# Matches.


@pytest.mark.usefixtures("garnets")
async def test_a_match_and_the_garnets_brought_to_it_are_one_transaction(
    instance: Instance, cup: UUID
) -> None:
    watched(instance).appended.clear()
    match_id = await added(instance, cup)
    assert watched(instance).appended == [len(on_record(instance, match_id)) + 4]
    created = on_record(instance, match_id)[0].event
    assert isinstance(created, MatchCreated) and created.tournament == str(cup)
    assert recorded(instance, cup, Event)[-3:] == [
        MatchAdded(str(match_id), CHIPS, (1, 0)),
        GarnetsPosted(1, "player", "match", 1, "brought", str(match_id)),
        GarnetsPosted(0, "player", "match", 2, "brought", str(match_id)),
    ]


async def test_a_fault_in_judging_leaves_no_half_of_a_match(
    instance: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = on_record(instance, cup)
    with monkeypatch.context() as faulty:
        faulty.setattr("service.application.matches.growing_record.rows", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await added(instance, cup)
    assert on_record(instance, cup) == before
    await added(instance, cup)
    assert len(recorded(instance, cup, MatchAdded)) == 1


@pytest.mark.usefixtures("garnets")
async def test_a_refused_match_leaves_nothing_anywhere(
    instance: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No match, no posting, and neither seeds nor keys for a match that does not exist."""
    before, prepared = len(on_record(instance, cup)), list[UUID]()
    monkeypatch.setattr(
        instance.secret_store, "create", lambda match_id, *_: prepared.append(match_id)
    )
    monkeypatch.setattr(instance.keyring, "issue", lambda ring, *_: prepared.append(ring))
    for seats, code in ((("Ann", "Cy"), "not_enough_garnets"), (("Ann", "Mo"), "not_on_roster")):
        with pytest.raises(Refused, match=code):
            await added(instance, cup, seats)
    assert len(on_record(instance, cup)) == before
    assert (await instance.tournaments.current(cup)).state.matches == {}
    assert prepared == []


@pytest.mark.usefixtures("garnets")
async def test_garnets_are_spent_once_however_many_matches_are_created_at_once(
    instance: Instance, cup: UUID
) -> None:
    """Ben has one garnet, and each match costs one."""
    results = await asyncio.gather(
        *(added(instance, cup) for _ in range(8)), return_exceptions=True
    )
    made = [answer for answer in results if isinstance(answer, UUID)]
    refused = [answer.code for answer in results if isinstance(answer, Refused)]
    assert (len(made), refused) == (1, ["not_enough_garnets"] * 7)
    assert await balances(instance, cup) == {
        HOUSE: -6,
        purse(0): 3,
        stake(0, str(made[0])): 2,
        stake(1, str(made[0])): 1,
    }


# Races.


async def test_many_commands_of_two_instances_all_get_their_number(
    instance: Instance, rival: Instance, cup: UUID
) -> None:
    names = [f"P{n}" for n in range(12)]

    async def enter(name: str) -> None:
        chosen = rival if int(name[1:]) % 2 else instance
        await chosen.tournaments.execute(cup, NewPlayer(name))

    await asyncio.gather(*map(enter, names))
    entered = recorded(instance, cup, PlayerNamed)
    assert [event.player for event in entered] == list(range(15))
    assert {event.name for event in entered} >= set(names)


@pytest.mark.usefixtures("garnets")
async def test_a_match_decided_on_an_old_state_is_decided_anew(
    instance: Instance, rival: Instance, cup: UUID
) -> None:
    await rival.tournaments.current(cup)
    await instance.tournaments.execute(cup, NewPlayer("Di"))
    match_id = await added(rival, cup)
    assert recorded(instance, cup, MatchAdded) == [MatchAdded(str(match_id), CHIPS, (1, 0))]
    await instance.tournaments.execute(cup, PostGarnets(1, 1, "again"))
    await added(instance, cup)
    with pytest.raises(Refused, match="not_enough_garnets"):
        await added(rival, cup)
    assert len((await instance.tournaments.current(cup)).state.matches) == 2


async def test_a_command_that_always_loses_gives_up(instance: Instance, cup: UUID) -> None:
    watched(instance).before.extend(IntegrityError("another was first") for _ in range(MOST_TRIES))
    with pytest.raises(StoreUnavailable):
        await instance.tournaments.execute(cup, NewPlayer("Di"))
    assert not watched(instance).before
    await instance.tournaments.execute(cup, NewPlayer("Di"))


async def test_a_match_loses_a_race_of_others_and_is_created_all_the_same(
    instance: Instance, cup: UUID
) -> None:
    """In one transaction with another match that another writer has changed first."""
    watched(instance).before.append(IntegrityError("another was first"))
    match_id = await added(instance, cup)
    assert recorded(instance, cup, MatchAdded) == [MatchAdded(str(match_id), CHIPS, (1, 0))]


# Memory and the index.


async def test_unused_tournaments_are_evicted_and_loaded_again(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_service, "MOST_LOADED", 2)
    cups = [(await instance.creation.tournament(CUP))[0] for _ in range(5)]
    await asyncio.gather(
        *(instance.tournaments.execute(cup, NewPlayer(f"P{n}")) for n in range(3) for cup in cups)
    )
    for cup in cups:
        assert len((await instance.tournaments.current(cup)).state.players) == 6
    with pytest.raises(UnknownTournament):
        await instance.tournaments.current(UUID(int=7))
    assert len(instance.tournaments._loaded) <= 2


async def test_a_tournament_is_folded_outside_the_event_loop(
    instance: Instance, rival: Instance, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a long one on the event loop would delay every match."""
    folded_by = []

    def fold(state: Tournament, events: Sequence[Event]) -> Tournament:
        folded_by.append(threading.get_ident())
        return tournament_fold.fold(state, events)

    monkeypatch.setattr("service.application.tournaments.loaded_tournament.fold", fold)
    assert (await rival.tournaments.current(cup)).state == (
        await instance.tournaments.current(cup)
    ).state
    assert len(folded_by) == 1 and folded_by[0] != threading.get_ident()
