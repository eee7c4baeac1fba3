"""Derives each draw again from the revealed seed, as far as a reader can.

The verifier derives all draws of a record at once and gives a verdict: `evidence/draws.py`. Here a
draw that comes out differently is shown next to the others.
"""

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.chance import generator, seeds
from domain.chance.draws import Draw, DrawnBy, Outcome
from domain.events import Event
from domain.match.events import (
    AwaitingChanged,
    ClientSeedGiven,
    DrawAsked,
    DrawSettled,
    SealedDrawSettled,
    SealedSeedRevealed,
    SeedCommitted,
    SeedRevealed,
    SeedSealed,
)

DrawVerdict = Literal[
    "derives",
    "does not derive",
    "by hand",
    "no seed committed",
    "seed not revealed",
    "not shown what was asked",
]
"""Whether the outcome and the key commitment of a draw follow from the seed; if the reader cannot
tell, why."""


class CheckedDrawShown(Struct, frozen=True):
    """A draw that came out. `epoch` is null where no seed was committed to. The `verdict` is the
    service's own; a verifier gives another one."""

    id: str
    epoch: int | None
    outcome: Outcome
    by: Annotated[DrawnBy, Meta(description="Who answered the draw")]
    key_commit: Annotated[
        bytes | None,
        Meta(
            description="The commitment to the key of the draw, in base64; null for a draw by hand"
        ),
    ]
    verdict: DrawVerdict


class _Epoch(Struct):
    """What a reader knows of the chance of an epoch. `bound` is the sealing, which fixes what the
    seats added."""

    committed: SeedCommitted
    clients: dict[int, bytes] = {}
    bound: SeedSealed | None = None
    seed: bytes | None = None


class _Settled(Struct, frozen=True):
    number: int
    event: DrawSettled | SealedDrawSettled
    asked: Draw | None
    epoch: _Epoch | None


def checked_draws(
    match: str, events: Iterable[tuple[int, Event]], wanted: range | None = None
) -> dict[int, CheckedDrawShown]:
    """Every settled draw among the events, by its number; of the `wanted` numbers alone, if any are
    given."""
    return {
        one.number: CheckedDrawShown(
            one.event.id,
            None if one.epoch is None else one.epoch.committed.epoch,
            one.event.outcome,
            one.event.by,
            one.event.key_commit,
            _verdict(match, one),
        )
        for one in _settled(events)
        if wanted is None or one.number in wanted
    }


def _settled(events: Iterable[tuple[int, Event]]) -> list[_Settled]:
    """The draws in order. A later revelation applies to them, too: they share their epoch."""
    epochs: dict[int, _Epoch] = {}
    last: _Epoch | None = None
    shown: Draw | None = None
    found: list[_Settled] = []
    for number, event in events:
        match event:
            case AwaitingChanged():
                shown = _shown(event) or shown
            case DrawAsked(id, parts):
                shown = Draw(id, parts)
            case DrawSettled() | SealedDrawSettled():
                asked = shown if shown is not None and shown.id == event.id else None
                found.append(_Settled(number, event, asked, last))
            case SeedCommitted():
                last = epochs[event.epoch] = _Epoch(event, {})
            case SeedRevealed(epoch, seed) | SealedSeedRevealed(epoch, seed) if epoch in epochs:
                epochs[epoch].seed = seed
            case ClientSeedGiven(seat, seed) if last is not None and last.bound is None:
                last.clients[seat] = seed.encode()
            case SeedSealed() if last is not None:
                last.bound = event
    return found


def _shown(event: AwaitingChanged) -> Draw | None:
    draw = event.draw
    if draw is None or draw.id is None or draw.parts is None:
        return None
    return Draw(draw.id, draw.parts)


def _verdict(match: str, settled: _Settled) -> DrawVerdict:
    epoch = settled.epoch
    if settled.event.by != "server":
        return "by hand"
    if epoch is None:
        return "no seed committed"
    if epoch.seed is None:
        return "seed not revealed"
    if settled.asked is None:
        return "not shown what was asked"
    try:
        derives = _derives(match, settled.event, settled.asked, epoch, epoch.seed)
    except OverflowError:
        # A number outside the range of the scheme: the service did not record this.
        return "does not derive"
    return "derives" if derives else "does not derive"


def _derives(
    match: str, settled: DrawSettled | SealedDrawSettled, asked: Draw, epoch: _Epoch, seed: bytes
) -> bool:
    """Whether the seed is the one committed to, nothing else than the seats' seeds was added, and
    the draw follows from it."""
    committed = epoch.committed
    sealed = seeds.sealing(match, committed, epoch.clients)
    if generator.commit(match, committed.epoch, seed) != committed.commit or epoch.bound != sealed:
        return False
    answer = seeds.answered(seed, sealed.transcript, committed.epoch, asked)
    return answer == (settled.outcome, settled.key_commit)
