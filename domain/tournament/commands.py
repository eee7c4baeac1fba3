"""What can be asked of a tournament. Commands that begin with `New` are read as they are sent."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Result
from domain.match.commands import CaseCommand
from domain.people import Actor
from domain.rulings.tournament_decide import TournamentRulingCommand
from domain.tournament.events import PlayerKeys
from domain.tournament.ledger import MOST_GARNETS
from domain.tournament.registration import RegistrationCommand
from domain.tournament.staff import MOST_MODERATORS, RenamePlayer, StaffCommand
from domain.tournament.stage_commands import StageCommand
from domain.tournament.stages import Named

MOST_PLAYERS = 512

Holding = Annotated[int, Meta(ge=0, le=MOST_GARNETS)]


class NewTournament(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament to create. More players and moderators can be added at any time."""

    name: Annotated[str, Meta(description="What it is called", examples=["Spring Cup"])]
    players: Annotated[
        tuple[str, ...], Meta(max_length=MOST_PLAYERS, description="The roster: no two names alike")
    ] = ()
    moderators: Annotated[
        tuple[str, ...],
        Meta(
            max_length=MOST_MODERATORS,
            description="The moderators, to whom matches can be assigned; one with the name of a "
            "player is that player",
        ),
    ] = ()
    garnets: Annotated[
        dict[str, Holding], Meta(description="The garnets that players begin with, by name")
    ] = {}
    keys: Annotated[
        PlayerKeys,
        Meta(
            description="Whether the keys of the players are `shown` in the answer, or none are "
            "issued, and players get theirs by `invitations`: also those who enter later"
        ),
    ] = "shown"


class NewPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A player to enter: the garnets that they begin with, the `rating` or the `seed` by which
    stages order them, and their `team`, which is shown."""

    name: str
    garnets: Holding = 0
    rating: Annotated[int, Meta(ge=0, le=4000)] | None = None
    seed: Annotated[int, Meta(ge=1, le=MOST_PLAYERS)] | None = None
    team: Annotated[str, Meta(max_length=64)] | None = None
    external_id: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=64,
                description="The organiser's own id of the player, unique in the tournament; "
                "organisers alone see it",
            ),
        ]
        | None
    ) = None


class NewPlayers(Struct, frozen=True):
    """Players to enter, all of them or none."""

    players: tuple[NewPlayer, ...]


class Override(Struct, frozen=True):
    """The organiser seats someone although they have looked at these matches, and says why."""

    looked: tuple[str, ...]
    reason: str
    actor: Actor


class RoundTable(Struct, frozen=True):
    """A table of a round of a stage."""

    stage: int
    round: int
    table: int


class AddMatch(Struct, frozen=True):
    """A match of these players, and what each of them brings into it; `at` a table of a round.
    Those of the `moderators` who do not play in it moderate it."""

    match: str
    game: str
    seats: tuple[str, ...]
    garnets: tuple[int, ...] = ()
    override: Override | None = None
    at: RoundTable | None = None
    moderators: tuple[int, ...] = ()


class OverrideLook(Struct, frozen=True):
    """Someone takes over a seat of a match although they have looked."""

    match: str
    override: Override


class PostGarnets(Struct, frozen=True):
    """The organiser (`by`, if the key has a name) gives a player garnets, or takes some away if the
    amount is negative."""

    player: int
    amount: int
    reason: str
    by: str | None = None


class SettleMatch(Struct, frozen=True):
    """A match is over, without a result if it is void.

    Where its game has garnets, `balance` is what is left of each seat's stake and `payout` its
    award; otherwise every stake goes back to its player. `named` are the seats that its game names
    for a show; None after a ruled result, which is a `forfeit` if it was ruled for an absence.
    """

    match: str
    result: Result | None
    balance: tuple[int, ...] | None = None
    payout: tuple[int, ...] = ()
    named: Named | None = None
    forfeit: bool = False


Command = (
    NewTournament
    | NewPlayer
    | NewPlayers
    | StaffCommand
    | RegistrationCommand
    | RenamePlayer
    | AddMatch
    | OverrideLook
    | PostGarnets
    | SettleMatch
    | TournamentRulingCommand
    | CaseCommand
    | StageCommand
)
