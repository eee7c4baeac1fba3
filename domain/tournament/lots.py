"""Draws of lots: each has a seed that was committed to before anyone knew what for."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import UNSET

from domain.chance import generator
from domain.chance.draws import Draw, Shuffle, orders
from domain.events import Event, Instant
from domain.game import Refused
from domain.tournament.competition import StageState, entrants_of
from domain.tournament.open_stages import (
    StageFacts,
    format_of,
    needs,
    numbered_stage,
    opening_entrants,
)
from domain.tournament.show import after_lots, lots_items
from domain.tournament.stage_commands import DrawLots
from domain.tournament.stage_events import LotsCommitted, LotsDrawn

GAME, RULES_VERSION = "tournament", 1
"""By what names in proofs the rules of tournaments go."""

CHOICES = ("candidate", "opponent")
"""What lots decide in a round of a show."""


def commitment(
    tournament: str, epoch: int, seed: bytes, roster: Sequence[tuple[bytes, str]]
) -> LotsCommitted:
    """The commitment to a seed of 32 bytes; `roster` has the blind and the name of each player."""
    return LotsCommitted(
        epoch,
        generator.SCHEME,
        generator.commit(tournament, epoch, seed),
        generator.rules_hash(GAME, RULES_VERSION, "{}"),
        generator.roster_hash(roster),
    )


def draw_lots(now: StageFacts, command: DrawLots) -> list[Event]:
    """The outcome of a draw, and the commitment to the seed of the next one."""
    commitment = now.competition.lots
    if commitment is None:
        raise Refused("lots_not_drawn", "this tournament has no lots")
    draw = lots_wanted(now, command.purpose, command.at)
    seeds = {player: seed.encode() for player, seed in now.competition.seeds.items()}
    transcript = generator.transcript(
        command.tournament,
        commitment.epoch,
        commitment.commit,
        commitment.rules_hash,
        commitment.roster_hash,
        generator.clients(seeds),
    )
    key = generator.draw_key(
        generator.master(command.seed, transcript), generator.draw_name(commitment.epoch, draw.id)
    )
    (order,) = orders(generator.outcome(draw, key))
    lots = LotsDrawn(commitment.epoch, draw.id, command.purpose, command.seed, order)
    kind, *numbers = command.purpose.split()
    follows: list[Event] = []
    if kind in CHOICES:
        stage, round_ = map(int, numbers)
        players = [item for item in order if isinstance(item, int)]
        follows = after_lots(now, stage, round_, kind, players)
    return [lots, command.following, *follows]


def next_lots(now: StageFacts, number: int) -> str:
    """The purpose of the lots of a stage that its organiser draws: the seats of the next round of a
    show, else the order of all who play in the stage."""
    stage = numbered_stage(now, number)
    return (
        f"groups {number} {len(stage.rounds) + 1}" if _seats_next(now, stage) else f"stage {number}"
    )


def drawn_lots(now: StageFacts, number: int) -> tuple[int, ...] | None:
    """The outcome of these lots; None before they are drawn."""
    stage = numbered_stage(now, number)
    if not _seats_next(now, stage):
        return stage.lots
    return None if stage.seat_lots is UNSET else stage.seat_lots


def _seats_next(now: StageFacts, stage: StageState) -> bool:
    """Whether a stage is a show that goes on."""
    if not format_of(stage).episodes or stage.status == "closed":
        return False
    return len(_here(now, stage)) > stage.settings.until


def lots_wanted(now: StageFacts, purpose: str, at: Instant) -> Draw:
    """The draw for a purpose at an instant: `stage 2` orders the players of a stage, `groups 2 3`
    those who are left in a round of a show, `replay 2 3 1` those of a table of a round, `candidate
    2 3` and `opponent 2 3` those who may be it. Raises Refused if it has been drawn, or is not
    wanted."""
    kind, *numbers = purpose.split()
    number, *rest = map(int, numbers)
    items = _ITEMS[kind](now, number, rest, at)
    return Draw(purpose.replace(" ", "-"), (Shuffle(tuple(sorted(items))),), "public")


def _of_stage(now: StageFacts, number: int, _: Sequence[int], __: Instant) -> Sequence[int]:
    stage = numbered_stage(now, number)
    if stage.lots is not None:
        raise Refused("lots_drawn")
    return _players(now, stage)


def _of_groups(now: StageFacts, number: int, rest: Sequence[int], __: Instant) -> Sequence[int]:
    stage = numbered_stage(now, number)
    if stage.seat_lots is not UNSET or rest[0] != len(stage.rounds) + 1:
        raise Refused("lots_drawn")
    return _here(now, stage)


def _of_replay(now: StageFacts, number: int, rest: Sequence[int], __: Instant) -> Sequence[int]:
    round_ = numbered_stage(now, number).rounds[rest[0] - 1]
    table = round_.tables[rest[1] - 1]
    if needs(now, number, round_, table) != "lots":
        raise Refused("lots_drawn")
    return table.players


def _players(now: StageFacts, stage: StageState) -> Sequence[int]:
    is_open = stage.status != "planned"
    return entrants_of(now.competition, stage) if is_open else opening_entrants(now, stage)


def _here(now: StageFacts, stage: StageState) -> Sequence[int]:
    people = now.competition.people
    return [player for player in _players(now, stage) if not people[player].out]


_ITEMS: Mapping[str, Callable[[StageFacts, int, Sequence[int], Instant], Sequence[int]]] = {
    "stage": _of_stage,
    "groups": _of_groups,
    "replay": _of_replay,
    "candidate": lambda now, number, rest, at: lots_items(now, number, rest[0], "candidate", at),
    "opponent": lambda now, number, rest, at: lots_items(now, number, rest[0], "opponent", at),
}
