"""Actions have a route of their own, without the framework's layers. It answers as the framework's
route does, which still takes what is spelt otherwise: here with a slash at the end."""

from collections.abc import Mapping

import httpx
import pytest

from tests.support.servers.live_server import Live, Player

SPELT_OTHERWISE = "/"
OF_ONE_ANSWER = ("etag", "date", "retry-after")

REQUESTS: dict[str, tuple[bytes, dict[str, str]]] = {
    "accepted": (b'{"type":"choose_side","side":"heads"}', {}),
    "with a key": (b'{"type":"choose_side","side":"heads"}', {"Idempotency-Key": "a"}),
    "refused": (b'{"type":"end_turn"}', {}),
    "not JSON": (b"{", {}),
    "wrong shape": (b'{"type":"choose_side"}', {}),
    "unknown field": (b'{"type":"end_turn","x":1}', {}),
    "nothing": (b"", {}),
    "too large": (b" " * 70_000, {}),
    "bad idempotency key": (b'{"type":"end_turn"}', {"Idempotency-Key": "a b"}),
    "stale": (b'{"type":"end_turn"}', {"If-Match": '"seat:0.1"'}),
    "unknown key": (b'{"type":"end_turn"}', {"Authorization": "Bearer arb_org_0"}),
    "other scheme": (b'{"type":"end_turn"}', {"Authorization": "Basic x"}),
}


def sent(player: Player, path: str, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
    return player.client.send("POST", path, body, headers)


def kind(answer: httpx.Response) -> object:
    """What does not differ between two matches that look alike."""
    names = sorted(name for name in answer.headers if name != "content-length")
    fixed = {name: answer.headers[name] for name in names if name not in OF_ONE_ANSWER}
    code = answer.json().get("code") or answer.json()["receipt"]["code"]
    return answer.status_code, names, fixed, code, sorted(answer.json())


@pytest.mark.parametrize("request_", REQUESTS)
def test_both_routes_answer_alike(live: Live, request_: str) -> None:
    body, headers = REQUESTS[request_]
    answers = []
    for ending in ("", SPELT_OTHERWISE):
        match = live.started("dollar-prize")
        player = match.seats[0]
        player.view()
        first = sent(player, f"{player.path}/actions{ending}", body, headers)
        again = sent(player, f"{player.path}/actions{ending}", body, headers)
        answers.append((kind(first), kind(again)))
    assert answers[0] == answers[1]


def test_both_routes_take_the_same_request_once(live: Live) -> None:
    player = live.started("dollar-prize").seats[0]
    body, headers = REQUESTS["with a key"]
    first = sent(player, f"{player.path}/actions", body, headers)
    again = sent(player, f"{player.path}/actions{SPELT_OTHERWISE}", body, headers)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()


@pytest.mark.parametrize("who", ["anyone", "organiser", "moderator", "other match"])
def test_both_routes_refuse_whoever_has_no_seat(live: Live, who: str) -> None:
    match, other = live.started("dollar-prize"), live.started("dollar-prize")
    players = {
        "anyone": match.anyone,
        "organiser": match.organiser,
        "moderator": match.moderator,
        "other match": Player(other.seats[0].client, match.id),
    }
    player = players[who]
    player.view()
    answers = [
        kind(sent(player, f"{match.anyone.path}/actions{ending}", b'{"type":"end_turn"}', {}))
        for ending in ("", SPELT_OTHERWISE)
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("match_id", ["0199aa00-0000-7000-8000-000000000000", "x" * 36])
def test_both_routes_know_no_other_match(live: Live, match_id: str) -> None:
    player = Player(live.started("dollar-prize").seats[0].client, match_id)
    answers = [
        kind(sent(player, f"{player.path}/actions{ending}", b"{}", {}))
        for ending in ("", SPELT_OTHERWISE)
    ]
    assert answers[0] == answers[1]
    assert answers[0][0] == 404  # type: ignore[index]
