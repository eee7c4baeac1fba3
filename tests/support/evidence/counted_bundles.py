"""The builder of bundles, which counts what it builds and can be made to wait."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event as ThreadEvent
from typing import Any

import pytest

from projections.audience.disclosure import Viewer
from projections.evidence.bundle import MatchLog, bundle
from service.signing import notary

PATIENCE = 20.0


class CountedBundles:
    """Builds bundles as the service does. `built` has the match and audience of each, in order;
    while the builder is blocked, `begun` is set as soon as one waits."""

    def __init__(self) -> None:
        self.built: list[tuple[str, Viewer]] = []
        self.begun, self._go_on = ThreadEvent(), ThreadEvent()
        self._go_on.set()
        self._blocked: tuple[Viewer, ...] = ()

    def __call__(self, log: MatchLog, audience: Viewer, *signing: Any) -> bytes:
        self.built.append((log.subject.id, audience))
        if not self._blocked or audience in self._blocked:
            self.begun.set()
            assert self._go_on.wait(PATIENCE), "nobody released the builder"
        return bundle(log, audience, *signing)

    @contextmanager
    def blocked(self, *audiences: Viewer) -> Iterator[None]:
        """No bundle, or none for these audiences, is finished until the context exits."""
        self._blocked = audiences
        self.begun.clear()
        self._go_on.clear()
        try:
            yield
        finally:
            self._go_on.set()


@pytest.fixture
def bundles(monkeypatch: pytest.MonkeyPatch) -> CountedBundles:
    """The builder of every service in this process."""
    counted = CountedBundles()
    monkeypatch.setattr(notary, "bundle", counted)
    return counted
