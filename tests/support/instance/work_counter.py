"""Counts the work that the service does for readers: what it reads, decodes, folds and encodes, and
whom it wakes. What the read models do in the background is not counted."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from projections.audience import lines
from projections.audience import projection as audience_projection
from projections.audience import projections as audience_projections
from service.application.matches import match_loader
from service.event_store import store
from service.event_store.integrity import checked_records
from service.event_store.integrity.digests import StoredRows
from service.event_store.sqlite import QuickSQLiteRecorder
from service.server.exchange import Exchange
from service.streams.channels import Channel


class WorkCounter:
    """What has been done since it was last taken, by kind."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._done: Counter[str] = Counter()
        self._patch = monkeypatch
        for name in ("select_states", "select_rows", "select_states_at", "select_events"):
            self._count_rows(name)
        for owner in (store, checked_records, match_loader):
            self._count(owner, "decode_all", "records decoded", len)
        self._count(lines, "decode", "records decoded")
        self._count(audience_projection, "see", "events folded", lambda _, events: len(events))
        for name in ("may_see", "audience_of"):
            self._count(audience_projections, name, "events filtered")
        self._count(audience_projection, "view", "views made")
        self._count(lines, "line_text", "lines encoded")
        self._count(Channel, "remove", "readers woken")
        self._count(Exchange, "write", "chunks written")

    def take(self) -> dict[str, int]:
        """What has been done since the last call."""
        done = dict(self._done)
        self._done.clear()
        return done

    def _count(
        self, owner: Any, name: str, kind: str, amount: Callable[..., int] = lambda *_: 1
    ) -> None:
        honest = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self._done[kind] += amount(*args)
            return honest(*args, **kwargs)

        self._patch.setattr(owner, name, counted)

    def _count_rows(self, name: str) -> None:
        honest = getattr(QuickSQLiteRecorder, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            result = honest(*args, **kwargs)
            self._done["reads"] += 1
            self._done["rows read"] += len(
                result.rows if isinstance(result, StoredRows) else result
            )
            return result

        self._patch.setattr(QuickSQLiteRecorder, name, counted)
