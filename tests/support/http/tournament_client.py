"""Tournaments over HTTP, and all their participants."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from domain.tournament.events import LookOverridden
from tests.support.http.match_keys import renewed
from tests.support.http.match_play import play_out
from tests.support.http.ruling_client import ruled
from tests.support.servers.live_server import Answer, Client, Json, Live, LiveMatch, Player, body_of
from tests.support.waiting import wait_until


@dataclass(frozen=True)
class LiveCup:
    """A tournament on the server; keys are in the order of the roster and of the moderators."""

    live: Live
    id: str
    players: tuple[str, ...]
    moderators: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"/v1/tournaments/{self.id}"

    def shown(self) -> Json:
        return body_of(self.live.anyone.get(self.path), 200)

    def player(self, number: int) -> Client:
        return self.live.bearing(self.players[number])

    def moderator(self, number: int = 0) -> Client:
        return self.live.bearing(self.moderators[number])

    def by(self, client: Client | None = None) -> Player:
        """The organiser, or another client, at this tournament."""
        return Player(client or self.live.organiser, self.id, "tournaments")

    def post(self, what: str, body: Any, key: str | None = None) -> Answer:
        """A request of the organiser, with an idempotency key or without."""
        return self.live.organiser.post(f"{self.path}/{what}", body, once=key)

    def give(self, match: LiveMatch, moderator: int = 0) -> Answer:
        return self.post(f"matches/{match.id}/moderators", {"moderator": moderator})

    def ledger(self, client: Client | None = None, **query: Any) -> Answer:
        return (client or self.live.organiser).get(f"{self.path}/ledger", **query)

    def match(self, seats: tuple[str, ...] = ("Ann", "Ben"), **more: Any) -> LiveMatch:
        """A match of the tournament that has been created and not started."""
        more = {"game": "twelve-chips", "options": {"tokens_to_win": 1}} | more
        return self.live.create(more.pop("game"), seats, tournament=self.id, **more)

    def played(self, seats: tuple[str, ...] = ("Ann", "Ben"), **more: Any) -> LiveMatch:
        """A match that has been played to its end, and counts."""
        match = self.match(seats, **more)
        assert match.moderator.start().status_code == 201
        play_out(match)
        self.counted(match)
        return match

    def counted(self, match: LiveMatch) -> None:
        """Returns when the match counts in the standings."""
        wait_until(
            lambda: self.row(match)["result"] is not None, failure=lambda: "it is not settled"
        )

    def row(self, match: LiveMatch) -> Json:
        return next(row for row in self.shown()["matches"] if row["match"] == match.id)


def cup(live: Live, **more: Any) -> LiveCup:
    """A tournament of Ann, Ben and Cy, moderated by Mo and by Cy."""
    body: Json = {"name": "Cup", "players": ["Ann", "Ben", "Cy"], "moderators": ["Mo", "Cy"]}
    answer = body_of(live.judge.post("/v1/tournaments", body | more), 201)
    players, moderators = (
        [one["key"] for one in answer[kind]] for kind in ("players", "moderators")
    )
    # They second what the organiser rules.
    moderators = [renewed(live, key) for key in moderators]
    return LiveCup(live, answer["id"], tuple(players), tuple(moderators))


def at(match: LiveMatch, client: Client) -> Player:
    """Another participant of a match."""
    return replace(match.anyone, client=client)


FEAST: Json = {"pairings": [], "reason": "a feast"}
"""A round by hand in which no one plays."""


def staged(cup: LiveCup, *, published: bool, **settings: Any) -> int:
    """The number of a new stage of a tournament, perhaps with a round in which all have a bye."""
    body = {"name": "S", "format": "swiss", "match": {"game": "dollar-prize"}} | settings
    number = int(body_of(cup.post("stages", body), 201)["stage"])
    if published:
        sent, headers = feast(cup, number)
        path = f"{cup.path}/stages/{number}/rounds"
        assert cup.live.organiser.post(path, sent, headers).status_code == 201
    return number


def publish(cup: LiveCup, stage: int, **wanted: Any) -> None:
    """Publishes the next round of a stage as it is drafted; returns when its matches stand."""
    path = f"{cup.path}/stages/{stage}/rounds"
    draft = cup.live.organiser.post(path, wanted | {"preview": True})
    if draft.status_code == 409 and draft.json()["code"] == "lots_not_drawn":
        assert cup.post(f"stages/{stage}/lots", None).status_code == 201
        draft = cup.live.organiser.post(path, wanted | {"preview": True})
    assert draft.status_code == 200, draft.text
    answer = cup.live.organiser.post(path, wanted, {"If-Match": draft.headers["etag"]})
    number = body_of(answer, 201)["round"]
    wait_until(lambda: all(one["matches"] for one in shown_round(cup, stage, number)["pairings"]))


def feast(cup: LiveCup, stage: int) -> tuple[Json, dict[str, str]]:
    """The body and the headers that publish a round in which all who are there have a bye."""
    players = cup.shown()["players"]
    sent = FEAST | {"byes": [one["player"] for one in players if one["status"] != "withdrawn"]}
    draft = cup.post(f"stages/{stage}/rounds", sent | {"preview": True})
    return sent, {"If-Match": draft.headers["etag"]}


LIARS: Json = {"main": {"game": "liars-dice"}, "death": {"game": "dollar-prize"}}
"""A round of a show: a main match for any number of players, a death match for two."""


def shown_round(cup: LiveCup, stage: int, number: int = 1) -> Json:
    """A round as everyone sees it."""
    answer: Json = cup.live.anyone.get(f"{cup.path}/stages/{stage}/rounds/{number}").json()
    return answer


def choosing(cup: LiveCup) -> int:
    """The number of a stage, a show of Ann, Ben and Cy, in whose first round Cy has won and Ann is
    the candidate, who chooses an opponent."""
    stage = main_ruled(cup, losers=[0])
    wait_until(lambda: shown_round(cup, stage)["show"]["choice_until"] is not None)
    return stage


def main_ruled(cup: LiveCup, losers: list[int]) -> int:
    """The number of a stage, a show of Ann, Ben and Cy, in whose first round Cy has won the main
    match, and these have lost it."""
    match = {"rulings": "single"}
    starts = {"start": "at_once"}
    stage = staged(
        cup, published=False, format="show", match=match, entrants=[0, 1, 2], round=starts
    )
    sent, path = LIARS | {"groups": [[0, 1, 2]]}, f"{cup.path}/stages/{stage}/rounds"
    tag = cup.live.organiser.post(path, sent | {"preview": True}).headers["etag"]
    assert cup.live.organiser.post(path, sent, {"If-Match": tag}).status_code == 201
    wait_until(lambda: shown_round(cup, stage)["pairings"][0]["status"] == "running")
    main = shown_round(cup, stage)["show"]["main"]
    result = {"winners": [2], "losers": losers, "shared": False, "scores": [0, 0, 1]}
    ruled(Player(cup.live.organiser, main), "result", result=result, because="adjudicated")
    return stage


def closable(live: Live) -> LiveCup:
    """A tournament whose stage is closed."""
    spring = cup(live, players=["Ann", "Ben"], moderators=[])
    number = staged(spring, published=True)
    assert spring.post(f"stages/{number}/close", {}).status_code == 201
    return spring


def closed_cup(live: Live) -> LiveCup:
    """A tournament that is over, so that its stream ends."""
    spring = closable(live)
    assert spring.post("close", {}).status_code == 201
    return spring


def overridden(spring: LiveCup) -> list[LookOverridden]:
    records = spring.live.instance.store.read(UUID(spring.id))
    return [r.event for r in records if isinstance(r.event, LookOverridden)]
