"""A match is evicted, because another instance was first, while an action is received."""

from collections.abc import AsyncIterator
from typing import Any, cast

import httpx

from service.app import create_app
from service.instance import Instance
from tests.support.instance.service_instance import on_record, started


async def test_an_action_is_accepted_though_its_match_is_evicted_meanwhile(
    instance: Instance,
) -> None:
    match_id = await started(instance)
    (key,) = instance.keyring.issue(match_id, ["s0"])
    await instance.sessions.cached(match_id)

    async def body() -> AsyncIterator[bytes]:
        yield b'{"type":"choose_side",'
        instance.sessions.session(match_id).forget()
        yield b'"side":"heads"}'

    transport = httpx.ASGITransport(cast(Any, create_app(instance)), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://arbiter") as http:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        path = f"/v1/matches/{match_id}/actions"
        answer = await http.post(path, content=body(), headers=headers)
    assert answer.status_code == 201, answer.text
    assert len(on_record(instance, match_id)) > 0
