"""What holds for every command that these tests send."""

import pytest

from service.application.matches.command_queue import QueuedCommand


@pytest.fixture(autouse=True)
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that only the time limit answers was forgotten, although the answer looks like that
    of a store that fails."""

    def forgotten(queued: QueuedCommand) -> None:
        queued.fail(AssertionError(f"nothing answered {queued.command}"))

    monkeypatch.setattr("service.application.matches.match_service._give_up", forgotten)
