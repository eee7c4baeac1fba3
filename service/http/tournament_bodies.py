"""What the API is sent and what it answers about tournaments."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Result, Whole
from domain.ledger import AccountKind
from domain.tournament import LONGEST_REASON, MOST_GARNETS, MOST_MODERATORS, MOST_PLAYERS
from projections.standings import Standing

LAST_NUMBER = 2**53 - 1

Number = Annotated[int, Meta(ge=0, le=LAST_NUMBER)]
Held = Annotated[int, Meta(ge=0, le=MOST_GARNETS)]


class NewTournament(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament to be created. More players and moderators can be added at any time."""

    name: Annotated[str, Meta(description="What it is called", examples=["Spring Cup"])]
    players: Annotated[
        tuple[str, ...],
        Meta(max_length=MOST_PLAYERS, description="The roster: no two names alike"),
    ] = ()
    moderators: Annotated[
        tuple[str, ...],
        Meta(
            max_length=MOST_MODERATORS,
            description="Who can be given matches to moderate; one with the name of a player is "
            "that player",
        ),
    ] = ()
    garnets: Annotated[
        dict[str, Held], Meta(description="The garnets with which players begin, by name")
    ] = {}


class NewPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A player to be entered, and the garnets with which he begins."""

    name: str
    garnets: Held = 0


class NewModerator(Struct, frozen=True, forbid_unknown_fields=True):
    """A moderator to be appointed."""

    name: str


class Assignment(Struct, frozen=True, forbid_unknown_fields=True):
    """The number of the moderator who is to moderate a match."""

    moderator: Number


class Garnets(Struct, frozen=True, forbid_unknown_fields=True):
    """Garnets given to a player, or with a negative amount taken away."""

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


class PlayerKey(Struct, frozen=True):
    """A player of the roster. `key` is shown once: null in the answer to a repeated request."""

    player: int
    name: str
    key: str | None


class ModeratorKey(Struct, frozen=True):
    """A moderator. `key` is shown once: null in the answer to a repeated request."""

    moderator: int
    name: str
    key: str | None


class CreatedTournament(Struct, frozen=True):
    """A tournament and its keys. They are shown this once, only their hashes are kept: in the
    answer to a repeated request they are null."""

    id: str
    name: str
    players: list[PlayerKey]
    moderators: list[ModeratorKey]


class GivenMatch(Struct, frozen=True):
    """A match and the moderator of the tournament who moderates it."""

    match: str
    moderator: int
    name: str


class Player(Struct, frozen=True):
    """A player of the roster."""

    player: int
    name: str


class Moderator(Struct, frozen=True):
    """Somebody who can be given matches to moderate."""

    moderator: int
    name: str


class TournamentMatch(Struct, frozen=True):
    """A match: the numbers of its players, seat by seat, and of its moderators. `result` is null
    until the match counts in the standings; winners and losers in it are seats."""

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
    """What is on an account: a player's purse, what he has brought into a match, or the house,
    from which garnets come and to which spent ones go."""

    account: AccountKind
    player: int | None
    match: str | None
    garnets: int


class LedgerEntry(Struct, frozen=True):
    """A posting: `amount` garnets of a player from the debited account to the credited one. `seq`
    counts what its reader may see."""

    seq: int
    at: str
    player: int
    debit: AccountKind
    credit: AccountKind
    amount: int
    reason: str
    match: str | None


class Ledger(Struct, frozen=True):
    """The accounts that hold something and some postings, as far as the reader may see them;
    `next` is the `after` of the page that follows, if any."""

    balances: list[Balance]
    postings: list[LedgerEntry]
    next: int | None
