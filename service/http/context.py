"""What the handlers of one application share: its state, since it is no global."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from litestar.datastructures import State

from service.auth.request_guard import RequestGuard
from service.http.demo import StartsDemos
from service.http.problems import AnyRequest
from service.instance import Instance
from service.observability.readiness import CachedReadiness

KEY = "context"


class Descriptions(NamedTuple):
    """The OpenAPI and the AsyncAPI document as they are served."""

    openapi_json: bytes
    asyncapi_json: bytes


@dataclass(frozen=True)
class AppContext:
    """The instance, the guard of requests, the readiness of the parts, the descriptions of the
    API and of its streams, which block at first use, and what starts matches between bots."""

    instance: Instance
    guard: RequestGuard
    readiness: CachedReadiness
    descriptions: Callable[[], Descriptions]
    demo: StartsDemos | None = None

    def state(self) -> State:
        """The application's state."""
        return State({KEY: self}, deep_copy=False)


def context(request: AnyRequest) -> AppContext:
    """What the handlers of the request's application share."""
    shared: AppContext = request.app.state[KEY]
    return shared
