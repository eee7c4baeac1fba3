"""Judges one match: its rows, what follows from them by the rules, and what was made of them."""

from collections.abc import Iterator
from uuid import UUID

from domain.events import Event, Record
from domain.games import rules_of
from domain.match_events import MatchCreated
from domain.record_differences import RecordDiffers
from domain.rejudging import judged
from service.checking.findings import Finding, Judged, Unjudged
from service.checking.rows import Pause, Stopped, StreamRows
from service.checking.signatures import SignedLog
from service.event_store.reading import DAMAGED, StoreReader, StreamHead


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

    read = records()
    found = _judge_by_rules(match, read, rows)
    for _ in read:
        pass
    log.end(broken=rows.broken)
    # What the rules make of broken rows says nothing more.
    if rows.broken:
        found = Judged()
    findings = [*rows.findings, *found.findings, *log.findings]
    return Judged(
        matches=1,
        rows=rows.count,
        digests=head.digest is not None,
        checkpoints=log.checked,
        findings=findings,
        unjudged=found.unjudged,
    )


def _judge_by_rules(match: UUID, records: Iterator[Record[Event]], rows: StreamRows) -> Judged:
    """Decides every input once more, as far as the rules go along."""
    try:
        judged(str(match), records)
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
