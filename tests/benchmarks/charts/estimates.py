"""Estimates for larger machines than the measured one: in words, with the arithmetic."""

from string import Template
from textwrap import fill

from projections.audience_projection import BYTES_A_POSITION
from projections.audience_projections import LINE_BYTES, PROJECTION_BYTES, TEXT_FACTOR
from service.application.loaded_match import ANSWER_BYTES
from service.application.match_session import MATCH_BYTES
from service.settings import MIB
from tests.benchmarks.charts.figures import Figures

ROWS = 3.7
"""Rows that an action leaves in a match of Dollar Prize that is played with pennies."""

READ = 0.8
"""Rows of an action that the read models read: whom the match waits for next."""

SIGNING = 35
"""Microseconds of the signature of a receipt."""

NOTIFIED = 2
"""Microseconds in which a worker handles the notification of a match; measured separately."""

WRITTEN = 50
"""Microseconds per stream reader and notification: 3 to write a line, measured separately; the rest
is what the server and the system are assumed to take to send it."""

READERS = 10
USUAL = 1_000
"""Number of open matches of the quoted figures, or the largest measured number below it."""

EVENTS = 60
ACTIONS, SEATS, STORED = 16, 2, 120
"""Of a match whose memory is estimated: as many as in a typical finished match, and the bytes that
an event takes in the store."""

WIDTH = 100

_TEXT = Template("""\
Written by `python -m tests.benchmarks.charts.drawing` from `figures.json`. An *estimate* has not
been measured; it is arithmetic with measured figures and with the stated assumptions.

The figures are those of $cores cores, on which the server, the database, Redis and the senders of
requests run side by side. They show what one action costs, and that it costs the same at every
size. They do not show what several workers do together, because the workers would only take turns;
nor a network between them and the database; nor several stores with a disk for each.

**One process is one interpreter with one thread that writes.** With $matches open matches on
PostgreSQL it acknowledges $rate actions a second over HTTP. Of the $each µs that each takes,
$engine are the engine's, including its share of the commits; about $signing are the signature of
the receipt; the rest is HTTP. Once the database and the senders have cores of their own, a further
core changes nothing; a faster core helps in proportion.

**Several workers on one PostgreSQL share one lock.** Positions in the log are in the order of
commit, so one transaction inserts at a time. It is one message: the lock is never held while the
database waits for a worker. The limit of all workers together is the number of rows that the
database inserts. At $row µs a row, 100 actions in a transaction, that is $rows rows a second, and
an action leaves $left. *Estimate*: $rows / $left = $bound actions a second, which needs $bound /
$rate = $workers workers, if each has a core to itself, and the database has some, too. The
microseconds of a row are those of a transaction of 400 rows, including its way to the disk: with
fewer actions in it a row costs more, but the longer workers wait for the lock, the more actions
share a transaction. Above the limit more workers serve more readers, and nothing else.

**Several workers have more matches in memory.** By default a worker reserves $room MiB for the
matches used last (`ARBITER_MATCH_MEMORY`); all others are read again on their next use. A match of
$events events takes about $taken KiB. *Estimate*: that is $kept matches. Where requests are routed
by match, every worker has matches of its own.

**Several stores multiply the limit.** Each has a database, a log and a lock of its own. *Estimate*:
two stores on two machines record 2 times $bound = $doubled actions a second. A tournament is in one
of them: a single tournament has no more than $bound.

**The read models** follow the log at $read events a second and read $read_left of the $left rows of
an action. *Estimate*: they keep up with $read / $read_left = $followed actions a second in a
store. Beyond that lists and standings come later; no action waits for them.

**Redis notifies** workers of the matches with new events: a worker sends one message for all
matches that have grown while the previous message was on its way, and every worker receives each of
them, at about $heard µs a match. *Estimate*: at the limit each worker is notified of $bound matches
a second, $heard_share % of its interpreter. That share is the same for any number of workers; Redis
sends that many times as much.

**Stream readers** at one worker share one read of the database whenever another worker has recorded
events of their match; the lines are made once for each audience and written to each of them.
*Estimate*: at $written µs for each, $readers readers of a match cost a worker $readers times
$written = $all µs an action, $times times what the action itself costs. They may read at another
worker than the one that plays the match: workers can be added for readers alone, until their reads
are more than the database can serve.

**Signing** takes about $signing µs of an interpreter for each action, $signed % of a worker at
$rate actions a second. It grows with the workers and shares nothing.
""")


def text(figures: Figures) -> str:
    """The words, with the figures of PostgreSQL."""
    matches = max(count for count in figures.measured.plan.matches if count <= USUAL)
    rate, engine, row, read = (
        _of(figures, panel, matches) for panel in ("acting", "engine", "recording", "following")
    )
    bound = 1e6 / row / ROWS
    audiences = SEATS + 2
    lines = EVENTS * (LINE_BYTES + TEXT_FACTOR * STORED + audiences * BYTES_A_POSITION)
    taken = MATCH_BYTES + ACTIONS * ANSWER_BYTES + audiences * PROJECTION_BYTES + lines
    words = _TEXT.substitute(
        cores=figures.measured.cores,
        matches=f"{matches:,}",
        rate=f"{rate:,.0f}",
        each=f"{1e6 / rate:,.0f}",
        engine=f"{engine:,.0f}",
        row=f"{row:.1f}",
        rows=f"{1e6 / row:,.0f}",
        left=ROWS,
        bound=f"{bound:,.0f}",
        workers=f"{bound / rate:.1f}",
        room=figures.measured.room,
        events=EVENTS,
        taken=taken // 1024,
        kept=f"{figures.measured.room * MIB // taken:,}",
        doubled=f"{2 * bound:,.0f}",
        read=f"{read:,.0f}",
        read_left=READ,
        followed=f"{read / READ:,.0f}",
        heard=NOTIFIED,
        heard_share=f"{bound * NOTIFIED / 1e4:.1f}",
        written=WRITTEN,
        readers=READERS,
        all=f"{READERS * WRITTEN:,}",
        times=f"{READERS * WRITTEN * rate / 1e6:.1f}",
        signing=SIGNING,
        signed=f"{rate * SIGNING / 1e4:.0f}",
    )
    paragraphs = [fill(paragraph, WIDTH) for paragraph in words.split("\n\n")]
    return "# What the charts do not show\n\n" + "\n\n".join(paragraphs) + "\n"


def _of(figures: Figures, panel: str, matches: int) -> float:
    (found,) = (
        point.median
        for point in figures.points
        if (point.panel, point.over, point.line) == (panel, "matches", "PostgreSQL")
        and point.size == matches
    )
    return found
