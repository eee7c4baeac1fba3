"""What is read from a store, by position."""

from collections.abc import Sequence
from uuid import UUID

import pytest

from service.event_store.integrity.digests import StoredRows
from service.event_store.store import Store


def positions_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The positions of the records that stores return from now on, in order."""
    found: list[int] = []
    rows, states_at = Store.rows, Store.states_at

    def read(store: Store, match: UUID, after: int = 0, upto: int | None = None) -> StoredRows:
        returned = rows(store, match, after, upto)
        found.extend(range(after + 1, after + len(returned.rows) + 1))
        return returned

    def read_at(store: Store, match: UUID, positions: Sequence[int]) -> list[bytes]:
        found.extend(positions)
        return states_at(store, match, positions)

    monkeypatch.setattr(Store, "rows", read)
    monkeypatch.setattr(Store, "states_at", read_at)
    return found
