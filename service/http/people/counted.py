"""How a match counts in its tournament where that is not its own result: a ruling has corrected
it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from msgspec import to_builtins

from domain.game import Result
from service.event_store.integrity.digests import RecordAltered
from service.instance import Instance

OF_RESULT = Result.__struct_fields__


async def corrected_result(instance: Instance, match: Mapping[str, Any]) -> dict[str, Any] | None:
    """How a match that is over counts in its tournament, from what everyone may know: the name of
    the `tournament`, and the corrected `result`, which is None if the match does not count. None
    for a match that counts with its own result."""
    if match["tournament"] is None or match["result"] is None:
        return None
    try:
        state = (await instance.tournaments.current(UUID(match["tournament"]))).state
    except RecordAltered:
        # What is said of the match itself does not depend on it.
        return None
    added = state.matches.get(match["id"])
    if added is None or not added.corrected:
        return None
    result = to_builtins(added.result)
    own = to_builtins({name: match["result"][name] for name in OF_RESULT})
    return None if result == own else {"tournament": state.name, "result": result}
