"""Matches that are rewound, as they are recorded: with every event that a rewind can give."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from random import Random
from typing import Any

import msgspec

from domain.events import PUBLIC
from domain.game import Result
from domain.games.grouping_bw.actions import Group, NameStarter
from domain.match.commands import Act, GiveClientSeed
from domain.match.events import ActionReceived, Chance, DrawSettled, SealedDrawSettled
from domain.rulings.commands import ConsentToRuling, SecondRuling
from domain.rulings.events import MatchRuled, RewindOrdered, SealedReapplied
from domain.rulings.kinds import Change, Reapply, Redraw, ResumeMatch, Rewind, RuleResult
from tests.support.tables.directing import close_phase
from tests.support.tables.game_strategies import next_input
from tests.support.tables.match_table import MatchTable
from tests.support.tables.rewind_positions import last
from tests.support.tables.ruling_tables import FINN, rule

REWOUND: Mapping[str, tuple[str, Chance]] = {
    "rewound": ("grouping-bw", "server"),
    "redrawn": ("dollar-prize", "manual"),
    "reapplied": ("liars-dice", "manual"),
}
"""By the kind of recording: which game is rewound, and where its chance comes from."""

GROUPS = Group((0, 1), (2, 3, 4), (5, 6, 7, 8))
OTHERS = Group((7, 8), (0, 5, 6), (1, 2, 3, 4))


def _rewound(table: MatchTable, rng: Random) -> None:
    """A grouping in which a submission is struck and an early one admitted is opened again by a
    first rewind; a second one judges bets again, and a third one undoes the second."""
    early = _act(table, 1, GROUPS)
    _act(table, 0, NameStarter(0))
    wrong = _act(table, 0, OTHERS)
    _rewind(table, "sealed", Rewind(None, (Change(strike=wrong), Change(admit=early))))
    grouped = _act(table, 0, GROUPS)
    _go_on(table, rng, 3)
    _rewind(table, "opened again", _before(table, grouped, "while_legal"))
    table.when(GiveClientSeed(1, "new luck")).when(rule("resumed 1", ResumeMatch()))
    _act(table, 1, OTHERS)
    table.when(close_phase("set1/grouping"))
    _go_on(table, rng, 5)
    _rewind(table, "judged again", _before(table, _action(table, 3), "while_legal"), asked=True)
    judged = last(table, MatchRuled)
    table.when(rule("resumed 2", ResumeMatch()))
    _go_on(table, rng, 2)
    _rewind(table, "undone", Rewind(judged))
    table.when(rule("resumed 3", ResumeMatch()))
    _go_on(table, rng, 2)
    result = Result((0,), (1,), False, (1, 0))
    table.when(rule("end", RuleResult(result, "adjudicated"))).when(SecondRuling("end", FINN))


def _redrawn(table: MatchTable, rng: Random) -> None:
    """A draw that was mistyped, an action struck with the later ones judged again, both undone, and
    the draw once more; then the match is played to its end."""
    _go_on(table, rng, 2)
    first, drawn = last(table, ActionReceived), last(table, DrawSettled)
    _rewind(table, "mistyped", _redraw(table, drawn, "none"))
    redrawn = last(table, MatchRuled)
    table.when(rule("resumed 1", ResumeMatch()))
    _go_on(table, rng, 6)
    struck = Change(strike=_action(table, 4))
    _rewind(table, "struck", _before(table, first, "while_legal", struck), asked=True)
    table.when(rule("resumed 2", ResumeMatch()))
    _go_on(table, rng, 3)
    _rewind(table, "undone", Rewind(redrawn))
    table.when(rule("resumed 3", ResumeMatch()))
    _go_on(table, rng, 2)
    _rewind(table, "drawn again", _redraw(table, drawn, "while_legal"))
    table.when(rule("resumed 4", ResumeMatch()))
    while table.match.status == "running":
        _go_on(table, rng, 1)


def _reapplied(table: MatchTable, rng: Random) -> None:
    """All from the sealed draw on is judged again, that is undone, and the match is played to its
    end."""
    _go_on(table, rng, 3)
    drawn = last(table, SealedDrawSettled)
    _rewind(table, "judged again", _before(table, drawn, "while_legal"))
    table.when(rule("resumed 1", ResumeMatch()))
    _go_on(table, rng, 1)
    _rewind(table, "undone", _before(table, last(table, SealedReapplied), "while_legal"))
    table.when(rule("resumed 2", ResumeMatch()))
    while table.match.status == "running":
        _go_on(table, rng, 1)


PLAYED: Mapping[str, Callable[[MatchTable, Random], None]] = {
    "rewound": _rewound,
    "redrawn": _redrawn,
    "reapplied": _reapplied,
}
"""How each kind of recording goes on from its start."""


def _rewind(table: MatchTable, ruling_id: str, ruling: Rewind, *, asked: bool = False) -> None:
    """Rewinds the match: by one person, by two, or by consent of all seats if they are asked."""
    table.when(rule(ruling_id, ruling, ask_seats=asked))
    if table.match.rulings.waiting(ruling_id) is not None:
        if asked:
            for seat in table.seats:
                table.when(ConsentToRuling(ruling_id, seat))
        else:
            table.when(SecondRuling(ruling_id, FINN))
    assert any(isinstance(event, RewindOrdered) for event in table.new_events)


def _before(table: MatchTable, action: int, reapply: Reapply, *changes: Change) -> Rewind:
    """To before an action, by the first public event after it."""
    behind = enumerate(table.events[action:], action + 1)
    return Rewind(next(n for n, event in behind if event.audience == PUBLIC), changes, reapply)


def _redraw(table: MatchTable, drawn: int, reapply: Reapply) -> Rewind:
    """To before a draw of coins, which fell the other way."""
    settled = table.events[drawn - 1]
    assert isinstance(settled, DrawSettled)
    other = tuple("tails" if face == "heads" else "heads" for face in settled.outcome)
    return Rewind(drawn, (Change(redraw=Redraw(settled.id, other)),), reapply)


def _action(table: MatchTable, back: int) -> int:
    """The position of the action so many actions ago."""
    return [n for n, e in enumerate(table.events, 1) if isinstance(e, ActionReceived)][-back]


def _act(table: MatchTable, seat: int, action: Any) -> int:
    """The seat sends the action under a new key. Returns the action's position."""
    sent = msgspec.json.decode(msgspec.json.encode(action))
    fingerprint = sha256(msgspec.json.encode(sent, order="sorted")).digest()
    position = len(table.records) + 1
    table.when(Act(seat, action, sent, f"k{position}", fingerprint), table.at + 1)
    return position


def _go_on(table: MatchTable, rng: Random, count: int) -> None:
    """So many inputs that the match waits for, each in time."""
    for _ in range(count):
        at, command = next_input(table, rng, 0)
        if isinstance(command, Act):
            _act(table, command.seat, command.action)
        else:
            table.when(command, max(at, table.at))
        assert table.code is None
