"""What a seat can ask for in Together We Survive, Together We Prosper."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Whole

MOST_VOTES = 1_000
"""A submission has no more votes of a type, however many tokens there are."""

Votes = Annotated[tuple[Whole, ...], Meta(max_length=MOST_VOTES)]


class Submit(Struct, frozen=True, kw_only=True, tag="submit", forbid_unknown_fields=True):
    """A full statement for a round: type A votes, type B votes, both for a garnet, or neither,
    which withdraws. `round` says which round it is for; without it, the one that is open."""

    a: Votes | None = None
    b: Votes | None = None
    pay_garnet: bool = False
    round: Whole | None = None


class GiveTokenOfLife(Struct, frozen=True, tag="give_token_of_life", forbid_unknown_fields=True):
    """A sole winner gives one of the two tokens of life away."""

    to: Whole


class Vote(Struct, frozen=True, tag="vote", rename={"seat": "for"}, forbid_unknown_fields=True):
    """A vote for who becomes the elimination candidate of the own group."""

    seat: Whole


Action = Submit | GiveTokenOfLife | Vote
