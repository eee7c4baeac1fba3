"""A match that is forgotten, because another instance was first, while an action comes in."""

from collections.abc import AsyncIterator
from typing import Any, cast

import httpx

from service.app import create_app
from service.arbiter import Arbiter
from service.stores import Stores
from tests.service.instance import on_record, started


async def test_an_action_is_taken_though_its_match_is_forgotten_meanwhile(arbiter: Arbiter) -> None:
    match_id = await started(arbiter)
    (key,) = arbiter.keyring.issue(match_id, ["s0"])
    opened = await arbiter.open_matches.known(match_id)

    async def body() -> AsyncIterator[bytes]:
        yield b'{"type":"choose_side",'
        opened.forget()
        yield b'"side":"heads"}'

    transport = httpx.ASGITransport(
        cast(Any, create_app(Stores.of_one(arbiter))), raise_app_exceptions=False
    )
    async with httpx.AsyncClient(transport=transport, base_url="http://arbiter") as http:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        path = f"/v1/matches/{match_id}/actions"
        answer = await http.post(path, content=body(), headers=headers)
    assert answer.status_code == 201, answer.text
    assert len(on_record(arbiter, match_id)) > 0
