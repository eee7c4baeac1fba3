"""What is on the record of a match of its keys and of who directs it, as each audience reads it."""

from tests.support.http.match_keys import ANN, EVE, end, issued, listed
from tests.support.http.match_play import all_events
from tests.support.http.tournament_client import LiveCup, cup
from tests.support.servers.live_server import Json, Live, LiveMatch, Player

SIDE: Json = {"type": "choose_side", "side": "heads"}


def told(player: Player, since: int = 0) -> list[tuple[str, Json]]:
    """What an audience was told of keys and of who directed the match."""
    lines = all_events(player)[since:]
    return [(one["type"], one["data"]) for one in lines if "key" in one["type"] + str(one["data"])]


def test_the_moderators_are_told_who_did_it(live: Live, coins: LiveMatch) -> None:
    since = len(all_events(coins.moderator))
    eve = issued(coins, EVE)
    end(Player(live.bearing(eve["key"]), coins.id), listed(coins.organiser)[2]["id"])
    (issuing, by_organiser, ending, by_eve) = told(coins.moderator, since)
    assert issuing == ("match.moderator-key-issued.1", {"key_id": eve["id"], "name": "Eve"})
    assert (by_organiser[0], by_organiser[1]["by"]) == ("match.directed.1", None)
    assert ending[0] == "match.key-ended.1"
    assert by_eve == ("match.directed.1", {"by": "Eve", "key_id": eve["id"]})


def directed(player: Player) -> Json:
    """Who directed the match last."""
    lines = [one for one in all_events(player) if one["type"] == "match.directed.1"]
    data: Json = lines[-1]["data"]
    return data


def test_whoever_starts_enters_and_closes_is_on_record(live: Live) -> None:
    match = live.create("twelve-chips", chance="manual", options={"turn_seconds": 60})
    made = issued(match, EVE)
    eve, by_eve = Player(live.bearing(made["key"]), match.id), {"by": "Eve", "key_id": made["id"]}
    own = listed(match.organiser)[0]["id"]
    assert match.moderator.start().status_code == 201
    assert directed(match.moderator) == {"by": None, "key_id": own}
    assert eve.draw("round1/deal", [[1], [2]]).status_code == 422
    assert directed(match.moderator) == by_eve
    types = [one["type"] for one in all_events(match.moderator)]
    assert types[-2:] == ["match.draw-refused.1", "match.directed.1"]
    assert (
        match.moderator.draw("round1/deal", [[9, 5, 7, 4, 6, 8], [12, 11, 10, 3, 1, 2]]).status_code
        == 201
    )
    assert directed(match.moderator) == {"by": None, "key_id": own}
    assert eve.close_phase().status_code == 201
    assert directed(match.moderator) == by_eve


def test_an_action_names_its_key_to_its_seat_and_the_moderators(
    live: Live, coins: LiveMatch
) -> None:
    made = issued(coins, ANN)
    assert Player(live.bearing(made["key"]), coins.id).act(SIDE).status_code == 201
    for player in (coins.seats[0], coins.moderator):
        (sent,) = [e for e in all_events(player) if e["type"] == "match.action-received.1"]
        assert sent["data"]["key_id"] == made["id"]


def test_a_tournaments_moderator_is_on_record_by_name(live: Live) -> None:
    spring: LiveCup = cup(live)
    match = spring.match(("Ann", "Ben"))
    spring.give(match, 0)
    moderator = Player(spring.moderator(), match.id)
    assert moderator.start().status_code == 201
    assert directed(moderator)["by"] == "Mo"
