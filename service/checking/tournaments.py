"""Judges one tournament: what came in gives what is recorded, by its rules, and each match counts
as its own record says."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from uuid import UUID

from domain.events import Numbered
from domain.match.replay import replayed
from domain.match.state import AnyGame, Match
from domain.proof.tournament_rejudging import TournamentJudge
from domain.tournament.events import MatchSettled, TournamentRuled
from service.checking.findings import Finding, Judged
from service.checking.rows import Pause, Stopped, StreamRows, read_records
from service.checking.signatures import SignedLog
from service.event_store.reading import DAMAGED, StoreReader, StreamHead


def judge_tournament(
    reader: StoreReader, tournament: UUID, head: StreamHead, pause: Pause
) -> Judged:
    """Judges a tournament as it was when its head was read. Its rounds are not paired again, which
    takes long: `arbiter verify` does that."""
    rows, log = StreamRows(reader, tournament, head, pause), SignedLog(tournament, head)
    matches: dict[str, tuple[AnyGame, Match]] = {}
    judge = TournamentJudge(str(tournament), lambda _: True, most_redrafted=0, matches=matches)
    for _, batch in groupby(_numbered(rows, log), lambda one: one.cause):
        pause()
        read = list(batch)
        matches.clear()
        for match in _counted(read):
            with_record = _replayed(reader, match, pause)
            if with_record is not None:
                matches[match] = with_record
        judge.take(read)
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


def _counted(batch: Sequence[Numbered]) -> Iterator[str]:
    """The matches on the records of which a batch depends."""
    for one in batch:
        if isinstance(one.event, MatchSettled | TournamentRuled) and one.event.match is not None:
            yield one.event.match


def _replayed(reader: StoreReader, match: str, pause: Pause) -> tuple[AnyGame, Match] | None:
    """A match by its record; None for a damaged one, which is found by itself."""
    try:
        return replayed(match, read_records(reader, UUID(match), pause))
    except (*DAMAGED, Stopped):
        raise
    except Exception:  # noqa: BLE001  see above
        return None
