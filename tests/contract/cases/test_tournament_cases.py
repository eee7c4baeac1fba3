"""`/v1/tournaments/{id}/cases`: as those of a match; here is what differs."""

import asyncio
from uuid import UUID

import pytest

from tests.contract.tournaments.test_tournament_rulings import shown_to
from tests.support.http.case_client import (
    NOWHERE,
    appeal,
    close,
    do,
    listed,
    open_case,
    opened,
    read,
    say,
    shown,
)
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import rule, ruled
from tests.support.http.tournament_client import LiveCup, cup, staged
from tests.support.servers.live_server import Client, Json, Live, Player

PENALTY: Json = {"kind": "penalty", "player": 1, "points": 1}


@pytest.fixture
def spring(live: Live) -> LiveCup:
    """A stage is open: all have had a bye. Mo moderates, and so does Cy, who plays."""
    made = cup(live)
    staged(made, published=True)
    return made


def at(spring: LiveCup, client: Client) -> Player:
    """Someone at the tournament."""
    return Player(client, spring.id, "tournaments")


def test_a_player_brings_what_a_ruling_closes(live: Live, spring: LiveCup) -> None:
    ann, ben = (at(spring, spring.player(number)) for number in range(2))
    mo, staff = at(spring, spring.moderator()), at(spring, live.organiser)
    about = {"stage": 1, "round": 1, "player": 1}
    case = opened(ann, about=about)
    assert say(mo, case, "Who saw it?").status_code == 201
    assert do(mo, case, "parties", {"player": 1}).status_code == 204
    assert say(ben, case, "I did not.").status_code == 201
    for reader in (ann, mo, staff):
        seen = shown(reader, case)
        assert (seen["about"], seen["parties"]) == (about, [0, 1])
        assert [one["from"] for one in seen["statements"]] == ["player:0", "moderator", "player:1"]
        assert ("person" in seen["statements"][1]) == (reader is not ann)

    ruling = ruled(spring.by(), **PENALTY, case=case)

    [told], [named] = (shown(reader, case)["closings"] for reader in (ann, staff))
    assert (told["n"], told["note"], "ruling" in told) == (1, None, False)
    assert named["ruling"] == ruling["ruling"]
    for body in (PENALTY, {"kind": "disqualify", "player": 1}):
        again = rule(spring.by(), **body, case=case, preview=True)
        assert_problem(again, 409, "case_closed")
    assert appeal(ben, case).status_code == 204
    assert_problem(close(staff, case), 403, "own_ruling")
    assert close(mo, case, "Both were heard.").status_code == 204
    assert_problem(appeal(ann, case), 409, "already_appealed")


def test_who_reads_a_case_about_a_tournament(live: Live, spring: LiveCup) -> None:
    ann, ben, cy = (at(spring, spring.player(number)) for number in range(3))
    match = spring.match()
    referee = at(spring, match.moderator.client)
    plays, other = at(spring, spring.moderator(1)), at(spring, live.anyone)
    case, own = opened(ann), opened(plays)
    for reader in (ben, referee, other):
        assert listed(reader) == []
        assert_problem(read(reader, case), 404, "no_such_case")
    for reader in (cy, plays):
        assert [one["case"] for one in listed(reader)] == [own], "Cy plays, and is no judge"
    assert_problem(open_case(referee), 403, "not_allowed")
    assert_problem(do(plays, own, "parties", {"player": 1}), 403, "not_allowed")
    assert_problem(close(plays, own), 403, "not_allowed")
    assert do(at(spring, live.organiser), case, "publish").status_code == 204
    assert [one["case"] for one in listed(other)] == [case]


@pytest.mark.parametrize(
    ("about", "status", "code"),
    [
        ({"stage": 2}, 404, "no_such_stage"),
        ({"stage": 1, "round": 2}, 404, "no_such_round"),
        ({"player": 3}, 422, "no_such_player"),
        ({"round": 1}, 400, "wrong_shape"),
        ({}, 400, "wrong_shape"),
        (7, 400, "wrong_shape"),
    ],
    ids=str,
)
def test_a_case_is_about_what_there_is(
    spring: LiveCup, about: object, status: int, code: str
) -> None:
    assert_problem(open_case(at(spring, spring.player(0)), about=about), status, code)


def test_a_ruling_names_a_case_that_is_there(live: Live, spring: LiveCup) -> None:
    match = spring.played(rulings="single")
    of_match, of_other = opened(match.seats[0]), opened(spring.match().seats[0])
    out = {"kind": "correct", "match": match.id, "result": None, "preview": True}
    for ruling in (PENALTY | {"preview": True}, out):
        for case in (NOWHERE, of_other, "x"):
            assert_problem(rule(spring.by(), **ruling, case=case), 404, "no_such_case")
    assert_problem(rule(spring.by(), **PENALTY, case=of_match, preview=True), 404, "no_such_case")
    ruling = ruled(spring.by(), "correct", match=match.id, result=None, case=of_match)
    [closing] = shown(match.moderator, of_match)["closings"]
    assert closing["ruling"] == ruling["ruling"]


def test_looks_at_cases_of_a_tournament_are_accounted_for(live: Live, spring: LiveCup) -> None:
    opened(at(spring, spring.player(0)))
    for client in (spring.player(0), spring.moderator(), live.anyone):
        listed(at(spring, client))
    reads = live.instance.reads.of_match(UUID(spring.id))
    found = asyncio.run_coroutine_threadsafe(reads, live.loop).result(10)
    assert {(one.audience, one.hidden, one.name) for one in found} == {
        ("seat:0", False, "Ann"),
        ("moderator", True, "Mo"),
    }


def test_two_worlds_that_differ_in_cases_of_others_are_one_to_the_rest(live: Live) -> None:
    """That there is a case, what is said in it, and that it is closed, only its readers learn."""
    received = []
    for hidden in (False, True):
        spring = cup(live)
        staged(spring, published=True)
        case = opened(at(spring, spring.player(0))) if hidden else NOWHERE
        if hidden:
            say(at(spring, spring.moderator()), case, "Who saw it?")
            close(at(spring, live.organiser), case)
        others = [live.anyone, spring.player(1), spring.moderator(1)]
        answers = shown_to(spring, others)
        for client in others:
            other = at(spring, client)
            answers += [listed(other), read(other, case).json()]
            answers += [read(other, case).status_code, say(other, case, "Hm.").status_code]
        received.append(answers)
    assert received[0] == received[1]
