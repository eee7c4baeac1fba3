"""Judges matches of which checkpoints were signed, after their store was restored or copied."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from secrets import SystemRandom
from uuid import UUID

from eventsourcing.persistence import PersistenceError

from domain.events import stored_name
from domain.log_events import CheckpointSigned
from service.checking.streams import judge_streams
from service.event_store.reading import StoreReader, reading
from service.event_store.recorder import NO_LIMIT
from service.event_store.store import paired_stream

PAGE = 1_000

SAMPLE = 100
"""Number of logs checked where not all of them are."""

MOST_NAMED = 10


class LogsAltered(PersistenceError):
    """Some logs do not extend the checkpoints that were signed of them."""

    def __init__(self, matches: list[UUID]) -> None:
        named = ", ".join(map(str, matches[:MOST_NAMED]))
        more = f" and {len(matches) - MOST_NAMED} more" if len(matches) > MOST_NAMED else ""
        super().__init__(f"these logs do not extend their signed checkpoints: {named}{more}")


def check_signed(
    store_env: Mapping[str, str], *, every: bool, on_checked: Callable[[], None]
) -> int:
    """Judges a sample of the signed logs, or every one; returns how many it judged. `on_checked` is
    called after each.

    Raises LogsAltered if anything is wrong with one. Blocks.
    """
    altered, count = [], 0
    with reading(store_env) as reader:
        for match in signed(reader) if every else sample(signed(reader), SAMPLE):
            if judge_streams(reader, [match.hex]).findings:
                altered.append(match)
            count += 1
            on_checked()
    if altered:
        raise LogsAltered(altered)
    return count


def signed(reader: StoreReader) -> Iterator[UUID]:
    """Every match with a signed checkpoint, in the order of the first one."""
    topics, position, known = [stored_name(CheckpointSigned)], 0, set[str]()
    while page := reader.select_log(position, NO_LIMIT, topics, PAGE):
        new = dict.fromkeys(stream for _, stream, _ in page if stream not in known)
        yield from (paired_stream(UUID(stream)) for stream in new)
        known.update(new)
        position = page[-1][0]


def sample(matches: Iterable[UUID], most: int) -> list[UUID]:
    """A uniform random sample of at most `most` of them."""
    rest, generator = iter(matches), SystemRandom()
    chosen = list(islice(rest, most))
    for seen, match in enumerate(rest, most + 1):
        if (index := generator.randrange(seen)) < most:
            chosen[index] = match
    return chosen
