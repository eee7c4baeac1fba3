"""Tournaments: the roster, the moderators of each match, and the movements of garnets."""

import pytest

from domain.events import OWN_SEAT, PUBLIC, SEALED, Event
from domain.game import Refused
from domain.people import Actor
from domain.tournament.commands import (
    MOST_PLAYERS,
    AddMatch,
    Command,
    NewPlayer,
    NewPlayers,
    NewTournament,
    Override,
    PostGarnets,
    SettleMatch,
)
from domain.tournament.decide import decide, entry_faults
from domain.tournament.events import (
    GarnetsPosted,
    LookOverridden,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    ModeratorAppointed,
    ModeratorNamed,
    PlayerEntered,
    PlayerIdentified,
    PlayerNamed,
    RequestReceived,
    TournamentCreated,
)
from domain.tournament.fold import fold
from domain.tournament.ledger import HOUSE, MOST_GARNETS, purse, stake
from domain.tournament.staff import MOST_MODERATORS, UNBLINDED, GiveMatch, NewModerator
from domain.tournament.stage_commands import AddStage
from domain.tournament.stages import Stage, StageMatch
from domain.tournament.state import NOTHING_YET, KeyedRequest, is_repeated
from tests.domain.tournament.stage_play import Organiser
from tests.support.tables.correction_tables import CUP, WON, after, refusal


def test_a_tournament_begins_with_its_roster_moderators_and_garnets() -> None:
    assert decide(NOTHING_YET, CUP) == [
        TournamentCreated("Cup"),
        PlayerEntered(0),
        PlayerNamed(0, "Ann", UNBLINDED),
        GarnetsPosted(0, "house", "player", 5, "entered"),
        PlayerEntered(1),
        PlayerNamed(1, "Ben", UNBLINDED),
        PlayerEntered(2),
        PlayerNamed(2, "Cy", UNBLINDED),
        ModeratorAppointed(0),
        ModeratorNamed(0, "Mo", UNBLINDED),
        ModeratorAppointed(1),
        ModeratorNamed(1, "Cy", UNBLINDED),
    ]


@pytest.mark.parametrize("name", ["", "\u0391nna"])
def test_a_name_is_readable(name: str) -> None:
    """Which names are, and which are one, `tests/domain/names` has."""
    state = after(CUP)
    for command in (
        NewTournament(name),
        NewTournament("Cup", (name,)),
        NewTournament("Cup", (), (name,)),
        NewPlayer(name),
        NewModerator(name),
    ):
        assert refusal(state, command) == "names_not_allowed"


@pytest.mark.parametrize("name", ["Ann", "\uff21nn"])
def test_no_two_players_and_no_two_moderators_have_one_name(name: str) -> None:
    state = after(CUP)
    assert refusal(state, NewPlayer(name)) == "name_taken"
    assert refusal(state, NewTournament("Cup", ("Ann", name))) == "name_taken"
    assert refusal(state, NewTournament("Cup", (), ("Ann", name))) == "name_taken"
    assert decide(state, NewModerator(name)) == [
        ModeratorAppointed(2),
        ModeratorNamed(2, name, UNBLINDED),
    ]


def test_a_roster_has_an_end() -> None:
    names = tuple(f"P{n}" for n in range(MOST_PLAYERS))
    state = after(NewTournament("Cup", names))
    assert refusal(state, NewPlayer("one more")) == "roster_full"
    assert refusal(NOTHING_YET, NewTournament("Cup", (*names, "more"))) == "roster_full"
    state = after(NewTournament("Cup", (), names[:MOST_MODERATORS]))
    assert refusal(state, NewModerator("one more")) == "roster_full"


def test_stages_and_their_rounds_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_STAGES", "MOST_ROUNDS"):
        monkeypatch.setattr(f"domain.tournament.stage_decide.{name}", 1)
    stage = Stage("S", "swiss", StageMatch("dollar-prize"), rounds=3)
    one = Organiser(4, stage)
    with pytest.raises(Refused, match="too_many_stages"):
        one.do(AddStage(stage))
    one.rounds(1)
    with pytest.raises(Refused, match="too_many_rounds"):
        one.publish(1)


def test_garnets_at_the_beginning_are_for_players() -> None:
    assert refusal(NOTHING_YET, NewTournament("Cup", ("Ann",), ("Mo",), {"Mo": 1})) == (
        "not_on_roster"
    )


@pytest.mark.parametrize("garnets", [-1, MOST_GARNETS + 1, 2**70])
def test_nobody_enters_with_too_many_garnets_or_with_debts(garnets: int) -> None:
    assert refusal(after(CUP), NewPlayer("Di", garnets)) == "garnets_not_allowed"
    wrong = NewTournament("Cup", ("Ann",), (), {"Ann": garnets})
    assert refusal(NOTHING_YET, wrong) == "garnets_not_allowed"


def test_a_player_is_entered_after_matches_have_begun() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ann", "Ben")))
    assert decide(state, NewPlayer("Di", 2)) == [
        PlayerEntered(3),
        PlayerNamed(3, "Di", UNBLINDED),
        GarnetsPosted(3, "house", "player", 2, "entered"),
    ]


@pytest.mark.parametrize(
    ("players", "faults"),
    [
        ([NewPlayer("Di", external_id="7"), NewPlayer("Ed", external_id="8")], [None, None]),
        ([NewPlayer("Di"), NewPlayer("DI"), NewPlayer("ann")], [None, "name_taken", "name_taken"]),
        ([NewPlayer(" Di"), NewPlayer("Ed", -1)], ["names_not_allowed", "garnets_not_allowed"]),
        (
            [NewPlayer("Di", external_id="7"), NewPlayer("Ed", external_id="7")],
            [None, "external_id_taken"],
        ),
    ],
)
def test_players_enter_all_or_none(players: list[NewPlayer], faults: list[str | None]) -> None:
    state, together = after(CUP), NewPlayers(tuple(players))
    assert list(entry_faults(state, players)) == faults
    first = next(filter(None, faults), None)
    if first is not None:
        assert refusal(state, together) == first
        return
    assert after(CUP, together) == after(CUP, *players)
    assert refusal(after(CUP, together), NewPlayer("Fay", external_id="8")) == "external_id_taken"


def test_an_id_of_the_organisers_is_on_record_for_no_one_else() -> None:
    [*_, last] = decide(after(CUP), NewPlayer("Di", external_id="7"))
    assert last == PlayerIdentified(3, "7") and last.audience == SEALED


# Matches.


def test_a_match_is_of_players_on_the_roster() -> None:
    state = after(CUP)
    assert decide(state, AddMatch("one", "a-game", ("Cy", "Ann"))) == [
        MatchAdded("one", "a-game", (2, 0))
    ]
    for wrong in (("Ann", "Mo"), ("ann", "Ben"), ("Ann", "")):
        assert refusal(state, AddMatch("one", "a-game", wrong)) == "not_on_roster"


def test_garnets_brought_into_a_match_leave_the_balance() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ben", "Ann"), (0, 3)))
    assert state.balances == {HOUSE: -5, purse(0): 2, stake(0, "one"): 3}


def test_nobody_brings_more_than_they_have() -> None:
    state = after(CUP)
    assert refusal(state, AddMatch("one", "a-game", ("Ben", "Ann"), (0, 6))) == "not_enough_garnets"
    assert refusal(state, AddMatch("one", "a-game", ("Ben", "Ann"), (1, 0))) == "not_enough_garnets"


def test_garnets_in_one_match_cannot_be_brought_into_another() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ann", "Ben"), (3, 0)))
    assert refusal(state, AddMatch("two", "a-game", ("Ann", "Ben"), (3, 0))) == "not_enough_garnets"
    state = after(AddMatch("two", "a-game", ("Ann", "Ben"), (2, 0)), before=state)
    assert state.balances == {HOUSE: -5, stake(0, "one"): 3, stake(0, "two"): 2}


# Moderators.


def test_a_moderator_is_assigned_a_match_once() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ann", "Ben")))
    assert decide(state, GiveMatch("one", 0)) == [MatchGiven("one", 0)]
    state = after(GiveMatch("one", 0), before=state)
    assert decide(state, GiveMatch("one", 0)) == []


def test_nobody_moderates_a_match_in_which_they_play() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ann", "Cy")), AddMatch("two", "x", ("Ann",)))
    assert refusal(state, GiveMatch("one", 1)) == "moderator_plays"
    assert decide(state, GiveMatch("two", 1)) == [MatchGiven("two", 1)]


def test_a_moderator_who_is_entered_later_is_the_same_person() -> None:
    state = after(CUP, NewPlayer("MO"), AddMatch("one", "a-game", ("Ann", "MO")))
    assert refusal(state, GiveMatch("one", 0)) == "moderator_plays"


def test_an_unknown_match_or_moderator_is_refused() -> None:
    state = after(CUP, AddMatch("one", "a-game", ("Ann", "Ben")))
    assert refusal(state, GiveMatch("two", 0)) == "no_such_tournament_match"
    assert refusal(state, SettleMatch("two", WON)) == "no_such_tournament_match"
    for number in (-1, 2, 2**70):
        assert refusal(state, GiveMatch("one", number)) == "no_such_moderator"


# Idempotency keys.


def test_a_repeated_request_is_recognised_by_its_key_and_content() -> None:
    request = KeyedRequest("once", b"1")
    events = decide(after(CUP), NewPlayer("Di"), request, Actor("Olga", "0f"))
    assert events == [
        RequestReceived("0f", "Olga", "once", b"1"),
        PlayerEntered(3),
        PlayerNamed(3, "Di", UNBLINDED),
    ]
    state = fold(after(CUP), events)
    assert is_repeated(state, request) and not is_repeated(state, KeyedRequest("twice", b"1"))
    with pytest.raises(Refused, match="idempotency_key_reused"):
        is_repeated(state, KeyedRequest("once", b"2"))


# Who may see what.


def test_garnets_are_for_their_player_requests_for_moderators_the_rest_for_all() -> None:
    assert GarnetsPosted.audience == OWN_SEAT and RequestReceived.audience == SEALED
    for kind in (
        TournamentCreated, PlayerEntered, ModeratorAppointed, MatchAdded, MatchGiven, MatchSettled,
    ):  # fmt: skip
        assert kind.audience == PUBLIC


def test_the_public_view_does_not_depend_on_garnets() -> None:
    rich = NewTournament("Cup", CUP.players, CUP.moderators, {"Ann": 5, "Ben": 90})
    one, two = AddMatch("one", "a", ("Ann", "Ben")), AddMatch("one", "a", ("Ann", "Ben"), (3, 9))
    plain = events_from(
        NewTournament("Cup", CUP.players, CUP.moderators), one, SettleMatch("one", WON)
    )
    with_garnets = events_from(
        rich, PostGarnets(1, 2, "x"), two, SettleMatch("one", WON, (0, 0), (0, 99))
    )
    assert public(plain) == public(with_garnets) and len(public(plain)) == 13


def public(events: list[Event]) -> list[Event]:
    return [event for event in events if event.audience == PUBLIC]


def events_from(*commands: Command) -> list[Event]:
    """The events of these commands."""
    state, events = NOTHING_YET, list[Event]()
    for command in commands:
        events += decide(state, command, KeyedRequest(str(len(events)), b""))
        state = fold(NOTHING_YET, events)
    return events


def test_rulings_6_an_override_is_recorded_with_its_match_for_moderators_alone() -> None:
    cup, override = after(CUP), Override(("one",), "nobody else is here", Actor("Olga", "0f"))
    events = decide(cup, AddMatch("two", "a-game", ("Ann", "Ben"), override=override))
    assert events == [
        MatchAdded("two", "a-game", (0, 1)),
        LookOverridden("two", ("one",), "nobody else is here", "Olga", "0f"),
    ]
    assert LookOverridden.audience == SEALED
    assert fold(cup, events) == fold(cup, events[:1])
