"""Acknowledged actions over HTTP, beside plain echo requests to the same server."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import UUID

import httpx
import msgspec
import uvloop
from msgspec import Struct

from tests.benchmarks.charts.plan import CONNECTIONS, Plan
from tests.benchmarks.charts.rota import Playing, Refusing, Rota, Slot
from tests.benchmarks.charts.written_matches import WrittenMatch
from tests.benchmarks.http import ACTION, KEY, server
from tests.benchmarks.load import Next, Outcome, request, run, turn_answered, turn_seen

FOREVER = 3600.0
LOOKING = 32


class Acted(Struct):
    """Actions a second, round by round, and the same as a share of the echo's."""

    rates: list[float]
    shares: list[float]


def played(
    folder: Path,
    store: Mapping[str, str] | None,
    matches: Sequence[WrittenMatch],
    count: int,
    plan: Plan,
) -> Acted:
    """Legal actions on `count` matches in turn, by a connection for each, 64 at most."""
    with server(folder, store) as port:
        return uvloop.run(_played(port, matches, count, plan))


async def _played(port: int, matches: Sequence[WrittenMatch], count: int, plan: Plan) -> Acted:
    requests = [(match.id, key) for match in matches for key in match.keys]
    views = await look(port, requests)
    slots = [
        Playing(match.id, match.keys, turn_seen(view))
        for match, view in zip(matches, views[:: len(matches[0].keys)], strict=True)
    ]
    rota = Rota(slots, count)
    acted = await _rounds(port, rota, min(CONNECTIONS, count), plan)
    assert not rota.short, "matches that are over, and none in reserve"
    return acted


def refused(port: int, matches: Sequence[WrittenMatch], plan: Plan) -> Acted:
    """Actions that the rules refuse, on these matches in turn, by 64 connections."""
    _try(port, matches[0])
    return uvloop.run(_refused(port, matches, plan))


async def _refused(port: int, matches: Sequence[WrittenMatch], plan: Plan) -> Acted:
    await look(port, [(match.id, match.keys[match.refused.seat]) for match in matches])
    slots = refusing(matches, CONNECTIONS)
    return await _rounds(port, Rota(slots, len(slots)), CONNECTIONS, plan)


def refusing(matches: Sequence[WrittenMatch], players: int) -> list[Slot]:
    """These matches in turn, repeated until there is one for each player."""
    times = -(-players // len(matches))
    return [
        Refusing(match.id, match.keys, match.refused) for _ in range(times) for match in matches
    ]


def _try(port: int, match: WrittenMatch) -> None:
    """Tries one action by itself: it must be refused, and only by the rules."""
    answer = httpx.post(
        f"http://127.0.0.1:{port}/v1/matches/{match.id}/actions",
        json=match.refused.sent,
        headers={"Authorization": f"Bearer {match.keys[match.refused.seat]}"},
    )
    assert answer.status_code == 422, answer.text


async def _rounds(port: int, rota: Rota, connections: int, plan: Plan) -> Acted:
    """Echo and actions in turn, after some warm-up actions that do not count."""
    echo = request("POST", "/echo", KEY, ACTION)
    acted = Acted([], [])
    await _actions(port, rota, connections, plan.echo)
    for _ in range(plan.rounds):
        plain = await run(port, [lambda _: echo] * connections, plan.echo)
        assert not plain.failed
        outcome = await _actions(port, rota, connections, plan.seconds)
        acted.rates.append(outcome.rate)
        acted.shares.append(outcome.rate / plain.rate)
    return acted


async def _actions(port: int, rota: Rota, connections: int, seconds: float) -> Outcome:
    players = [_player(rota) for _ in range(connections)]
    outcome = await run(port, players, seconds)
    out = rota.in_use
    legal = [slot for slot in out if isinstance(slot, Playing)]
    assert outcome.failed == (0 if legal else outcome.answers)
    # The last answers have not been read.
    views = await look(port, [(slot.id, slot.keys[0]) for slot in legal])
    for playing, view in zip(legal, views, strict=True):
        playing.turn = turn_seen(view)
    for slot in out:
        rota.back(slot)
    return outcome


def _player(rota: Rota) -> Next:
    """Acts on the next match, as its previous answer allows."""
    slot: Slot | None = None

    def following(body: bytes) -> bytes | None:
        nonlocal slot
        if slot is not None:
            slot.tell(lambda: turn_answered(body))
            rota.back(slot)
        slot = rota.take()
        return None if slot is None else _sent(slot)

    return following


def _sent(slot: Slot) -> bytes:
    act = slot.act
    path = f"/v1/matches/{slot.id}/actions"
    return request("POST", path, slot.keys[act.seat], msgspec.json.encode(act.sent))


async def look(port: int, requests: Sequence[tuple[UUID, str]]) -> list[bytes]:
    """Reads the view of each key of its match, so that both are in memory, if there is room."""
    views = [b""] * len(requests)
    coming = iter(enumerate(requests))

    def player() -> Next:
        number = -1

        def following(body: bytes) -> bytes | None:
            nonlocal number
            if body:
                views[number] = body
            number, (match, key) = next(coming, (-1, (None, "")))
            return None if match is None else request("GET", f"/v1/matches/{match}/view", key)

        return following

    outcome = await run(port, [player() for _ in range(LOOKING)], FOREVER)
    assert not outcome.failed and outcome.answers == len(requests)
    return views
