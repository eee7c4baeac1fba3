"""The secret store: the seeds and the log key of each match. Nothing else reads its table."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, IntegrityError, StoredEvent
from msgspec import Struct

from domain.match.events import Chance
from service.event_store.integrity.digests import RecordAltered

SEED_BYTES, SALT_BYTES, KEY_BYTES, CHECK_BYTES = 32, 16, 32, 8

DAMAGED = "its secrets are damaged"
"""What is wrong with a match whose secrets are not those that were stored."""


class SecretsMissing(RecordAltered, LookupError):
    """There are no secrets of a match."""

    def __init__(self, match: UUID) -> None:
        super().__init__(match, "it has no secrets")


class LogKeyStored(Struct, frozen=True, tag="secret.log-key-kept.1"):
    """The key from which the salts of a match's log are derived. `check` has the first bytes of its
    SHA-256, for nothing in the record tells a damaged key."""

    key: bytes
    check: bytes

    @property
    def damaged(self) -> bool:
        """Whether the key is not the one that was stored."""
        return self.check != sha256(self.key).digest()[:CHECK_BYTES]


def log_key(key: bytes) -> LogKeyStored:
    """The key as it is stored."""
    return LogKeyStored(key, sha256(key).digest()[:CHECK_BYTES])


class SeedStored(Struct, frozen=True, tag="secret.seed-kept.1"):
    """The seed of an epoch, and the salts of the names in the roster, one for each seat."""

    epoch: int
    seed: bytes
    salts: tuple[bytes, ...]


class MatchSecrets(Struct, frozen=True):
    """The secrets of a match. `seeds` has one for each epoch, and none with manual chance."""

    log_key: bytes
    seeds: tuple[SeedStored, ...] = ()


_decoder = msgspec.msgpack.Decoder(LogKeyStored | SeedStored)
_encoder = msgspec.msgpack.Encoder()


def decoded_secrets(states: Sequence[bytes]) -> MatchSecrets | None:
    """The secrets of a match from their stored bytes; None if there are none. Raises
    msgspec.DecodeError."""
    parts = [_decoder.decode(state) for state in states]
    if not parts:
        return None
    seeds = tuple(secret for secret in parts if isinstance(secret, SeedStored))
    keys = [secret for secret in parts if isinstance(secret, LogKeyStored)]
    if not keys or any(key.damaged for key in keys):
        raise msgspec.ValidationError("the key of the log is missing or damaged")
    return MatchSecrets(keys[0].key, seeds)


class SecretStore:
    """Stores the secrets of matches in a table of their own. Everything here blocks."""

    def __init__(self, recorder: AggregateRecorder) -> None:
        self._recorder = recorder

    def create(self, match: UUID, seats: int, drawn_by: Chance) -> MatchSecrets:
        """Draws the secrets of a match from the system's generator, and stores them.

        Secrets that an interrupted creation has already stored are kept and returned.
        """
        fresh: list[LogKeyStored | SeedStored] = [log_key(secrets.token_bytes(KEY_BYTES))]
        if drawn_by == "server":
            salts = tuple(secrets.token_bytes(SALT_BYTES) for _ in range(seats))
            fresh.insert(0, SeedStored(0, secrets.token_bytes(SEED_BYTES), salts))
        with suppress(IntegrityError):
            self._append(match, 0, fresh)
        return self.read(match)

    def begin_epoch(self, match: UUID, epoch: int) -> MatchSecrets:
        """Draws the seed of an epoch that a rewind is about to begin, and stores it; one that is
        stored already is kept. Returns the secrets of the match."""
        match_secrets = self.read(match)
        if not match_secrets.seeds or any(
            seed_row.epoch == epoch for seed_row in match_secrets.seeds
        ):
            return match_secrets
        fresh = SeedStored(epoch, secrets.token_bytes(SEED_BYTES), match_secrets.seeds[0].salts)
        with suppress(IntegrityError):
            self._append(match, len(self._recorder.select_events(match)), [fresh])
        return self.begin_epoch(match, epoch)

    def read(self, match: UUID) -> MatchSecrets:
        """The secrets of a match. Raises SecretsMissing, or RecordAltered if they are damaged."""
        states = [event.state for event in self._recorder.select_events(match)]
        try:
            match_secrets = decoded_secrets(states)
        except msgspec.DecodeError as error:
            raise RecordAltered(match, DAMAGED) from error
        if match_secrets is None:
            raise SecretsMissing(match)
        return match_secrets

    def _append(self, match: UUID, after: int, fresh: Sequence[LogKeyStored | SeedStored]) -> None:
        self._recorder.insert_events(
            [
                StoredEvent(match, version, str(s.__struct_config__.tag), _encoder.encode(s))
                for version, s in enumerate(fresh, after + 1)
            ]
        )
