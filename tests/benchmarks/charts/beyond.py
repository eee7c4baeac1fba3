"""What the figures lead one to expect of larger machines than that on which they were measured: in
words, with the arithmetic."""

from string import Template
from textwrap import fill

from service.application.loaded_match import ANSWER_BYTES, READER_BYTES, RECORD_BYTES
from service.application.match_session import MATCH_BYTES
from service.settings import MIB
from tests.benchmarks.charts.figures import Figures

ROWS = 3.7
"""So many an action leaves in a match of Dollar Prize that is played with pennies."""

READ = 0.8
"""So many of them the read models read: whom the match waits for next."""

SIGNING = 35
"""Microseconds of the signature of a receipt."""

HEARD = 2
"""Microseconds that a worker takes to hear that a match has news; timed by itself."""

WRITTEN = 50
"""Microseconds that a reader of a stream takes at each piece of news: 3 to write a line out, timed
by itself; the rest is what the server and the system are assumed to take to send it."""

READERS = 10
USUAL = 1_000
"""Open matches of which the figures are taken, or as many as were measured."""

EVENTS = 60
ACTIONS, SEATS = 16, 2
"""Of a match, to say what memory it takes: as many as in many a finished one."""

WIDTH = 100

_TEXT = Template("""\
Written by `python -m tests.benchmarks.charts.drawing` from `figures.json`. What is called an
*estimate* has not been measured; it is arithmetic with figures that have been, and with assumptions
that are named.

The figures are those of $cores cores, on which the server, the database, Redis and whoever sends
requests run side by side. That shows what one action costs, and that it costs the same at every
size. It cannot show what several workers do together, for they would only take turns; nor a
network between them and the database; nor several stores with a disk for each.

**One process is one interpreter, and one thread that writes.** With $matches open matches on
PostgreSQL it acknowledges $rate actions a second over HTTP. Of the $each µs that each takes,
$engine are the engine's, its share of the commits included; about $signing are the signature of the
receipt; the rest is HTTP. Another core does not change that once the database and the senders have
theirs, a faster one does, in proportion.

**More workers on one PostgreSQL share one lock.** Numbers of the log are in the order of commit, so
one transaction inserts at a time. It is one message: while a worker is waited for, nobody holds the
lock. What bounds all workers together is the rows that the database takes. At $row µs a row, 100
actions in a transaction, that is $rows rows a second, and an action leaves $left. *Estimate*:
$rows / $left = $bound actions a second, for which it takes $bound / $rate = $workers workers, if
each has a core to itself, and the database some, too. The microseconds of a row are those of a
transaction of 400 rows, its way to the disk included: with fewer actions in it a row costs more,
but the longer workers wait for the lock, the more share a transaction. Behind the bound more
workers serve more readers, and nothing else.

**More workers keep more matches in memory.** One gives $room MiB to those used last, unless it is
told otherwise (`ARBITER_MATCH_MEMORY`); of more, each is read again when its turn comes. A match of
$events events takes about $taken KiB. *Estimate*: that is $kept of them. Where requests are routed
by match, every worker has matches of its own.

**More stores multiply the bound.** Each has a database, a log and a lock of its own. *Estimate*:
two stores on two machines take 2 times $bound = $doubled actions a second. A tournament lies in one
of them: a single tournament has no more than $bound.

**The read models** follow the log at $read events a second and read $read_left of the $left rows of
an action. *Estimate*: they keep up with $read / $read_left = $followed actions a second in a
store. Beyond that lists and standings come later; nobody who acts waits for them.

**Redis hands on** which matches have news: a worker sends one message for all that have grown while
the one before was on its way, and every worker hears each of them, at about $heard µs a match.
*Estimate*: at the bound each worker hears of $bound matches a second, $heard_share % of its
interpreter. That share is the same however many workers there are; what Redis sends is theirs times
as much.

**Readers of streams** at one worker share one look at the database whenever their match has news;
then every one of them is sent his own lines. *Estimate*: at $written µs for each, $readers readers
of a match cost a worker $readers times $written = $all µs an action, $times times what the action
itself costs. They need not be where the match is played: workers can be added for readers alone,
until their looks are more than the database has room for.

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
    taken = MATCH_BYTES + EVENTS * RECORD_BYTES + ACTIONS * ANSWER_BYTES + SEATS * READER_BYTES
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
        heard=HEARD,
        heard_share=f"{bound * HEARD / 1e4:.1f}",
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
