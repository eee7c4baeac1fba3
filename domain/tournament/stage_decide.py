"""What follows from a command on the stages of a tournament (/docs/tournaments)."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from domain.events import HOUR, Event, later
from domain.game import Refused
from domain.tournament.away import move_ends
from domain.tournament.competition import PublishedRound, history_of, meetings, stage_of
from domain.tournament.format import reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.history import Draft, History, inputs_of, order_by_lots
from domain.tournament.lots import draw_lots
from domain.tournament.open_stages import (
    StageFacts,
    format_of,
    numbered_round,
    numbered_stage,
    open_tables,
    opening_entrants,
)
from domain.tournament.player_decide import PLAYER_DECIDERS
from domain.tournament.show import choose, open_choice
from domain.tournament.stage_commands import (
    AddStage,
    ChangeStage,
    ChooseOpponent,
    CloseStage,
    CloseTournament,
    DrawLots,
    ExtendRound,
    MoveEnds,
    OpenChoice,
    PublishRound,
    StageCommand,
    WithdrawRound,
)
from domain.tournament.stage_events import (
    RoundExtended,
    RoundPublished,
    RoundWithdrawn,
    StageAdded,
    StageChanged,
    StageClosed,
    StageOpened,
    TournamentClosed,
)
from domain.tournament.stages import MOST_ROUNDS, MOST_STAGES, EpisodePlan, PlacesOf, Stage

ShowPlan = EpisodePlan | UnsetType


def decide_stage(now: StageFacts, command: StageCommand) -> list[Event]:
    """The events that a command on the stages gives. Raises Refused."""
    if now.competition.champions is not None:
        if isinstance(command, CloseTournament):
            return []
        raise Refused("tournament_closed")
    return _DECIDERS[type(command)](now, command)


def planned_history(now: StageFacts, number: int, show: ShowPlan = UNSET) -> History:
    """The history from which the next round of a stage, in a `show` with this plan, would be
    drafted now. Raises Refused."""
    stage = numbered_stage(now, number)
    opening = opening_entrants(now, stage) if stage.status == "planned" else None
    history = history_of(now.competition, number, now.results, opening)
    return replace(history, show=show)


def check_round(now: StageFacts, number: int, *, overlap: bool) -> None:
    """Raises Refused unless a further round of a stage could be published."""
    stage = numbered_stage(now, number)
    if stage.status == "closed":
        raise Refused("stage_closed")
    if len(stage.rounds) >= MOST_ROUNDS:
        raise Refused("too_many_rounds", f"a stage has at most {MOST_ROUNDS} rounds")
    overlap = overlap and not format_of(stage).episodes
    if not overlap and any(round_.status == "published" for round_ in stage.rounds):
        raise Refused("round_open")
    if stage.status == "planned":
        entrants = opening_entrants(now, stage)
        format_of(stage).check(stage.settings, len(entrants))


def check_show(now: StageFacts, number: int, show: ShowPlan, *, by_hand: bool) -> None:
    """Raises Refused unless a round says what is played exactly where its format needs that."""
    episodes = format_of(numbered_stage(now, number)).episodes
    if episodes != (show is not UNSET) or (episodes and by_hand):
        text = (
            "each round of a show has a `main` match and no `pairings`; other rounds have neither"
        )
        raise Refused("settings_do_not_fit", text)


def check_by_hand(history: History, draft: Draft) -> None:
    """Raises Refused unless a round by hand is complete and has no one twice."""
    players = [player for entrant in draft.pairings for player in entrant.players]
    players += [bye.player for bye in draft.byes]
    for player in players:
        if players.count(player) > 1:
            raise Refused("paired_twice", f"player {player} is named more than once")
    here = {entrant.player for entrant in history.entrants if entrant.presence != "out"}
    for player in players:
        if player not in here:
            raise Refused("player_not_active", f"player {player} does not take part")
    must_play = here.intersection(FORMATS[history.stage.format].left(history))
    for player in sorted(must_play.difference(players)):
        raise Refused("not_paired", f"player {player} has neither a table nor a bye")
    sizes = (history.stage.seats, max(2, history.stage.seats - 1))
    for pairing in draft.pairings:
        if len(pairing.players) not in sizes:
            raise Refused("wrong_table_size", f"table {pairing.table} has {len(pairing.players)}")


# The deciders.


def _add(now: StageFacts, command: AddStage) -> list[Event]:
    if len(now.competition.stages) >= MOST_STAGES:
        raise Refused("too_many_stages")
    _check_settings(now, command.settings, len(now.competition.stages))
    return [StageAdded(stage=len(now.competition.stages) + 1, **asdict(command.settings))]


def _change(now: StageFacts, command: ChangeStage) -> list[Event]:
    stage = numbered_stage(now, command.stage)
    if stage.rounds:
        raise Refused("stage_begun")
    _check_settings(now, command.settings, command.stage - 1)
    if stage.settings == command.settings:
        return []
    return [StageChanged(stage=command.stage, **asdict(command.settings))]


def _check_settings(now: StageFacts, settings: Stage, before: int) -> None:
    form = FORMATS.get(settings.format)
    if form is None:
        raise Refused("unknown_format", f"known formats: {', '.join(FORMATS)}")
    if (settings.match.game is None) != form.episodes:
        raise Refused("settings_do_not_fit", "a stage has a game, unless it is a show")
    if settings.seats not in form.seats:
        low, high = form.seats[0], form.seats[-1]
        raise Refused("settings_do_not_fit", f"a table of {form.id} has {low} to {high} seats")
    if isinstance(settings.entrants, PlacesOf) and settings.entrants.stage > before:
        raise Refused("no_such_stage", "players come from a stage before")
    if isinstance(settings.entrants, tuple):
        for player in settings.entrants:
            if player not in now.competition.people:
                raise Refused("not_on_roster", f"the roster has no player {player}")
        if len(set(settings.entrants)) < len(settings.entrants):
            raise Refused("paired_twice", "an entrant is named twice")


def _publish(now: StageFacts, command: PublishRound) -> list[Event]:
    check_round(now, command.stage, overlap=command.overlap)
    check_show(now, command.stage, command.show, by_hand=command.by_hand is not None)
    stage = numbered_stage(now, command.stage)
    history = planned_history(now, command.stage, command.show)
    if inputs_of(history) != command.inputs:
        raise Refused("stale")
    if command.by_hand is not None:
        check_by_hand(history, command.draft)
    opening = [StageOpened(command.stage, history.players)] if stage.status == "planned" else []
    hours = stage.settings.round.ends
    return [
        *opening,
        RoundPublished(
            stage=command.stage,
            round=len(stage.rounds) + 1,
            method=command.draft.method,
            version=command.draft.version,
            inputs=command.inputs,
            by_hand=command.by_hand,
            pairings=meetings(command.draft.pairings),
            byes=command.draft.byes,
            starts=command.at,
            ends=None if hours is None else later(command.at, int(hours * HOUR)),
            show=command.show,
        ),
    ]


def _check_open(round_: PublishedRound) -> None:
    if round_.status != "published":
        raise Refused("round_closed" if round_.status == "closed" else "round_withdrawn")


def _withdraw(now: StageFacts, command: WithdrawRound) -> list[Event]:
    """Whether a match without a result has started, its own record says."""
    round_ = numbered_round(now, command.stage, command.round)
    _check_open(round_)
    results = (now.results.get(match) for table in round_.tables for match in table.matches)
    if any(match is not None and match.result is not None for match in results):
        raise Refused("round_begun")
    return [RoundWithdrawn(command.stage, command.round, command.reason)]


def _extend(now: StageFacts, command: ExtendRound) -> list[Event]:
    round_ = numbered_round(now, command.stage, command.round)
    _check_open(round_)
    tables = round_.tables
    if not isinstance(command.tables, UnsetType):
        if not command.tables or not set(command.tables) <= {table.table for table in tables}:
            raise Refused("no_such_table")
        tables = tuple(tables[number - 1] for number in command.tables)
    ends = [end for table in tables if (end := round_.end_of(table)) is not None]
    if round_.ends is None:
        raise Refused("no_end")
    if command.ends <= max(command.at, round_.ends, *ends):
        raise Refused("not_in_future")
    return [
        RoundExtended(command.stage, command.round, command.ends, command.reason, command.tables)
    ]


def _close(now: StageFacts, command: CloseStage) -> list[Event]:
    stage = numbered_stage(now, command.stage)
    if stage.status == "closed":
        return []
    unfinished = [
        match
        for number, _, table in open_tables(now)
        if number == command.stage
        for match in table.matches
        if match not in now.results
    ]
    if unfinished or any(round_.status == "published" for round_ in stage.rounds):
        raise Refused("results_not_final", f"not final: {', '.join(unfinished) or 'a round'}")
    if not stage.standing:
        raise Refused("results_not_final", "no round of the stage has been played")
    history = history_of(now.competition, command.stage, now.results)
    return [StageClosed(command.stage, places_of(now, command.stage, history))]


def places_of(now: StageFacts, number: int, history: History) -> tuple[int, ...]:
    """The players of a stage in order of place. Lots break a tie only where it decides who goes on,
    or where they are a tiebreak of the stage: raises Refused if they are not drawn there."""
    form = format_of(stage_of(now.competition, number))
    reckoning = reckoning_of(form, history)
    ties, by_lots = form.places(history, reckoning).ties, "lots" in reckoning.tiebreaks
    cuts = {
        end
        for stage in now.competition.stages
        if isinstance(stage.settings.entrants, PlacesOf) and stage.settings.entrants.stage == number
        for end in (stage.settings.entrants.places[0] - 1, stage.settings.entrants.places[1])
    }
    places: list[int] = []
    for tie in ties:
        cut_through = any(len(places) < cut < len(places) + len(tie) for cut in cuts)
        if len(tie) > 1 and (by_lots or cut_through):
            places += sorted(tie, key=order_by_lots(history).__getitem__)
        else:
            places += sorted(tie)
    return tuple(places)


def _end(now: StageFacts, command: CloseTournament) -> list[Event]:
    stages = now.competition.stages
    if not stages or any(stage.status != "closed" for stage in stages):
        raise Refused("results_not_final", "a stage is not closed yet")
    number = len(stages)
    history = history_of(now.competition, number, now.results)
    form = format_of(stages[-1])
    first = form.places(history, reckoning_of(form, history)).ties[0]
    return [TournamentClosed(tuple(sorted(first)))]


_DECIDERS: Mapping[type[StageCommand], Callable[[StageFacts, Any], list[Event]]] = {
    AddStage: _add,
    ChangeStage: _change,
    PublishRound: _publish,
    WithdrawRound: _withdraw,
    ExtendRound: _extend,
    MoveEnds: move_ends,
    CloseStage: _close,
    CloseTournament: _end,
    DrawLots: draw_lots,
    OpenChoice: open_choice,
    ChooseOpponent: choose,
    **PLAYER_DECIDERS,
}
