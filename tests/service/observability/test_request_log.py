"""What is measured of a request."""

from typing import Any, cast

from litestar.types import Receive, Scope, Send

from service.observability.instrumentation import Instrumentation
from service.observability.request_log import WAITED, InstrumentedApp


class Durations(Instrumentation):
    """Remembers how long the answers took."""

    def __init__(self) -> None:
        self.found: list[float] = []

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self.found.append(seconds)


async def measured(waited: float | None) -> float:
    """How long an answer took whose client wanted to wait as long."""
    durations = Durations()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if waited is not None:
            scope["state"][WAITED] = waited
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ignored(*_: Any) -> Any:
        """Receives and sends nothing."""

    scope = cast(Scope, {"type": "http", "method": "GET", "path": "/", "state": {}})
    await InstrumentedApp(app, durations)(scope, ignored, ignored)
    (seconds,) = durations.found
    return seconds


async def test_the_time_that_a_client_wants_to_wait_is_not_the_services() -> None:
    assert await measured(None) >= 0
    assert await measured(1_000.0) < -900
