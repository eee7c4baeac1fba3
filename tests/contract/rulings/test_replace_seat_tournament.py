"""In a tournament a seat that another person takes over leaves its player, whose key goes on
elsewhere (rulings, section 3)."""

from dataclasses import replace

from tests.support.http.match_play import assert_problem, play_out
from tests.support.http.openapi_document import check
from tests.support.http.ruling_client import ZOE, previewed, replaced, rule, second, successor
from tests.support.http.tournament_client import LiveCup, at, cup, overridden
from tests.support.servers.live_server import NDJSON, LiveMatch, Player

CY = ZOE | {"name": "Cy"}
WHY = "Cy has looked at the clock alone."


def started(spring: LiveCup, *seats: str) -> LiveMatch:
    match = spring.match(seats, record="closed")
    assert match.moderator.start().status_code == 201
    return match


def audience(player: Player) -> str:
    return str(player.view().json()["audience"])


def test_the_players_key_goes_on_elsewhere_and_not_in_this_seat(spring: LiveCup) -> None:
    match, other = started(spring, "Ann", "Ben"), started(spring, "Ben", "Cy")
    ben = spring.player(1)
    successor(spring.live, match)
    assert (audience(at(match, ben)), audience(at(other, ben))) == ("public", "seat:0")
    assert_problem(at(match, ben).view("seat:1"), 403, "not_allowed")
    assert_problem(at(match, ben).menu(), 403, "not_allowed")
    assert at(other, ben).menu().status_code == 200


def test_a_stream_by_the_players_key_ends(spring: LiveCup) -> None:
    match, other = started(spring, "Ann", "Ben"), started(spring, "Ben", "Cy")
    ben, form = spring.player(1), {"Accept": NDJSON}
    with at(match, ben).stream(form) as ends, at(other, ben).stream(form) as goes_on:
        successor(spring.live, match)
        assert b"".join(ends.iter_raw()) == b""
        rule(other.moderator, "note", to="public", text="On.", severity="uphold")
        assert "match.ruled.1" in next(goes_on.iter_lines())


def test_a_player_of_the_roster_plays_on_with_the_own_key(spring: LiveCup) -> None:
    match = started(spring, "Ann", "Ben")
    cy = spring.player(2)
    new = successor(spring.live, match, **CY)
    assert audience(at(match, cy)) == audience(new) == "seat:1"
    assert audience(at(match, cup(spring.live).player(2))) == "public", "who is another Cy"
    successor(spring.live, match, name="Ben")
    assert audience(at(match, cy)) == "public"
    assert audience(at(match, spring.player(1))) == "seat:1", "Ben is back"


def test_the_match_counts_for_the_player_who_brought_the_stake(spring: LiveCup) -> None:
    match = started(spring, "Ann", "Ben")
    zoe = successor(spring.live, match)
    result = play_out(replace(match, seats=(match.seats[0], zoe)))["result"]
    spring.counted(match)
    rows = spring.shown()["standings"]
    assert [row["player"] for row in rows if row["won"] or row["shared"]] == result["winners"]
    assert {row["name"] for row in rows} == {"Ann", "Ben", "Cy"}


# Who has looked.


def test_who_has_looked_at_the_others_takes_no_seat(spring: LiveCup) -> None:
    match, other = started(spring, "Ann", "Ben"), started(spring, "Ann", "Ben")
    assert spring.give(other, 1).status_code == 201
    assert at(other, spring.moderator(1)).view().status_code == 200
    answer = rule(match.organiser, "replace_seat", **CY, preview=True)
    assert_problem(answer, 409, "has_looked")
    assert answer.json()["match"] == other.id
    check(spring.live.anyone.get("/schema/openapi.json").json(), "rule", answer)
    told = rule(match.moderator, "replace_seat", **CY, preview=True, has_looked_reason=WHY)
    assert_problem(told, 409, "has_looked")
    assert other.id not in told.text and "match" not in told.json()


def test_an_organiser_may_allow_it_for_a_reason_which_is_recorded(spring: LiveCup) -> None:
    match, other = started(spring, "Ann", "Ben"), started(spring, "Ann", "Ben")
    assert spring.give(other, 1).status_code == 201
    assert at(other, spring.moderator(1)).view().status_code == 200
    assert replaced(match, **CY, has_looked_reason=WHY).status_code == 201
    (override,) = overridden(spring)
    assert (override.match, override.looked, override.reason) == (match.id, (other.id,), WHY)
    assert audience(at(match, spring.player(2))) == "seat:1"


def test_what_is_stale_overrides_nothing(spring: LiveCup) -> None:
    match, other = started(spring, "Ann", "Ben"), started(spring, "Ann", "Ben")
    assert spring.give(other, 1).status_code == 201
    assert at(other, spring.moderator(1)).view().status_code == 200
    allowed = CY | {"has_looked_reason": WHY}
    seen = previewed(match.organiser, "replace_seat", **allowed)
    rule(match.moderator, "note", to="sealed", text="A note.", severity="uphold")
    assert_problem(rule(match.organiser, "replace_seat", seen, **allowed), 412, "stale")
    assert overridden(spring) == []


def test_a_look_behind_the_proposal_is_found_by_who_seconds(spring: LiveCup) -> None:
    match, other = started(spring, "Ann", "Ben"), started(spring, "Ann", "Ben")
    headers = previewed(match.moderator, "replace_seat", **CY)
    pending = rule(match.moderator, "replace_seat", headers, **CY).json()["ruling"]
    assert spring.give(other, 1).status_code == 201
    assert at(other, spring.moderator(1)).view().status_code == 200
    assert_problem(second(match.judge, pending, preview=True), 409, "has_looked")
    allowed = second(match.judge, pending, preview=True, has_looked_reason=WHY)
    sent = {"If-Match": allowed.headers["etag"]}
    done = second(match.judge, pending, sent, has_looked_reason=WHY)
    assert done.status_code == 201 and done.json()["key"] is not None
    assert [one.looked for one in overridden(spring)] == [(other.id,)]


def test_who_took_over_a_seat_counts_among_the_players_of_that_match(spring: LiveCup) -> None:
    match = started(spring, "Ann", "Ben")
    assert spring.post("players", {"name": "Di"}).status_code == 201
    successor(spring.live, match, name="Di")
    assert spring.give(match, 1).status_code == 201
    assert at(match, spring.moderator(1)).view().status_code == 200
    body = {"game": "twelve-chips", "tournament": spring.id}
    for seats, status in ((["Cy", "Di"], 409), (["Cy", "Ben"], 201)):
        made = spring.live.organiser.post("/v1/matches", body | {"seats": seats})
        assert made.status_code == status, made.text


# No one plays and moderates.


def test_a_moderator_of_the_match_takes_no_seat(spring: LiveCup) -> None:
    match = started(spring, "Ann", "Ben")
    assert spring.give(match, 0).status_code == 201
    answer = rule(match.organiser, "replace_seat", seat=1, name="MO", preview=True)
    assert_problem(answer, 403, "moderator_plays")


def test_a_successor_is_not_given_the_match_to_moderate(spring: LiveCup) -> None:
    match = started(spring, "Ann", "Ben")
    successor(spring.live, match, **CY)
    assert_problem(spring.give(match, 1), 403, "moderator_plays")
    assert spring.give(match, 0).status_code == 201
