"""What can happen in Together We Survive, Together We Prosper. The tags are the storage format.

Only its sender and the moderators ever see a vote. The same is true of what a player has, except
for group B's tokens at the end.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.events import PublicEvent, SealedEvent, SeatEvent
from domain.games.together.groups import Group, PerGroup, Seats


class RoundBegan(PublicEvent, frozen=True, tag="together.round-began.1"):
    """This round accepts submissions."""

    round: int


class Note(Struct, frozen=True):
    """
    `supersedes` is there only if votes of one type alone replace the sender's votes of the other:
    it says which.
    """

    supersedes: Annotated[
        Literal["a", "b"], Meta(description="Which earlier votes no longer count")
    ]


class SubmissionMade(SeatEvent, frozen=True, tag="together.submission-made.1"):
    """A valid submission, which replaces the seat's previous one. Without votes of either type it
    withdraws that one.

    `supersedes` is set where this submission has votes of one type alone and replaces one with
    votes of the other type: that type.
    """

    a: tuple[int, ...] | None
    b: tuple[int, ...] | None
    pay_garnet: bool
    supersedes: Literal["a", "b"] | UnsetType = UNSET

    def game_note(self) -> Note | None:
        """The sender may have meant both."""
        return None if self.supersedes is UNSET else Note(self.supersedes)


class RoundCounted(SealedEvent, frozen=True, tag="together.round-counted.1"):
    """The submissions of a round took effect.

    Per seat: `a` and `b` are the votes of each type it got, `tokens` and `garnets` what it has now;
    `charged` are the seats that paid a garnet.
    """

    round: int
    a: tuple[int, ...]
    b: tuple[int, ...]
    charged: Seats
    tokens: tuple[int, ...]
    garnets: tuple[int, ...]


class HoldingsTold(SeatEvent, frozen=True, tag="together.holdings-told.1"):
    """After a round each seat sees what it has, whether or not that has changed."""

    tokens: int
    garnets: int


class RoundEnded(PublicEvent, frozen=True, tag="together.round-ended.1"):
    """The seats kicked out in this round.

    If votes are revealed, `a` has those of each player who was on stage and `b` those of each
    player of group B; null for all other seats.
    """

    round: int
    kicked_out: Seats
    a: tuple[int | None, ...] | None
    b: tuple[int | None, ...] | None


class MainMatchEnded(PublicEvent, frozen=True, tag="together.main-match-ended.1"):
    """Nobody is on stage any more: the tokens of group B, winners and losers, and each seat's
    tokens of life, of which a second one is to be given away."""

    b_tokens: tuple[int | None, ...]
    winners: PerGroup[Seats]
    losers: PerGroup[Seats]
    tokens_of_life: tuple[int, ...]


class TokenOfLifeGiven(PublicEvent, frozen=True, tag="together.token-of-life-given.1"):
    """A sole winner gives one of the two tokens of life to the seat `to`."""

    seat: int
    to: int


class TokensOfLifeLapsed(PublicEvent, frozen=True, tag="together.tokens-of-life-lapsed.1"):
    """These seats did not give their second token of life away in time."""

    seats: Seats


class PoolsFormed(PublicEvent, frozen=True, tag="together.pools-formed.1"):
    """The possible elimination candidates of each group; an empty pool gives none."""

    pools: PerGroup[Seats]


class BallotOpened(PublicEvent, frozen=True, tag="together.ballot-opened.1"):
    """A vote, the first or the second, among these seats; a group without any does not vote."""

    ballot: int
    pools: PerGroup[Seats]


class VoteCast(SeatEvent, frozen=True, tag="together.vote-cast.1"):
    """A valid vote, which replaces the seat's previous one."""

    candidate: int


class BallotCounted(SealedEvent, frozen=True, tag="together.ballot-counted.1"):
    """Each seat's votes, and the seats left in the pools: those with the most."""

    ballot: int
    votes: tuple[int, ...]
    pools: PerGroup[Seats]


class CandidateDrawn(PublicEvent, frozen=True, tag="together.candidate-drawn.1"):
    """Chance picked the elimination candidate of this group."""

    group: Group
    seat: int


class CandidatesNamed(PublicEvent, frozen=True, tag="together.candidates-named.1"):
    """The elimination candidate of each group; null where there is none."""

    candidates: PerGroup[int | None]


class GarnetsAwarded(PublicEvent, frozen=True, tag="together.garnets-awarded.1"):
    """Each seat's award; the match is over."""

    garnets: tuple[int, ...]


Event = (
    RoundBegan
    | SubmissionMade
    | RoundCounted
    | HoldingsTold
    | RoundEnded
    | MainMatchEnded
    | TokenOfLifeGiven
    | TokensOfLifeLapsed
    | PoolsFormed
    | BallotOpened
    | VoteCast
    | BallotCounted
    | CandidateDrawn
    | CandidatesNamed
    | GarnetsAwarded
)
