"""The service with one more route, which parses a body and sends it back."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from litestar import MediaType, Response

from service.app import create_app
from service.application.migration import migrate
from service.cli.stores.log_check import checked_log
from service.http.access.guards import EVERYBODY
from service.http.description.routing import post
from service.http.errors.problems import AnyRequest
from service.instance import Instance
from service.observability.logs import configure_logs
from service.server.web_server import Server, bind
from service.settings import read_settings


@post("/echo", include_in_schema=False, guards=[EVERYBODY])
async def echo(request: AnyRequest) -> Response[Any]:
    """The minimum that any handler does."""
    body = msgspec.json.decode(await request.body())
    return Response(msgspec.json.encode(body), media_type=MediaType.JSON)


async def _serve(folder: Path, port: int) -> None:
    configure_logs("console")
    chosen = await asyncio.to_thread(read_settings, folder)
    with checked_log(chosen):
        migrate(chosen.store)
    instance = Instance(chosen)
    await Server(create_app(instance, [echo]), instance).serve(bind("127.0.0.1", port))


if __name__ == "__main__":
    uvloop.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))
