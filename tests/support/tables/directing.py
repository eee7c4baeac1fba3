"""The orders of whoever directs a match, where a test does not say who does."""

from collections.abc import Sequence
from typing import Any

from domain.events import Event
from domain.match.commands import ClosePhase, EnterDraw, Start
from domain.match.events import Directed
from domain.people import Actor
from domain.rulings.commands import Rule
from domain.rulings.events import MatchRuled, RulingOrdered
from domain.rulings.kinds import PauseMatch, ResumeMatch

DIRECTOR = Actor("the table", "key-of-the-table")
DIRECTED = Directed(DIRECTOR.by, DIRECTOR.key_id)
"""What stands right after each of these orders."""

START = Start(DIRECTOR)


def effect(events: Sequence[Event]) -> list[Event]:
    """What such an order does: its events without those that say who gave it."""
    said = (Directed, MatchRuled, RulingOrdered) if DIRECTED in events else ()
    return [event for event in events if not isinstance(event, said)]


def pause(ruling: str) -> Rule:
    """The match is paused, by a ruling with this id."""
    return Rule(ruling, PauseMatch(), "a break", DIRECTOR)


def resume(ruling: str) -> Rule:
    """The match goes on, by a ruling with this id."""
    return Rule(ruling, ResumeMatch(), "it goes on", DIRECTOR)


PAUSE, RESUME = pause("a-pause"), resume("a-resume")
"""Those of a match with one pause."""


def enter_draw(draw_id: str, outcome: tuple[Any, ...]) -> EnterDraw:
    return EnterDraw(draw_id, outcome, DIRECTOR)


def close_phase(phase: str | None = None) -> ClosePhase:
    """The end of a phase, by default of the one that is open."""
    return ClosePhase(phase, DIRECTOR)
