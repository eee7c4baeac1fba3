"""`/v1/tournaments/{id}/players`: players leave, return, check in and ask for byes; their cards;
and what organisers do for them: another key in place of a lost one, another name or none."""

from datetime import datetime
from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Refused
from domain.tournament.ledger import LONGEST_REASON
from domain.tournament.open_stages import open_stage
from domain.tournament.staff import RenamePlayer
from domain.tournament.stage_commands import (
    LONGEST_LOTS_SEED,
    AskBye,
    CheckInPlayer,
    GiveLotsSeed,
    OpenCheckIn,
    Return,
    Withdraw,
)
from domain.tournament.state import standing_of
from projections.fields import Player as PlayerNumber
from projections.fields import ShownOnce, Timestamp, check_year, microseconds, rfc3339
from projections.tournaments.players import PlayerCard, ShownPlayer, show_card, show_player
from service.http.access.guards import EVERYBODY, ORGANISER, STAFF_OR_THE_PLAYER, Requires
from service.http.description.routing import OfTournament, delete, examples, get, post, problems
from service.http.errors.problems import Failed
from service.http.requests.dependencies import Once, PlayerOfPath, TheTournament
from service.http.requests.responses import Answer

WITHDRAWAL = examples({"ill": {"reason": "Cy is ill."}})
BYE = examples({"second": {"round": 2}})
CHECK_IN = examples({"noon": {"closes": "2126-11-21T12:00:00Z"}})
SEED = examples({"dice": {"seed": "a6f1 dice rolled at home"}})
NAME = examples({"spelt": {"name": "Zoë", "reason": "It was misspelt."}})
NO_LONGER = "no_such_player already_withdrawn tournament_closed"


class PlayerKey(Struct, frozen=True):
    """A player of the roster. `key` is shown once: null in the answer to a repeated request, and
    where players get theirs by invitations."""

    player: PlayerNumber
    name: str
    key: ShownOnce


class Withdrawal(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a player leaves the tournament."""

    reason: Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON, description="Public")]


class NewBye(Struct, frozen=True, forbid_unknown_fields=True):
    """A round in which a player does not want to be paired, of the open `stage` unless it says
    another."""

    round: Annotated[int, Meta(ge=1)]
    stage: Annotated[int, Meta(ge=1)] | None = None


class AskedBye(Struct, frozen=True):
    """A player is not paired in this `round` of a `stage`."""

    player: PlayerNumber
    stage: int
    round: int


class NewCheckIn(Struct, frozen=True, forbid_unknown_fields=True):
    """A check-in that `closes` at an instant."""

    closes: Annotated[datetime, Meta(tz=True)]

    def __post_init__(self) -> None:
        check_year(self.closes)


class OpenedCheckIn(Struct, frozen=True):
    """A check-in that `closes` at an instant."""

    closes: Timestamp


class NewLotsSeed(Struct, frozen=True, forbid_unknown_fields=True):
    """What a player adds to the next draw of lots: any text, ideally one that no one can guess."""

    seed: Annotated[
        str,
        Meta(
            min_length=1, max_length=LONGEST_LOTS_SEED, description="1 to 64 bytes as UTF-8; public"
        ),
    ]

    def __post_init__(self) -> None:
        if len(self.seed.encode()) > LONGEST_LOTS_SEED:
            raise ValueError(f"a seed is at most {LONGEST_LOTS_SEED} bytes")


class GivenLotsSeed(Struct, frozen=True):
    """The `seed` that a player has added to the next draw of lots; the last before it counts."""

    player: PlayerNumber
    seed: str


class NewName(Struct, frozen=True, forbid_unknown_fields=True):
    """Another name for a player, and why."""

    name: str
    reason: Annotated[
        str, Meta(min_length=1, max_length=LONGEST_REASON, description="For the staff alone")
    ]


class PlayersController(OfTournament):
    """The people of tournaments."""

    @get(
        "/players/{player:int}",
        summary="The card of a player",
        guards=[EVERYBODY],
        opt=problems("no_such_player"),
    )
    async def show_player(
        self, tournament: TheTournament, player: PlayerOfPath
    ) -> Answer[PlayerCard]:
        """Results, opponents and points, round by round: what everyone may see."""
        state = await tournament.state()
        if not 0 <= player < len(state.players):
            raise Failed("no_such_player")
        show = tournament.instance.rounds.standings
        standings = {
            number: await show(tournament.id, number, after=None, explain=None)
            for number, stage in enumerate(state.competition.stages, 1)
            if stage.status != "planned"
        }
        return Answer(show_card(state, player, standings))

    @post(
        "/players/{player:int}/withdrawal",
        summary="Leave a tournament",
        guards=[STAFF_OR_THE_PLAYER],
        opt=problems(NO_LONGER),
    )
    async def withdraw_player(
        self,
        tournament: TheTournament,
        player: PlayerOfPath,
        data: Annotated[Withdrawal, WITHDRAWAL],
        once: Once,
    ) -> Answer[ShownPlayer]:
        """Needs the player's key, or that of an organiser or a moderator. From the next round on
        the player is not paired; what they are playing is ruled on."""
        command = Withdraw(player, data.reason)
        return await tournament.changed(command, once, lambda state: show_player(state, player))

    @delete(
        "/players/{player:int}/withdrawal",
        summary="Return to a tournament",
        response_description="The player is back",
        guards=[STAFF_OR_THE_PLAYER],
        opt=problems("no_such_player not_withdrawn tournament_closed"),
    )
    async def return_player(self, tournament: TheTournament, player: PlayerOfPath) -> None:
        """Needs the player's key, or that of an organiser or a moderator. From the next round on
        the player is paired again, and counts as checked in."""
        await tournament.execute(Return(player))

    @post(
        "/check-in",
        summary="Open the check-in",
        guards=[ORGANISER],
        opt=problems("tournament_closed not_in_future too_late"),
    )
    async def open_check_in(
        self, tournament: TheTournament, data: Annotated[NewCheckIn, CHECK_IN], once: Once
    ) -> Answer[OpenedCheckIn]:
        """Needs an organiser's key. Players who have not checked in when it closes are not paired
        until they do. Opened again, it asks everyone again."""
        closes = microseconds(data.closes)
        command, closes_text = OpenCheckIn(closes, tournament.instance.clock.now()), rfc3339(closes)
        return await tournament.changed(command, once, lambda _: OpenedCheckIn(closes_text))

    @post(
        "/players/{player:int}/check-in",
        summary="Check in",
        guards=[STAFF_OR_THE_PLAYER],
        opt=problems(f"{NO_LONGER} no_check_in"),
    )
    async def check_in(
        self, tournament: TheTournament, player: PlayerOfPath, once: Once
    ) -> Answer[ShownPlayer]:
        """Needs the player's key, or that of an organiser or a moderator; also after the check-in
        has closed."""
        command = CheckInPlayer(player)
        return await tournament.changed(command, once, lambda state: show_player(state, player))

    @post(
        "/players/{player:int}/byes",
        summary="Ask for a bye",
        guards=[STAFF_OR_THE_PLAYER],
        opt=problems(
            "no_such_player no_such_stage stage_closed round_published too_many_byes "
            "tournament_closed"
        ),
    )
    async def ask_bye(
        self, tournament: TheTournament, player: PlayerOfPath, data: Annotated[NewBye, BYE]
    ) -> Answer[AskedBye]:
        """Needs the player's key, or that of an organiser or a moderator. A stage says how many
        byes a player may ask for (`byes_asked`) and what they give (`points.bye_asked`)."""
        state = await tournament.instance.tournaments.now(tournament.id)
        stage = open_stage(standing_of(state)) if data.stage is None else data.stage
        command, answer = AskBye(player, stage, data.round), AskedBye(player, stage, data.round)
        return await tournament.changed(command, None, lambda _: answer)

    @post(
        "/client-seeds",
        summary="Add to the lots of a tournament",
        guards=[Requires("player")],
        opt=problems("tournament_closed"),
    )
    async def give_lots_seed(
        self, tournament: TheTournament, data: Annotated[NewLotsSeed, SEED], once: Once
    ) -> Answer[GivenLotsSeed]:
        """Needs a player's key. With it in the derivation of the next draw of lots, the service
        cannot have chosen its own seed to suit anyone."""
        player = await tournament.player()
        command, answer = GiveLotsSeed(player, data.seed), GivenLotsSeed(player, data.seed)
        return await tournament.changed(command, once, lambda _: answer)

    @post(
        "/players/{player:int}/key",
        summary="Give a player another key",
        guards=[ORGANISER],
        opt=problems("no_such_player"),
    )
    async def give_player_key(
        self, tournament: TheTournament, player: PlayerOfPath, once: Once
    ) -> Answer[PlayerKey]:
        """Needs an organiser's key. The player's earlier keys end, with their open streams."""
        players = (await tournament.state()).players
        if player >= len(players):
            raise Refused("no_such_player")
        show = partial(PlayerKey, player, players[player])
        return await tournament.another_key(f"p{player}", "", once, show)

    @post(
        "/players/{player:int}/name",
        summary="Rename a player",
        guards=[ORGANISER],
        opt=problems("no_such_player names_not_allowed name_taken moderator_plays"),
    )
    async def rename_player(
        self,
        tournament: TheTournament,
        player: PlayerOfPath,
        data: Annotated[NewName, NAME],
        once: Once,
    ) -> Answer[ShownPlayer]:
        """Needs an organiser's key. The name is shown from now on, also in the player's matches
        that are not over; what was recorded before keeps the old one."""
        command = RenamePlayer(player, data.name, data.reason)
        return await tournament.changed(command, once, lambda state: show_player(state, player))

    @delete(
        "/players/{player:int}/name",
        summary="Withhold a player's name",
        response_description="It is shown no more",
        guards=[ORGANISER],
        opt=problems("no_such_player name_taken"),
    )
    async def withhold_player_name(self, tournament: TheTournament, player: PlayerOfPath) -> None:
        """Needs an organiser's key. Every name that the player has had is `Player N` from now on,
        everywhere and at every position of the tournament and its matches, and stored no more. That
        cannot be undone; another name can be given."""
        await tournament.instance.withheld_names.of_player(tournament.id, player)
