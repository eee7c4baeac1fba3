"""`/healthz` and `/readyz`: for orchestrators and load balancers."""

from litestar import Controller
from litestar.response.base import ASGIResponse

from service.http.access import EVERYBODY
from service.http.context import context
from service.http.operation import get
from service.http.problems import RETRY_AFTER, AnyRequest, Failed
from service.http.responses import json
from service.http.schemas import Health
from service.observability.readiness import Readiness


class HealthController(Controller):
    """How the service is."""

    tags = ("operation",)

    @get("/healthz", operation_id="health", summary="Whether the service is up", security=EVERYBODY)
    async def health(self, request: AnyRequest) -> Health:
        """Up, as long as it can judge, commit and keep deadlines."""
        if context(request).instance.broken.is_set():
            raise Failed("try_again")
        return Health("up")

    @get(
        "/readyz",
        operation_id="readiness",
        summary="Whether the service can do its work now",
        security=EVERYBODY,
        answer=Readiness,
        stored=False,
    )
    async def ready(self, request: AnyRequest) -> ASGIResponse:
        """For load balancers: not ready while a part is down or the service is stopping."""
        shared = context(request)
        if shared.instance.stopping.is_set():
            readiness = Readiness(ready=False, checks={"service": "down"})
        else:
            readiness = await shared.readiness.now()
        headers = {"Cache-Control": "no-store"}
        if readiness.ready:
            return json(readiness, 200, headers)
        return json(readiness, 503, {**headers, "Retry-After": RETRY_AFTER})
