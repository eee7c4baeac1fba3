"""What receipts bind: all that their receivers had been told, rulings and notes included, also
after rewinds. The operator has every key, and signs each forgery anew; whoever kept the original
receipts finds it, by the evidence alone."""

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.events import PUBLIC, Event, Record
from domain.games import GAMES
from domain.match.commands import GiveClientSeed, Start
from domain.match.events import (
    ActionReceived,
    ClientSeedGiven,
    Directed,
    MatchCreated,
    SeedCommitted,
    makes_over,
)
from domain.proof.notes import read
from domain.proof.receipts import DIRECTOR, ReceiptText, Receiver, parse, text
from domain.rulings.commands import SecondRuling, WithdrawRuling
from domain.rulings.events import (
    MatchRewound,
    MatchRuled,
    RulingOrdered,
    RulingProposed,
    SealedRuled,
    SeatNoted,
    SeatRuled,
)
from domain.rulings.kinds import Note, PauseMatch, ResumeMatch, Rewind, RuleResult, VoidMatch
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.archive import SEEN, unpack
from projections.evidence.bundle import MatchLog
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.support.evidence.forged_bundles import resigned, rewritten, saved_receipts
from tests.support.evidence.signed_bundles import LOG_KEY, RECEIPTS, bundled, log_of
from tests.support.instants import NOON
from tests.support.tables.forged_records import edited, index_of, instead, without_batch
from tests.support.tables.game_strategies import next_input
from tests.support.tables.match_table import MATCH, MatchTable
from tests.support.tables.ruling_tables import EVE, FINN, a_result, rule
from tests.support.web.two_verdicts import Given, agreed
from tests.support.web.verifier_script import Json

Records = Sequence[Record[Event]]
GAME = GAMES["dollar-prize"]
SALTS = (b"a" * 16, b"b" * 16)


class Played:
    """A match by server chance, ruled on by two people; each epoch has a seed of its own."""

    def __init__(self, *seeds: int, record: str = "opened_at_end") -> None:
        stored = (SeedStored(n, seed.to_bytes(32, "big"), SALTS) for n, seed in enumerate(seeds))
        created = MatchCreated(GAME.id, GAME.rules_version, {}, 2, "server", record=record)  # type: ignore[arg-type]
        hidden = MatchSecrets(LOG_KEY, tuple(stored))
        self.table = MatchTable(GAME, created, NOON, hidden, MATCH)
        self.rng = Random("played")
        self.table.when(GiveClientSeed(0, "dice")).when(Start(EVE))

    def on(self, steps: int = 2) -> "Played":
        """Plays on at random."""
        for _ in range(steps):
            at, command = next_input(self.table, self.rng, 0)
            self.table.when(command, max(at, self.table.at))
        return self

    def both(self) -> "Played":
        """Plays on until both seats have acted."""
        acted: set[int] = set()
        while acted != {0, 1}:
            new = self.on(1).table.new_events
            acted |= {one.seat for one in new if isinstance(one, ActionReceived)}
        return self

    def ruled(self, name: str, ruling: Any, **more: Any) -> "Played":
        """Rules, with a second person if it needs one."""
        self.table.when(rule(name, ruling, **more))
        if self.table.match.rulings.waiting(name) is not None:
            self.table.when(SecondRuling(name, FINN))
        return self

    def rewound(self, name: str) -> "Played":
        """Back to before the last action's first public consequence; then the match goes on."""
        events = self.table.events
        acted = max(n for n, one in enumerate(events) if isinstance(one, ActionReceived))
        before = next(n for n, one in enumerate(events, 1) if n > acted and one.audience == PUBLIC)
        self.ruled(name, Rewind(before))
        self.table.when(GiveClientSeed(1, f"luck behind {name}"))
        return self.ruled(f"{name}, resumed", ResumeMatch())

    @property
    def log(self) -> MatchLog:
        return log_of(self.table.records, MATCH)


def note(to: str) -> Note:
    return Note(to, "Be quick.", "warning")


def begun(*seeds: int, record: str = "opened_at_end") -> Played:
    """A match with everything in it that an operator may want to forget."""
    played = Played(*seeds, record=record).on(3)
    played.ruled("sealed", note("sealed")).ruled("first", note("seat:1"))
    played.ruled("paused", PauseMatch()).ruled("resumed", ResumeMatch())
    played.table.when(rule("given up", VoidMatch(None))).when(WithdrawRuling("given up", EVE))
    return played.both()


@cache
def log(rewinds: int, end: str = "result", record: str = "opened_at_end") -> MatchLog:
    """The log of such a match after so many rewinds, which ends by a ruling."""
    played = begun(1, 2, 3, record=record)
    for number in range(rewinds):
        played.rewound(f"rewind {number}").on()
    played.ruled("sealed again", note("sealed")).ruled("second", note("seat:1")).both()
    played.ruled("last", note("seat:1"))
    ruling = VoidMatch(None) if end == "void" else RuleResult(a_result(2), "adjudicated")
    return played.ruled("end", ruling).log


def verdict_on(bundle: bytes, receipts: Sequence[str] = ()) -> Json:
    return agreed(Given("receipts", bundle, receipts=receipts))


# Honest ones.


@pytest.mark.parametrize("end", ["void", "result"])
@pytest.mark.parametrize("rewinds", [0, 1, 2])
def test_an_honest_bundle_passes_with_every_receipt(rewinds: int, end: str) -> None:
    """Those of undone branches are honoured."""
    honest = log(rewinds, end)
    assert sum(isinstance(one.event, MatchRewound) for one in honest.records) == rewinds
    assert verdict_on(bundled(honest), saved_receipts(honest))["verdict"] == "PASS"


@pytest.mark.parametrize("audience", [PUBLIC_VIEWER, 0, 1])
@pytest.mark.parametrize("record", ["opened_at_end", "closed"])
def test_what_a_reader_cannot_read_of_what_was_told_is_sealed(
    audience: Viewer, record: str
) -> None:
    honest = log(1, record=record)
    claims = dict(verdict_on(bundled(honest, audience))["claims"])
    shows_all = record == "opened_at_end" or audience == PUBLIC_VIEWER
    assert claims["receipts"] == ("PASS" if shows_all else "SEALED")
    with_all = verdict_on(bundled(honest, audience), saved_receipts(honest))
    assert with_all["finding"] is None and ("receipts", "SEALED") in with_all["claims"]


def texts(honest: MatchLog, receiver: Receiver | None = None) -> list[ReceiptText]:
    return [parse(said) for said in honest.receipts(receiver)]


def test_a_receipt_names_the_commitment_of_the_epoch_in_force() -> None:
    honest = log(2)
    seeds = [n for n, one in enumerate(honest.records) if isinstance(one.event, SeedCommitted)]
    named = [said.binding.seed_committed for said in texts(honest)]
    assert len(seeds) == len(set(named)) == 3
    rewinds = [said for said in texts(honest, DIRECTOR) if (said.ruling or "") == "rewind 1"]
    assert rewinds[-1].binding.seed_committed == named[-1] != named[0]


def test_each_order_has_a_receipt_with_the_id_of_its_ruling() -> None:
    honest = log(1)
    directed = sum(isinstance(one.event, Directed) for one in honest.records)
    said = texts(honest, DIRECTOR)
    assert len(said) == directed and said[0].ruling is None
    given_up = [one for one in said if one.ruling == "given up"]
    assert len(given_up) == 2
    assert {one.ruling for one in said} >= {"sealed", "first", "paused", "rewind 0", "end", "last"}


def test_the_number_of_an_order_is_the_publics() -> None:
    """The record's own would tell an organiser how much is hidden."""
    honest = log(1)
    public = [one.event.audience == PUBLIC for one in honest.records]
    orders = [n - 1 for n, one in enumerate(honest.records) if isinstance(one.event, Directed)]
    assert [said.count for said in texts(honest, DIRECTOR)] == [
        sum(public[: n + 1]) for n in orders
    ]


def test_two_receipts_of_one_chain_say_different_things() -> None:
    """While the match runs no one can tell what was told between two receipts."""
    said = [one.binding for one in texts(log(2))]
    assert len({one.nonce for one in said}) == len({one.seen for one in said}) == len(said)


# Forged ones.

Forgery = Callable[[MatchLog], Records]


def changed(kind: type[Event], which: int = -1, **fields: object) -> Forgery:
    """Other fields in one event of a kind."""
    return lambda honest: edited(honest.records, kind, which, **fields)


def directed_of(name: str, **fields: object) -> Forgery:
    """Another person after the ruling of one person."""

    def forge(honest: MatchLog) -> Records:
        of = next(n for n, one in enumerate(honest.records) if getattr(one.event, "id", "") == name)
        who = max(n for n in range(of) if isinstance(honest.records[n].event, Directed))
        return instead(honest.records, who, replace(honest.records[who].event, **fields))

    return forge


def batch_dropped(kind: type[Event], which: int = -1) -> Forgery:
    """An input and all that followed from it."""
    return lambda honest: without_batch(honest.records, kind, which)


def reworded(honest: MatchLog) -> Records:
    """Another text of the last note but one to a seat, also where it was ordered."""
    noted = index_of(honest.records, SeatNoted, -2)
    ordered = max(n for n in range(noted) if isinstance(honest.records[n].event, RulingOrdered))
    words = "Take your time."
    records = edited(honest.records, SeatNoted, -2, text=words)
    order = honest.records[ordered].event
    assert isinstance(order, RulingOrdered)
    return instead(records, ordered, replace(order, ruling=replace(order.ruling, text=words)))


PAUSED = 0
"""The place of the first public ruling, which one person gave."""

FORGERIES: dict[str, tuple[Forgery, tuple[Receiver, ...]]] = {
    "who ruled": (directed_of("paused", by="Gus"), (DIRECTOR,)),
    "that nobody's name is known": (directed_of("paused", by=None), (DIRECTOR,)),
    "by which key": (directed_of("paused", key_id="another"), (DIRECTOR,)),
    "who started": (changed(Directed, 0, by="Gus"), (DIRECTOR,)),
    "why": (changed(MatchRuled, PAUSED, reason="Nothing."), (0, 1, DIRECTOR)),
    "by which rule": (changed(MatchRuled, PAUSED, rule="R9"), (0, 1, DIRECTOR)),
    "why it was proposed": (changed(RulingProposed, 0, reason="Nothing."), (DIRECTOR,)),
    "by which rule it was proposed": (changed(RulingProposed, 0, rule="R9"), (DIRECTOR,)),
    "a sealed note dropped": (batch_dropped(SealedRuled), (DIRECTOR,)),
    "a seat's note dropped": (batch_dropped(SeatRuled, -2), (1, DIRECTOR)),
    "a seat's note reworded": (reworded, (1, DIRECTOR)),
    "a seat's last note dropped": (batch_dropped(SeatRuled, -1), (DIRECTOR,)),
    "the end dropped": (batch_dropped(MatchRuled, -1), (DIRECTOR,)),
}
"""The change, and those each of whose receipts alone show it."""

EVERY_FORGERY = pytest.mark.parametrize("name", FORGERIES)


@EVERY_FORGERY
@pytest.mark.parametrize(("rewinds", "end"), [(0, "void"), (1, "result"), (2, "result")])
def test_what_was_told_cannot_be_rewritten(name: str, rewinds: int, end: str) -> None:
    honest = log(rewinds, end)
    forge, detecting = FORGERIES[name]
    records = forge(honest)
    assert records != honest.records
    forged = rewritten(honest, records)
    assert verdict_on(forged)["finding"] is None, "whoever kept nothing cannot tell"
    for receiver in detecting:
        found = verdict_on(forged, saved_receipts(honest, receiver))
        assert found["finding"] == "receipts", receiver


@pytest.mark.parametrize("rewinds", [0, 1])
def test_without_its_end_a_match_reads_like_a_running_one_only_to_those_who_kept_nothing(
    rewinds: int,
) -> None:
    honest = log(rewinds, "void")
    forged = rewritten(honest, batch_dropped(MatchRuled, -1)(honest))
    assert dict(verdict_on(forged)["claims"])["receipts"] == "SEALED"
    last = saved_receipts(honest, DIRECTOR)[-1]
    assert verdict_on(forged, [last])["finding"] == "receipts"


@pytest.mark.parametrize("epoch", [0, 1, 2])
def test_the_seed_of_an_epoch_cannot_be_ground_once_a_receipt_was_given(epoch: int) -> None:
    """The operator waits for a seat's seed, and plays the match on from another of his own."""
    seeds = [1, 2, 3]

    def with_seed(seed: int) -> MatchLog:
        played = begun(*(seed if n == epoch else one for n, one in enumerate(seeds)))
        for number in range(2):
            played.rewound(f"rewind {number}").on()
        return played.ruled("end", RuleResult(a_result(2), "adjudicated")).log

    honest = with_seed(seeds[epoch])
    every = [said for said in saved_receipts(honest) if parse(read(said).text).seat != DIRECTOR]
    made = [one.index for one in honest.inputs() if one.receiver != DIRECTOR]
    given = (isinstance(honest.records[index].event, ClientSeedGiven) for index in made)
    own = [said for said, is_seed in zip(every, given, strict=True) if is_seed]
    assert len(own) == 3
    assert verdict_on(bundled(honest), own)["verdict"] == "PASS"
    for tried in range(10, 13):
        assert verdict_on(bundled(with_seed(tried)), [own[epoch]])["finding"] == "receipts"


# The key of what was seen.


def with_key(bundle: bytes, key: bytes | None) -> bytes:
    """The bundle, signed again, with another key of what was seen or without one."""
    parts = {name: part for name, part in unpack(bundle).items() if name != SEEN}
    return resigned(parts if key is None else {**parts, SEEN: key})


@pytest.mark.parametrize("audience", [PUBLIC_VIEWER, 0, MODERATOR])
def test_the_key_is_there_exactly_when_the_match_is_over(audience: Viewer) -> None:
    honest = log(1)
    over = bundled(honest, audience)
    end = next(n for n, one in enumerate(honest.records) if makes_over(one.event))
    running = bundled(log_of(honest.records[: end - 5], MATCH), audience)
    assert SEEN in unpack(over) and SEEN not in unpack(running)
    for missing_or_another in (None, bytes(32)) if audience == MODERATOR else (None,):
        assert verdict_on(with_key(over, missing_or_another))["finding"] == "receipts"
    assert verdict_on(with_key(running, bytes(32)))["finding"] == "receipts"
    assert verdict_on(with_key(over, b"short"))["finding"] == "container"


@pytest.mark.parametrize("field", ["nonce", "seen"])
def test_a_receipt_that_is_blinded_otherwise_is_of_another_log(field: str) -> None:
    honest = log(0)
    said = parse(read(saved_receipts(honest, 0)[-1]).text)
    other = replace(said, binding=replace(said.binding, **{field: bytes(32)}))
    assert verdict_on(bundled(honest), [RECEIPTS.sign(text(other))])["finding"] == "receipts"
