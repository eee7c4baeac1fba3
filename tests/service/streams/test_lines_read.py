"""Events hidden from an audience cost it nothing: only its own records are read."""

from collections.abc import Sequence
from uuid import UUID

import pytest

from domain.encoding import encode
from service.instance import Instance
from tests.support.instance.service_instance import (
    NOT_NOW,
    on_record,
    sends,
    started,
)


async def test_the_recorder_returns_exactly_the_rows_that_are_asked_for(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of two seats that alternate: those of the other one are not read with them."""
    match_id = await started(instance)
    for _ in range(300):
        await instance.matches.execute(match_id, sends(0, NOT_NOW), 0)
    records = on_record(instance, match_id)
    returned: list[int] = []
    recorder = instance.store.recorder
    select = recorder.select_states_at

    def counted(stream: UUID, versions: Sequence[int]) -> list[bytes]:
        found = select(stream, versions)
        returned.append(len(found))
        return found

    monkeypatch.setattr(recorder, "select_states_at", counted)
    monkeypatch.setattr(recorder, "select_states", None)
    positions = range(1, len(records) + 1, 2)
    wanted = list(map(encode, records[::2]))
    assert instance.store.states_at(match_id, positions) == wanted
    assert sum(returned) == len(positions)
