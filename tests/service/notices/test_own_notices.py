"""What is for one seat alone is sent to the webhooks of that seat and of its player, and to nobody
else."""

from uuid import UUID

from msgspec.structs import replace

from domain.match.events import MatchStarted, SubmissionInvalid
from domain.rulings.events import SeatReplaced
from domain.tournament.events import MatchAdded, TournamentCreated
from service.auth.keyring import KeyReference
from service.event_store.stream_ids import time_ordered
from service.notices.log_reader import OwnNoticeReader
from service.notices.webhook_table import WebhookTable
from tests.service.notices.test_log_reader import EVERYTHING, sent, told
from tests.support.instance.index_log import Log, entered
from tests.support.instants import NOON

CUP = time_ordered(NOON // 1000)
EVERYONE = ("all", "s0", "s1", "m0", "p0", "p1", "p2", "other s0", "ended")


def registered(table: WebhookTable, match: UUID, other: UUID) -> None:
    """A webhook of the service and of each key, and one that does not want such notices."""
    table.add(EVERYTHING)
    for name, slot, ring in (
        ("s0", "s0", match), ("s1", "s1", match), ("m0", "m", match), ("other s0", "s0", other),
        ("p0", "p0", CUP), ("p1", "p1", CUP), ("p2", "p2", CUP),
    ):  # fmt: skip
        narrow = {"tournament": str(ring)} if ring == CUP else {"match": str(ring)}
        key = KeyReference(slot, ring, b"hash")
        table.add(replace(EVERYTHING, id=name, key=key, **narrow))
    other_kind = replace(EVERYTHING, id="ended", key=KeyReference("s0", match, b"hash"))
    table.add(replace(other_kind, match=str(match), kinds=("ended",)))


def got(table: WebhookTable) -> dict[str, list[str]]:
    """The codes that each webhook is sent, of those that are sent any."""
    found = {name: [told(one)["data"]["code"] for one in sent(table, name)] for name in EVERYONE}
    return {name: codes for name, codes in found.items() if codes}


def test_an_invalid_submission_is_told_to_its_seat_and_to_its_player_alone(
    log: Log, table: WebhookTable
) -> None:
    match, other = log.match(MatchStarted(), tournament=str(CUP)), log.match(MatchStarted())
    log.put(CUP, TournamentCreated("Cup"), *entered("Ann", "Ben", "Cy"))
    log.put(CUP, MatchAdded(str(match), "dollar-prize", (1, 0)))
    registered(table, match, other)
    reader = OwnNoticeReader(log.store, log.index, table)
    log.put(match, SubmissionInvalid(0, "not_yours"))
    reader.follow()
    reader.follow()
    assert got(table) == {"s0": ["not_yours"], "p1": ["not_yours"]}
    (one,) = sent(table, "s0")
    assert (one.kind, told(one)["type"]) == ("submission_invalid", "match.submission_invalid")
    log.put(match, SeatReplaced(0), SubmissionInvalid(0, "twice"), SubmissionInvalid(1, "late"))
    reader.follow()
    assert got(table) == {
        "s0": ["not_yours", "twice"], "s1": ["late"], "p0": ["late"], "p1": ["not_yours"],
    }  # fmt: skip
