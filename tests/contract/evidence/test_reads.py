"""`/v1/matches/{id}/reads`: who has read what, for moderators; who has looked, for players."""

import pytest

from service.application.evidence.reads import ReadAccount
from service.event_store.reads import Read
from tests.support.http.evidence_client import looked, reads, seen
from tests.support.http.match_play import assert_problem, play_out
from tests.support.http.tournament_client import cup
from tests.support.servers.live_server import NDJSON, Live, LiveMatch, Player

# What is accounted for.


@pytest.mark.parametrize("as_", ["moderator", "seat:1"])
def test_a_moderators_view_is_a_look_up_to_its_number(chips: LiveMatch, as_: str) -> None:
    seq = chips.moderator.view(as_).json()["seq"]
    assert seq > 3
    assert looked(chips, as_) == seq


def test_a_page_is_read_up_to_its_last_and_an_earlier_position_takes_nothing_back(
    chips: LiveMatch,
) -> None:
    assert chips.moderator.events("seat:1", after=1, limit=2).status_code == 200
    assert chips.moderator.view("seat:1", at=2).status_code == 200
    assert looked(chips, "seat:1") == 3


def test_an_unchanged_view_is_a_look_as_well(chips: LiveMatch) -> None:
    tag = chips.moderator.view("seat:1").headers["etag"]
    before = seen(reads(chips.moderator), "moderator", "seat:1", hidden=True)
    unchanged = {"If-None-Match": tag}
    assert chips.moderator.view("seat:1", headers=unchanged).status_code == 304
    after = seen(reads(chips.moderator), "moderator", "seat:1", hidden=True)
    assert before is not None and after is not None
    assert (before["first"], before["seq"]) == (after["first"], after["seq"])
    assert before["last"] < after["last"]


def test_each_line_of_a_moderators_stream_is_a_look(chips: LiveMatch) -> None:
    with chips.moderator.stream({"Accept": NDJSON}, as_="seat:1", after=0) as response:
        lines = response.iter_lines()
        last = chips.anyone.view().json()["seq"]
        for _ in range(last):
            next(lines)
        assert (looked(chips, "seat:1") or 0) >= last


def test_an_open_stream_is_a_look_before_its_first_line(chips: LiveMatch) -> None:
    with chips.moderator.stream({"Accept": NDJSON}, as_="seat:1"):
        assert looked(chips, "seat:1") == 0


def test_the_answer_to_a_draw_is_a_look(dealing: LiveMatch) -> None:
    dealt = dealing.moderator.draw(
        "round1/deal", [[9, 5, 7, 4, 6, 8], [12, 11, 10, 3, 1, 2]]
    ).json()
    assert looked(dealing, "moderator") == dealt["view"]["seq"]


def test_a_running_matchs_bundle_is_a_look_for_whomever_it_is(chips: LiveMatch) -> None:
    bundle = chips.moderator.client.get(f"{chips.moderator.path}/bundle", as_="seat:0")
    assert bundle.status_code == 200
    assert looked(chips, "seat:0") == chips.seats[0].view().json()["seq"]


@pytest.mark.parametrize("what", ["bundle?as=public", "checkpoint"])
def test_who_is_told_how_much_is_hidden_has_looked(chips: LiveMatch, what: str) -> None:
    before = seen(reads(chips.moderator), "moderator", "moderator", hidden=True)
    assert chips.moderator.client.get(f"{chips.moderator.path}/{what}").status_code == 200
    after = seen(reads(chips.moderator), "moderator", "moderator", hidden=True)
    assert before is not None and after is not None and before["last"] < after["last"]


BEYOND = {
    "a view": ("view?as=moderator&at=999", {}),
    "events": ("events?as=moderator&after=999", {}),
    "a stream": ("stream?as=moderator&after=999", {}),
    "a stream taken up": ("stream?as=moderator", {"Last-Event-ID": "999"}),
    "a time line": ("timeline?as=moderator&after=999", {}),
    "knowledge": ("knowledge?as=moderator&after=999", {}),
}


def looks(monkeypatch: pytest.MonkeyPatch) -> list[Read]:
    """Every look that is put on record from now on."""
    added: list[Read] = []
    add = ReadAccount.add

    async def noted(account: ReadAccount, read: Read) -> None:
        added.append(read)
        await add(account, read)

    monkeypatch.setattr(ReadAccount, "add", noted)
    return added


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("asked", BEYOND)
def test_who_is_told_that_there_is_less_has_looked(
    chips: LiveMatch, monkeypatch: pytest.MonkeyPatch, asked: str, method: str
) -> None:
    """By halves the refusals tell how much is hidden."""
    rest, headers = BEYOND[asked]
    added = looks(monkeypatch)
    path = f"{chips.moderator.path}/{rest}"
    refused = chips.moderator.client.send(method, path, None, headers)
    assert refused.status_code in (404, 409)
    assert [(read.audience, read.hidden) for read in added] == [("moderator", True)]


def test_who_opens_a_case_beyond_the_end_has_looked(
    chips: LiveMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = looks(monkeypatch)
    for body, as_ in (({"about": 999}, ["moderator"]), ({"about_public": 999}, [])):
        path = f"{chips.moderator.path}/cases"
        refused = chips.moderator.client.post(path, {"says": "It fell.", **body})
        assert_problem(refused, 409, "history_went_back")
        assert [read.audience for read in added] == as_
        added.clear()


def test_a_seats_reads_of_its_own_are_no_look(chips: LiveMatch) -> None:
    seat = chips.seats[0]
    assert seat.menu().status_code == 200
    assert seat.act({"type": "play", "chip": 99}).status_code == 422
    row = seen(reads(chips.moderator), "seat", "seat:0", hidden=False)
    assert row is not None
    assert (row["person"], row["seq"]) == ("Ann", seat.view().json()["seq"])


def test_a_stream_by_ticket_counts_for_the_ticket_s_key(chips: LiveMatch) -> None:
    ticket = chips.moderator.client.post(f"{chips.moderator.path}/stream-tickets", {"as": "seat:1"})
    with chips.anyone.stream({"Accept": NDJSON}, ticket=ticket.json()["ticket"], after=0) as stream:
        next(stream.iter_lines())
        assert looked(chips, "seat:1") is not None


def test_each_key_has_rows_of_its_own_with_its_id_and_its_person_s_name(
    live: Live, chips: LiveMatch
) -> None:
    path = f"{chips.organiser.path}/keys"
    made = live.organiser.post(path, {"role": "moderator", "name": "Eve"}).json()
    eve = Player(live.bearing(made["key"]), chips.id)
    assert eve.view("seat:1").status_code == chips.moderator.view("seat:1").status_code == 200
    rows = [row for row in reads(chips.organiser) if row["as"] == "seat:1"]
    assert [row["person"] for row in rows] == ["Eve", None]
    assert rows[0]["key_id"] == made["id"] != rows[1]["key_id"]


def test_without_a_key_nothing_is_accounted_for(chips: LiveMatch) -> None:
    assert chips.anyone.view().status_code == 200
    assert chips.seats[1].view("public").status_code == 200
    assert {row["role"] for row in reads(chips.organiser)} <= {"moderator", "organiser"}


def test_what_everybody_may_read_is_no_look(played: LiveMatch) -> None:
    assert played.seats[0].view("moderator").status_code == 200
    assert played.moderator.view("moderator").status_code == 200
    # Other tests read this match by keys of other people.
    handed = {
        (row["person"], row["role"])
        for row in reads(played.moderator)
        if (row["as"], row["hidden"]) == ("moderator", False) and row["seq"] > 10
    }
    assert handed >= {("Ann", "seat"), (None, "moderator")}


# Who sees it.


def test_to_see_the_reads_is_a_look(chips: LiveMatch) -> None:
    assert seen(reads(chips.organiser), "organiser", "moderator", hidden=True) is not None


# What players are told.


def test_when_the_result_is_final_players_are_told_who_looked_and_how_far_in_their_own_numbers(
    live: Live,
) -> None:
    match = live.started("twelve-chips", options={"tokens_to_win": 1})
    match.seats[0].act({"type": "play", "chip": 99})
    reads(match.organiser)
    then = [seat.view().json()["seq"] for seat in match.seats]
    play_out(match)
    match.moderator.view("moderator")

    for seat, number in zip(match.seats, then, strict=True):
        told = reads(seat)
        assert [row["role"] for row in told] == ["moderator", "organiser"]
        assert [set(row) for row in told] == [{"person", "role", "seq", "first", "last"}] * 2
        assert told[0]["first"] <= told[1]["first"] <= told[1]["last"] <= told[0]["last"]
        assert told[1]["seq"] == number
    assert then[0] > then[1]


def test_players_of_a_tournament_are_told_names(live: Live) -> None:
    spring = cup(live)
    match = spring.match()
    assert spring.give(match).status_code == 201
    match.moderator.start()
    mo = Player(spring.moderator(), match.id)
    assert mo.view("seat:0").status_code == 200
    play_out(match)

    told = reads(Player(spring.player(1), match.id))

    assert [(row["person"], row["role"]) for row in told if row["person"]] == [("Mo", "moderator")]
    ann = reads(match.seats[0])
    assert [row["person"] for row in ann] == [row["person"] for row in told]
