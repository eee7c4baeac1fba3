"""Random matches with rewinds of every kind, between inputs and other rulings."""

from collections.abc import Iterator
from contextlib import suppress
from random import Random

from msgspec.structs import replace

from domain.chance.draws import PartOutcome
from domain.events import PUBLIC
from domain.games import GAMES
from domain.match.commands import Act, Command, Conflict, GiveClientSeed, IssueKey
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    Chance,
    ClockRule,
    DrawSettled,
    SealedDrawSettled,
    SubmissionInvalid,
)
from domain.match.live import SUBMITS
from domain.rulings.commands import ConsentToRuling, SecondRuling
from domain.rulings.decide import next_unmoved
from domain.rulings.kinds import Change, Reapply, Redraw, ResumeMatch, Rewind
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import any_refusable, as_sent, next_input
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.ruling_tables import (
    EVE,
    FINN,
    ended_by_ruling,
    pass_all,
    pass_time,
    rule,
    ruling_step,
)

RECENT = 30
"""How far back most rewinds go, in events: otherwise a random match would not get on."""

TURNED_DOWN = (ActionRefused, SubmissionInvalid)
DRAWN = (DrawSettled, SealedDrawSettled)


def rewound_walk(name: str, seats: int, luck: int, length: int = 60) -> Iterator[MatchTable]:
    """A random match with rewinds, refused actions and other rulings, at each position: this many
    steps at most, and then a ruling that ends it."""
    rng = Random(f"rewinds/{name}/{seats}/{luck}")
    table = _created(name, seats, rng)
    yield table.when(START)
    for _ in range(length):
        yield from _step(table, rng)
        if table.match.over:
            return
    yield from ended_by_ruling(table, rng)


def _created(name: str, seats: int, rng: Random) -> MatchTable:
    game = GAMES[name]
    chance: Chance = rng.choice(("server", "manual"))
    clock: ClockRule = rng.choice(("rules", "none"))
    usual = seated(game, seats, chance=chance, clock=clock).match.created
    people = rng.choice(("two", "single"))
    return MatchTable(game, replace(usual, record=game.records[0], rulings=people))


def _step(table: MatchTable, rng: Random) -> Iterator[MatchTable]:
    """Something happens, if the match is in a position for it. What was resumed with no time left
    ends first."""
    pass_time(table, table.at)
    if table.match.over:
        yield table
        return
    which = rng.random()
    if which < 0.05:
        yield from ruling_step(table, rng)
    elif which < 0.2:
        yield from _rewound(table, rng)
    elif table.match.status == "paused" and which < 0.6:
        yield from _carried_out(table, ResumeMatch(), rng)
    elif which < 0.35 or table.match.status == "paused":
        with suppress(Conflict):
            yield table.when(_another(table, rng))
    else:
        at, command = next_input(table, rng)
        pass_all(table, at, next_unmoved)
        yield table.when(command, at)


def _another(table: MatchTable, rng: Random) -> Command:
    """An action that the rules refuse, a client's seed, or a key."""
    seat, fresh = rng.choice(table.seats), f"key-{len(table.records)}"
    running = table.match.status == "running"
    action = any_refusable(table, seat, rng) if running and rng.random() < 0.8 else None
    if action is not None:
        return Act(seat, action, as_sent(action), fresh)
    if rng.random() < 0.5:
        return GiveClientSeed(seat, fresh)
    return IssueKey(fresh, seat, None, EVE)


def _rewound(table: MatchTable, rng: Random) -> Iterator[MatchTable]:
    changed = _in_open_phase(table, rng) if rng.random() < 0.3 else None
    yield from _carried_out(table, changed or any_rewind(table, rng), rng)


def _carried_out(
    table: MatchTable, ruling: Rewind | ResumeMatch, rng: Random
) -> Iterator[MatchTable]:
    """A ruling, if it fits: by one person, by two, or by consent of all seats."""
    ruling_id = f"ruling at {len(table.records)}"
    asked = rng.random() < 0.3 and not (isinstance(ruling, Rewind) and ruling.in_open_phase)
    with suppress(Conflict):
        yield table.when(rule(ruling_id, ruling, ask_seats=asked))
        if table.match.rulings.waiting(ruling_id) is None:
            return
        givers = table.seats if asked else ()
        for seat in givers:
            yield table.when(ConsentToRuling(ruling_id, seat))
        if not asked:
            yield table.when(SecondRuling(ruling_id, FINN))


def any_rewind(table: MatchTable, rng: Random) -> Rewind:
    """To before any public event, mostly a recent one; perhaps with a change."""
    first = max(0, len(table.records) - RECENT) if rng.random() < 0.8 else 0
    public = [n for n, e in enumerate(table.events[first:], first + 1) if e.audience == PUBLIC]
    before = rng.choice(public or [1])
    reapply: Reapply = rng.choice(("none", "while_legal"))
    count = rng.choice((0, 0, 1, 2))
    changes = [_change(table, before, rng) for _ in range(count)]
    return Rewind(before, tuple(one for one in changes if one is not None), reapply)


def _in_open_phase(table: MatchTable, rng: Random) -> Rewind | None:
    """A strike or an admission without a rewind, if there is anything to change."""
    change = _strike(table, 1, rng) if rng.random() < 0.7 else _admission(table, rng)
    return None if change is None else Rewind(None, (change,))


def _change(table: MatchTable, before: int, rng: Random) -> Change | None:
    which = rng.random()
    if which < 0.4:
        return _redraw(table, before, rng)
    return _strike(table, before, rng) if which < 0.7 else _admission(table, rng)


def _redraw(table: MatchTable, before: int, rng: Random) -> Change | None:
    """Another outcome for a draw that is undone."""
    drawn = [event for event in table.events[before - 1 :] if isinstance(event, DRAWN)]
    if not drawn:
        return None
    settled = rng.choice(drawn)
    other = tuple(_other(part, rng) for part in settled.outcome)
    return Change(redraw=Redraw(settled.id, other))


def _other(part: PartOutcome, rng: Random) -> PartOutcome:
    if isinstance(part, tuple):
        return tuple(rng.sample(part, len(part)))
    if isinstance(part, int):
        return rng.randint(1, part)
    return rng.choice(("heads", "tails"))


def _strike(table: MatchTable, before: int, rng: Random) -> Change | None:
    places = range(before, len(table.records) + 1)
    acted = [n for n in places if isinstance(table.events[n - 1], SUBMITS)]
    return Change(strike=rng.choice(acted)) if acted else None


def _admission(table: MatchTable, rng: Random) -> Change | None:
    """Of an action that was refused or found invalid."""
    turned_down = [
        n
        for n in range(1, len(table.records))
        if isinstance(table.events[n - 1], ActionReceived)
        and isinstance(table.events[n], TURNED_DOWN)
    ]
    return Change(admit=rng.choice(turned_down)) if turned_down else None
