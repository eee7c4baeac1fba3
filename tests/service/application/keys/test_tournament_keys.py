"""Keys of a tournament in place of others, when a request comes to two instances."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from domain.people import Actor
from domain.tournament.state import KeyedRequest
from service.application.keys import tournament_keys
from service.application.keys.match_keys import NewKey
from service.auth.keyring import hash_key
from service.event_store.store_threads import in_store_thread
from service.instance import Instance

CUP = UUID(int=1)
EVE = Actor("Eve", "e0e0e0e0e0e0e0e0")
ONCE = KeyedRequest("once", b"1")


async def reissue(instance: Instance) -> NewKey:
    return await instance.tournament_keys.reissue(CUP, "p0", "Zoe", EVE, ONCE)


async def test_a_request_that_comes_to_two_instances_is_shown_one_key(
    instance: Instance, other: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second has found the request and no key, and goes on when the first has answered."""
    first = list[NewKey]()

    async def overtaken(do: Callable[..., Any], *arguments: Any) -> Any:
        if do == other.keyring.reissue:
            monkeypatch.setattr(tournament_keys, "in_store_thread", in_store_thread)
            first.append(await reissue(instance))
        return await in_store_thread(do, *arguments)

    monkeypatch.setattr(tournament_keys, "in_store_thread", overtaken)
    assert await reissue(other) == NewKey(first[0].id, None)
    (valid,) = instance.keyring.list_valid(CUP)
    assert valid.hash == hash_key(first[0].key or "")
