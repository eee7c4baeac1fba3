"""What another instance may do while a request is answered: the same, or what takes its ground
away."""

from collections.abc import Callable
from typing import NamedTuple
from uuid import uuid4

from tests.contract.requests.changing_requests import Sent, request
from tests.contract.requests.request_scenes import Scene
from tests.support.http.match_keys import end, listed
from tests.support.http.ruling_client import WHY, rule
from tests.support.http.tournament_client import LiveCup
from tests.support.servers.live_server import Answer, Client, Live, LiveMatch, Player

Doing = Callable[[], list[Answer]]

MEANWHILE: dict[str, tuple[str, ...]] = {
    "acceptInvitation": ("revokeInvitation",),
    "acceptPlayerInvitation": ("invitePlayer", "givePlayerKey"),
    "act": ("rule",),
    "addCaseParty": ("closeCase",),
    "addStage": ("closeTournament",),
    "addTournamentCaseParty": ("closeTournamentCase",),
    "appealCase": ("publishCase",),
    "appealTournamentCase": ("publishTournamentCase",),
    "appointModerator": ("enterPlayer",),
    "appointOrganiser": ("appointModerator",),
    "askBye": ("withdrawPlayer",),
    "checkIn": ("withdrawPlayer",),
    "closeCase": ("publishCase", "sayInCase"),
    "closePhase": ("rule",),
    "closeStage": ("addStage",),
    "closeTournament": ("addStage", "enterPlayer"),
    "closeTournamentCase": ("sayInTournamentCase",),
    "consentToRuling": ("withdrawRuling",),
    "drawLots": ("enterPlayer",),
    "enterDraw": ("rule",),
    "enterPlayer": ("appointModerator", "registerPlayer"),
    "extendRound": ("withdrawRound",),
    "forfeitMatch": ("withdrawRound", "extendRound"),
    "giveLotsSeed": ("withdrawPlayer",),
    "giveMatch": ("removeModerator",),
    "giveModeratorKey": ("removeModerator",),
    "giveOrganiserKey": ("removeOrganiser",),
    "givePlayerKey": ("invitePlayer",),
    "inviteToSeat": ("withholdSeatName",),
    "invitePlayer": ("givePlayerKey",),
    "issueMatchKey": ("withholdSeatName",),
    "makeCalendar": ("removeCalendar",),
    "openCheckIn": ("closeTournament",),
    "publishCase": ("closeCase",),
    "publishRound": ("enterPlayer", "closeStage"),
    "publishTournamentCase": ("closeTournamentCase",),
    "registerPlayer": ("closeRegistration",),
    "removeModerator": ("giveModeratorKey",),
    "removeOrganiser": ("giveOrganiserKey",),
    "renamePlayer": ("withholdPlayerName",),
    "returnPlayer": ("closeTournament",),
    "revokeInvitation": ("acceptInvitation",),
    "rule": ("act",),
    "sayInCase": ("closeCase",),
    "sayInTournamentCase": ("closeTournamentCase",),
    "secondRuling": ("withdrawRuling",),
    "secondRulingOnTournament": ("withdrawRulingOnTournament",),
    "startMatch": ("giveClientSeed",),
    "giveClientSeed": ("startMatch",),
    "withdrawPlayer": ("closeTournament", "checkIn"),
    "withdrawRound": ("extendRound",),
    "withdrawRuling": ("secondRuling",),
    "withdrawRulingOnTournament": ("secondRulingOnTournament",),
    "withholdPlayerName": ("renamePlayer",),
    "withholdSeatName": ("inviteToSeat",),
}
"""By a request, others that have to do with the same."""

LAPSES = {
    "acceptInvitation", "acceptPlayerInvitation", "secondRuling", "consentToRuling",
    "withdrawRuling", "secondRulingOnTournament", "withdrawRulingOnTournament", "chooseOpponent",
}  # fmt: skip
"""Requests that are too late at some instant."""

THE_SAME, LATER, KEY_ENDED = "the same", "later", "key ended"

PLACES = {"seat": 0, "player": 0, "moderator": 0, "organiser": 0, "stage": 1, "number": 1}
"""What addresses name in a scene that was made for another request."""


class Meeting(NamedTuple):
    """A scene, the request that is sent there, and the instance that does something meanwhile."""

    rival: Live
    scene: Scene
    asked: Sent
    name: str
    pass_time: Callable[[], None]

    def at(self, client: Client) -> Client:
        """The client at the other instance."""
        return self.rival.bearing(client.key) if client.key else self.rival.anyone

    def doings(self) -> dict[str, Doing]:
        """What may be done meanwhile, by name; made ready before the request is sent."""
        by, other = self.asked.by, self.asked.other or self.asked.by
        mine = self.asked._replace(key=uuid4().hex)
        doings: dict[str, Doing] = {
            THE_SAME: lambda: [self.asked.send(self.rival, self.at(by))],
            **{name: self._other(name) for name in MEANWHILE.get(self.name, ())},
            "another's": lambda: [mine.send(self.rival, self.at(other))],
        }
        if self.name in LAPSES:
            doings[LATER] = self._later
        if isinstance(self.scene.of, LiveMatch):
            doings["void"] = self._void(self.scene.of)
            if (role := self._role(self.scene.of)) is not None:
                doings[KEY_ENDED] = self._key_ended(self.scene.of, role)
        if isinstance(self.scene.of, LiveCup):
            doings["closed"] = self._closed(self.scene.of)
        return doings

    def _later(self) -> list[Answer]:
        self.pass_time()
        return []

    def _other(self, name: str) -> Doing:
        scene = self.scene._replace(fields=PLACES | self.scene.fields)
        sent = request(self.rival, name, scene)
        return lambda: [sent.send(self.rival, self.at(sent.by))]

    def _void(self, match: LiveMatch) -> Doing:
        """Two organisers void the match."""
        first, second = (
            Player(self.at(one.client), match.id) for one in (match.organiser, match.judge)
        )

        def do() -> list[Answer]:
            tag = rule(first, "void", preview=True).headers.get("etag", "*")
            ruled = rule(first, "void", {"If-Match": tag})
            if not ruled.is_success:
                return [ruled]
            path = f"{second.path}/rulings/{ruled.json()['ruling']}/second"
            tag = second.client.post(path, {"preview": True}).headers.get("etag", "*")
            return [ruled, second.client.post(path, {}, {"If-Match": tag})]

        return do

    def _role(self, match: LiveMatch) -> str | None:
        """What the sender's key is for, if it is one for the match."""
        if self.asked.by.key in match.keys:
            return f"seat:{match.keys.index(self.asked.by.key)}"
        return "moderator" if self.asked.by.key == match.moderator_key else None

    def _key_ended(self, match: LiveMatch, role: str) -> Doing:
        organiser = Player(self.at(match.organiser.client), match.id)
        key = next(one["id"] for one in listed(organiser) if one["role"] == role)
        return lambda: [end(organiser, key)]

    def _closed(self, cup: LiveCup) -> Doing:
        organiser = self.at(cup.live.organiser)
        leaving, closing = f"{cup.path}/players/0/withdrawal", f"{cup.path}/close"
        return lambda: [
            organiser.post(leaving, {"reason": WHY}), organiser.post(closing, {})
        ]  # fmt: skip
