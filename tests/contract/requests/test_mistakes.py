"""The commonest mistakes of a new client: the problem says enough for a program to mend them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.support.http.match_play import assert_problem
from tests.support.http.ruling_client import rule
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Answer, Json, Live, LiveMatch

MOST_ATTEMPTS = 5


@dataclass(frozen=True)
class Sent:
    """A request as a client sends it. A body that is no JSON has its text in `raw`."""

    method: str
    path: str
    body: Any = None
    query: tuple[tuple[str, Any], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None


@dataclass
class MendingClient:
    """Sends a request until it succeeds, mended each time. `keys` has the client's keys by their
    kind, all for `match`. `codes` are those of the problems that it met."""

    live: Live
    match: LiveMatch
    keys: Mapping[str, str]
    codes: list[str] = field(default_factory=list)

    def succeed(self, sent: Sent) -> Answer:
        """The answer to the request, or to what was made of it."""
        for _ in range(MOST_ATTEMPTS):
            answer = self._answer(sent)
            if answer.is_success:
                return answer
            problem = answer.json()
            self.codes.append(problem["code"])
            sent = self.mended(sent, problem)
        raise AssertionError(f"not mended: {answer.text}")

    def mended(self, sent: Sent, problem: Json) -> Sent:
        """The request without the mistakes that its problem names."""
        sent = self._with_key(sent, problem.get("key"))
        self._made_ready(problem.get("match_status"))
        for wrong in problem.get("errors", ()):
            sent = MENDING[wrong["in"]](self, sent, wrong)
        return sent

    def _answer(self, sent: Sent) -> Answer:
        content = sent.raw if sent.body is None or sent.raw else json.dumps(sent.body).encode()
        return self.live.http.request(
            sent.method, sent.path, params=list(sent.query) or None, headers=dict(sent.headers),
            content=content,
        )  # fmt: skip

    def _with_key(self, sent: Sent, key: Json | None) -> Sent:
        if key is None:
            return sent
        kind = next((kind for kind in key["needed"] if kind in self.keys), None)
        return (
            sent
            if kind is None
            else with_header(sent, "Authorization", f"Bearer {self.keys[kind]}")
        )

    def _made_ready(self, status: str | None) -> None:
        """Has the moderator bring the match into a position for actions."""
        if status == "created":
            assert self.match.moderator.start().status_code == 201
        elif status == "paused":
            ruling = {"kind": "resume", "reason": "The seats want to go on."}
            moderator = self.match.moderator
            assert moderator.client.post(f"{moderator.path}/rulings", ruling).status_code == 201

    def in_header(self, sent: Sent, wrong: Json) -> Sent:
        name, code = wrong["name"], wrong["code"]
        if name == "If-Match":
            return with_header(sent, name, self.match.seats[0].view().headers["etag"])
        if name == "Idempotency-Key":
            return with_header(sent, name, "a-new-key")
        if code == "wrong_media_type":
            return with_header(sent, name, wrong["allowed"][0])
        if code == "wrong_scheme":
            return with_header(sent, name, f"{wrong['allowed'][0]} {sent.headers[name]}")
        return sent

    def in_query(self, sent: Sent, wrong: Json) -> Sent:
        name, old = wrong["name"], dict(sent.query).get(wrong["name"])
        others = tuple(pair for pair in sent.query if pair[0] != name)
        if "did_you_mean" in wrong and wrong["code"] == "unknown_parameter":
            return replace(sent, query=(*others, (wrong["did_you_mean"], old)))
        if wrong["code"] == "sent_twice":
            return replace(sent, query=(*others, (name, old)))
        better = right_value(old, wrong)
        return replace(sent, query=others if better is None else (*others, (name, better)))

    def in_path(self, sent: Sent, wrong: Json) -> Sent:
        return replace(sent, path=wrong["did_you_mean"].replace("{id}", self.match.id))

    def in_method(self, sent: Sent, wrong: Json) -> Sent:
        return replace(sent, method=wrong["allowed"][0])

    def in_body(self, sent: Sent, wrong: Json) -> Sent:
        if wrong["code"] == "not_json":
            return replace(sent, raw=None)
        if wrong["code"] == "too_large":
            return replace(sent, body={name: shortened(value) for name, value in sent.body.items()})
        return replace(sent, body=mended_at(sent.body, wrong["pointer"].split("/")[1:], wrong))


MENDING: dict[str, Callable[[MendingClient, Sent, Json], Sent]] = {
    "header": MendingClient.in_header,
    "query": MendingClient.in_query,
    "path": MendingClient.in_path,
    "method": MendingClient.in_method,
    "body": MendingClient.in_body,
}


def with_header(sent: Sent, name: str, value: str) -> Sent:
    return replace(sent, headers={**sent.headers, name: value})


def shortened(value: Any) -> Any:
    return value[:10_000] if isinstance(value, str) else value


def mended_at(value: Any, path: list[str], wrong: Json) -> Any:
    """The JSON value with what stands at this path made right."""
    if not path:
        return right_value(value, wrong)
    first, *rest = path
    if isinstance(value, list):
        at = int(first)
        return [*value[:at], mended_at(value[at], rest, wrong), *value[at + 1 :]]
    others = {name: member for name, member in value.items() if name != first}
    if not rest and wrong["code"] == "unknown_field":
        better = wrong.get("did_you_mean")
        return others if better is None else {**others, better: value[first]}
    return {**others, first: mended_at(value.get(first), rest, wrong)}


def right_value(old: Any, wrong: Json) -> Any:
    """What to send in place of a value; None for nothing."""
    if wrong["code"] in ("unknown_value", "beyond_key", "missing_field") and "allowed" in wrong:
        return wrong.get("did_you_mean", wrong["allowed"][0])
    if wrong["code"] == "wrong_type":
        return int(old) if "integer" in wrong["expected"] else str(old)
    if wrong["code"] == "wrong_length":
        return old[: wrong["maximum"]]
    if wrong["code"] == "out_of_range":
        return min(max(old, wrong["minimum"]), wrong["maximum"])
    return None


SIDE: Json = {"type": "choose_side", "side": "heads"}
MATCH: Json = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}

Wrong = Callable[[MendingClient], Sent]


def acting(body: Any = SIDE, raw: bytes | None = None, **headers: str) -> Wrong:
    """An action of seat 0, with its key unless another is there."""

    def sent(client: MendingClient) -> Sent:
        own = {"Authorization": f"Bearer {client.keys['seat']}"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        path = f"{client.match.seats[0].path}/actions"
        return Sent("POST", path, body, (), own | named, raw)

    return sent


def reading(name: str, **query: Any) -> Wrong:
    """A read with the key of seat 0."""

    def sent(client: MendingClient) -> Sent:
        asked = tuple((name.rstrip("_"), value) for name, value in query.items())
        own = {"Authorization": f"Bearer {client.keys['seat']}"}
        return Sent("GET", f"{client.match.anyone.path}{name}", None, asked, own)

    return sent


def creating(**body: Any) -> Wrong:
    """A new match, by an organiser."""
    return lambda _: Sent(
        "POST", "/v1/matches", body, (), {"Authorization": f"Bearer {ORGANISER_KEY}"}
    )


def without_key(client: MendingClient) -> Sent:
    return Sent("POST", f"{client.match.anyone.path}/actions", SIDE)


def key_in_the_address(client: MendingClient) -> Sent:
    named = (("key", client.keys["seat"]),)
    return Sent("GET", f"{client.match.anyone.path}/actions", None, named)


def key_of_another_match(client: MendingClient) -> Sent:
    other = client.live.create("dollar-prize").keys[0]
    return with_header(acting()(client), "Authorization", f"Bearer {other}")


def key_of_another_kind(client: MendingClient) -> Sent:
    return with_header(acting()(client), "Authorization", f"Bearer {ORGANISER_KEY}")


def key_without_its_scheme(client: MendingClient) -> Sent:
    return with_header(acting()(client), "Authorization", client.keys["seat"])


def key_used_for_another_action(client: MendingClient) -> Sent:
    one_key = {"Idempotency-Key": "one"}
    assert client.match.seats[0].act({"type": "place", "coin": "penny"}, one_key).is_error
    return acting(Idempotency_Key="one")(client)


def before_the_start(client: MendingClient) -> Sent:
    client.match = client.live.create("dollar-prize")
    client.keys = {"seat": client.match.keys[0]}
    return acting()(client)


def while_paused(client: MendingClient) -> Sent:
    assert rule(client.match.moderator, "pause").status_code == 201
    return acting()(client)


def with_the_tag_of_long_ago(client: MendingClient) -> Sent:
    return acting(If_Match='"seat:0.1"')(client)


def in_a_wrong_place(client: MendingClient) -> Sent:
    return Sent("GET", f"/v1/match/{client.match.id}/view")


MISTAKES: dict[str, tuple[str, Wrong]] = {
    "no key": ("key_missing", without_key),
    "the key in the address": ("key_missing", key_in_the_address),
    "the key of another match": ("not_allowed", key_of_another_match),
    "the key of another role": ("not_allowed", key_of_another_kind),
    "the key without its scheme": ("key_unknown", key_without_its_scheme),
    "a form": (
        "not_json",
        acting(raw=b"type=choose_side", Content_Type="application/x-www-form-urlencoded"),
    ),
    "Python in place of JSON": ("not_json", acting(raw=str(SIDE).encode())),
    "an unknown field": ("wrong_shape", acting({**SIDE, "seat": 0})),
    "a misspelt field": ("wrong_shape", acting({"type": "choose_side", "sides": "heads"})),
    "a misspelt value": ("wrong_shape", acting({"type": "choose_side", "side": "Heads"})),
    "a misspelt type": ("wrong_shape", acting({"type": "choose-side", "side": "heads"})),
    "no type": ("wrong_shape", acting({"side": "heads"})),
    "a number as a text": ("wrong_shape", creating(**MATCH, protest_hours="2")),
    "a text as a number": ("wrong_shape", creating(game="dollar-prize", seats=["Ann", 2])),
    "a number out of range": ("wrong_shape", creating(**MATCH, protest_hours=-1)),
    "an unknown game": ("unknown_game", creating(game="dollarprize", seats=["Ann", "Ben"])),
    "too many seats": (
        "seats_not_allowed",
        creating(game="dollar-prize", seats=["Ann", "Ben", "Cy"]),
    ),
    "an unknown option": ("wrong_shape", creating(**MATCH, options={"turn_second": 60})),
    "too large a body": ("too_large", creating(**MATCH, has_looked_reason="a" * 70_000)),
    "a malformed If-Match": ("bad_if_match", acting(If_Match="seat:0.3")),
    "a stale If-Match": ("stale", with_the_tag_of_long_ago),
    "a malformed idempotency key": ("bad_idempotency_key", acting(Idempotency_Key="a b")),
    "an idempotency key used before": ("idempotency_key_reused", key_used_for_another_action),
    "before the start": ("match_not_running", before_the_start),
    "while paused": ("match_not_running", while_paused),
    "another's view": ("not_allowed", reading("/view", as_="seat:1")),
    "a position not reached": ("no_such_position", reading("/view", at=9_999)),
    "an unknown parameter": ("bad_request", reading("/events", limits=5)),
    "a parameter out of range": ("bad_request", reading("/events", limit=5_000)),
    "a wrong method": ("method_not_allowed", lambda _: Sent("PUT", "/v1/games")),
    "a wrong path": ("not_found", in_a_wrong_place),
}


@pytest.fixture
def client(live: Live, coins: LiveMatch) -> MendingClient:
    return MendingClient(live, coins, {"seat": coins.keys[0]})


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_program_mends_its_mistake(client: MendingClient, mistake: str) -> None:
    code, wrong = MISTAKES[mistake]
    client.succeed(wrong(client))
    assert client.codes[0] == code


def test_who_acts_out_of_turn_waits_for_its_turn(chips: LiveMatch) -> None:
    first, second = chips.seats
    problem = assert_problem(second.act({"type": "play", "chip": 4}), 422, "not_your_turn")
    assert problem["receipt"]["valid"] is False
    assert 1 not in second.view().json()["awaiting"]["seats"]
    played = first.menu().json()["actions"][0]["examples"][0]
    assert first.act(played).status_code == 201
    assert second.view().json()["awaiting"]["seats"] == [1]
    assert second.act(second.menu().json()["actions"][0]["examples"][0]).status_code == 201


def test_who_acts_after_the_end_is_told_that_it_has_ended(played: LiveMatch) -> None:
    problem = assert_problem(played.seats[0].act(SIDE), 400, "wrong_shape")
    assert problem["errors"][0]["allowed"] == ["play", "take"]
    answer = played.seats[0].act({"type": "play", "chip": 4})
    assert assert_problem(answer, 409, "match_not_running")["match_status"] == "ended"
    assert played.seats[0].menu().json()["actions"] == []
