"""Looks at hidden things show in no one else's bytes, numbers or work; and what players are told of
them at the end depends on nothing that was hidden from them."""

from contextlib import ExitStack

from tests.support.http.match_play import play_out
from tests.support.instance.work_counter import WorkCounter
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch, Player

REFUSED = {"type": "play", "chip": 99}


def look_at_everything(match: LiveMatch) -> None:
    for as_ in ("moderator", "seat:0", "seat:1"):
        assert match.moderator.view(as_).status_code == 200
        assert match.moderator.events(as_).status_code == 200
    assert match.organiser.client.get(f"{match.organiser.path}/reads").status_code == 200


def answers(match: LiveMatch) -> list[tuple[int, bytes, list[tuple[str, str]]]]:
    """All that a seat and the public can ask, with the headers."""
    found = []
    for player, as_ in ((match.seats[0], None), (match.anyone, None), (match.anyone, "public")):
        asked = [player.view(as_), player.events(as_), player.menu()]
        asked += [player.client.get(f"{player.path}/{what}") for what in ("reads", "bundle")]
        for answer in asked:
            headers = [(k, v) for k, v in answer.headers.items() if k != "date"]
            found.append((answer.status_code, answer.content, headers))
    return found


def test_a_look_changes_no_byte_for_anybody_else(live: Live) -> None:
    match = live.started("twelve-chips")
    before = answers(match)
    look_at_everything(match)
    assert answers(match) == before


def test_a_look_wakes_and_reads_for_nobody_else(live: Live, counter: WorkCounter) -> None:
    match = live.started("twelve-chips")
    look_at_everything(match)
    with ExitStack() as stack:
        for player in (match.seats[0], match.seats[1], match.anyone):
            stack.enter_context(player.stream({"Accept": NDJSON}))
            player.view()
        counter.take()
        look_at_everything(match)
        assert counter.take() == {}


def told(match: LiveMatch, seat: Player) -> list[Json]:
    rows: list[Json] = seat.client.get(f"{seat.path}/reads").json()["reads"]
    return [
        {name: row[name] for name in ("person", "role", "seq")}
        for row in rows
        if row["role"] == "organiser"
    ]


def looked_at(live: Live, hidden: int) -> tuple[LiveMatch, int]:
    """A match at whose beginning an organiser looks, after so many hidden submissions of seat 0;
    and the number that seat 1 had by then."""
    match = live.started("twelve-chips", record="closed", options={"tokens_to_win": 1})
    for _ in range(hidden):
        assert match.seats[0].act(REFUSED).status_code == 422
    assert match.organiser.client.get(f"{match.organiser.path}/reads").status_code == 200
    for _ in range(hidden):
        assert match.seats[0].act(REFUSED).status_code == 422
    then = match.seats[1].view().json()["seq"]
    play_out(match)
    return match, then


def test_how_far_is_told_in_own_numbers_however_much_is_hidden(live: Live) -> None:
    for hidden in (0, 30):
        match, then = looked_at(live, hidden)
        assert told(match, match.seats[1]) == [{"person": None, "role": "organiser", "seq": then}]
