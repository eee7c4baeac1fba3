"""`/v1/matches/{id}/cases`: opened, discussed, closed and appealed (rulings, section 6)."""

from datetime import datetime, timedelta

import pytest

from tests.support.http.case_client import COIN, appeal, close, do, listed, opened, read, say, shown
from tests.support.http.match_keys import issued
from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import rule
from tests.support.instants import SECOND
from tests.support.servers.live_server import Live, LiveMatch, Player
from tests.support.virtual_clock import VirtualClock

PHOTO = {"sha256": "9f86d081884c7d659a2feaa0c55ad015" * 2, "name": "table.jpg"}


def another_moderator(live: Live, match: LiveMatch, name: str = "Eve") -> Player:
    made = issued(match, {"role": "moderator", "name": name})
    return Player(live.bearing(made["key"]), match.id)


def test_a_case_is_read_by_its_party_the_moderators_and_the_organisers(coins: LiveMatch) -> None:
    ann = coins.seats[0]
    case = opened(ann)
    assert say(coins.moderator, case, "Who saw it?").status_code == 201
    assert say(ann, case, "Ben did.", attachment=PHOTO).status_code == 201

    seen = shown(ann, case)

    assert (seen["status"], seen["parties"], seen["public"]) == ("open", [0], False)
    said = [(one["n"], one["from"], one["says"], one["attachment"]) for one in seen["statements"]]
    assert said == [
        (1, "seat:0", COIN, None),
        (2, "moderator", "Who saw it?", None),
        (3, "seat:0", "Ben did.", PHOTO),
    ]
    for other in (coins.moderator, coins.organiser):
        assert [one["says"] for one in shown(other, case)["statements"]] == [s[2] for s in said]
    assert [one["case"] for one in listed(ann)] == [case]


def test_only_moderators_and_organisers_are_told_who_speaks(live: Live, coins: LiveMatch) -> None:
    case = opened(coins.seats[0])
    assert say(another_moderator(live, coins), case, "Who saw it?").status_code == 201
    for told in (coins.moderator, coins.organiser):
        assert [one["person"] for one in shown(told, case)["statements"]] == [None, "Eve"]
    assert all("person" not in one for one in shown(coins.seats[0], case)["statements"])


def test_a_party_that_a_moderator_adds_reads_all_and_speaks(coins: LiveMatch) -> None:
    ben = coins.seats[1]
    case = opened(coins.seats[0])
    for of_others in (case, "no-case"):
        assert_problem(read(ben, of_others), 404, "no_such_case")
    for _ in range(2):
        assert do(coins.moderator, case, "parties", {"seat": 1}).status_code == 204
    assert shown(ben, case)["parties"] == [0, 1]
    assert say(ben, case, "It lay on the table.").status_code == 201
    assert_problem(do(coins.moderator, case, "parties", {"seat": 9}), 404, "no_such_seat")


def test_what_an_organiser_publishes_everybody_reads_and_only_parties_speak(
    coins: LiveMatch,
) -> None:
    case = opened(coins.seats[0])
    assert_problem(do(coins.moderator, case, "publish"), 403, "not_allowed")
    for _ in range(2):
        assert do(coins.organiser, case, "publish").status_code == 204
    for reader in (coins.anyone, coins.seats[1]):
        assert [one["case"] for one in listed(reader)] == [case]
        assert shown(reader, case)["public"]
    assert_problem(say(coins.seats[1], case, "Hm."), 403, "not_allowed")
    assert_problem(say(coins.anyone, case, "Hm."), 401, "key_missing")


def test_a_ruling_closes_the_case_that_it_names(coins: LiveMatch) -> None:
    case = opened(coins.seats[0])
    ruling = rule(coins.moderator, "pause", case=case).json()
    assert (ruling["n"], ruling["status"]) == (1, "carried_out")
    [told] = shown(coins.seats[0], case)["closings"]
    assert (told["n"], told["note"], "ruling" in told) == (1, None, False)
    [named] = shown(coins.moderator, case)["closings"]
    assert named["ruling"] == ruling["ruling"]


def test_a_case_is_appealed_within_a_day(timed: Live, clock: VirtualClock) -> None:
    match = timed.started("dollar-prize")
    ann = match.seats[0]
    early, late = opened(ann), opened(ann)
    for case in (early, late):
        assert close(match.moderator, case).status_code == 204
    [closing] = shown(ann, early)["closings"]
    until = datetime.fromisoformat(shown(ann, early)["appeal_until"])
    assert until - datetime.fromisoformat(closing["at"]) == timedelta(days=1)
    timed.run(lambda: clock.pass_time(23 * 3600 * SECOND))
    assert appeal(ann, early).status_code == 204
    timed.run(lambda: clock.pass_time(3600 * SECOND))
    assert_problem(appeal(ann, late), 409, "appeal_too_late")


@pytest.mark.parametrize(
    "body",
    [
        {"says": ""},
        {"says": "x" * 2_001},
        {"says": "x", "attachment": {"sha256": "abc"}},
        {"says": "x", "attachment": {"sha256": "A" * 64}},
        {"says": "x", "attachment": {"sha256": "a" * 64, "size": 1}},
        {"says": "x", "case": "y"},
    ],
    ids=["nothing", "too much", "short hash", "upper case", "more fields", "unknown field"],
)
def test_what_is_said_has_a_shape(coins: LiveMatch, body: object) -> None:
    case = opened(coins.seats[0])
    assert_problem(do(coins.seats[0], case, "statements", body), 400, "wrong_shape")
