"""Dollar Prize on the library's plain `Application`, after the same framework and server."""

import os
import secrets
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import uvicorn
import uvloop
from litestar import Litestar, Request, Response, get, post
from litestar.exceptions import NotAuthorizedException

from domain.match.state import Match
from tests.benchmarks.plain import PlainMatches, action, plain_store


def _answer(state: Match) -> dict[str, Any]:
    """The part of an answer that a player of the benchmark reads."""
    to_act = state.awaiting.seats[0] if state.awaiting.seats else None
    seen = {"phase": state.game.phase, "to_act": to_act, "placed": state.game.placed}
    return {"view": {"view": seen}}


def app(matches: PlainMatches) -> Litestar:
    """The routes that are needed to play. Keys are in memory; without one no one plays."""
    seats: dict[str, tuple[UUID, int]] = {}

    @get("/healthz", sync_to_thread=False)
    def healthz() -> str:
        return "ok"

    @post("/v1/matches", sync_to_thread=True)
    def create(data: dict[str, Any]) -> dict[str, Any]:
        match_id = matches.open(data["seats"])
        keys = [secrets.token_urlsafe() for _ in data["seats"]]
        seats.update({key: (match_id, seat) for seat, key in enumerate(keys)})
        return {"id": str(match_id), "seats": [{"key": key} for key in keys]}

    @post("/v1/matches/{match_id:uuid}/start", sync_to_thread=True)
    def start(match_id: UUID) -> dict[str, Any]:
        return _answer(matches.start(match_id))

    @post("/v1/matches/{match_id:uuid}/actions", sync_to_thread=True)
    def act(request: Request[Any, Any, Any], match_id: UUID, data: dict[str, Any]) -> Response[Any]:
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        known, seat = seats.get(key, (None, -1))
        if known != match_id:
            raise NotAuthorizedException
        return Response(msgspec.json.encode(_answer(matches.act(match_id, action(seat, data)))))

    return Litestar([healthz, create, start, act], openapi_config=None)


async def _serve(folder: Path, port: int) -> None:
    store = dict(os.environ) if "POSTGRES_DBNAME" in os.environ else None
    matches = PlainMatches(plain_store(folder, store))
    config = uvicorn.Config(app(matches), port=port, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    uvloop.run(_serve(Path(sys.argv[1]), int(sys.argv[2])))
