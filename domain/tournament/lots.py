"""Draws of lots: each has a seed that was committed to before anyone knew what for."""

from collections.abc import Sequence

from domain.chance import generator
from domain.chance.draws import Draw, Shuffle, orders
from domain.events import Event
from domain.game import Refused
from domain.tournament.open_stages import StageFacts, needs, numbered_stage, opening_entrants
from domain.tournament.stage_commands import DrawLots
from domain.tournament.stage_events import LotsCommitted, LotsDrawn
from domain.tournament.stage_history import entrants_of

GAME, RULES_VERSION = "tournament", 1
"""By what names in proofs the rules of tournaments go."""


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
    committed = now.competition.lots
    if committed is None:
        raise Refused("lots_not_drawn", "this tournament has no lots")
    draw = lots_wanted(now, command.purpose)
    given = {player: seed.encode() for player, seed in now.competition.seeds.items()}
    transcript = generator.transcript(
        command.tournament,
        committed.epoch,
        committed.commit,
        committed.rules_hash,
        committed.roster_hash,
        generator.clients(given),
    )
    key = generator.draw_key(
        generator.master(command.seed, transcript), generator.draw_name(committed.epoch, draw.id)
    )
    (order,) = orders(generator.outcome(draw, key))
    drawn = LotsDrawn(committed.epoch, draw.id, command.purpose, command.seed, order)
    return [drawn, command.following]


def lots_wanted(now: StageFacts, purpose: str) -> Draw:
    """The draw for a purpose: `stage 2` orders the players of a stage, `replay 2 3 1` those of a
    table of a round of it. Raises Refused if it has been drawn, or is not wanted."""
    kind, *numbers = purpose.split()
    number, *rest = map(int, numbers)
    stage = numbered_stage(now, number)
    if kind == "stage":
        if stage.lots is not None:
            raise Refused("lots_drawn")
        opened = stage.status != "planned"
        items = entrants_of(now.competition, stage) if opened else opening_entrants(now, stage)
        return Draw(purpose.replace(" ", "-"), (Shuffle(tuple(sorted(items))),), "public")
    published = stage.rounds[rest[0] - 1]
    table = published.tables[rest[1] - 1]
    if needs(now, number, published, table) != "lots":
        raise Refused("lots_drawn")
    return Draw(purpose.replace(" ", "-"), (Shuffle(tuple(sorted(table.players))),), "public")
