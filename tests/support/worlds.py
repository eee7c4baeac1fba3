"""Two worlds: matches that differ only in what an audience may not know must look the same to it.

`received_by` is everything an audience can get of a match; `differences` compares it, byte for
byte.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.chance.draws import Draw, Outcome
from domain.encoding import encode
from domain.match.commands import Act, Command, EnterDraw, GiveClientSeed, SettleDraw
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    Chance,
    ClockRule,
    DrawSettled,
    MatchCreated,
    SealedDrawSettled,
    SubmissionInvalid,
)
from domain.match.state import AnyGame
from domain.proof import receipts
from domain.proof.creation_notes import beginning_of
from domain.proof.receipts import Binding
from domain.proof.subjects import of_match
from projections.audience import disclosure, menu
from projections.audience import view as audience
from projections.audience.disclosure import Viewer
from projections.audience.matches import list_match
from projections.audience.submissions import Answers, remember
from projections.evidence.seen import SeenChains
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.game_strategies import any_refusable, judgement, next_input, universe
from tests.support.tables.match_table import MatchTable, inputs, seated, secrets_of, steps
from tests.support.tables.own_events import own_lines

MATCH = "0199aa00-0000-7000-8000-000000000000"


class Received(Struct, frozen=True):
    """Everything that reaches one audience: its view at every number, its lines, its row in the
    list, its menu, the code of every action it could try, the answers to repeats of its own keys,
    and its receipts without the commitments to what it sent."""

    views: tuple[bytes, ...]
    lines: tuple[bytes, ...]
    row: bytes
    menu: bytes
    codes: tuple[tuple[Any, str | None], ...]
    answers: tuple[Any, ...]
    receipts: tuple[str, ...]


def received_by(table: MatchTable, viewer: Viewer) -> Received:
    """What `viewer` can get of the match in its present state."""
    seat = viewer if isinstance(viewer, int) and table.match.status == "running" else None
    shown = None if seat is None else menu.answer(table.game, table.match, seat)
    tried = () if seat is None else universe(table.game)
    return Received(
        _views(table, viewer),
        received_lines(table, viewer),
        _row(table),
        msgspec.json.encode(shown),
        tuple((act, judgement(table, seat, act)) for act in tried if seat is not None),
        _answers(table, viewer),
        _receipts(table, viewer),
    )


def received_lines(table: MatchTable, viewer: Viewer) -> tuple[bytes, ...]:
    """The lines of it that `viewer` can get."""
    return tuple(map(msgspec.json.encode, own_lines(viewer, table.records)))


def _views(table: MatchTable, viewer: Viewer) -> tuple[bytes, ...]:
    """The view at every number, from before the first event on."""
    seen = audience.AudienceState(viewer)
    views = [msgspec.json.encode(audience.view(MATCH, table.game.id, seen))]
    for record in table.records:
        after = audience.see_all(seen, (record,))
        if after is not seen:
            views.append(msgspec.json.encode(audience.view(MATCH, table.game.id, after)))
        seen = after
    return tuple(views)


def _row(table: MatchTable) -> bytes:
    row = None
    for record in table.records:
        row = list_match(MATCH, row, record)
    return msgspec.json.encode(row)


def _answers(table: MatchTable, viewer: Viewer) -> tuple[Any, ...]:
    """Own keys, and the answers to repeats under them: positions in the viewer's own count."""
    answers: Answers = {}
    remember(answers, table.records)
    counts = [0]
    for record in table.records:
        counts.append(counts[-1] + disclosure.may_see(viewer, record.event))
    return tuple(
        (key, known.at, known.code, counts[known.position], counts[known.end])
        for (seat, key), known in sorted(answers.items())
        if seat == viewer
    )


def _receipts(table: MatchTable, viewer: Viewer) -> tuple[str, ...]:
    """What they say in the clear: what binds more is commitments, and blinded
    (/docs/evidence-format#records)."""
    chains = SeenChains(of_match(MATCH), ())
    for index, record in enumerate(table.records):
        chains.add(index, record, b"", b"", None)
    chains.conclude()
    seed = beginning_of([encode(record) for record in table.records[:2]]).seed_committed
    binding = Binding(bytes(32), seed, bytes(32), bytes(32))
    return tuple(
        receipts.text(made.receipt(of_match(MATCH), binding))
        for made in chains.noted.get(viewer, ())
    )


def differences(one: Received, other: Received) -> list[str]:
    """The names of the parts that differ; nothing if the audience cannot distinguish the worlds."""
    return [
        name for name in Received.__struct_fields__ if getattr(one, name) != getattr(other, name)
    ]


# Making worlds.


def world(
    game: AnyGame, chosen: Any, seats: int, rng: Random, length: int, lateness: float = 0.0
) -> MatchTable:
    """A random match of this many steps, with refused actions on the way. All seats use the same
    idempotency keys."""
    chance: Chance = rng.choice(("server", "manual"))
    clock: ClockRule = rng.choice(("none", "rules"))
    created = seated(game, seats, chosen, chance, clock).match.created
    table = MatchTable(game, created, hidden=secrets_of(created, rng.randbytes(32)))
    if chance == "server":
        for seat in table.seats:
            if rng.random() < 0.3:
                table.when(GiveClientSeed(seat, f"luck {rng.random()}"))
    table.when(START)
    for _ in range(length):
        if table.match.status != "running":
            break
        if rng.random() < 0.2:
            send_refused(table, rng, rng.choice(table.seats))
        at, command = next_input(table, rng, lateness)
        if isinstance(command, Act):
            command = replace(command, key=next_key(table, command.seat))
        table.when(command, at)
    return table


def next_key(table: MatchTable, seat: int) -> str:
    """A key that the seat has not used; other seats may have."""
    sent = sum(isinstance(e, ActionReceived) and e.seat == seat for e in table.events)
    return f"key-{sent}"


def send_refused(table: MatchTable, rng: Random, seat: int) -> None:
    """The seat sends an action that is refused, once or five times."""
    for _ in range(rng.choice((1, 5))):
        action = any_refusable(table, seat, rng)
        if action is not None:
            table.act(seat, action, next_key(table, seat))


def once_more(
    table: MatchTable,
    viewer: Viewer,
    rng: Random,
    outcomes: Mapping[str, Outcome],
    keep: Callable[[Command], bool] | None = None,
) -> MatchTable:
    """The match again in another world. Everything that `viewer` did is the same; draws in
    `outcomes` came out that way, other seats were refused other actions, under other keys, or none,
    and of all inputs only those to `keep` were made."""
    created = table.records[0].event
    assert isinstance(created, MatchCreated)
    other = MatchTable(table.game, created, table.records[0].at, table.hidden)
    came = {e.id: e.outcome for e in table.events if isinstance(e, DrawSettled | SealedDrawSettled)}
    commits = {e.id: e.key_commit for e in table.events if isinstance(e, DrawSettled)}

    def settle_draw(draw: Draw) -> SettleDraw:
        """A sealed draw has another key here: its commitment is sealed too."""
        outcome = outcomes.get(draw.id, came[draw.id])
        return SettleDraw(outcome, commits.get(draw.id) or rng.randbytes(32))

    other.settle_draw = settle_draw
    heard = inputs(table.game, table.records)
    for (at, command), step in zip(heard, steps(table.records)[1:], strict=True):
        if isinstance(command, Act) and command.seat != viewer:
            if any(isinstance(record.event, ActionRefused | SubmissionInvalid) for record in step):
                continue
            command = replace(command, key=rng.choice((None, next_key(other, command.seat))))
        if isinstance(command, EnterDraw):
            command = enter_draw(command.id, outcomes.get(command.id, command.outcome))
        if keep is None or keep(command):
            other.when(command, at)
        if other.match.status == "running" and rng.random() < 0.3:
            send_refused(other, rng, rng.choice([seat for seat in other.seats if seat != viewer]))
    return other
