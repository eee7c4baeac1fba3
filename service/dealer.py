"""The dealer: keeps the seed of every match and answers its draws with `arbiter-rng/1`."""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

from domain import randomness
from domain.draws import Draw
from domain.match import SettleDraw
from domain.match_events import MatchCreated

EPOCH = 0


class SeedKept(Struct, frozen=True, tag="secret.seed-kept.1"):
    """The seed of an epoch, and the salts under which names stand in the roster, seat by seat."""

    epoch: int
    seed: bytes
    salts: tuple[bytes, ...]


_decoder = msgspec.msgpack.Decoder(SeedKept)
_encoder = msgspec.msgpack.Encoder()


class Dealer:
    """Keeps seeds in the store's table of secrets, which nobody else reads."""

    def __init__(self, recorder: AggregateRecorder) -> None:
        self._recorder = recorder

    def keep_seed(self, match: UUID, seats: int) -> None:
        """Draws and keeps the seed of a new match: 32 bytes from the system's generator. Blocks.

        A seed that was kept before, by a creation that was broken off, stays.
        """
        kept = SeedKept(
            EPOCH, secrets.token_bytes(32), tuple(secrets.token_bytes(16) for _ in range(seats))
        )
        with suppress(IntegrityError):
            self._recorder.insert_events(
                [StoredEvent(match, 1, "secret.seed-kept.1", _encoder.encode(kept))]
            )

    def master_key(self, match: UUID, created: MatchCreated) -> bytes:
        """The key of all draws of a match. Blocks. Raises LookupError if no seed was kept."""
        stored = self._recorder.select_events(match, desc=True, limit=1)
        if not stored:
            raise LookupError(f"no seed was kept for match {match}")
        return master_key(_decoder.decode(stored[0].state), match, created)


def master_key(kept: SeedKept, match: UUID, created: MatchCreated) -> bytes:
    """The key of all draws of an epoch: from its seed and all that is fixed before the first."""
    name = str(match)
    heard = randomness.transcript(
        name,
        kept.epoch,
        randomness.commit(name, kept.epoch, kept.seed),
        randomness.rules_hash(created.game, created.rules_version, compact(created.options)),
        randomness.roster_hash(list(zip(kept.salts, created.seats, strict=True))),
        randomness.clients({}),
    )
    return randomness.master(kept.seed, heard)


def compact(options: Mapping[str, Any]) -> str:
    """Options as compact JSON with sorted keys."""
    return msgspec.json.encode(options, order="sorted").decode()


def deal(master: bytes, draw: Draw) -> SettleDraw:
    """The answer to a draw: the same whenever and however often it is asked."""
    name = randomness.draw_name(EPOCH, draw.id)
    key = randomness.draw_key(master, name)
    return SettleDraw(randomness.outcome(draw, key), randomness.key_commit(name, key))
