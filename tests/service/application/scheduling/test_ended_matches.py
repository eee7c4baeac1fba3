"""What follows the end of a match is tried again; a refusal is said once, as one."""

import asyncio
import json
from io import StringIO
from uuid import UUID, uuid4

from domain.game import Refused
from service.application.scheduling.leader_tasks import EndedMatches


def test_what_is_refused_again_and_again_is_said_once_without_its_place(logged: StringIO) -> None:
    tournament, refused = uuid4(), [True]

    async def advance(_: UUID) -> None:
        if refused[0]:
            raise Refused("not_enough_garnets", "Ann does not have that many")

    ended = EndedMatches(lambda: [tournament], advance, "round_not_continued")
    assert [asyncio.run(ended.do_all()) for _ in range(3)] == [False, False, False]
    refused[0] = False
    assert asyncio.run(ended.do_all())
    refused[0] = True
    assert not asyncio.run(ended.do_all())
    said = [json.loads(line) for line in logged.getvalue().splitlines()]
    assert [(one["event"], one["level"], one["match"], one["code"]) for one in said] == [
        ("round_not_continued", "info", str(tournament), "not_enough_garnets")
    ] * 2
    assert "exception" not in logged.getvalue()
    assert "Ann" not in logged.getvalue()
