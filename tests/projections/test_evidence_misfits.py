"""Bundles that are well-formed and signed, of things that do not belong together: other seats'
openings, other matches' receipts, public events that are sealed, seats that there are not."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.checkpoints import Checkpoint
from domain.checkpoints import parsed as parsed_checkpoint
from domain.checkpoints import text as checkpoint_text
from domain.commands import Command, GiveClientSeed, Pause, Resume, Start
from domain.commitments import commitment, private_leaf, public_leaf
from domain.encoding import encode
from domain.events import PUBLIC, Event, Record
from domain.games import GAMES
from domain.match_events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    ClientSeedGiven,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchStarted,
)
from domain.match_state import fold
from domain.merkle import EMPTY
from domain.notes import Note, read, written
from domain.receipts import parsed, text
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.archive import packed
from projections.evidence.bundle import Log, opens, spelt_note, spelt_opening
from projections.evidence.case import Brought
from projections.evidence.verify import verify
from service.dealer import Hidden, SeedKept, commit_seed
from service.simulation import MATCH, SimulatedMatch
from tests.evidence import KEYS, RECEIPTS, SIGNER, STRANGER, bundled, log_of
from tests.projections.forging import (
    AUDIENCES,
    SHORT,
    apart,
    found,
    kept_checkpoint,
    kept_receipts,
    outcome,
    resigned,
    rewritten,
    short_bundle,
    short_log,
)

OTHER_MATCH = "019b76da-a800-7000-8000-000000000001"

EVERY_GAME = pytest.mark.parametrize("game", SHORT)
OPEN_GAMES = pytest.mark.parametrize("game", ["dollar-prize", "twelve-chips", "grouping-bw"])
"""Those whose record may be opened to the seats."""


def inserted(log: Log, event: Event, before: type[Event] | None = None) -> list[Record[Event]]:
    """The record with an event put in before the first one of a kind, or at the end."""
    records = log.records
    at = len(records)
    if before is not None:
        at = next(index for index, one in enumerate(records) if isinstance(one.event, before))
    return [*records[:at], Record(records[at - 1].at, event), *records[at:]]


def sealed(log: Log) -> list[int]:
    """Where the private events of a log are."""
    return [index for index, one in enumerate(log.records) if one.event.audience != PUBLIC]


def lines(log: Log, audience: Viewer = MODERATOR) -> dict[str, bytes]:
    """The leaves of a log, and the openings that an audience may have."""
    records, created = log.records, log.created
    seen = [index for index in sealed(log) if opens(audience, created, records[index].event)]
    return {
        "leaves": b"".join(leaf + b"\n" for leaf in log.leaves()),
        "openings": b"".join(spelt_opening(log.opening(index)) for index in seen),
    }


def closed(game: str) -> Log:
    """The log of a match whose record stays closed."""
    first, *rest = short_log(game).records
    assert isinstance(first.event, MatchCreated)
    return log_of([Record(first.at, replace(first.event, record="closed")), *rest])


# What an audience may not see.


@OPEN_GAMES
def test_another_seats_openings_fail_in_a_seats_bundle(game: str) -> None:
    own, other = apart(game, 0), apart(game, 1)
    assert found(resigned({**own, "openings": other["openings"]})) == "openings"
    assert found(resigned(own, audience=1)) == "openings"


@EVERY_GAME
def test_openings_fail_in_the_publics_bundle(game: str) -> None:
    whole = apart(game, MODERATOR)
    assert found(resigned({**whole, "receipts": b""}, audience=PUBLIC_VIEWER)) == "openings"


@EVERY_GAME
def test_a_sealed_event_opened_to_a_seat_fails(game: str) -> None:
    assert found(resigned(apart(game, MODERATOR), audience=0)) == "openings"


def test_under_a_closed_record_a_seats_own_openings_fail() -> None:
    log = closed("twelve-chips")
    parts = apart("twelve-chips", 0)
    assert verify(bundled(log, 0), Brought(KEYS)).finding is None
    opened = {**parts, "leaves": lines(log)["leaves"]}
    assert found(resigned(opened)) == "openings"
    assert found(resigned({**opened, "openings": b""})) == outcome(
        verify(bundled(log, 0), Brought(KEYS))
    )


@EVERY_GAME
def test_receipts_fail_in_the_publics_bundle(game: str) -> None:
    parts = {**apart(game, PUBLIC_VIEWER), "receipts": apart(game, MODERATOR)["receipts"]}
    assert found(resigned(parts)) == "receipts"


@OPEN_GAMES
def test_another_seats_receipts_fail_in_a_seats_bundle(game: str) -> None:
    parts = {**apart(game, 0), "receipts": apart(game, 1)["receipts"]}
    assert found(resigned(parts)) == "receipts"


@EVERY_GAME
def test_a_private_event_in_a_public_leaf_fails(game: str) -> None:
    log, parts = short_log(game), apart(game)
    leaves = parts["leaves"].splitlines(keepends=True)
    for index in sealed(log):
        line = public_leaf(MATCH, index, log.records[index].at, log.states[index]) + b"\n"
        changed = b"".join([*leaves[:index], line, *leaves[index + 1 :]])
        openings = b"".join(spelt_opening(log.opening(one)) for one in sealed(log) if one != index)
        assert found(resigned({**parts, "leaves": changed, "openings": openings})) == "openings"


@EVERY_GAME
def test_a_public_event_in_a_private_leaf_fails_where_it_is_opened(game: str) -> None:
    log, parts = short_log(game), apart(game)
    leaves = parts["leaves"].splitlines(keepends=True)
    for index in set(range(len(leaves))) - set(sealed(log)):
        opening = log.opening(index)
        line = private_leaf(MATCH, index, commitment(opening.salt, opening.event)) + b"\n"
        changed = b"".join([*leaves[:index], line, *leaves[index + 1 :]])
        opened = sorted([*sealed(log), index])
        openings = b"".join(spelt_opening(log.opening(one)) for one in opened)
        assert found(resigned({**parts, "leaves": changed, "openings": openings})) == "openings"


@EVERY_GAME
def test_a_leaf_of_another_time_than_its_event_fails(game: str) -> None:
    log, parts = short_log(game), apart(game)
    leaves = parts["leaves"].splitlines(keepends=True)
    for index in set(range(len(leaves))) - set(sealed(log)):
        line = public_leaf(MATCH, index, log.records[index].at + 1, log.states[index]) + b"\n"
        changed = b"".join([*leaves[:index], line, *leaves[index + 1 :]])
        assert found(resigned({**parts, "leaves": changed})) == "openings"


@EVERY_GAME
@pytest.mark.parametrize("salt", [b"", bytes(31), bytes(32), bytes(64)], ids=len)
def test_an_opening_with_another_salt_fails(game: str, salt: bytes) -> None:
    log, parts = short_log(game), apart(game)
    openings = parts["openings"].splitlines(keepends=True)
    openings[-1] = spelt_opening(replace(log.opening(sealed(log)[-1]), salt=salt))
    assert found(resigned({**parts, "openings": b"".join(openings)})) == "openings"


@EVERY_GAME
def test_an_opening_of_another_event_than_was_committed_to_fails(game: str) -> None:
    """One that the rules would not object to: the same action, under another key."""
    log, parts = short_log(game), apart(game)
    at = next(n for n, one in enumerate(log.records) if isinstance(one.event, ActionReceived))
    event = replace(log.records[at].event, key="another")
    opening = replace(log.opening(at), event=encode(Record(log.records[at].at, event)))
    told = [spelt_opening(opening if n == at else log.opening(n)) for n in sealed(log)]
    assert found(resigned({**parts, "openings": b"".join(told)})) == "openings"


# Seats, times and rules that there are not.


@EVERY_GAME
def test_a_bundle_for_a_seat_that_there_is_not_fails(game: str) -> None:
    assert found(resigned(apart(game, PUBLIC_VIEWER), audience=99)) == "openings"


@EVERY_GAME
@pytest.mark.parametrize("seat", [-1, 99, 2**40])
def test_a_private_event_for_a_seat_that_there_is_not_fails(game: str, seat: int) -> None:
    log = short_log(game)
    assert found(rewritten(log, inserted(log, ActionRefused(seat, "x"), MatchEnded))) == "openings"


@EVERY_GAME
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("seat", [-1, 99, 2**32, -(2**63)])
def test_a_client_seed_of_a_seat_that_there_is_not_fails(
    game: str, audience: Viewer, seat: int
) -> None:
    log = short_log(game)
    records = inserted(log, ClientSeedGiven(seat, "dice"), MatchStarted)
    parts = {**apart(game, audience), **lines(log_of(records), audience)}
    assert found(resigned(parts)) == "openings"


NO_DATE = 253_402_300_800_000_000
"""The first instant after the year 9999."""


@pytest.mark.parametrize("recorded", [False, True], ids=["received", "recorded"])
def test_a_receipt_for_a_time_that_no_calendar_has_fails(recorded: bool) -> None:
    log = short_log("together")
    told = kept_receipts(log)[-1]
    index = [one.index for one in log.submissions()][-1]
    kept, rest = log.records[:index], log.records[index:]
    first = rest[0].event
    assert isinstance(first, ActionReceived)
    if recorded:
        rest = [Record(rest[0].at, replace(first, recorded=NO_DATE)), *rest[1:]]
    else:
        rest = [Record(NO_DATE, one.event) for one in rest]
    changed = log_of([*kept, *rest])
    said = replace(parsed(read(told).text), commitment=changed.commitment(index))
    receipts = b"".join(map(spelt_note, [*kept_receipts(log)[:-1], RECEIPTS.signed(text(said))]))
    parts = {**apart("together"), **lines(changed), "receipts": receipts}
    assert found(resigned(parts)) == "openings"


@EVERY_GAME
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("fields", [{"game": "nim"}, {"rules_version": 999}], ids=str)
def test_rules_that_nobody_knows_fail(game: str, audience: Viewer, fields: dict[str, Any]) -> None:
    assert found(resigned(apart(game, audience), **fields)) == "openings"
    first = short_log(game).records[0]
    unknown = log_of([Record(first.at, replace(first.event, **fields))])
    assert found(bundled(unknown, audience)) == "rules"


def test_a_kind_of_record_that_the_game_does_not_allow_fails() -> None:
    """Who voted for whom in Together We Survive is never opened."""
    log = short_log("together")
    first, *rest = log.records
    opened = [Record(first.at, replace(first.event, record="opened_at_end")), *rest]
    assert found(rewritten(log, opened)) == "rules"


# Receipts.


def test_another_matchs_receipts_fail() -> None:
    other = log_of(short_log("together").records, OTHER_MATCH)
    notes = kept_receipts(other)
    parts = apart("together")
    assert found(packed(parts), receipts=notes[:1]) == "receipts"
    receipts = b"".join(map(spelt_note, notes))
    assert found(resigned({**parts, "receipts": receipts})) == "receipts"


@EVERY_GAME
def test_a_receipt_for_what_nobody_submitted_fails(game: str) -> None:
    log = short_log(game)
    said = parsed(read(kept_receipts(log)[-1]).text)
    for index in sealed(log):
        if not isinstance(log.records[index].event, ActionReceived):
            note = RECEIPTS.signed(text(replace(said, commitment=log.commitment(index))))
            assert found(short_bundle(game), receipts=[note]) == "receipts", index


# Checkpoints.


def test_a_kept_checkpoint_of_another_match_fails() -> None:
    """Though its tree is the same as it would be here."""
    said = parsed_checkpoint(read(kept_checkpoint(short_log("together"))).text)
    for match, claim in ((MATCH, ""), (OTHER_MATCH, "checkpoints")):
        note = SIGNER.signed(checkpoint_text(replace(said, match=match)))
        assert found(short_bundle("together"), checkpoints=[note]) == claim


@pytest.mark.parametrize("size", [0, 1, 99])
def test_a_kept_checkpoint_of_another_size_fails(size: int) -> None:
    said = parsed_checkpoint(read(kept_checkpoint(short_log("together"))).text)
    note = SIGNER.signed(checkpoint_text(replace(said, size=size)))
    assert found(short_bundle("together"), checkpoints=[note]) == "checkpoints"


def test_a_kept_checkpoint_of_nothing_is_of_the_beginning_of_everything() -> None:
    note = SIGNER.signed(checkpoint_text(Checkpoint(MATCH, 0, EMPTY)))
    assert found(short_bundle("together"), checkpoints=[note]) == ""


# Keys.


def test_each_key_signs_what_it_is_for() -> None:
    log = short_log("together")
    parts = apart("together")
    by_other = {
        name: RECEIPTS.signed(read(parts[name].decode()).text).encode()
        for name in ("manifest", "checkpoint")
    }
    for name, note in by_other.items():
        assert found(packed({**parts, name: note})) == "signatures"
    checkpoint = RECEIPTS.signed(read(kept_checkpoint(log)).text)
    assert found(packed(parts), checkpoints=[checkpoint]) == "checkpoints"
    receipt = SIGNER.signed(read(kept_receipts(log)[0]).text)
    assert found(packed(parts), receipts=[receipt]) == "receipts"


def test_a_stranger_by_the_same_name_signs_nothing() -> None:
    parts = apart("together")
    text = read(parts["manifest"].decode()).text
    (strange,) = read(STRANGER.signed(text)).signatures
    claimed = replace(strange, key_id=SIGNER.verifier.key_id)
    for signature in (strange, claimed):
        note = written(Note(text, (signature,))).encode()
        assert found(packed({**parts, "manifest": note})) == "signatures"


@pytest.mark.parametrize("audience", AUDIENCES)
def test_without_keys_nothing_passes(audience: Viewer) -> None:
    bundle = short_bundle("twelve-chips", audience)
    assert outcome(verify(bundle, Brought([]))) == "signatures"
    assert outcome(verify(bundle, Brought([RECEIPTS.verifier]))) == "signatures"
    assert outcome(verify(bundle, Brought([STRANGER.verifier]))) == "signatures"
    without = verify(bundle, Brought([SIGNER.verifier]))
    assert without.finding is None
    assert without.verdict == "SEALED"


# What cannot have happened, in public.

AFTER = (
    MatchStarted(),
    MatchPaused(),
    AwaitingChanged((0,)),
    short_log("twelve-chips").records[-2].event,
)


@pytest.mark.parametrize("event", AFTER, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize(
    "audience",
    [MODERATOR, PUBLIC_VIEWER, 0],
)
def test_after_the_end_nothing_public_happens_but_that_seeds_are_revealed(
    audience: Viewer, event: Event
) -> None:
    log = short_log("twelve-chips")
    assert isinstance(AFTER[-1], MatchEnded)
    said = found(rewritten(log, inserted(log, event), audience))
    assert said == ("rules" if audience == MODERATOR else "result")


# What the service would not have let in.


class Played(SimulatedMatch):
    """A match into which commands can be let that the service would not let in."""

    def __init__(self, game: str = "dollar-prize") -> None:
        luck, options = SHORT[game]
        super().__init__(GAMES[game], GAMES[game].seats[0], options, luck)

    def taken(self, *commands: Command) -> "Played":
        for command in commands:
            self.take(command, self.at)
        return self

    def ended(self) -> str:
        """What the verifier says of the match, played to its end."""
        while self.match.status == "running":
            self.step()
        return found(bundled(log_of(self.records)))


def test_a_match_into_which_commands_are_let_passes() -> None:
    assert Played().taken(GiveClientSeed(0, "x" * 64), Start(), Pause(), Resume()).ended() == ""


@pytest.mark.parametrize("seed", ["x" * 65, "\N{EM DASH}" * 22])
def test_a_client_seed_of_more_than_64_bytes_fails(seed: str) -> None:
    table = Played()
    given = Record[Event](table.at, ClientSeedGiven(0, seed))
    table.match = fold(table.game, table.match, [given.event])
    table.records.append(given)
    assert table.taken(Start()).ended() == "rules"


def test_a_new_seed_in_the_middle_of_a_match_without_a_rewind_fails() -> None:
    """Who does not like the draws to come would pause, and go on with better ones: the seats,
    whose seeds were to keep him from it, have added nothing to the new epoch."""
    table = Played().taken(GiveClientSeed(0, "dice"), GiveClientSeed(1, "bones"), Start())
    for _ in range(20):
        table.step()
    (kept,) = table.hidden.seeds
    better = SeedKept(1, bytes(32), kept.salts)
    table.hidden = Hidden(b"", (kept, better))
    table.taken(Pause(), commit_seed(MATCH, table.created, better), Resume())
    assert table.ended() in ("chance", "rules")
