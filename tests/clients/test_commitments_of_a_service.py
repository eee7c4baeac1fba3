"""Both clients after a rewind, at a service that stands by its commitments: there is no alarm."""

from pathlib import Path

from arbiter_client import Arbiter
from tests.support.http.match_play import all_events
from tests.support.http.rewind_client import numbers, resumed, rewound, steps
from tests.support.servers.live_server import Live, LiveMatch
from tests.support.web.typescript_client import printed, provide, started

PROGRAM = Path(__file__).parent / "typescript/rewound.mjs"


def gone_back(live: Live) -> LiveMatch:
    """A match whose second epoch has begun, and waits for seeds."""
    match = live.started("dollar-prize")
    while not numbers(match, "match.draw-settled.1"):
        steps(match, 1)
    rewound(match, live, before=numbers(match, "match.draw-settled.1")[-1])
    assert len(numbers(match, "match.seed-committed.1")) == 2
    return match


def test_the_python_client(live: Live) -> None:
    """Of a seat that follows, and of one that hears of the rewind by its receipt alone."""
    match = gone_back(live)
    with Arbiter(live.url) as arbiter:
        following, late = (arbiter.match(match.id, key) for key in match.keys)
        for event in following.follow():
            if event.seq == len(all_events(match.seats[0])):
                break
        assert following.seed("mine").receipt.valid
        assert following.note() == late.note()
        resumed(match)
        while not late.receipts:
            for seat in (late, following):
                menu = seat.menu()
                if menu.actions:
                    assert seat.act(menu.actions[0].examples[0]).receipt.valid


def test_the_typescript_client(live: Live, tmp_path: Path) -> None:
    match = gone_back(live)
    provide(tmp_path)
    program = tmp_path / "rewound.mjs"
    program.write_text(PROGRAM.read_text())
    events = str(len(all_events(match.seats[0])))
    running = started(program, live.url, match.id, match.keys[0], events)
    assert printed(running, 30.0).strip() == "true"
