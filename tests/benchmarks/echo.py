"""The service with one more route, which parses a body and sends it back."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from litestar import MediaType, Response, post

from service.app import create_app
from service.arbiter import Arbiter
from service.http.problems import AnyRequest
from service.logs import configure_logs
from service.server import bind, make_server
from service.settings import read_settings
from service.stores import Stores


@post("/echo", include_in_schema=False)
async def echo(request: AnyRequest) -> Response[Any]:
    """What any handler has to do, and nothing else."""
    body = msgspec.json.decode(await request.body())
    return Response(msgspec.json.encode(body), media_type=MediaType.JSON)


async def _serve(folder: Path, port: int) -> None:
    configure_logs("console")
    arbiter = Arbiter(await asyncio.to_thread(read_settings, folder))
    await make_server(create_app(Stores.of_one(arbiter), [echo]), arbiter).serve(
        [bind("127.0.0.1", port)]
    )


if __name__ == "__main__":
    uvloop.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))
