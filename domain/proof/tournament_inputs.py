"""The commands that the inputs of a tournament were, as far as their events can be read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET

from domain.cases.match_events import TournamentCaseClosed, TournamentCaseOpened
from domain.events import HOUR, Event
from domain.games import GAMES
from domain.match.commands import CloseCase, OpenCase
from domain.match.deadlines import Absence
from domain.people import Actor
from domain.proof.input_events import Given, garnets_in
from domain.tournament.commands import (
    AddMatch,
    Command,
    NewPlayer,
    NewPlayers,
    NewTournament,
    Override,
    OverrideLook,
    PostGarnets,
    RoundTable,
    SettleMatch,
)
from domain.tournament.competition_fold import settings_of
from domain.tournament.events import (
    GarnetsPosted,
    LookOverridden,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    MatchTaken,
    ModeratorAppointed,
    ModeratorNamed,
    ModeratorRemoved,
    OrganiserAppointed,
    OrganiserRemoved,
    PlayerEntered,
    PlayerIdentified,
    PlayerNamed,
    PlayerRegistered,
    PlayerRenamed,
    PlayerWaits,
    RegistrationClosed,
    RegistrationOpened,
    TournamentCreated,
)
from domain.tournament.history import Draft, Pairing
from domain.tournament.registration import CloseRegistration, OpenRegistration, Register
from domain.tournament.staff import (
    AppointModerator,
    GiveMatch,
    NewOrganiser,
    RemoveModerator,
    RemoveOrganiser,
    RenamePlayer,
    TakeMatch,
)
from domain.tournament.stage_commands import (
    AddStage,
    AskBye,
    ChangeStage,
    CheckInPlayer,
    ChooseOpponent,
    CloseStage,
    CloseTournament,
    DrawLots,
    ExtendRound,
    GiveLotsSeed,
    MoveEnds,
    OpenCheckIn,
    OpenChoice,
    PublishRound,
    Return,
    SayReady,
    Withdraw,
    WithdrawRound,
)
from domain.tournament.stage_events import (
    ByeAsked,
    CandidatesNamed,
    CheckInOpened,
    ChoiceOpened,
    EndsMoved,
    ImmuneNamed,
    LotsCommitted,
    LotsDrawn,
    LotsSeedGiven,
    OpponentChosen,
    PlayerReady,
    PlayerStatus,
    RoundExtended,
    RoundMatchCreated,
    RoundPublished,
    RoundWithdrawn,
    StageAdded,
    StageChanged,
    StageClosed,
    StageOpened,
    TournamentClosed,
)
from domain.tournament.stages import Named

NOBODY = Actor(None, "")
"""Said of an input that a person must have given, where the record names no person."""


def command_of(context: Given) -> Command | None:
    """The command of which these are the events; None if it is not one of these kinds."""
    build = _COMMANDS.get(type(context.first))
    return None if build is None else build(context.first, context)


def _created(event: TournamentCreated, context: Given) -> Command:
    names = tuple(naming.name for naming in context.of(PlayerNamed))
    garnets = garnets_in(context.events, range(len(names)), "entered")
    return NewTournament(
        event.name,
        names,
        tuple(naming.name for naming in context.of(ModeratorNamed)),
        dict(zip(names, garnets, strict=True)),
        "shown" if event.keys is UNSET else event.keys,
    )


def _entered(_event: PlayerEntered, context: Given) -> Command:
    entries = context.of(PlayerEntered)
    names = {entry.player: entry.name for entry in context.of(PlayerNamed)}
    ids = {entry.player: entry.external_id for entry in context.of(PlayerIdentified)}
    garnets = garnets_in(context.events, [entry.player for entry in entries], "entered")
    players = (
        NewPlayer(
            names.get(entry.player, ""),
            garnet_count,
            entry.rating,
            entry.seed,
            entry.team,
            ids.get(entry.player),
        )
        for entry, garnet_count in zip(entries, garnets, strict=True)
    )
    return NewPlayers(tuple(players))


def _name(context: Given, kind: type[PlayerNamed | ModeratorNamed]) -> str:
    """The name of who joins; empty, which no one can have, if none follows."""
    return next((naming.name for naming in context.of(kind)), "")


def _added(event: MatchAdded, context: Given) -> Command:
    at = next(iter(context.of(RoundMatchCreated)), None)
    override = next(iter(context.of(LookOverridden)), None)
    names = context.state.players
    return AddMatch(
        match=event.match,
        game=event.game,
        seats=tuple(names[player] for player in event.players if player in range(len(names))),
        garnets=garnets_in(context.events, event.players, "brought"),
        override=None if override is None else _override(override),
        at=None if at is None else RoundTable(at.stage, at.round, at.table),
        moderators=tuple(player.moderator for player in context.of(MatchGiven)),
    )


def _override(event: LookOverridden) -> Override:
    return Override(event.looked, event.reason, Actor(event.by, event.key_id))


def _settled(event: MatchSettled, context: Given) -> Command:
    entry = context.state.matches.get(event.match)
    players = () if entry is None else entry.players
    stakes_kept = garnets_in(context.events, players, "kept")
    earnings = garnets_in(context.events, players, "earned")
    naming = (
        context.namings[event.match]
        if event.match in context.namings
        else _naming_of(context, players)
    )
    return SettleMatch(
        event.match, event.result, stakes_kept, earnings, naming, event.forfeit is True
    )


def _naming_of(context: Given, players: Sequence[int]) -> Named | None:
    """Whom the game of a main match has named, by seat, if that is as recorded; None if it names no
    one."""
    immune, candidates = context.of(ImmuneNamed), context.of(CandidatesNamed)
    if not immune:
        return None
    show = context.state.competition.stages[immune[0].stage - 1].rounds[immune[0].round - 1].show
    game = None if show is None else GAMES.get(show.plan.main.game)
    if game is not None and game.immune is None and game.candidates is None:
        return None
    seats = {player: seat for seat, player in enumerate(players)}
    return Named(
        tuple(seats[player] for player in immune[0].players),
        tuple(seats[player] for player in candidates[0].players) if candidates else None,
    )


def _choice(event: ChoiceOpened, context: Given) -> Command:
    hours = context.state.competition.stages[event.stage - 1].settings.choice_hours
    return OpenChoice(event.stage, event.round, event.until - int(hours * HOUR))


def _chosen(event: OpponentChosen, context: Given) -> Command | None:
    show = context.state.competition.stages[event.stage - 1].rounds[event.round - 1].show
    if show is None or show.chooser is None:
        return None
    return ChooseOpponent(event.stage, event.round, event.player, show.chooser, context.at)


def _posted(event: GarnetsPosted, _given: Given) -> Command:
    amount = event.amount if event.debit == "house" else -event.amount
    by = event.by if isinstance(event.by, str) else None
    return PostGarnets(event.seat, amount, event.reason, by)


def _registered(event: PlayerRegistered | PlayerWaits, context: Given) -> Command | None:
    registration = context.state.registration
    if registration is None:
        return None
    at = context.at if registration.closes is None else min(context.at, registration.closes - 1)
    name = event.name if isinstance(event, PlayerWaits) else _name(context, PlayerNamed)
    return Register(name, registration.token, event.request, at)


def _taken(event: MatchTaken | ModeratorRemoved, context: Given) -> Command:
    removals = context.of(ModeratorRemoved)
    if removals or not isinstance(event, MatchTaken):
        return RemoveModerator(event.moderator)
    return TakeMatch(event.match, event.moderator)


def _status(event: PlayerStatus, context: Given) -> Command | None:
    person = context.state.competition.people.get(event.player)
    if event.status == "withdrawn" and event.because is not None:
        return Withdraw(event.player, event.because)
    if event.because is not None or event.status not in ("entered", "checked_in"):
        return None
    back = person is not None and person.out
    return Return(event.player) if back else CheckInPlayer(event.player)


def _published(_event: Event, context: Given) -> Command | None:
    """The round as it was published."""
    rounds = context.of(RoundPublished)
    if not rounds:
        return None
    round_ = rounds[0]
    pairings = tuple(Pairing(at.table, at.players, at.because) for at in round_.pairings)
    return PublishRound(
        stage=round_.stage,
        draft=Draft(round_.method, round_.version, pairings, round_.byes),
        inputs=round_.inputs,
        at=round_.starts,
        by_hand=round_.by_hand,
        overlap=True,
        show=round_.show,
    )


def _drawn(event: LotsDrawn, context: Given) -> Command | None:
    commitments = context.of(LotsCommitted)
    if not commitments:
        return None
    return DrawLots(context.tournament, event.purpose, event.seed, commitments[0], context.at)


_COMMANDS: Mapping[type[Event], Callable[[Any, Given], Command | None]] = {
    TournamentCreated: _created,
    PlayerEntered: _entered,
    ModeratorAppointed: lambda _, context: AppointModerator(
        _name(context, ModeratorNamed), tuple(event.match for event in context.of(MatchGiven))
    ),
    ModeratorRemoved: _taken,
    OrganiserAppointed: lambda event, _: NewOrganiser(event.name),
    OrganiserRemoved: lambda event, _: RemoveOrganiser(event.organiser),
    MatchTaken: _taken,
    RegistrationOpened: lambda event, _: OpenRegistration(
        event.token, event.limit, event.closes, event.waiting_list, 0
    ),
    RegistrationClosed: lambda _event, _: CloseRegistration(),
    PlayerRegistered: _registered,
    PlayerWaits: _registered,
    PlayerRenamed: lambda event, context: RenamePlayer(
        event.player, _name(context, PlayerNamed), event.reason
    ),
    PlayerNamed: lambda event, _: RenamePlayer(event.player, event.name, ""),
    MatchGiven: lambda event, _: GiveMatch(event.match, event.moderator),
    MatchAdded: _added,
    LookOverridden: lambda event, _: OverrideLook(event.match, _override(event)),
    MatchSettled: _settled,
    TournamentCaseOpened: lambda event, context: OpenCase(event.case, context.actor),
    TournamentCaseClosed: lambda event, context: CloseCase(event.case, context.actor or NOBODY),
    GarnetsPosted: _posted,
    PlayerStatus: _status,
    CheckInOpened: lambda event, context: OpenCheckIn(
        event.closes, min(context.at, event.closes - 1)
    ),
    ChoiceOpened: _choice,
    OpponentChosen: _chosen,
    PlayerReady: lambda event, _: SayReady(event.match, event.player),
    ByeAsked: lambda event, _: AskBye(event.player, event.stage, event.round),
    LotsSeedGiven: lambda event, _: GiveLotsSeed(event.player, event.seed),
    LotsDrawn: _drawn,
    StageAdded: lambda event, _: AddStage(settings_of(event)),
    StageChanged: lambda event, _: ChangeStage(event.stage, settings_of(event)),
    StageOpened: _published,
    RoundPublished: _published,
    RoundWithdrawn: lambda event, _: WithdrawRound(event.stage, event.round, event.reason),
    RoundExtended: lambda event, context: ExtendRound(
        event.stage,
        event.round,
        event.ends,
        event.tables,
        event.reason,
        min(context.at, event.ends - 1),
    ),
    EndsMoved: lambda event, context: MoveEnds(Absence(event.begun, event.ended), context.at),
    StageClosed: lambda event, _: CloseStage(event.stage),
    TournamentClosed: lambda _event, _: CloseTournament(),
}
