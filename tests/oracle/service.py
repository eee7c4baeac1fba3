"""The service under the oracle: the only place that knows how it is started.

It is a real server, spoken to over HTTP alone, with two things given from outside: its clock, which
stands still until it is moved, and its chance, so that matches come out the same each time.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import msgspec

from domain.proof.notes import verifier_key
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import verify
from service.app import api_description
from service.auth.rates import Rates
from service.settings import Limits
from tests.support.instants import NOON, SECOND
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.live_server import Live, serving
from tests.support.virtual_clock import VirtualClock

NO_LIMITS = Rates("off", "off", "off", 10_000, 10_000)
FEW_REQUESTS = Rates("off", "5/hour", "2/hour", 10_000, 10_000)
"""What one address may send without a key, and with keys that open nothing."""

MICROSECOND = timedelta(microseconds=1)

EVER = 10**9
"""Seconds: however far the clock is moved, the service was never away."""

AWAIT_SECONDS = 20.0

organiser_key = ORGANISER_KEY


class Chance:
    """What the service draws in place of the system's generator: a function of the request's label
    and of the kind of draw, so that it does not matter what else is drawn, nor in which order.
    Only keys and ids have to differ within one request."""

    def __init__(self) -> None:
        self.given("")

    def token_bytes(self, size: int | None = None) -> bytes:
        return self._drawn(f"bytes {size}", size or 32)

    def token_hex(self, size: int | None = None) -> str:
        return self._drawn(f"hex {size} {next(self._keys)}", size or 32).hex()

    def randbits(self, size: int) -> int:
        drawn = self._drawn(f"bits {size} {next(self._ids)}", 64)
        return int.from_bytes(drawn, "big") >> (512 - size)

    def _drawn(self, kind: str, size: int) -> bytes:
        start = f"{self.label}/{kind}".encode()
        return b"".join(sha256(start + bytes([n])).digest() for n in range(size // 32 + 1))[:size]

    def given(self, label: str) -> None:
        """From now on draws belong to this label."""
        self.label, self._keys, self._ids = label, count(), count()


@dataclass(frozen=True)
class Service:
    """A running service."""

    live: Live
    chance: Chance
    _clock: VirtualClock

    @property
    def http(self) -> httpx.Client:
        return self.live.http

    def pass_time(self, seconds: float) -> None:
        self.live.run(lambda: self._clock.pass_time(round(seconds * SECOND)))

    def pass_until(self, instant: str) -> None:
        """Passes the time that is left until an instant (RFC 3339)."""
        left = datetime.fromisoformat(instant) - datetime.fromtimestamp(0, UTC)
        self.live.run(lambda: self._clock.move_to(max(self._clock.now(), left // MICROSECOND)))


@contextmanager
def served(folder: Path, rates: Rates = NO_LIMITS) -> Iterator[Service]:
    """A service with its files in a folder."""
    clock, chance = VirtualClock(NOON), Chance()
    more: dict[str, Any] = {
        "limits": Limits(grace=EVER, scrub_share=0),
        "rates": rates,
    }
    with (
        patch.object(secrets, "token_bytes", chance.token_bytes),
        patch.object(secrets, "token_hex", chance.token_hex),
        patch.object(secrets, "randbits", chance.randbits),
        serving(folder, clock, **more) as live,
    ):
        yield Service(live, chance, clock)


def verdict(bundle: bytes, keys: Sequence[str]) -> Any:
    """What the verifier says of a bundle, with the public keys of the service."""
    known = VerifierInputs([verifier_key(key) for key in keys])
    return msgspec.to_builtins(verify(bundle, known))


def description() -> dict[str, Any]:
    """The description of the API (OpenAPI)."""
    return api_description()
