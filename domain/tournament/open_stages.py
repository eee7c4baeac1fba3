"""The stages of a tournament in play: who takes part, and what a table still needs."""

from collections.abc import Iterator
from typing import NamedTuple

from domain.game import Refused
from domain.tournament.competition import (
    Competition,
    MatchTable,
    PublishedRound,
    Results,
    StageState,
    pairing_of,
    stage_of,
)
from domain.tournament.format import Format, Next, death_goes_on
from domain.tournament.formats import FORMATS
from domain.tournament.stages import DEATH, PlacesOf


class StageFacts(NamedTuple):
    """What the stages of a tournament are decided on: the stages, and how matches count."""

    competition: Competition
    results: Results


def numbered_stage(now: StageFacts, number: int) -> StageState:
    """A stage by its number. Raises Refused if there is none."""
    if not 1 <= number <= len(now.competition.stages):
        raise Refused("no_such_stage")
    return stage_of(now.competition, number)


def numbered_round(now: StageFacts, number: int, round_: int) -> PublishedRound:
    """A round of a stage by their numbers. Raises Refused if there is none."""
    rounds = numbered_stage(now, number).rounds
    if not 1 <= round_ <= len(rounds):
        raise Refused("no_such_round")
    return rounds[round_ - 1]


def open_stage(now: StageFacts) -> int:
    """The number of the last stage that is open, or else of the first that will be. Raises Refused
    if there is neither."""
    by_status = {
        status: [n for n, stage in enumerate(now.competition.stages, 1) if stage.status == status]
        for status in ("open", "planned")
    }
    numbers = [*by_status["open"][-1:], *by_status["planned"][:1]]
    if not numbers:
        raise Refused("no_such_stage")
    return numbers[0]


def opening_entrants(now: StageFacts, stage: StageState) -> tuple[int, ...]:
    """The players with whom a planned stage would open. Raises Refused."""
    people = now.competition.people
    active = [candidate for candidate, person in people.items() if not person.out]
    entrants = stage.settings.entrants
    if entrants == "all":
        return tuple(active)
    if isinstance(entrants, PlacesOf):
        source = numbered_stage(now, entrants.stage)
        if source.status != "closed":
            raise Refused("stage_not_closed")
        first, last = entrants.places
        entrants = source.places[first - 1 : last]
    return tuple(player for player in entrants if player in active)


def format_of(stage: StageState) -> Format:
    """The format of a stage."""
    return FORMATS[stage.settings.format]


def needs(now: StageFacts, number: int, round_: PublishedRound, table: MatchTable) -> Next:
    """What a table of a round still needs besides the matches that run."""
    if round_.status == "closed" or table.lots is not None:
        return None
    if any(match not in now.results for match in table.matches):
        return None
    if not table.matches:
        return "match"
    settings = stage_of(now.competition, number).settings
    pairing = pairing_of(table, now.results)
    if round_.show is not None and table.table == DEATH:
        return death_goes_on(settings, round_.show.plan.death.best_of, pairing)
    return FORMATS[settings.format].goes_on(settings, pairing)


def open_tables(now: StageFacts) -> Iterator[tuple[int, PublishedRound, MatchTable]]:
    """The tables of the rounds that are not closed, with the number of their stage."""
    for number, stage in enumerate(now.competition.stages, 1):
        for round_ in stage.rounds:
            if round_.status == "published":
                yield from ((number, round_, table) for table in round_.tables)


def to_start(now: StageFacts) -> list[str]:
    """The matches of open rounds that begin by themselves, whether or not they have begun: as they
    are created, or because all of their players are ready."""
    matches = []
    for number, _, table in open_tables(now):
        rule = stage_of(now.competition, number).settings.round
        for match in table.matches[-1:]:
            there = now.competition.ready.get(match, frozenset())
            ready = rule.start == "ready" and there.issuperset(table.players)
            if match not in now.results and (ready or rule.start == "at_once"):
                matches.append(match)
    return matches


def next_after(stage: StageState) -> int | None:
    """How many minutes after the close of its last round the next one of a stage is published by
    itself; None if it is not: someone says what is played in a show."""
    last = stage.rounds[-1] if stage.rounds else None
    minutes = stage.settings.round.next
    if stage.status != "open" or last is None or last.status != "closed" or minutes == "by_hand":
        return None
    return None if format_of(stage).episodes else minutes
