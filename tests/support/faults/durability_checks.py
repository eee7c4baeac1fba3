"""What must hold for acknowledged requests, whatever has failed, on every store."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from uuid import UUID

import msgspec

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.events import ActionReceived, DrawSettled, MatchCreated, SealedDrawSettled
from domain.match.state import awaited_draw, create, fold
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer, may_see, named
from service.application.matches.chance import answer_draw
from service.event_store.secret_store import MatchSecrets, SecretStore
from service.event_store.store import Store
from tests.support.faults.continuous_matches import WRITERS
from tests.support.faults.http_writers import Acknowledged, DrawEntered, Ledger, Service
from tests.support.faults.server_process import folded_view

Records = dict[str, list[Record[Event]]]


def check_disk(ledger: Ledger, now: Records) -> None:
    """The record contains every promise once, at its position."""
    for records in now.values():
        times = [record.at for record in records]
        assert times == sorted(times)
        check_once(records)
    own = {
        (match_id, seat): [record.event for record in records if may_see(seat, record.event)]
        for match_id, records in now.items()
        for seat in range(WRITERS)
    }
    for action in ledger.actions:
        receipts_ = own[action.match, action.seat]
        assert len(receipts_) >= action.seq, f"acknowledged and lost: {action}"
        event = receipts_[action.seq - 1]
        assert isinstance(event, ActionReceived), action
        assert (event.seat, event.key, event.action) == (action.seat, action.key, action.action)
    for draw in ledger.draws:
        check_draw(now[draw.match], draw)


def check_once(records: list[Record[Event]]) -> None:
    """No request, acknowledged or not, is on the record twice, and no draw fell twice."""
    events = [record.event for record in records]
    received = Counter((e.seat, e.key) for e in events if isinstance(e, ActionReceived))
    drawn = Counter(e.id for e in events if isinstance(e, DrawSettled | SealedDrawSettled))
    assert {*received.values(), *drawn.values()} <= {1}


def check_draw(records: list[Record[Event]], draw: DrawEntered) -> None:
    events = [record.event for record in records]
    settled = [e for e in events if isinstance(e, DrawSettled | SealedDrawSettled)]
    (outcome,) = (e.outcome for e in settled if e.id == draw.id)
    assert [list(part) if isinstance(part, tuple) else part for part in outcome] == draw.outcome


async def check_repeats(service: Service, ledger: Ledger, actions: list[Acknowledged]) -> None:
    """A repeat gets the first answer's body, and is marked as a repeat."""

    async def repeat(action: Acknowledged) -> None:
        answer = await service.request(
            "POST",
            f"/v1/matches/{action.match}/actions",
            ledger.tables[action.match].seat_keys[action.seat],
            json=action.action,
            headers={"Idempotency-Key": action.key},
        )
        assert answer.headers.get("idempotent-replayed") == "true", answer.text
        assert answer.status_code == (200 if action.status == 201 else 422)
        assert answer.content == action.body

    await asyncio.gather(*map(repeat, actions))


async def check_views(service: Service, ledger: Ledger, records: Records) -> None:
    """Every audience sees the result of folding the record from event 0."""
    for there in ledger.tables.values():
        viewers: list[tuple[Viewer, str]] = [
            (0, there.seat_keys[0]),
            (1, there.seat_keys[1]),
            (PUBLIC_VIEWER, there.seat_keys[0]),
            ("moderator", there.moderator_key),
        ]
        for viewer, key in viewers:
            path = f"/v1/matches/{there.id}/view?as={named(viewer)}"
            answer = await service.request("GET", path, key)
            assert answer.content == folded_view(there.id, records[there.id], viewer)


def check_grown(before: Records, now: Records) -> None:
    """What was on record is still there, unchanged."""
    for match_id, records in before.items():
        assert now[match_id][: len(records)] == records, f"{match_id} was changed"


def check_chance(store_env: Mapping[str, str], records: Records) -> int:
    """Each draw that the service answered fell as its seed, saved before the match began,
    determines; returns how many there are."""
    fell = 0
    with closing(Store(dict(store_env))) as store:
        secret_store = SecretStore(store.secrets)
        for match_id, recorded in records.items():
            created = recorded[0].event
            if isinstance(created, MatchCreated) and created.chance == "server":
                fell += check_draws(secret_store.read(UUID(match_id)), match_id, created, recorded)
    return fell


def check_draws(
    hidden: MatchSecrets, match_id: str, created: MatchCreated, records: list[Record[Event]]
) -> int:
    game, fell = GAMES[created.game], 0
    match = create(game, match_id, created, msgspec.convert(created.options, game.Options))
    for record in records:
        if isinstance(record.event, DrawSettled | SealedDrawSettled):
            draw = awaited_draw(game, match)
            assert draw is not None and draw.id == record.event.id
            assert answer_draw(hidden, match, draw).outcome == record.event.outcome
            fell += 1
        match = fold(game, match, [record.event])
    return fell


def check_secrets(ledger: Ledger, stored: bytes, errors: bytes) -> None:
    """The database contains no key, and the service's logs contain neither keys nor seeds."""
    for there in ledger.tables.values():
        for key in (*there.seat_keys, there.moderator_key):
            secret = key.rpartition("_")[2]
            assert secret.encode() not in errors
            assert secret.encode() not in stored and bytes.fromhex(secret) not in stored
