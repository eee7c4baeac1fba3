"""What a seat can do in Together We Survive, Together We Prosper."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.game import Whole

MOST_VOTES = 1_000
"""Maximum votes of a type in a submission, however many tokens there are."""

Votes = Annotated[tuple[Whole, ...], Meta(max_length=MOST_VOTES)]


class Submit(Struct, frozen=True, kw_only=True, tag="submit", forbid_unknown_fields=True):
    """A complete submission for a round: type A votes, type B votes, both for a garnet, or neither,
    which withdraws. `round` is the round it is for; without it, the open one."""

    a: Votes | None = None
    b: Votes | None = None
    pay_garnet: bool = False
    round: Whole | None = None


class GiveTokenOfLife(Struct, frozen=True, tag="give_token_of_life", forbid_unknown_fields=True):
    """A sole winner gives away one of the two tokens of life."""

    to: Whole


class Vote(Struct, frozen=True, tag="vote", rename={"seat": "for"}, forbid_unknown_fields=True):
    """A vote for the elimination candidate of the seat's own group."""

    seat: Whole


Action = Submit | GiveTokenOfLife | Vote
