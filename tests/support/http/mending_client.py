"""A client that knows nothing of the API: it mends its requests by what problem documents say.

It reads only members for programs, never a sentence.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

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
