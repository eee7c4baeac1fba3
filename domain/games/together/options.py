"""What can be agreed on before a match of Together We Survive, Together We Prosper."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.games.together.groups import GROUPS, Group
from domain.limits import between, not_allowed, within_limits

MOST_SEATS = 32
MOST = 1_000
"""Maximum of tokens, garnets and hours in the options."""
SMALLEST_GROUP = 2
B_VOTES = 3
"""The number of type B votes in a submission; each brings a token."""
MOST_TOKENS = MOST + B_VOTES * MOST_SEATS * 2 * (MOST_SEATS - SMALLEST_GROUP)
"""Maximum of `most_tokens`, whatever the options."""
TIME_OF_DAY = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


class StartTokens(Struct, frozen=True, kw_only=True, rename="upper", forbid_unknown_fields=True):
    """The tokens of each player of a group at the start."""

    a: Annotated[int, between(0, MOST, "Tokens of each player of group A.")] = 5
    b: Annotated[int, between(0, MOST, "Tokens of each player of group B.")] = 1


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The house rules, shown to all. Missing ones are filled in when the match is created."""

    groups: (
        Annotated[
            tuple[Group, ...],
            Meta(
                description="The group of each seat, at least two seats in either; by default the "
                "first half is A.",
                extra_json_schema={"maxItems": MOST_SEATS},
            ),
        ]
        | UnsetType
    ) = UNSET
    start_tokens: Annotated[
        StartTokens, Meta(description="The tokens that the players of each group begin with.")
    ] = StartTokens()
    garnets: (
        Annotated[
            tuple[Annotated[int, between(0, MOST, "Garnets of this seat.")], ...],
            Meta(
                description="How many garnets each seat brings into the match; by default none.",
                extra_json_schema={"maxItems": MOST_SEATS},
            ),
        ]
        | UnsetType
    ) = UNSET
    kick_rule: Annotated[
        Literal["most", "fewest"],
        Meta(
            description="Whether the players on stage with the most or with the fewest type A "
            "votes are kicked out."
        ),
    ] = "most"
    all_tied: Annotated[
        Literal["all_out", "none_out"],
        Meta(
            description="If all players on stage have equally many votes, all of them leave, or "
            "none; after a second such round running all leave in any case."
        ),
    ] = "all_out"
    b_self: Annotated[bool, Meta(description="Whether a type B vote may be for oneself.")] = False
    b_repeats: Annotated[
        bool, Meta(description="Whether several type B votes may be for one player.")
    ] = True
    reveal_vote_counts: Annotated[
        Literal["A", "both", "none"],
        Meta(
            description="Whose votes received are published after a round: group A's, those of "
            "both groups, or nobody's. A player of group B gets a token with each vote."
        ),
    ] = "A"
    b_winner_rank: Annotated[
        int,
        between(
            1,
            MOST_SEATS,
            "The place, counted by distinct numbers of tokens, most first, that wins in group B.",
        ),
    ] = 2
    b_loser_rank: Annotated[
        int, between(1, MOST_SEATS, "The place that loses in group B, another than the winners'.")
    ] = 1
    ec_voters: Annotated[
        Literal["group", "winners"],
        Meta(
            description="Who votes for a group's elimination candidate: all of the group, or "
            "its winners."
        ),
    ] = "group"
    garnet_per_tokens: Annotated[
        int, between(1, MOST, "How many tokens earn a player of group B a garnet.")
    ] = 7
    deadline_utc: Annotated[
        str,
        Meta(
            extra_json_schema={
                "pattern": f"^{TIME_OF_DAY.pattern}$",
                "description": "The time of day, in UTC, of all deadlines.",
            }
        ),
    ] = "14:00"
    first_round_hours: Annotated[
        int, between(0, MOST, "How many hours the first round lasts at least.")
    ] = 48
    round_hours: Annotated[
        int, between(1, MOST, "How many hours every later round lasts at least.")
    ] = 24
    vote_hours: Annotated[
        int,
        between(
            1,
            MOST,
            "How many hours there are at least for a vote, or to give a token of life away.",
        ),
    ] = 24


def complete(options: Options, seats: int) -> Options:
    """The options as they are played: with a group and garnets for every seat."""
    groups, garnets = groups_of(options, seats), garnets_of(options, seats)
    return replace(options, groups=groups, garnets=garnets)


def groups_of(options: Options, seats: int) -> tuple[Group, ...]:
    """The group of each seat; by default the first half is group A."""
    if options.groups is not UNSET:
        return options.groups
    first, second = GROUPS
    return tuple(first if seat < seats // 2 else second for seat in range(seats))


def grouped(sizes: Sequence[int]) -> dict[str, Any]:
    """The options by which the first seats are group A and the others group B."""
    if len(sizes) != len(GROUPS):
        raise not_allowed(f"there are {len(GROUPS)} groups.")
    pairs = zip(GROUPS, sizes, strict=True)
    return {"groups": [group for group, size in pairs for _ in range(size)]}


def garnets_of(options: Options, seats: int) -> tuple[int, ...]:
    """The garnets that each seat brings; by default none."""
    return (0,) * seats if options.garnets is UNSET else options.garnets


def most_tokens(options: Options, seats: int) -> int:
    """A number of tokens that no seat can exceed, at any time of the match.

    Group A only spends its tokens. Group B gets at most all type B votes of every round, and there
    are no more rounds than players of group A, since someone leaves in each; with `none_out` in
    each two.
    """
    rounds = groups_of(options, seats).count("A") * (2 if options.all_tied == "none_out" else 1)
    return max(options.start_tokens.a, options.start_tokens.b + B_VOTES * seats * rounds)


def check(options: Options, seats: int) -> None:
    """Raises Refused if no match can be played with these options."""
    groups, garnets = groups_of(options, seats), garnets_of(options, seats)
    within_limits(options, seats)
    if len(groups) != seats or min(map(groups.count, GROUPS)) < SMALLEST_GROUP:
        raise not_allowed(f"groups has a group for each seat, {SMALLEST_GROUP} or more in either.")
    if len(garnets) != seats:
        raise not_allowed("garnets has a number for each seat.")
    if options.b_winner_rank == options.b_loser_rank:
        raise not_allowed("b_winner_rank and b_loser_rank differ.")
    if not TIME_OF_DAY.fullmatch(options.deadline_utc):
        raise not_allowed("deadline_utc is a time of day like 14:00.")
