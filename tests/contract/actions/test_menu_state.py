"""What a menu says of the seat's own state: whether it is awaited, and what counts of it now."""

from tests.support.servers.live_server import Json, Live, LiveMatch

FOUR = ("Ann", "Ben", "Cy", "Di")
A_VOTE: Json = {"type": "submit", "a": [1], "b": None, "pay_garnet": False, "round": 1}


def state(match: LiveMatch, seat: int) -> tuple[bool, bool, Json | None]:
    menu = match.seats[seat].menu().json()
    return menu["awaited"], menu["submitted"], menu["standing"]


def test_a_seat_that_has_submitted_is_told_so_and_nobody_else_is(live: Live) -> None:
    match = live.started("together", FOUR)
    others = [match.seats[seat].menu().content for seat in (1, 2, 3)]
    assert state(match, 0) == (True, False, None)
    assert match.seats[0].act(A_VOTE).status_code == 201
    assert state(match, 0) == (True, True, A_VOTE)
    assert match.seats[0].menu().json()["actions"], "it may be replaced"
    assert [match.seats[seat].menu().content for seat in (1, 2, 3)] == others


def test_what_stands_can_be_sent_as_it_is(live: Live) -> None:
    match = live.started("grouping-bw")
    (chooser,) = match.anyone.view().json()["awaiting"]["seats"]
    assert match.seats[chooser].act({"type": "name_starter", "seat": 0}).status_code == 201
    seat = match.seats[0]
    (entry,) = seat.menu().json()["actions"]
    assert seat.act(entry["examples"][-1]).status_code == 201
    standing = seat.menu().json()["standing"]
    assert standing == entry["examples"][-1]
    assert seat.act(standing).json()["receipt"]["valid"] is True
    assert seat.menu().json()["standing"] == standing
