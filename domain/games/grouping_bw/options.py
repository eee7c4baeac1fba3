"""What can be agreed on before a match of Grouping Black & White."""

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import asdict

from domain.limits import between, not_allowed, within_limits

MOST_CHIPS = 10_000
MOST_PASSES = 10
MOST_SETS = 1_000
MOST_LEAVERS = 9
MOST_SECONDS = 86_400
BONUS_CHIPS = 10

Variant = Literal["death-match", "final-match-2"]
Item = Literal["bonus", "peek", "order"]
Items = tuple[Item, ...]
Goes = Literal["pot", "return"]
ShortAnte = Literal["all_in", "lose"]


def _list_of(count: int, description: str) -> Meta:
    """The length of a list in the JSON Schema; `check` enforces it as well."""
    return Meta(
        extra_json_schema={"minItems": count, "maxItems": count, "description": description}
    )


Chips = Annotated[
    tuple[Annotated[int, between(1, MOST_CHIPS, "Of one seat.")], ...],
    _list_of(2, "What each seat starts with, before the ten chips of a bonus."),
]
PassesPerSet = Annotated[
    int, between(1, MOST_PASSES, "How many passes of nine rounds are played with one grouping.")
]
AnteEverySets = Annotated[int, between(1, MOST_SETS, "After how many sets the ante grows by 1.")]
RaiseCap = Annotated[int, between(1, MOST_CHIPS, "The most that one raise may add.")]
OnFold = Annotated[
    Goes, Meta(description="After a fold: the other seat takes the pot, or only its own bet back.")
]
OnCall = Annotated[
    Goes, Meta(description="At a showdown: the winner takes the pot, or only its own bet back.")
]
RegroupLimits = Annotated[
    tuple[Annotated[int, between(0, MOST_LEAVERS, "Of one group.")], ...],
    _list_of(
        3, "How many numbers may leave A, B and C from the second set on; null for any number."
    ),
]
Fold8Penalty = Annotated[
    int, between(0, MOST_CHIPS, "Extra chips that folding an 8 costs; with 0 it is not announced.")
]
ShortAnteRule = Annotated[
    ShortAnte,
    Meta(
        description="A stack below the ante goes in whole, and 0 chips lose; or who cannot pay it "
        "loses."
    ),
]
ItemsBySeat = Annotated[
    tuple[Annotated[Items, Meta(extra_json_schema={"maxItems": len(get_args(Item))})], ...],
    _list_of(2, "What each seat holds: an item once at most, the bonus at most one seat."),
]
AnteIncreaseAllowed = Annotated[
    bool, Meta(description="Whether both seats may agree on a higher ante when they group.")
]
StarterChooser = Annotated[
    int, between(0, 1, "The seat that names the first starter: by itself the bonus's, else seat 1.")
]
OwnTileVisible = Annotated[bool, Meta(description="Whether a seat sees its own tile.")]
LeaderCheck = Annotated[bool, Meta(description="Whether the starter may call at equal bets.")]
BetSeconds = Annotated[
    int, between(1, MOST_SECONDS, "Seconds for a bet if the match has a clock; then it is a fold.")
]
GroupSeconds = Annotated[
    int, between(1, MOST_SECONDS, "Seconds to group, or to name the starter, if there is a clock.")
]


class Options(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options as they are given; whatever is not given follows the variant."""

    variant: Annotated[
        Variant, Meta(description="What all other options are unless they are given.")
    ] = "death-match"
    chips: Chips | UnsetType = UNSET
    passes_per_set: PassesPerSet | UnsetType = UNSET
    ante_every_sets: AnteEverySets | UnsetType = UNSET
    raise_cap: RaiseCap | UnsetType = UNSET
    on_fold: OnFold | UnsetType = UNSET
    on_call: OnCall | UnsetType = UNSET
    regroup_limits: RegroupLimits | UnsetType | None = UNSET
    fold_8_penalty: Fold8Penalty | UnsetType = UNSET
    short_ante: ShortAnteRule | UnsetType = UNSET
    items: ItemsBySeat | UnsetType = UNSET
    ante_increase_allowed: AnteIncreaseAllowed | UnsetType = UNSET
    starter_chooser: StarterChooser | UnsetType = UNSET
    own_tile_visible: OwnTileVisible | UnsetType = UNSET
    leader_check: LeaderCheck | UnsetType = UNSET
    bet_seconds: BetSeconds | UnsetType = UNSET
    group_seconds: GroupSeconds | UnsetType = UNSET


class House(Struct, frozen=True, kw_only=True):
    """The options as they are played, all of them, by default those of a death match; they could be
    given as options again. `chips` are those before a bonus."""

    variant: Variant = "death-match"
    chips: Chips = (30, 30)
    passes_per_set: PassesPerSet = 2
    ante_every_sets: AnteEverySets = 1
    raise_cap: RaiseCap = 10
    on_fold: Goes = "pot"
    on_call: Goes = "pot"
    regroup_limits: RegroupLimits | None = None
    fold_8_penalty: Fold8Penalty = 0
    short_ante: ShortAnte = "all_in"
    items: tuple[Items, ...] = ((), ())
    ante_increase_allowed: bool = False
    starter_chooser: StarterChooser = 1
    own_tile_visible: bool = False
    leader_check: bool = False
    bet_seconds: BetSeconds = 60
    group_seconds: GroupSeconds = 120

    @property
    def stacks(self) -> tuple[int, int]:
        """The chips at the start of the match."""
        first, second = (
            chips + BONUS_CHIPS * ("bonus" in items)
            for chips, items in zip(self.chips, self.items, strict=True)
        )
        return first, second


VARIANTS: dict[Variant, House] = {
    "death-match": House(),
    "final-match-2": House(
        variant="final-match-2",
        chips=(100, 100),
        passes_per_set=1,
        ante_every_sets=2,
        on_fold="return",
        on_call="return",
        regroup_limits=(1, 1, 2),
        fold_8_penalty=8,
        short_ante="lose",
        items=(("bonus", "peek"), ("order",)),
        ante_increase_allowed=True,
        starter_chooser=0,
    ),
}


def complete(options: Options | House, _seats: int = 2) -> House:
    """Options that are not given follow the variant; the chooser follows the bonus."""
    if isinstance(options, House):
        return options
    own_values = {name: value for name, value in asdict(options).items() if value is not UNSET}
    values = {**asdict(VARIANTS[options.variant]), **own_values}
    if options.starter_chooser is UNSET:
        bonus = (seat for seat, items in enumerate(values["items"]) if "bonus" in items)
        values["starter_chooser"] = next(bonus, 1)
    return House(**values)


def check(options: Options | House, seats: int) -> None:
    """Raises Refused if no match can be played with these options."""
    house = complete(options)
    _check_items(house.items)
    within_limits(house, seats)
    if len(house.chips) != 2:
        raise not_allowed("chips are two numbers.")
    if house.regroup_limits is not None and len(house.regroup_limits) != 3:
        raise not_allowed("regroup_limits are null or three numbers.")


def _check_items(items: tuple[Items, ...]) -> None:
    if len(items) != 2:
        raise not_allowed("items are two lists, one a seat.")
    if any(len(set(own)) != len(own) for own in items):
        raise not_allowed("A seat holds an item once at most.")
    if all("bonus" in own for own in items):
        raise not_allowed("The bonus is for one seat at most.")
