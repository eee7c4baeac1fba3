"""The matches of rounds: their ids, their games, and who sits where."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from domain.game import Refused
from domain.games import GAMES
from domain.tournament.commands import RoundTable
from domain.tournament.competition import MatchTable, PublishedRound, stage_of
from domain.tournament.history import Draft
from domain.tournament.stages import MAIN, EpisodePlan, Stage, StageMatch
from domain.tournament.state import Tournament
from service.application.matches.creation import NewMatch
from service.event_store.stream_ids import MATCH, NOWHERE, make_id

Played = tuple[str, Mapping[str, Any]]
"""A game and its options."""


def match_of_table(tournament: UUID, place: RoundTable, number: int, starts: int) -> UUID:
    """The id of the match of this number, from 0, at a table: the same whoever creates it."""
    name = f"{tournament} {place.stage} {place.round} {place.table} {number}"
    digest = int.from_bytes(sha256(name.encode()).digest()[:10])
    return make_id(starts // 1000 << 80 | digest, MATCH)


def setup_of(
    state: Tournament, stage: int, round_: PublishedRound, table: MatchTable, tournament: UUID
) -> NewMatch:
    """The next match of a table. Within a pairing the first seat changes each time."""
    settings = stage_of(state.competition, stage).settings
    players = table.players[::-1] if len(table.matches) % 2 else table.players
    names = tuple(state.players[player] for player in players)
    game_and_options = _of_round(settings.match, round_.number)
    if round_.show is not None:
        game_and_options = _of_show(round_.show.plan, table.table)
        if round_.show.opponent in players:
            game_and_options = _for_chosen(*game_and_options, players.index(round_.show.opponent))
    return _setup(
        settings.match,
        game_and_options,
        names,
        tournament,
        f"round {round_.number} of stage {stage}",
    )


def _of_round(match: StageMatch, number: int) -> Played:
    """What is played in a round of this number."""
    options = match.options
    if isinstance(options, tuple):
        options = options[min(number, len(options)) - 1] if options else {}
    return match.game or "", options


def _of_show(plan: EpisodePlan, table: int) -> Played:
    """What is played at a table of a round of a show. Raises Refused for groups that the game does
    not have."""
    if table != MAIN:
        return plan.death.game, plan.death.options
    if plan.groups is None or len(plan.groups) == 1:
        return plan.main.game, plan.main.options
    game = GAMES.get(plan.main.game)
    if game is not None and game.grouped is None:
        raise Refused("settings_do_not_fit", "the game has no groups")
    group_options = None if game is None else game.grouped
    options = {} if group_options is None else group_options([len(group) for group in plan.groups])
    return plan.main.game, {**plan.main.options, **options}


def _for_chosen(name: str, options: Mapping[str, Any], seat: int) -> Played:
    """The death match of an opponent who was chosen and has this seat; what the organiser says
    stands."""
    game = GAMES.get(name)
    chosen_options = {} if game is None or game.chosen is None else game.chosen(seat)
    return name, {**chosen_options, **options}


def _setup(
    match: StageMatch, game_and_options: Played, names: tuple[str, ...], tournament: UUID, why: str
) -> NewMatch:
    """A match of a round, for these players, who play with the keys of the tournament. It is
    recorded `why` one is seated who has looked at another's match."""
    game, options = game_and_options
    return NewMatch(
        game,
        names,
        dict(options),
        match.chance,
        match.clock,
        match.record,
        tournament=str(tournament),
        rulings=match.rulings,
        protest_hours=match.protest_hours,
        keys="invitations",
        has_looked_reason=why,
    )


def check_match(settings: Stage) -> None:
    """Raises Refused or msgspec.ValidationError unless matches of a stage can be created."""
    match = settings.match
    if match.game is None:
        return
    game = GAMES.get(match.game)
    if game is not None and settings.points.places is not None and not game.scores_rank:
        raise Refused("scores_do_not_rank")
    names = tuple(f"Player {number}" for number in range(settings.seats))
    rounds = len(match.options) if isinstance(match.options, tuple) else 1
    for number in range(1, rounds + 1):
        _setup(match, _of_round(match, number), names, NOWHERE, "").created()


def check_games(settings: Stage, plan: EpisodePlan, draft: Draft, names: Sequence[str]) -> None:
    """Raises Refused or msgspec.ValidationError unless the main match of a round of a show can be
    created for the players of its draft, and a death match for two."""
    (main,) = draft.pairings
    names_seated = tuple(names[player] for player in main.players)
    for table, players in enumerate((names_seated, names_seated[:2]), MAIN):
        _setup(settings.match, _of_show(plan, table), players, NOWHERE, "").created()
