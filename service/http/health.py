"""`/healthz` and `/readyz`: for orchestrators and load balancers."""

from litestar import Controller
from msgspec import Struct

from service.http.access.guards import EVERYBODY
from service.http.description.routing import get, problems
from service.http.errors.problems import RETRY_AFTER, AnyRequest, Failed
from service.http.requests.context import context
from service.http.requests.responses import Answer
from service.observability.readiness import Readiness


class Health(Struct, frozen=True):
    """The service is up."""

    status: str


class HealthController(Controller):
    """How the service is."""

    tags = ("operation",)

    @get(
        "/healthz",
        summary="Whether the service is up",
        guards=[EVERYBODY],
        opt=problems(counted=False, any_query=True),
    )
    async def health(self, request: AnyRequest) -> Health:
        """Up, as long as it can judge, commit and keep deadlines."""
        if context(request).instance.broken.is_set():
            raise Failed("try_again")
        return Health("up")

    @get(
        "/readyz",
        summary="Whether the service can do its work now",
        guards=[EVERYBODY],
        opt=problems(stored=False, counted=False, any_query=True),
    )
    async def readiness(self, request: AnyRequest) -> Answer[Readiness]:
        """For load balancers: not ready while a part is down or the service is stopping."""
        shared = context(request)
        if shared.instance.stopping.is_set():
            readiness_now = Readiness(ready=False, checks={"service": "down"})
        else:
            readiness_now = await shared.readiness.now()
        headers = {"Cache-Control": "no-store"}
        if readiness_now.ready:
            return Answer(readiness_now, 200, headers)
        return Answer(readiness_now, 503, {**headers, "Retry-After": RETRY_AFTER})
