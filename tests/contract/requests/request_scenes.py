"""Where the requests that change something are sent to: what there is, made for each."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.support.http.case_client import close, opened
from tests.support.http.invitations import invited, token_of
from tests.support.http.match_keys import ANN, issued
from tests.support.http.ruling_client import WHY, ruled
from tests.support.http.tournament_client import LiveCup, choosing, cup, feast, publish, staged
from tests.support.http.webhook_receiver import noticed
from tests.support.servers.live_server import Client, Json, Live, LiveMatch, Player
from tests.support.waiting import wait_until

LATER = "2155-01-01T00:00:00Z"


def match_of_two(spring: LiveCup) -> str:
    """The match of a tournament of two that starts when both are ready; its round ends in hours."""
    number = staged(spring, published=False, round={"start": "ready", "ends": 9}, seeding="entry")
    publish(spring, number)
    wait_until(lambda: spring.shown()["matches"] != [])
    match: str = spring.shown()["matches"][0]["match"]
    return match


class Scene(NamedTuple):
    """Where a request is sent to: `fields` are those of its path, besides the id of the match or
    the tournament, and the body, if it depends on what was made."""

    of: LiveMatch | LiveCup | None = None
    fields: dict[str, Any] = {}  # noqa: RUF012  not changed

    def client(self, live: Live, who: str) -> Client:
        role, _, number = who.partition(" ")
        if role == "holder":
            return live.bearing(self.fields["key"])
        if role in ("organiser", "judge", "anyone"):
            client: Client = getattr(live, role)
            return client
        if isinstance(self.of, LiveCup):
            return self.of.player(int(number)) if role == "player" else self.of.moderator(0)
        assert self.of is not None
        if role == "another":
            return live.bearing(issued(self.of, {"role": "moderator", "name": "Mia"})["key"])
        return self.of.seats[int(number)].client if role == "seat" else self.of.moderator.client


Setting = Callable[[Live], Scene]


def nowhere(live: Live) -> Scene:
    return Scene()


def match(game: str = "dollar-prize", *, start: bool = True, **more: Any) -> Setting:
    return lambda live: Scene((live.started if start else live.create)(game, **more))


COINS = match()


def drawing(live: Live) -> Scene:
    """Dollar Prize by hand, in which the pennies of the setup are awaited."""
    made = live.started("dollar-prize", chance="manual")
    assert made.seats[0].act({"type": "choose_side", "side": "heads"}).status_code == 201
    return Scene(made)


def ruling(**fields: Any) -> Setting:
    """A match in which a ruling is pending."""

    def made(live: Live) -> Scene:
        coins = live.started("dollar-prize")
        return Scene(coins, {"ruling": ruled(coins.moderator, "void", **fields)["ruling"]})

    return made


def case(kind: str, *, closed: bool = False) -> Setting:
    """A case of Ann's about a match or a tournament."""

    def made(live: Live) -> Scene:
        coins = live.started("dollar-prize") if kind == "match" else cup(live)
        if isinstance(coins, LiveMatch):
            ann, staff = coins.seats[0], coins.moderator
        else:
            by = coins.player(0), live.organiser
            ann, staff = (Player(client, coins.id, "tournaments") for client in by)
        opening = opened(ann)
        assert not closed or close(staff, opening).status_code == 204
        return Scene(coins, {"case": opening})

    return made


def keyed(live: Live) -> Scene:
    coins = live.started("dollar-prize")
    return Scene(coins, {"key": issued(coins, ANN)["id"]})


def renewable(live: Live) -> Scene:
    return Scene(None, {"key": issued(live.started("dollar-prize"), ANN)["key"]})


def invitation(live: Live) -> Scene:
    coins = live.started("dollar-prize")
    made = invited(coins)
    return Scene(coins, {"invitation": made["id"], "body": {"token": token_of(made)}})


def table(live: Live) -> Scene:
    """An open table, and the recovery code of its seat."""
    made = live.anyone.post("/v1/tables", {"game": "dollar-prize", "name": "Ann"}).json()
    return Scene(None, {"id": made["match"], "body": {"code": made["recovery"]}})


def over_table(live: Live) -> Scene:
    """An open table that its two seats have agreed to end, and the key of its first."""
    made = live.anyone.post("/v1/tables", {"game": "dollar-prize", "name": "Ann"}).json()
    path, token = f"/v1/matches/{made['match']}", made["link"].partition("#")[2]
    taken = live.anyone.post(f"{path}/invitations/accept", {"token": token, "name": "Ben"})
    ann, ben = live.bearing(made["key"]), live.bearing(taken.json()["key"])
    assert [one.post(f"{path}/ready").status_code for one in (ann, ben)] == [201, 201]
    ruling = ruled(Player(ann, made["match"]), "void", ask_seats=True)["ruling"]
    assert ben.post(f"{path}/rulings/{ruling}/consent").status_code == 201
    return Scene(None, {"id": made["match"], "key": made["key"]})


def a_cup(live: Live) -> Scene:
    return Scene(cup(live), {"player": 0, "moderator": 0})


def organised(live: Live) -> Scene:
    """A tournament for which an organiser was appointed."""
    spring = cup(live)
    assert spring.post("organisers", {"name": "Zed"}).status_code == 201
    return Scene(spring, {"organiser": 0})


def registration(live: Live) -> Scene:
    spring = cup(live)
    link = spring.post("registration", {}).json()["link"]
    body = {"name": "Zed", "token": link.partition("#register-")[2]}
    return Scene(spring, {"body": body})


def player_invitation(live: Live) -> Scene:
    spring = cup(live)
    made = spring.post("players/0/invitation", {}).json()
    return Scene(spring, {"body": {"token": token_of(made)}})


def match_of_cup(live: Live) -> Scene:
    spring = cup(live)
    return Scene(spring, {"match": spring.match().id})


def given(live: Live) -> Scene:
    spring = cup(live)
    added = spring.match()
    assert spring.give(added).status_code == 201
    return Scene(spring, {"match": added.id, "moderator": 0})


def correctable(*, pending: bool) -> Setting:
    """A match of a tournament that counts, perhaps with a correction that is pending."""

    def made(live: Live) -> Scene:
        spring = cup(live)
        played = spring.played()
        assert spring.give(played).status_code == 201
        body: Json = {"kind": "correct", "match": played.id, "result": None, "reason": WHY}
        if not pending:
            return Scene(spring, {"body": body})
        organiser = Player(live.organiser, spring.id, "tournaments")
        return Scene(spring, {"ruling": ruled(organiser, **body)["ruling"]})

    return made


def stage(*, published: bool = False) -> Setting:
    def made(live: Live) -> Scene:
        spring = cup(live)
        return Scene(spring, {"stage": staged(spring, published=published)})

    return made


def draft(live: Live) -> Scene:
    """A stage, and a round in which all have a bye."""
    spring = cup(live)
    number = staged(spring, published=False)
    return Scene(spring, {"stage": number, "body": feast(spring, number)[0]})


def waiting(live: Live) -> Scene:
    """A round of Ann and Ben, whose match starts when both are ready."""
    spring = cup(live, players=["Ann", "Ben"])
    absent = {"match": match_of_two(spring), "absent": [0, 1], "reason": WHY}
    return Scene(spring, {"stage": 1, "number": 1, "body": absent})


def unready(live: Live) -> Scene:
    spring = cup(live, players=["Ann", "Ben"])
    return Scene(spring, {"id": match_of_two(spring)})


def staffed_stage(live: Live) -> Scene:
    """A tournament with a stage and a check-in."""
    spring = cup(live)
    staged(spring, published=False)
    assert spring.post("check-in", {"closes": LATER}).status_code == 201
    return Scene(spring, {"player": 0})


def left(live: Live) -> Scene:
    """The same, which Ann has left."""
    made = staffed_stage(live)
    path = f"/v1/tournaments/{made.of.id if made.of else ''}/players/0/withdrawal"
    assert made.client(live, "player 0").post(path, {"reason": WHY}).status_code == 201
    return made


def choice(live: Live) -> Scene:
    """Ann is to choose an opponent."""
    spring = cup(live)
    return Scene(spring, {"stage": choosing(spring), "number": 1})


def webhook(live: Live) -> Scene:
    """A webhook, and a notice that was sent to it."""
    return Scene(None, dict(zip(("webhook", "notice"), noticed(live), strict=True)))


def calendar(live: Live) -> Scene:
    coins = live.started("dollar-prize")
    made = live.organiser.post("/v1/calendars", {"match": coins.id}).json()
    return Scene(coins, {"calendar": made["id"], "body": {"match": coins.id}})
