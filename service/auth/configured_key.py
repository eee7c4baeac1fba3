"""The organiser's key from the settings, which the store knows by an id alone."""

import hmac
from collections.abc import Sequence
from contextlib import suppress

from eventsourcing.persistence import AggregateRecorder, IntegrityError
from msgspec.structs import replace

from domain.people import Actor
from service.auth.grants import Grant, Grants
from service.auth.keyring import (
    ORGANISERS,
    ConfiguredKeyIdentified,
    Recorded,
    decode_rows,
    hash_key,
    new_id,
    ring_row,
)


class ConfiguredKey:
    """The key from the settings, if there is one. `grants` says what it allows: its holder has an
    id once it is identified."""

    def __init__(self, recorder: AggregateRecorder, key: str | None) -> None:
        self._recorder = recorder
        self.grants: Grants = {} if key is None else {hash_key(key): Grant("organiser")}

    def identify(self) -> None:
        """Finds the id of the key; the first instance that has it records one. Blocks."""
        for key_hash, grant in self.grants.items():
            if grant.holder is None:
                holder = Actor(None, self._recorded_id(key_hash))
                self.grants = {key_hash: replace(grant, holder=holder)}

    def _recorded_id(self, key_hash: bytes) -> str:
        mine = new_id()
        recorded = ConfiguredKeyIdentified(mine, _mac(mine, key_hash))
        while True:
            rows = self._recorder.select_events(ORGANISERS)
            id_before = _id_of(key_hash, decode_rows(rows))
            if id_before is not None:
                return id_before
            with suppress(IntegrityError):
                self._recorder.insert_events([ring_row(ORGANISERS, len(rows) + 1, recorded)])


def _mac(key_id: str, key_hash: bytes) -> bytes:
    return hmac.digest(key_id.encode(), key_hash, "sha256")


def _id_of(key_hash: bytes, events: Sequence[Recorded]) -> str | None:
    """The recorded id of the key with this hash; None if there is none."""
    for event in events:
        if isinstance(event, ConfiguredKeyIdentified) and hmac.compare_digest(
            event.mac, _mac(event.id, key_hash)
        ):
            return event.id
    return None
