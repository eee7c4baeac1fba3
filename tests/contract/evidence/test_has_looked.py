"""No one who has looked at what is hidden from another player is seated against that player, in a
tournament while the match is running, unless the organiser says why."""

import pytest

from tests.support.http.match_play import assert_problem, play_out
from tests.support.http.openapi_document import check
from tests.support.http.tournament_client import LiveCup, at, cup, overridden
from tests.support.servers.live_server import Answer, Live, LiveMatch


@pytest.fixture
def moderated(spring: LiveCup) -> LiveMatch:
    """A running match of Ann and Ben, which Cy moderates."""
    match = spring.match(("Ann", "Ben"))
    assert spring.give(match, 1).status_code == 201
    assert match.moderator.start().status_code == 201
    return match


def seated(spring: LiveCup, *seats: str, **more: str) -> Answer:
    body = {"game": "twelve-chips", "seats": seats, "tournament": spring.id, **more}
    return spring.live.organiser.post("/v1/matches", body)


@pytest.mark.parametrize("as_", ["moderator", "seat:0", "seat:1"])
def test_who_has_looked_at_a_running_match_is_not_seated_against_its_players(
    spring: LiveCup, moderated: LiveMatch, as_: str
) -> None:
    assert at(moderated, spring.moderator(1)).view(as_).status_code == 200

    answer = seated(spring, "Ann", "Cy")

    assert_problem(answer, 409, "has_looked")
    assert answer.json()["match"] == moderated.id
    check(spring.live.anyone.get("/schema/openapi.json").json(), "createMatch", answer)


def test_a_person_is_the_name_of_the_key_however_it_is_spelt(
    spring: LiveCup, moderated: LiveMatch
) -> None:
    path = f"{moderated.anyone.path}/keys"
    made = spring.live.organiser.post(path, {"role": "moderator", "name": "CY"})
    assert made.status_code == 201, made.text
    assert at(moderated, spring.live.bearing(made.json()["key"])).view().status_code == 200
    assert_problem(seated(spring, "Cy", "Ben"), 409, "has_looked")


@pytest.mark.parametrize(
    ("read_as", "status", "seats"),
    [
        pytest.param("moderator", "running", ("Ann", "Ben"), id="others"),
        pytest.param("public", "running", ("Ben", "Cy"), id="who has not looked"),
        pytest.param("moderator", "running", ("Cy", "Di"), id="against no one of that match"),
        pytest.param("moderator", "ended", ("Ann", "Cy"), id="when it is over"),
        pytest.param("moderator", "created", ("Ann", "Cy"), id="before anything is hidden"),
    ],
)
def test_everyone_else_is_seated(
    live: Live, read_as: str, status: str, seats: tuple[str, str]
) -> None:
    """Cy reads a match of Ann and Ben as its moderator."""
    spring = cup(live, players=["Ann", "Ben", "Cy", "Di"])
    match = spring.match(("Ann", "Ben"))
    assert spring.give(match, 1).status_code == 201
    if status != "created":
        assert match.moderator.start().status_code == 201
    assert at(match, spring.moderator(1)).view(read_as).status_code == 200
    if status == "ended":
        play_out(match)
    assert seated(spring, *seats).status_code == 201


def test_the_organiser_may_override_it_with_a_reason_which_is_recorded(
    spring: LiveCup, moderated: LiveMatch
) -> None:
    assert at(moderated, spring.moderator(1)).view().status_code == 200
    reason = "Cy looked at the score sheet only"

    made = seated(spring, "Ann", "Cy", has_looked_reason=reason)

    assert made.status_code == 201
    (override,) = overridden(spring)
    assert (override.match, override.looked) == (made.json()["id"], (moderated.id,))
    assert override.reason == reason
    assert reason not in spring.live.anyone.get(spring.path).text


def test_a_reason_that_is_not_needed_is_not_recorded(spring: LiveCup) -> None:
    assert seated(spring, "Ann", "Cy", has_looked_reason="to be sure").status_code == 201
    assert overridden(spring) == []
