"""The door of tournaments: memory is never ahead of the disk, and no race is lost for good."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import IntegrityError, OperationalError

from domain import tournament_state
from domain.commands import Start
from domain.events import Event
from domain.game import Refused
from domain.ledger import HOUSE, brought, purse
from domain.match_events import MatchCreated
from domain.tournament import (
    AddMatch,
    AppointModerator,
    EnterPlayer,
    GiveMatch,
    PostGarnets,
)
from domain.tournament_events import GarnetsPosted, MatchAdded, PlayerEntered
from domain.tournament_state import Request, Tournament
from service.arbiter import Arbiter
from service.clock import VirtualClock
from service.door import tournaments
from service.door.open_matches import UnknownMatch
from service.door.tournaments import MOST_TRIES, UnknownTournament
from service.storage.reading import StoreUnavailable
from tests.service.cups import (
    CHIPS,
    CUP,
    added,
    balances,
    played,
    recorded,
    settled,
)
from tests.service.instance import on_record, watched

# What is on disk.


async def test_what_is_in_memory_is_what_is_on_disk(arbiter: Arbiter, cup: UUID) -> None:
    match_id = await added(arbiter, cup)
    for command in (EnterPlayer("Di", 2), AppointModerator("Mia"), GiveMatch(str(match_id), 1)):
        await arbiter.tournaments.enter(cup, command)
    in_memory = await arbiter.tournaments.opened(cup)
    state, posted, length = in_memory.state, in_memory.posted(None), in_memory.length
    in_memory.forget()
    again = await arbiter.tournaments.opened(cup)
    assert (again.state, again.posted(None), again.length) == (state, posted, length)
    assert posted == len(recorded(arbiter, cup, GarnetsPosted)) == 3
    assert length == len(on_record(arbiter, cup))


@pytest.mark.parametrize("error", [OperationalError("disk full"), RuntimeError("unforeseen")])
async def test_what_cannot_be_recorded_has_not_happened(
    arbiter: Arbiter, cup: UUID, error: Exception
) -> None:
    before = on_record(arbiter, cup)
    watched(arbiter).before.append(error)
    with pytest.raises(StoreUnavailable):
        await arbiter.tournaments.enter(cup, PostGarnets(0, 3, "a prize"))
    assert on_record(arbiter, cup) == before
    assert (await balances(arbiter, cup))[purse(0)] == 5
    await arbiter.tournaments.enter(cup, PostGarnets(0, 3, "a prize"))
    assert (await balances(arbiter, cup))[purse(0)] == 8


async def test_a_request_whose_answer_was_lost_counts_once(arbiter: Arbiter, cup: UUID) -> None:
    """It is on disk, but nobody was told; the sender asks again."""
    request, command = Request("once", b"1"), PostGarnets(0, 3, "a prize")
    watched(arbiter).after.append(OperationalError("gone away"))
    with pytest.raises(StoreUnavailable):
        await arbiter.tournaments.enter(cup, command, request)
    done = await arbiter.tournaments.enter(cup, command, request)
    assert done.repeated
    assert (await balances(arbiter, cup))[purse(0)] == 8


async def test_a_tournament_that_cannot_be_recorded_is_not_there(arbiter: Arbiter) -> None:
    watched(arbiter).before.append(OperationalError("disk full"))
    with pytest.raises(StoreUnavailable):
        await arbiter.creation.tournament(CUP)
    assert (await arbiter.lists.tournaments(after=None, limit=5)).tournaments == []


async def test_times_never_decrease(arbiter: Arbiter, cup: UUID, clock: VirtualClock) -> None:
    clock.pass_time(-1_000_000)
    await arbiter.tournaments.enter(cup, EnterPlayer("Di"))
    clock.pass_time(5_000_000)
    await arbiter.tournaments.enter(cup, EnterPlayer("Ed"))
    times = [record.at for record in on_record(arbiter, cup)]
    assert times == sorted(times) and times[-1] > times[0]


# Matches.


@pytest.mark.usefixtures("garnets")
async def test_a_match_and_what_is_brought_are_one_transaction(arbiter: Arbiter, cup: UUID) -> None:
    watched(arbiter).appended.clear()
    match_id = await added(arbiter, cup)
    assert watched(arbiter).appended == [7]
    created = on_record(arbiter, match_id)[0].event
    assert isinstance(created, MatchCreated) and created.tournament == str(cup)
    assert recorded(arbiter, cup)[-3:] == [
        MatchAdded(str(match_id), CHIPS, (1, 0)),
        GarnetsPosted(1, "player", "match", 1, "brought", str(match_id)),
        GarnetsPosted(0, "player", "match", 2, "brought", str(match_id)),
    ]


@pytest.mark.usefixtures("garnets")
async def test_neither_a_match_nor_its_garnets_are_there_without_the_other(
    arbiter: Arbiter, cup: UUID
) -> None:
    before = on_record(arbiter, cup)
    watched(arbiter).before.append(OperationalError("disk full"))
    with pytest.raises(StoreUnavailable):
        await added(arbiter, cup)
    assert on_record(arbiter, cup) == before
    assert (await arbiter.lists.tournament(cup)).matches == []
    await added(arbiter, cup)
    assert len((await arbiter.lists.tournament(cup)).matches) == 1


async def test_a_fault_in_judging_leaves_no_half_of_a_match(
    arbiter: Arbiter, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = on_record(arbiter, cup)
    with monkeypatch.context() as faulty:
        faulty.setattr("service.door.judging.rows", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await added(arbiter, cup)
    assert on_record(arbiter, cup) == before
    await added(arbiter, cup)
    assert len(recorded(arbiter, cup, MatchAdded)) == 1


@pytest.mark.usefixtures("garnets")
async def test_what_is_refused_leaves_nothing_anywhere(
    arbiter: Arbiter, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No match, no posting, and neither a seed nor keys for a match that is none."""
    before, prepared = len(on_record(arbiter, cup)), list[UUID]()
    monkeypatch.setattr(arbiter.dealer, "keep", lambda match_id, *_: prepared.append(match_id))
    monkeypatch.setattr(arbiter.keyring, "issue", lambda ring, *_: prepared.append(ring))
    for seats, code in ((("Ann", "Cy"), "not_enough_garnets"), (("Ann", "Mo"), "not_on_roster")):
        with pytest.raises(Refused, match=code):
            await added(arbiter, cup, seats)
    assert len(on_record(arbiter, cup)) == before
    assert (await arbiter.lists.tournament(cup)).matches == []
    assert prepared == []


@pytest.mark.usefixtures("garnets")
async def test_a_purse_is_emptied_once_however_many_matches_are_created_at_once(
    arbiter: Arbiter, cup: UUID
) -> None:
    """Ben has one garnet, and each match takes one."""
    told = await asyncio.gather(*(added(arbiter, cup) for _ in range(8)), return_exceptions=True)
    made = [answer for answer in told if isinstance(answer, UUID)]
    refused = [answer.code for answer in told if isinstance(answer, Refused)]
    assert (len(made), refused) == (1, ["not_enough_garnets"] * 7)
    assert await balances(arbiter, cup) == {
        HOUSE: -6,
        purse(0): 3,
        brought(0, str(made[0])): 2,
        brought(1, str(made[0])): 1,
    }


async def test_ids_of_matches_and_of_tournaments_are_not_mistaken(
    arbiter: Arbiter, cup: UUID
) -> None:
    match_id = await added(arbiter, cup)
    with pytest.raises(UnknownMatch):
        await arbiter.open_matches.opened(cup)
    with pytest.raises(UnknownMatch):
        await arbiter.matches.enter(cup, Start(), "moderator")
    with pytest.raises(UnknownTournament):
        await arbiter.tournaments.opened(match_id)
    with pytest.raises(UnknownTournament):
        await arbiter.tournaments.enter(match_id, EnterPlayer("Di"))
    with pytest.raises(UnknownTournament):
        await added(arbiter, match_id)


# Races.


async def test_two_who_enter_players_at_once_both_succeed(
    arbiter: Arbiter, rival: Arbiter, cup: UUID
) -> None:
    await rival.tournaments.opened(cup)
    done = [
        await instance.tournaments.enter(cup, EnterPlayer(name))
        for instance, name in ((arbiter, "Di"), (rival, "Ed"), (arbiter, "Flo"))
    ]
    assert [d.events for d in done] == [
        [PlayerEntered(3, "Di")], [PlayerEntered(4, "Ed")], [PlayerEntered(5, "Flo")],
    ]  # fmt: skip
    for number, one in enumerate(done, 3):
        grant = arbiter.keyring.learn(one.keys[0])
        assert grant is not None and (grant.role, grant.number) == ("player", number)


async def test_many_commands_of_two_instances_all_get_their_number(
    arbiter: Arbiter, rival: Arbiter, cup: UUID
) -> None:
    names = [f"P{n}" for n in range(12)]

    async def enter(name: str) -> None:
        instance = rival if int(name[1:]) % 2 else arbiter
        await instance.tournaments.enter(cup, EnterPlayer(name))

    await asyncio.gather(*map(enter, names))
    entered = [e for e in recorded(arbiter, cup) if isinstance(e, PlayerEntered)]
    assert [event.player for event in entered] == list(range(15))
    assert {event.name for event in entered} >= set(names)


async def test_one_name_is_given_once_by_two_instances(
    arbiter: Arbiter, rival: Arbiter, cup: UUID
) -> None:
    await rival.tournaments.opened(cup)
    await arbiter.tournaments.enter(cup, EnterPlayer("Di"))
    with pytest.raises(Refused, match="name_taken"):
        await rival.tournaments.enter(cup, EnterPlayer("Di"))


@pytest.mark.usefixtures("garnets")
async def test_a_match_decided_on_old_news_is_decided_anew(
    arbiter: Arbiter, rival: Arbiter, cup: UUID
) -> None:
    await rival.tournaments.opened(cup)
    await arbiter.tournaments.enter(cup, EnterPlayer("Di"))
    match_id = await added(rival, cup)
    assert recorded(arbiter, cup, MatchAdded) == [MatchAdded(str(match_id), CHIPS, (1, 0))]
    await arbiter.tournaments.enter(cup, PostGarnets(1, 1, "again"))
    await added(arbiter, cup)
    with pytest.raises(Refused, match="not_enough_garnets"):
        await added(rival, cup)
    assert len((await arbiter.lists.tournament(cup)).matches) == 2


async def test_whoever_always_loses_gives_up(arbiter: Arbiter, cup: UUID) -> None:
    watched(arbiter).before.extend(IntegrityError("another was first") for _ in range(MOST_TRIES))
    with pytest.raises(StoreUnavailable):
        await arbiter.tournaments.enter(cup, EnterPlayer("Di"))
    assert not watched(arbiter).before
    await arbiter.tournaments.enter(cup, EnterPlayer("Di"))


async def test_a_match_loses_a_race_of_others_and_is_created_all_the_same(
    arbiter: Arbiter, cup: UUID
) -> None:
    """In one transaction with another match that another writer was first with."""
    watched(arbiter).before.append(IntegrityError("another was first"))
    match_id = await added(arbiter, cup)
    assert recorded(arbiter, cup, MatchAdded) == [MatchAdded(str(match_id), CHIPS, (1, 0))]


# Memory and the index.


async def test_tournaments_that_are_not_used_are_closed_and_opened_again(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournaments, "MOST_OPEN", 2)
    cups = [(await arbiter.creation.tournament(CUP))[0] for _ in range(5)]
    await asyncio.gather(
        *(arbiter.tournaments.enter(cup, EnterPlayer(f"P{n}")) for n in range(3) for cup in cups)
    )
    for cup in cups:
        assert len((await arbiter.tournaments.opened(cup)).state.players) == 6
    with pytest.raises(UnknownTournament):
        await arbiter.tournaments.opened(UUID(int=7))
    assert len(arbiter.tournaments._open) <= 2


async def test_a_tournament_is_folded_beside_the_loop(
    arbiter: Arbiter, rival: Arbiter, cup: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long one would hold up every match."""
    folded_by = []

    def fold(state: Tournament, events: Sequence[Event]) -> Tournament:
        folded_by.append(threading.get_ident())
        return tournament_state.fold(state, events)

    monkeypatch.setattr("service.door.open_tournament.fold", fold)
    assert (await rival.tournaments.opened(cup)).state == (
        await arbiter.tournaments.opened(cup)
    ).state
    assert len(folded_by) == 1 and folded_by[0] != threading.get_ident()


async def test_the_index_rebuilt_lists_what_it_listed(arbiter: Arbiter, cup: UUID) -> None:
    await played(arbiter, cup)
    await settled(arbiter, cup)

    async def listed() -> Any:
        page = await arbiter.lists.tournaments(after=None, limit=5)
        return page, await arbiter.lists.tournament(cup), arbiter.index.unsettled()

    before = await listed()
    await asyncio.to_thread(arbiter.index.rebuild)
    assert await listed() == before
    assert [row.id for row in before[0].tournaments] == [str(cup)] and before[2] == []


async def test_a_command_on_a_tournament_of_another_is_not_taken(
    arbiter: Arbiter, cup: UUID
) -> None:
    other, _ = await arbiter.creation.tournament(CUP)
    match_id = await added(arbiter, other)
    with pytest.raises(Refused, match="no_such_tournament_match"):
        await arbiter.tournaments.enter(cup, GiveMatch(str(match_id), 0))
    with pytest.raises(Refused, match="not_on_roster"):
        await arbiter.tournaments.check(cup, AddMatch("x", CHIPS, ("Zoe", "Ann")))
