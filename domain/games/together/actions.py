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

    a: Annotated[
        Votes | None,
        Meta(
            title="Type A votes",
            description="Players on stage, each as often as they get a vote. A vote costs a token.",
        ),
    ] = None
    b: Annotated[
        Votes | None,
        Meta(
            title="Type B votes",
            description="Three times a player of group B. A vote gives a token, and is free.",
        ),
    ] = None
    pay_garnet: Annotated[
        bool, Meta(description="Pays a garnet, which votes of both types together cost.")
    ] = False
    round: Annotated[Whole, Meta(description="The round for which this is.")]


class GiveTokenOfLife(Struct, frozen=True, tag="give_token_of_life", forbid_unknown_fields=True):
    """A sole winner gives away one of the two tokens of life."""

    to: Annotated[Whole, Meta(description="The seat that gets the token of life.")]


class Vote(Struct, frozen=True, tag="vote", rename={"seat": "for"}, forbid_unknown_fields=True):
    """A vote for the elimination candidate of the seat's own group, in the first ballot or the
    second."""

    ballot: Annotated[Ballot, Meta(description="The ballot for which this is.")]
    seat: Annotated[Whole, Meta(description="The seat that should be the candidate.")]


Action = Submit | GiveTokenOfLife | Vote
