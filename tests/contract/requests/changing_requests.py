"""Every request that changes something: who sends it, where, and what it says."""

from functools import cache
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec

from tests.contract.requests import request_scenes as at
from tests.contract.requests.request_scenes import LATER, Scene, Setting
from tests.support.http.match_keys import ANN
from tests.support.http.routes import description
from tests.support.http.ruling_client import WHY
from tests.support.http.tournament_client import closable
from tests.support.servers.live_server import Answer, Client, Json, Live


class Sent(NamedTuple):
    """A request, by whom it is sent, and by another person who may send it, too."""

    by: Client
    method: str
    path: str
    body: Any
    other: Client | None
    headers: dict[str, str]
    key: str

    def send(self, live: Live, client: Client | None = None) -> Answer:
        content = None if self.body is None else msgspec.json.encode(self.body)
        headers = self.headers | {"Idempotency-Key": self.key}
        return (client or self.by).send(self.method, self.path, content, headers)


class Row(NamedTuple):
    """A request: who sends it, and who else may; with a preview before it if it needs one."""

    by: tuple[str, ...]
    setting: Setting
    body: Any = None
    previewed: bool = False


ORGANISER, PLAYER = ("organiser",), ("player 0",)
ANYONE, HOLDER = ("anyone",), ("holder",)
ORGANISERS, SEATS, PLAYERS = ("organiser", "judge"), ("seat 0", "seat 1"), ("player 0", "player 1")
MODERATORS = ("moderator", "another")

MATCH: Json = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
STAGE: Json = {"name": "S", "format": "swiss", "match": {"game": "dollar-prize"}}

REQUESTS: dict[str, Row] = {
    "createMatch": Row(ORGANISERS, at.nowhere, MATCH),
    "startMatch": Row(ORGANISERS, at.match(start=False)),
    "enterDraw": Row(MODERATORS, at.drawing, {"id": "setup", "outcome": ["heads"] * 5}),
    "closePhase": Row(MODERATORS, at.match(options={"turn_seconds": 1_000})),
    "giveClientSeed": Row(SEATS, at.match(start=False), {"seed": "dice"}),
    "sayReady": Row(PLAYERS, at.unready),
    "act": Row(SEATS, at.COINS, {"type": "choose_side", "side": "heads"}),
    "rule": Row(MODERATORS, at.COINS, {"kind": "pause", "reason": WHY}),
    "secondRuling": Row(("judge", "another"), at.ruling(), {}, previewed=True),
    "consentToRuling": Row(SEATS, at.ruling(ask_seats=True)),
    "withdrawRuling": Row(("moderator", "organiser"), at.ruling()),
    "openCase": Row(SEATS, at.COINS, {"says": "It fell."}),
    "sayInCase": Row(SEATS, at.case("match"), {"says": "I saw it."}),
    "addCaseParty": Row(ORGANISERS, at.case("match"), {"seat": 1}),
    "publishCase": Row(ORGANISERS, at.case("match")),
    "closeCase": Row(ORGANISERS, at.case("match"), {"note": "It stands."}),
    "appealCase": Row(SEATS, at.case("match", closed=True), {"says": "No."}),
    "openTournamentCase": Row(PLAYERS, at.a_cup, {"says": "We have met."}),
    "sayInTournamentCase": Row(PLAYERS, at.case("tournament"), {"says": "I saw it."}),
    "addTournamentCaseParty": Row(ORGANISERS, at.case("tournament"), {"player": 1}),
    "publishTournamentCase": Row(ORGANISERS, at.case("tournament")),
    "closeTournamentCase": Row(ORGANISERS, at.case("tournament"), {"note": "It stands."}),
    "appealTournamentCase": Row(PLAYERS, at.case("tournament", closed=True), {"says": "No."}),
    "issueMatchKey": Row(ORGANISERS, at.COINS, ANN),
    "endMatchKey": Row(ORGANISERS, at.keyed),
    "inviteToSeat": Row(ORGANISERS, at.COINS, {"seat": 0}),
    "revokeInvitation": Row(ORGANISERS, at.invitation),
    "acceptInvitation": Row(ANYONE, at.invitation),
    "giveStreamTicket": Row(SEATS, at.COINS),
    "signCheckpoint": Row(MODERATORS, at.COINS),
    "createTournament": Row(ORGANISERS, at.nowhere, {"name": "Cup", "players": ["Ann"]}),
    "giveMatch": Row(ORGANISER, at.match_of_cup, {"moderator": 0}),
    "takeMatch": Row(ORGANISERS, at.given),
    "appointOrganiser": Row(ORGANISERS, at.a_cup, {"name": "Zed"}),
    "giveOrganiserKey": Row(ORGANISERS, at.organised),
    "removeOrganiser": Row(ORGANISERS, at.organised),
    "invitePlayer": Row(ORGANISERS, at.a_cup, {}),
    "acceptPlayerInvitation": Row(ANYONE, at.player_invitation),
    "openRegistration": Row(ORGANISERS, at.a_cup, {}),
    "closeRegistration": Row(ORGANISERS, at.a_cup),
    "registerPlayer": Row(ANYONE, at.registration),
    "openTable": Row(ANYONE, at.nowhere, {"game": "dollar-prize", "name": "Ann"}),
    "recoverSeat": Row(ANYONE, at.table),
    "playAgain": Row(HOLDER, at.over_table),
    "givePlayerKey": Row(ORGANISERS, at.a_cup),
    "giveModeratorKey": Row(ORGANISERS, at.a_cup),
    "removeModerator": Row(ORGANISERS, at.a_cup),
    "enterPlayer": Row(ORGANISERS, at.a_cup, {"name": "Zed"}),
    "appointModerator": Row(ORGANISERS, at.a_cup, {"name": "Zed"}),
    "withdrawPlayer": Row(PLAYER, at.staffed_stage, {"reason": WHY}),
    "withholdPlayerName": Row(ORGANISERS, at.a_cup),
    "withholdSeatName": Row(ORGANISER, lambda live: at.COINS(live)._replace(fields={"seat": 0})),
    # By another person it changes nothing more, and says so.
    "renamePlayer": Row(ORGANISER, at.a_cup, {"name": "Zoe", "reason": WHY}),
    "returnPlayer": Row(PLAYER, at.left),
    "openCheckIn": Row(ORGANISERS, at.a_cup, {"closes": LATER}),
    "checkIn": Row(PLAYER, at.staffed_stage),
    "askBye": Row(PLAYER, at.staffed_stage, {"round": 1}),
    "giveLotsSeed": Row(PLAYER, at.staffed_stage, {"seed": "dice"}),
    "postGarnets": Row(
        ORGANISERS, at.a_cup, {"player": 0, "amount": 2, "reason": "best of the day"}
    ),
    "addStage": Row(ORGANISERS, at.a_cup, STAGE),
    "changeStage": Row(ORGANISERS, at.stage(), {"rounds": 2}),
    "publishRound": Row(ORGANISERS, at.draft, previewed=True),
    "withdrawRound": Row(ORGANISERS, at.waiting, {"reason": WHY}),
    "forfeitMatch": Row(ORGANISERS, at.waiting),
    "extendRound": Row(ORGANISERS, at.waiting, {"ends": LATER, "reason": WHY}),
    "drawLots": Row(ORGANISERS, at.stage(), {}),
    "chooseOpponent": Row(PLAYER, at.choice, {"player": 1}),
    "closeStage": Row(ORGANISERS, at.stage(published=True), {}),
    "closeTournament": Row(ORGANISERS, lambda live: Scene(closable(live)), {}),
    "ruleOnTournament": Row(ORGANISERS, at.correctable(pending=False), previewed=True),
    "secondRulingOnTournament": Row(
        ("moderator",), at.correctable(pending=True), {}, previewed=True
    ),
    "withdrawRulingOnTournament": Row(ORGANISERS, at.correctable(pending=True)),
    "registerWebhook": Row(ORGANISERS, at.nowhere, {"url": "https://a.example/"}),
    "removeWebhook": Row(ORGANISERS, at.webhook),
    "renewKey": Row(HOLDER, at.renewable),
    "makeCalendar": Row(ORGANISERS, at.calendar),
    "removeCalendar": Row(ORGANISERS, at.calendar),
}


@cache
def operations() -> dict[str, tuple[str, str, Json]]:
    """The method and the path of every request that changes something, and its description."""
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, item in description()["paths"].items()
        for method, operation in item.items()
        if method not in ("get", "head", "parameters")
    }


def request(live: Live, name: str, scene: Scene | None = None) -> Sent:
    """The request, under a key of its own, in a scene that is made for it or one that is there."""
    row, (method, path, _) = REQUESTS[name], operations()[name]
    scene = row.setting(live) if scene is None else scene
    fields = ({} if scene.of is None else {"id": scene.of.id}) | scene.fields
    by, *others = (scene.client(live, who) for who in row.by)
    body = row.body
    if body is None and method != "DELETE":
        body = fields.get("body")
    path, headers = path.format(**fields), dict[str, str]()
    if row.previewed:
        preview = by.post(path, {**(body or {}), "preview": True})
        headers["If-Match"] = preview.headers["etag"]
    return Sent(by, method, path, body, others[0] if others else None, headers, uuid4().hex)
