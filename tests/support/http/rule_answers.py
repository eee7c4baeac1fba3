"""Answers of a match to actions, as the tests of its rules read them."""

from tests.support.http.match_play import all_events
from tests.support.servers.live_server import Answer, Json, LiveMatch, Player


def accepted_body(answer: Answer) -> Json:
    """The body of an answer to a valid action, which must be on record."""
    assert answer.status_code == 201, answer.text
    body: Json = answer.json()
    assert body["receipt"]["valid"], answer.text
    return body


def refused(answer: Answer, code: str) -> None:
    """The action is refused by this rule."""
    assert (answer.status_code, answer.json().get("code")) == (422, code), answer.text


def invalid(answer: Answer, code: str) -> None:
    """The submission is on record and does not count, because of this rule."""
    assert answer.status_code == 201, answer.text
    receipt = answer.json()["receipt"]
    assert (receipt["valid"], receipt["code"]) == (False, code)


def seen(player: Player, as_: str | None = None) -> Json:
    """The game's part of the player's view."""
    view: Json = player.view(as_).json()["view"]
    return view


def options_of(match: LiveMatch) -> Json:
    """The options as the public's first event records them."""
    options: Json = all_events(match.anyone)[0]["data"]["options"]
    return options
