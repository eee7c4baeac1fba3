"""Players enter themselves by a link, or wait for a place (/docs/tournaments#registration)."""

import pytest

from domain.tournament.commands import Command, NewTournament
from domain.tournament.decide import decide
from domain.tournament.events import PlayerRegistered, PlayerWaits
from domain.tournament.registration import CloseRegistration, OpenRegistration, Register
from domain.tournament.stage_commands import Withdraw
from tests.support.tables.correction_tables import after, refusal

CUP = NewTournament("Cup", ("Ann", "Ben"))
TOKEN, CY, DI = b"t" * 32, b"cy", b"di"
OPEN = OpenRegistration(TOKEN, 3, closes=100, waiting_list=True, at=0)


def entry(name: str, request: bytes, at: int = 1, token: bytes = TOKEN) -> Register:
    return Register(name, token, request, at)


def test_a_name_is_entered_once_by_the_one_who_sent_it() -> None:
    state = after(CUP, OPEN, entry("Cy", CY))
    assert (state.players, state.waiting) == (("Ann", "Ben", "Cy"), {})
    assert decide(state, entry("Cy", CY)) == []
    for name, request in (("Cy", DI), ("CY", DI), ("Ann", DI)):
        assert refusal(state, entry(name, request)) == "name_taken"


def test_who_finds_it_full_waits_and_moves_up_in_order() -> None:
    state = after(CUP, OPEN, entry("Cy", CY))
    assert decide(state, entry("Di", DI)) == [PlayerWaits("Di", DI)]
    state = after(CUP, OPEN, entry("Cy", CY), entry("Di", DI), entry("Ed", b"ed"))
    assert tuple(state.waiting.values()) == ("Di", "Ed") and decide(state, entry("Di", DI)) == []
    state = after(Withdraw(0, "ill"), before=state)
    assert decide(state, entry("Ed", b"ed")) == []
    assert decide(state, entry("Di", DI))[0] == PlayerRegistered(DI)
    state = after(entry("Di", DI), before=state)
    assert (state.players[-1], state.waiting) == ("Di", {b"ed": "Ed"})


def test_a_place_that_is_free_is_for_those_who_wait() -> None:
    state = after(CUP, OPEN, entry("Cy", CY), entry("Di", DI))
    state = after(Withdraw(0, "ill"), before=state)
    assert decide(state, entry("Ed", b"ed")) == [PlayerWaits("Ed", b"ed")]


@pytest.mark.parametrize(
    ("before", "command", "code"),
    [
        ((), entry("Cy", CY), "registration_closed"),
        ((OPEN,), entry("Cy", CY, at=100), "registration_closed"),
        ((OPEN, CloseRegistration()), entry("Cy", CY), "registration_closed"),
        ((OPEN,), entry("Cy", CY, token=b"x" * 32), "no_such_registration"),
        ((OPEN,), entry(" Cy", CY), "names_not_allowed"),
        ((OpenRegistration(TOKEN, 2, None, False, 0),), entry("Cy", CY), "roster_full"),
        ((), OpenRegistration(TOKEN, 2, 5, False, 5), "registration_closed"),
    ],
)
def test_what_is_refused(before: tuple[Command, ...], command: Command, code: str) -> None:
    assert refusal(after(CUP, *before), command) == code
