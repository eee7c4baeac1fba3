"""The dealer: keeps what nobody may see of a match, its seeds and the key of its log, and answers
its draws with `arbiter-rng/1`."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

from domain import chance, randomness
from domain.commands import CommitSeed, RevealSeed, SettleDraw
from domain.draws import Draw
from domain.match_events import Chance, MatchCreated
from domain.match_state import Match

SEED_BYTES, SALT_BYTES, KEY_BYTES = 32, 16, 32


class LogKeyKept(Struct, frozen=True, tag="secret.log-key-kept.1"):
    """The key from which the salts of a match's log follow."""

    key: bytes


class SeedKept(Struct, frozen=True, tag="secret.seed-kept.1"):
    """The seed of an epoch, and the salts under which names stand in the roster, seat by seat."""

    epoch: int
    seed: bytes
    salts: tuple[bytes, ...]


class Hidden(Struct, frozen=True):
    """What the service alone knows of a match. `seeds` are by epoch; by hand there are none."""

    log_key: bytes
    seeds: tuple[SeedKept, ...] = ()


_decoder = msgspec.msgpack.Decoder(LogKeyKept | SeedKept)
_encoder = msgspec.msgpack.Encoder()


class Dealer:
    """Keeps secrets in a table of their own in the store, which nobody else reads."""

    def __init__(self, recorder: AggregateRecorder) -> None:
        self._recorder = recorder

    def keep(self, match: UUID, seats: int, drawn_by: Chance) -> Hidden:
        """Draws and keeps the secrets of a match, from the system's generator. Blocks.

        What was kept before, by a creation that was broken off, stays.
        """
        fresh: list[LogKeyKept | SeedKept] = [LogKeyKept(secrets.token_bytes(KEY_BYTES))]
        if drawn_by == "server":
            salts = tuple(secrets.token_bytes(SALT_BYTES) for _ in range(seats))
            fresh.insert(0, SeedKept(0, secrets.token_bytes(SEED_BYTES), salts))
        with suppress(IntegrityError):
            self._append(match, 0, fresh)
        return self.hidden(match)

    def hidden(self, match: UUID) -> Hidden:
        """What is hidden of a match. Blocks. Raises LookupError if nothing was kept."""
        kept = [_decoder.decode(stored.state) for stored in self._recorder.select_events(match)]
        if not kept:
            raise LookupError(f"nothing was kept for match {match}")
        seeds = tuple(secret for secret in kept if isinstance(secret, SeedKept))
        keys = [secret.key for secret in kept if isinstance(secret, LogKeyKept)]
        if keys:
            return Hidden(keys[0], seeds)
        # The match was created before there were logs.
        with suppress(IntegrityError):
            self._append(match, len(kept), [LogKeyKept(secrets.token_bytes(KEY_BYTES))])
        return self.hidden(match)

    def _append(self, match: UUID, after: int, kept: Sequence[LogKeyKept | SeedKept]) -> None:
        self._recorder.insert_events(
            [
                StoredEvent(match, version, str(k.__struct_config__.tag), _encoder.encode(k))
                for version, k in enumerate(kept, after + 1)
            ]
        )


def commit_seed(match_id: str, created: MatchCreated, kept: SeedKept) -> CommitSeed:
    """The service's word that it will not choose another seed. Names are salted once, for all
    epochs."""
    told = chance.committed(match_id, kept.epoch, created, kept.seed, kept.salts)
    return CommitSeed(told, () if kept.epoch else kept.salts)


def deal(hidden: Hidden, match: Match, draw: Draw) -> SettleDraw:
    """The answer to a draw: the same whenever and however often it is asked."""
    epoch = match.epoch
    if epoch is None:
        # The match was created before seeds were committed to: nobody has added anything.
        kept = hidden.seeds[0]
        told = chance.committed(match.id, 0, match.created, kept.seed, kept.salts)
        heard = chance.transcript(match.id, told, randomness.clients({}))
        return SettleDraw(*chance.answered(kept.seed, heard, 0, draw))
    assert epoch.transcript is not None
    number = epoch.committed.epoch
    seed = hidden.seeds[number].seed
    return SettleDraw(*chance.answered(seed, epoch.transcript, number, draw))


def revealed(hidden: Hidden, match: Match) -> list[RevealSeed]:
    """What is to be revealed now: every seed, once the match is over."""
    over = match.status in ("ended", "void")
    if not over or match.epoch is None or match.epoch.revealed:
        return []
    return [RevealSeed(kept.epoch, kept.seed) for kept in hidden.seeds]
