"""What an organiser may choose for a match of 12 Chips."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.limits import between, taken_seat

MOST_TOKENS = 100
MOST_SECONDS = 86_400

Over21 = Literal["bust", "halve"]
RoundStarter = Literal["last_trick_winner", "rotate", "round_winner"]


class Options(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The house rules, shown to all."""

    over_21: Annotated[
        Over21,
        Meta(
            description="A sum over 21 is bust and beaten by any that is not, or counts half "
            "(exactly) before the values are compared."
        ),
    ] = "bust"
    deal: Annotated[
        Literal["two_two", "random"],
        Meta(description="Each seat is dealt two red and two blue chips, or any four."),
    ] = "two_two"
    hands: Annotated[
        Literal["dealt", "entered"],
        Meta(
            description="The deal is drawn, or, at a table with real chips, each seat enters its "
            "own hand: no one else sees it before hands are opened, not even a moderator."
        ),
    ] = "dealt"
    first_starter: Annotated[
        int, taken_seat(4, "The seat that starts the first round; it must be taken.")
    ] = 0
    round_starter: Annotated[
        RoundStarter,
        Meta(
            description="Who starts a later round: the winner of the last trick, the next seat "
            "clockwise, or the winner of the last round (the lowest seat of several)."
        ),
    ] = "last_trick_winner"
    tokens_to_win: Annotated[
        int,
        between(
            1, MOST_TOKENS, "The game ends after a round in which a seat has this many tokens."
        ),
    ] = 3
    turn_seconds: (
        Annotated[
            int,
            between(
                1,
                MOST_SECONDS,
                "Seconds to play or take a chip, if the match has a clock; then the lowest chip "
                "allowed is played or taken.",
            ),
        ]
        | None
    ) = None
    hand_colours_public: Annotated[
        bool,
        Meta(description="The chips show their colour on the back, also in other seats' hands."),
    ] = False
