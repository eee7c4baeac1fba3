"""A case that a reader cannot read changes no byte of what that reader is sent, and no work that is
done for it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from service.event_store.integrity.digests import StoredRows
from tests.support.http.case_client import (
    NOWHERE,
    appeal,
    cases_of,
    close,
    do,
    listed,
    open_case,
    opened,
    read,
    say,
    shown,
)
from tests.support.http.ruling_client import rule, ruled
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch
from tests.support.worlds_http import World, compare

READERS = ["public", "seat:0"]
NOTE: Json = {"to": "sealed", "text": "It stands.", "severity": "uphold"}

Hidden = Callable[[LiveMatch], str]


def of_another_seat(match: LiveMatch) -> str:
    return opened(match.seats[1], about=3)


def of_a_moderator(match: LiveMatch) -> str:
    case = opened(match.moderator)
    assert do(match.organiser, case, "parties", {"seat": 1}).status_code == 204
    return case


def closed_and_appealed(match: LiveMatch) -> str:
    case = opened(match.seats[1])
    assert close(match.moderator, case).status_code == 204
    assert appeal(match.seats[1], case).status_code == 204
    assert say(match.seats[1], case, "It was the wrong coin.").status_code == 201
    return case


def closed_by_a_sealed_note(match: LiveMatch) -> str:
    case = opened(match.seats[1])
    assert rule(match.moderator, "note", **NOTE, case=case).status_code == 201
    return case


def named_by_a_pending_ruling(match: LiveMatch) -> str:
    case = opened(match.organiser)
    ruled(match.moderator, "void", case=case)
    return case


HIDDEN: list[Hidden] = [
    of_another_seat,
    of_a_moderator,
    closed_and_appealed,
    closed_by_a_sealed_note,
    named_by_a_pending_ruling,
]


@pytest.fixture
def streams() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def two(live: Live, streams: ExitStack) -> list[World]:
    """Two matches of Dollar Prize by hand, and the streams of their readers."""
    matches = [live.started("dollar-prize", chance="manual") for _ in range(2)]
    worlds = [World(match, READERS, {"type": "end_turn"}, "setup") for match in matches]
    for world in worlds:
        world.follow(streams)
    return worlds


def asked_of_case(match: LiveMatch, case: str) -> list[Answer]:
    """What readers are answered about a case, and about all of them."""
    asked: list[Answer] = []
    for reader in READERS:
        player = match.audiences()[reader]
        asked += [player.client.get(cases_of(player)), read(player, case)]
        asked += [say(player, case, "Hm."), appeal(player, case), close(player, case)]
        asked += [do(player, case, "parties", {"seat": 0}), do(player, case, "publish")]
    return asked


@pytest.mark.parametrize("hidden", HIDDEN)
def test_a_hidden_case_changes_nothing(live: Live, streams: ExitStack, hidden: Hidden) -> None:
    one, other = two(live, streams)
    case = hidden(other.match)
    compare(one, other, live)
    answers = zip(asked_of_case(one.match, NOWHERE), asked_of_case(other.match, case), strict=True)
    for first, second in answers:
        assert one.seen(first) == other.seen(second)
    for world in (one, other):
        world.match.seats[0].act({"type": "choose_side", "side": "heads"})
    compare(one, other, live)


def test_a_case_of_another_match_is_no_case_of_this_one(live: Live) -> None:
    case, coins = opened(live.started("dollar-prize").seats[0]), live.started("dollar-prize")
    for player in (coins.moderator, coins.organiser, coins.seats[0]):
        answers = [(read(player, case), read(player, NOWHERE))]
        answers += [(say(player, case, "Hm."), say(player, NOWHERE, "Hm."))]
        for answer, nothing in answers:
            assert (answer.status_code, answer.content) == (404, nothing.content)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_read_for_a_reader_does_not_depend_on_hidden_cases(
    live: Live, hidden: Hidden, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet, busy = (live.started("dollar-prize") for _ in range(2))
    for _ in range(2):
        case = hidden(busy)
    # Someone opens the first case of any match; here it is a moderator in both.
    for match in (quiet, busy):
        opened(match.moderator)
    rows, counted = live.instance.store.rows, list[int]()

    def counting(*asked: Any) -> StoredRows:
        found = rows(*asked)
        counted.append(len(found.rows))
        return found

    monkeypatch.setattr(live.instance.store, "rows", counting)
    work = []
    for match, wanted in ((quiet, NOWHERE), (busy, case)):
        for player in (match.anyone, match.seats[0]):
            assert listed(player) == []
            assert read(player, wanted).status_code == 404
        assert open_case(match.seats[0]).status_code == 201
        work.append(counted.copy())
        counted.clear()
    assert work[0] == work[1] != []


def test_ruling_numbers_and_ids_are_told_to_those_who_know_them(
    live: Live,
) -> None:
    coins = live.started("dollar-prize")
    case = opened(coins.seats[0])
    assert rule(coins.moderator, "note", **NOTE, case=case).status_code == 201
    [told] = shown(coins.seats[0], case)["closings"]
    assert set(told) == {"at", "note", "n"}
