"""What must hold for acknowledged requests, whatever has failed, on every store."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from uuid import UUID

import msgspec

from domain.events import Event, Record
from domain.match.events import ActionReceived, DrawSettled, MatchCreated, SealedDrawSettled
from domain.match.replay import replay
from domain.match.state import awaited_draw
from domain.proof.log_events import CheckpointSigned
from domain.proof.notes import verifier_key
from domain.proof.rejudging import rejudge
from domain.rulings.events import MatchRewound, MatchRuled
from projections.audience.disclosure import PUBLIC_VIEWER, Viewer, may_see, name_audience
from projections.evidence.case import VerifierInputs
from projections.evidence.verify import verify
from service.application.matches.chance import answer_draw
from service.event_store.secret_store import MatchSecrets, SecretStore
from service.event_store.store import Store, paired_stream
from tests.faults.continuous_matches import WRITERS
from tests.faults.http_writers import REWIND, Acknowledged, DrawEntered, Ledger, RulingMade, Service
from tests.support.faults.server_process import folded_view
from tests.support.servers.instance_settings import ORGANISER_KEY

Records = dict[str, list[Record[Event]]]


def check_disk(ledger: Ledger, now: Records) -> None:
    """The record contains every promise once, at its position."""
    for match_id, records in now.items():
        times = [record.at for record in records]
        assert times == sorted(times)
        check_once(records)
        if isinstance(records[0].event, MatchCreated):
            rejudge(match_id, records)  # of every request there is all, or nothing
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
    for ruling in ledger.rulings:
        check_ruling(now[ruling.match], ruling)


def check_once(records: list[Record[Event]]) -> None:
    """No request, acknowledged or not, is on the record twice, and no draw fell twice, unless the
    match went back before it."""
    counted, branch = Counter[tuple[object, ...]](), 0
    for event in (record.event for record in records):
        match event:
            case ActionReceived(seat=seat, key=key):
                counted[seat, key] += 1
            case DrawSettled(id=draw) | SealedDrawSettled(id=draw):
                counted["draw", branch, draw] += 1
            case MatchRewound():
                branch = event.branch
            case MatchRuled(reason=reason):
                counted["ruling", reason] += 1
            case _:
                pass
    assert set(counted.values()) <= {1}


def check_ruling(records: list[Record[Event]], ruling: RulingMade) -> None:
    reasons = [record.event.reason for record in records if isinstance(record.event, MatchRuled)]
    assert ruling.reason in reasons, f"acknowledged and lost: {ruling}"


def check_draw(records: list[Record[Event]], draw: DrawEntered) -> None:
    events = [record.event for record in records]
    settled = [e for e in events if isinstance(e, DrawSettled | SealedDrawSettled)]
    (outcome,) = (e.outcome for e in settled if e.id == draw.id)
    assert [list(part) if isinstance(part, tuple) else part for part in outcome] == draw.outcome


async def check_repeats(service: Service, ledger: Ledger, actions: list[Acknowledged]) -> None:
    """A repeat gets the first answer's body, and is marked as a repeat, unless the match has gone
    back behind it, perhaps by a ruling whose answer was lost."""

    async def repeat(action: Acknowledged) -> None:
        answer = await service.request(
            "POST",
            f"/v1/matches/{action.match}/actions",
            ledger.tables[action.match].seat_keys[action.seat],
            json=action.action,
            headers={"Idempotency-Key": action.key},
        )
        if answer.status_code == 409:
            assert answer.json()["code"] == "undone_by_ruling", answer.text
            found = await service.request(
                "GET",
                f"/v1/matches/{action.match}/rulings",
                ledger.tables[action.match].moderator_key,
            )
            assert answer.json()["ruling"] in {
                one["ruling"] for one in found.json()["rulings"] if one["kind"] == REWIND
            }
            return
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
            path = f"/v1/matches/{there.id}/view?as={name_audience(viewer)}"
            answer = await service.request("GET", path, key)
            assert answer.content == folded_view(there.id, records[there.id], viewer)


async def check_proofs(service: Service, ledger: Ledger) -> None:
    """Every match proves itself, with all receipts that were given and two checkpoints."""
    answer = await service.request("GET", "/v1/keys", ORGANISER_KEY)
    keys = [verifier_key(key["key"]) for key in answer.json()["keys"]]
    for there in ledger.tables.values():
        path, key = f"/v1/matches/{there.id}", there.moderator_key
        asked = [await service.request("POST", f"{path}/checkpoints", key) for _ in range(2)]
        bundle = await service.request("GET", f"{path}/bundle?as=moderator", key)
        given = [a.body for a in ledger.actions if a.match == there.id and a.status == 201]
        notes = [msgspec.json.decode(body)["receipt"]["note"] for body in given]
        saved = VerifierInputs(
            keys, [one.json()["note"] for one in asked], list(filter(None, notes))
        )
        report = verify(bundle.content, saved)
        assert report.finding is None, (there, report.finding)


def check_signatures(streams: Records) -> None:
    """Of each match's log no size is signed twice, and the whole only once, when it is over."""
    for match_id, records in streams.items():
        if isinstance(records[0].event, MatchCreated):
            paired = streams.get(str(paired_stream(UUID(match_id))), [])
            signed = [one.event for one in paired if isinstance(one.event, CheckpointSigned)]
            sizes = [one.size for one in signed]
            assert sizes == sorted(set(sizes))
            assert [one.size for one in signed if one.over] in ([], [len(records)])


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
                fell += check_draws(secret_store.read(UUID(match_id)), match_id, recorded)
    return fell


def check_draws(hidden: MatchSecrets, match_id: str, records: list[Record[Event]]) -> int:
    fell = 0
    for position, record in enumerate(records):
        if isinstance(record.event, DrawSettled | SealedDrawSettled):
            game, match = replay(match_id, records[:position])
            draw = awaited_draw(game, match)
            assert draw is not None and draw.id == record.event.id
            assert answer_draw(hidden, match, draw).outcome == record.event.outcome
            fell += 1
    return fell


def check_secrets(ledger: Ledger, stored: bytes, errors: bytes) -> None:
    """The database contains no key, and the service's logs contain neither keys nor seeds."""
    for there in ledger.tables.values():
        for key in (*there.seat_keys, there.moderator_key):
            secret = key.rpartition("_")[2]
            assert secret.encode() not in errors
            assert secret.encode() not in stored and bytes.fromhex(secret) not in stored
