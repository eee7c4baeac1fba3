"""Judges streams of a store, whatever they are; of a tournament, that what came in gives what is
recorded, by its rules, and that each match counts as its own record says."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from uuid import UUID

from domain.events import Event, Numbered, Record, stored_name
from domain.games import rules_of
from domain.match.events import MatchCreated
from domain.match.replay import replay
from domain.match.state import AnyGame, Match
from domain.proof.log_events import CheckpointSigned
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import rejudge
from domain.proof.tournament_rejudging import TournamentJudge
from domain.tournament.events import MatchSettled, TournamentCreated, TournamentRuled
from service.checking.cases import LISTED, judge_case, judge_list
from service.checking.findings import Finding, Judged, Unjudged
from service.checking.rows import Pause, Stopped, StreamRows, read_records
from service.checking.signatures import SignedLog
from service.event_store.reading import DAMAGED, UNANSWERED, StoreReader, StreamHead
from service.event_store.store import paired_stream


def judge_tournament(
    reader: StoreReader, tournament: UUID, head: StreamHead, pause: Pause
) -> Judged:
    """Judges a tournament as it was when its head was read. Its rounds are not paired again, which
    takes long: `arbiter verify` does that."""
    rows, log = StreamRows(reader, tournament, head, pause), SignedLog(tournament, head)
    matches: dict[str, tuple[AnyGame, Match]] = {}
    judge = TournamentJudge(str(tournament), lambda _: True, most_redrafted=0, matches=matches)
    for _, batch in groupby(_numbered(rows, log), lambda entry: entry.cause):
        pause()
        entries = list(batch)
        matches.clear()
        for match in _matches_of(entries):
            with_record = _replay(reader, match, pause)
            if with_record is not None:
                matches[match] = with_record
        judge.take(entries)
    log.end(broken=rows.broken)
    faults = [] if rows.broken else judge.faults.values()
    ledgers = [Finding("ledgers", why, str(tournament)) for why in faults]
    return Judged(
        tournaments=1,
        rows=rows.count,
        digests=head.digest is not None,
        checkpoints=log.checked,
        settlements=judge.judged[MatchSettled],
        findings=[*rows.findings, *ledgers, *log.findings],
    )


def _numbered(rows: StreamRows, log: SignedLog) -> Iterator[Numbered]:
    index = 0
    for page in rows.pages():
        log.add(page)
        for record in page.records:
            yield Numbered(index, index - record.back, record)
            index += 1


def _matches_of(batch: Sequence[Numbered]) -> Iterator[str]:
    """The matches on the records of which a batch depends."""
    for entry in batch:
        if (
            isinstance(entry.event, MatchSettled | TournamentRuled)
            and entry.event.match is not None
        ):
            yield entry.event.match


def _replay(reader: StoreReader, match: str, pause: Pause) -> tuple[AnyGame, Match] | None:
    """A match by its record; None for a damaged one, which is found by itself."""
    try:
        return replay(match, read_records(reader, UUID(match), pause))
    except (*DAMAGED, Stopped):
        raise
    except Exception:  # noqa: BLE001  see above
        return None


_SIGNED = stored_name(CheckpointSigned).encode()
_OF_TOURNAMENTS = f"{stored_name(TournamentCreated).partition('.')[0]}.".encode()
_OF_CASES = f"{LISTED.decode().partition('.')[0]}.".encode()


def judge_streams(reader: StoreReader, streams: Iterable[str]) -> Judged:
    """Judges each of the streams, given by their ids in hexadecimal. A stream of checkpoints is
    judged with its match."""
    judgement = Judged()
    for stream in streams:
        try:
            judgement.add(judge_stream(reader, UUID(stream), lambda: None))
        except ValueError:
            judgement.add(Judged(findings=[Finding("rows", f"no stream has this id: {stream!r}")]))
        except UNANSWERED as error:
            judgement.add(
                Judged(unjudged=[Unjudged(f"the database does not answer: {error}", stream)])
            )
        except DAMAGED as error:
            text = f"the database cannot read it: {error}"
            judgement.add(Judged(matches=1, findings=[Finding("rows", text, str(UUID(stream)))]))
    return judgement


def judge_stream(reader: StoreReader, stream: UUID, pause: Pause) -> Judged:
    """Judges a stream. Raises errors of the database, and Stopped."""
    head = reader.head(stream)
    first = reader.rows(stream, 0, head.last, 1)
    topic = first[0].row.topic if first else b""
    if topic == _SIGNED:
        # Checkpoints are judged with their match, if that is there.
        match = paired_stream(stream)
        return Judged() if reader.rows(match, 0, 2**62, 1) else _without_rows(match)
    if not first and not head.digest:
        return _without_rows(stream) if head.signed else Judged()
    if topic == LISTED:
        return judge_list(reader, stream, head, pause)
    if topic.startswith(_OF_CASES):
        return judge_case(reader, stream, head, pause)
    if topic.startswith(_OF_TOURNAMENTS):
        return judge_tournament(reader, stream, head, pause)
    return judge_match(reader, stream, head, pause)


def _without_rows(match: UUID) -> Judged:
    text = "checkpoints were signed of it, and none of its rows are there"
    return Judged(matches=1, findings=[Finding("gaps", text, str(match), 1)])


def judge_match(reader: StoreReader, match: UUID, head: StreamHead, pause: Pause) -> Judged:
    """Judges a match as it was when its head was read. It reads the rows once, and needs memory for
    a page of them and for the state of the match."""
    rows = StreamRows(reader, match, head, pause)
    log = SignedLog(match, head)

    def records() -> Iterator[Record[Event]]:
        for page in rows.pages():
            log.add(page)
            for record in page.records:
                pause()
                yield record

    record_iterator = records()
    judgement = _judge_by_rules(match, record_iterator, rows)
    for _ in record_iterator:
        pass
    log.end(broken=rows.broken)
    # What the rules make of broken rows says nothing more.
    if rows.broken:
        judgement = Judged()
    findings = [*rows.findings, *judgement.findings, *log.findings]
    return Judged(
        matches=1,
        rows=rows.count,
        digests=head.digest is not None,
        checkpoints=log.checked,
        findings=findings,
        unjudged=judgement.unjudged,
    )


def _judge_by_rules(match: UUID, records: Iterator[Record[Event]], rows: StreamRows) -> Judged:
    """Decides every input once more, as far as the rules go along."""
    try:
        rejudge(str(match), records)
    except RecordDiffers as differs:
        return _differs(match, differs.why, differs.index + 1)
    except (*DAMAGED, Stopped):
        raise
    except Exception as error:  # noqa: BLE001  what is no match may make any rules stumble
        if _needs_newer_rules(rows.first):
            return Judged(
                unjudged=[
                    Unjudged("its rules are not in this release: use a newer one", str(match))
                ]
            )
        return _differs(match, f"the rules fail on it: {type(error).__name__}", None)
    return Judged()


def _differs(match: UUID, why: str, position: int | None) -> Judged:
    return Judged(findings=[Finding("rules", why, str(match), position)])


def _needs_newer_rules(first: Event | None) -> bool:
    if not isinstance(first, MatchCreated):
        return False
    try:
        rules_of(first)
    except KeyError:
        return True
    return False
