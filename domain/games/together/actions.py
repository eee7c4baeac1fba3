"""What a seat can do in Together We Survive, Together We Prosper."""

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from domain.game import Whole
from domain.games.together.options import MOST_TOKENS

Ballot = Literal[1, 2]
BALLOTS = len(get_args(Ballot))
"""Number of votes after which chance decides between those still tied."""

Votes = Annotated[tuple[Whole, ...], Meta(max_length=MOST_TOKENS)]


class Submit(Struct, frozen=True, kw_only=True, tag="submit", forbid_unknown_fields=True):
    """A complete submission for a round: type A votes, type B votes, both for a garnet, or neither,
    which withdraws."""

    a: Votes | None = None
    b: Votes | None = None
    pay_garnet: bool = False
    round: Whole


class GiveTokenOfLife(Struct, frozen=True, tag="give_token_of_life", forbid_unknown_fields=True):
    """A sole winner gives away one of the two tokens of life."""

    to: Whole


class Vote(Struct, frozen=True, tag="vote", rename={"seat": "for"}, forbid_unknown_fields=True):
    """A vote for the elimination candidate of the seat's own group, in the first ballot or the
    second."""

    ballot: Ballot
    seat: Whole


Action = Submit | GiveTokenOfLife | Vote
