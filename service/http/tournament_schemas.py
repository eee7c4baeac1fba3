"""Bodies of requests and answers about tournaments."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Result, Whole
from domain.ledger import AccountKind
from domain.tournament import LONGEST_REASON, MOST_GARNETS, MOST_MODERATORS, MOST_PLAYERS
from projections.fields import Moderator as ModeratorNumber
from projections.fields import Next, ShownOnce
from projections.fields import Player as PlayerNumber
from projections.standings import Standing
from projections.timestamps import Timestamp
from service.http.limits import LARGEST_NUMBER

Number = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
Holding = Annotated[int, Meta(ge=0, le=MOST_GARNETS)]


class NewTournament(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament to create. More players and moderators can be added at any time."""

    name: Annotated[str, Meta(description="What it is called", examples=["Spring Cup"])]
    players: Annotated[
        tuple[str, ...],
        Meta(max_length=MOST_PLAYERS, description="The roster: no two names alike"),
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


class NewPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A player to enter, and the garnets that they begin with."""

    name: str
    garnets: Holding = 0


class NewModerator(Struct, frozen=True, forbid_unknown_fields=True):
    """A moderator to appoint."""

    name: str


class Assignment(Struct, frozen=True, forbid_unknown_fields=True):
    """The number of the moderator that moderates a match from now on."""

    moderator: Number


class Garnets(Struct, frozen=True, forbid_unknown_fields=True):
    """Garnets for a player; a negative amount removes some."""

    player: Number
    amount: Whole
    reason: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=LONGEST_REASON,
            description="The player can read it: printable characters only",
        ),
    ]


class Player(Struct, frozen=True):
    """A player of the roster."""

    player: PlayerNumber
    name: str


class Moderator(Struct, frozen=True):
    """A moderator, to whom matches can be assigned."""

    moderator: ModeratorNumber
    name: str


class PlayerKey(Player, frozen=True):
    """A player of the roster. `key` is shown once: null in the answer to a repeated request."""

    key: ShownOnce


class ModeratorKey(Moderator, frozen=True):
    """A moderator. `key` is shown once: null in the answer to a repeated request."""

    key: ShownOnce


class CreatedTournament(Struct, frozen=True):
    """A tournament and its keys. They are shown once and only their hashes are stored: in the
    answer to a repeated request they are null."""

    id: str
    name: str
    players: list[PlayerKey]
    moderators: list[ModeratorKey]


class GivenMatch(Struct, frozen=True):
    """A match and the tournament's moderator that moderates it."""

    match: str
    moderator: ModeratorNumber
    name: str


class TournamentMatch(Struct, frozen=True):
    """A match: the numbers of its players, seat by seat, and of its moderators. `result` is null
    while the match does not count in the standings; winners and losers in it are seats."""

    match: str
    game: str
    players: tuple[int, ...]
    moderators: tuple[int, ...]
    status: str
    result: Result | None


class TournamentAnswer(Struct, frozen=True):
    """A tournament as everybody may see it."""

    id: str
    name: str
    players: list[Player]
    moderators: list[Moderator]
    matches: list[TournamentMatch]
    standings: list[Standing]


class Balance(Struct, frozen=True):
    """The balance of an account: a player's purse, their stake in a match, or the house, where
    garnets come from and spent ones go."""

    account: AccountKind
    player: PlayerNumber | None
    match: str | None
    garnets: int


class LedgerEntry(Struct, frozen=True):
    """A posting: `amount` garnets of a player from the debited account to the credited one. `seq`
    counts what its reader may see; `reverses` is that of an earlier posting which a correction
    takes back."""

    seq: int
    at: Timestamp
    player: PlayerNumber
    debit: Annotated[AccountKind, Meta(description="The account from which it is taken")]
    credit: Annotated[AccountKind, Meta(description="The account to which it is given")]
    amount: int
    reason: str
    match: str | None
    reverses: int | None


class Ledger(Struct, frozen=True):
    """The accounts that hold something and some postings, as far as the reader may see them."""

    balances: list[Balance]
    postings: list[LedgerEntry]
    next: Next
