"""Void matches and ruled results: over for everyone."""

import json
from collections.abc import Callable
from uuid import UUID

import pytest

from projections.audience.disclosure import PUBLIC_VIEWER, Viewer
from projections.rulings.match_rulings import RulingShown
from service.application.rulings.ruling_lists import RulingLists
from tests.support.http.match_play import assert_problem, step
from tests.support.http.ruling_client import EVEN, consent, listed, rule, ruled, second, seconded
from tests.support.servers.live_server import NDJSON, Json, Live, LiveMatch

RESULT: Json = {"result": EVEN, "because": "forfeit"}


def voided(match: LiveMatch, **more: str) -> None:
    pending = ruled(match.moderator, "void", **more)
    assert seconded(match.judge, pending["ruling"]).status_code == 201


def resulted(match: LiveMatch) -> None:
    pending = ruled(match.moderator, "result", **RESULT)
    assert seconded(match.judge, pending["ruling"]).status_code == 201


OVER: dict[str, Callable[[LiveMatch], None]] = {"void": voided, "ended": resulted}


@pytest.fixture
def match(live: Live) -> LiveMatch:
    return begun(live)


def begun(live: Live, chance: str = "server") -> LiveMatch:
    """12 Chips after two actions."""
    match = live.started("twelve-chips", chance=chance)
    for _ in range(2):
        step(match)
    return match


@pytest.mark.parametrize("status", OVER)
def test_streams_end_and_nothing_follows(match: LiveMatch, status: str) -> None:
    with match.seats[0].stream({"Accept": NDJSON}, after=0) as stream:
        lines = stream.iter_lines()
        next(lines)
        OVER[status](match)
        *_, last = lines
    assert json.loads(last) == {"end": True, "seq": match.seats[0].view().json()["seq"]}
    assert match.seats[0].try_stream(after=json.loads(last)["seq"]).status_code == 204
    view = match.anyone.view().json()
    assert (view["status"], view["awaiting"]["seats"]) == (status, [])
    assert view["result"] == (EVEN if status == "ended" else None)


def test_only_another_match_of_its_players_that_counts_replaces_a_match(
    live: Live, match: LiveMatch
) -> None:
    """One of others and one that does not exist are refused alike."""
    others = live.create("twelve-chips", ("Oda", "Pim"))
    void = live.started("twelve-chips")
    voided(void)
    nowhere = "01900000-0000-7000-8000-000000000000"
    refused = [
        rule(match.moderator, "void", preview=True, replaced_by=other)
        for other in (others.id, nowhere, match.id, void.id)
    ]
    for answer in refused:
        assert_problem(answer, 422, "cannot_replace")
    assert len({answer.text for answer in refused}) == 1


@pytest.mark.parametrize("by_consent", [False, True])
def test_what_has_become_void_meanwhile_replaces_no_match(
    live: Live, match: LiveMatch, by_consent: bool
) -> None:
    other = live.started("twelve-chips")
    fields: Json = {"replaced_by": other.id, "ask_seats": by_consent}
    pending = ruled(match.moderator, "void", **fields)["ruling"]
    voided(other)
    refused = [second(match.judge, pending, preview=True)]
    if by_consent:
        refused.append(consent(match.seats[0], pending))
    for answer in refused:
        assert_problem(answer, 422, "cannot_replace")


@pytest.mark.parametrize(
    ("record", "people"), [("opened_at_end", [None, "Judge Judy"]), ("closed", None)]
)
def test_who_ruled_is_public_once_the_record_is_open(
    live: Live, record: str, people: list[str | None] | None
) -> None:
    match = live.started("twelve-chips", record=record)
    ruled(match.moderator, "note", to="seat:0", text="Be quicker.", severity="warning")
    ruled(match.moderator, "pause")
    assert "by" not in listed(match.anyone)[0]
    ruled(match.moderator, "resume")
    resulted(match)
    for reader in (match.anyone, match.seats[1]):
        *_, last = rulings = listed(reader)
        assert [one["kind"] for one in rulings] == ["pause", "resume", "result"]
        assert last.get("by") == people


@pytest.mark.parametrize("asked_by", ["seat", "moderator", "no one"])
def test_who_ruled_is_read_of_the_match_and_not_of_its_record_again(
    live: Live, monkeypatch: pytest.MonkeyPatch, asked_by: str
) -> None:
    """As the moderators' list says it."""
    match = live.started("twelve-chips")
    asks = {"result": EVEN, "because": "adjudicated"} | {"ask_seats": asked_by != "no one"}
    by = match.seats[0] if asked_by == "seat" else match.moderator
    pending = ruled(by, "result", **asks)["ruling"]
    if asked_by == "moderator":
        consent(match.seats[0], pending)
        assert consent(match.seats[1], pending).status_code == 201
    else:
        if asked_by == "seat":
            assert consent(match.seats[1], pending).status_code == 201
        assert seconded(match.judge, pending).status_code == 201
    (told,) = listed(match.moderator)
    read: list[Viewer] = []
    lists = RulingLists.list_rulings

    async def noted(self: RulingLists, match_id: UUID, viewer: Viewer) -> list[RulingShown]:
        read.append(viewer)
        return await lists(self, match_id, viewer)

    monkeypatch.setattr(RulingLists, "list_rulings", noted)
    (shown,) = listed(match.anyone)
    assert (shown["by"], read) == (told["by"], [PUBLIC_VIEWER])
