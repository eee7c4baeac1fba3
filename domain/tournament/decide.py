"""A tournament: its roster, its matches, who moderates them, and its ledger of garnets.

A person is identified by the name in the roster: a moderator with the name of a player is that
player.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, get_args

from msgspec import UNSET
from msgspec.structs import replace

from domain.events import Event
from domain.game import Refused
from domain.match.commands import CaseCommand
from domain.names import GOOD_NAME, fault_in, faults_in, first_fault
from domain.people import Actor
from domain.rulings.tournament_decide import RuleTournament, TournamentRulingCommand, decide_case
from domain.rulings.tournament_decide import decide as decide_ruling
from domain.tournament import ledger, stage_commands
from domain.tournament.accounting import by_hand, settle_match
from domain.tournament.commands import (
    MOST_PLAYERS,
    AddMatch,
    Command,
    NewPlayer,
    NewPlayers,
    NewTournament,
    Override,
    OverrideLook,
    PostGarnets,
    SettleMatch,
)
from domain.tournament.events import (
    GarnetsPosted,
    LookOverridden,
    MatchAdded,
    MatchGiven,
    MatchSettled,
    ModeratorNamed,
    PlayerEntered,
    PlayerIdentified,
    PlayerNamed,
    RequestReceived,
    TournamentCreated,
)
from domain.tournament.fold import posting
from domain.tournament.following import follow_up
from domain.tournament.ledger import LONGEST_REASON, MOST_GARNETS, purse
from domain.tournament.open_stages import numbered_round
from domain.tournament.registration import CODES as REGISTRATION_CODES
from domain.tournament.registration import RegistrationCommand, decide_registration
from domain.tournament.staff import CODES as STAFF_CODES
from domain.tournament.staff import (
    MOST_MODERATORS,
    NAME_CODES,
    UNBLINDED,
    RenamePlayer,
    StaffCommand,
    appointed,
    check_moderator,
    check_name,
    decide_name,
    decide_staff,
    match_in,
)
from domain.tournament.stage_commands import AddStage, ChangeStage, StageCommand
from domain.tournament.stage_decide import decide_stage
from domain.tournament.stage_events import RoundMatchCreated
from domain.tournament.state import KeyedRequest, Tournament, names_had, player_of, standing_of

CODES = {
    "names_not_allowed": GOOD_NAME,
    "name_taken": "Someone else has or had this name, however it is written.",
    "roster_full": f"A tournament has at most {MOST_PLAYERS} players and {MOST_MODERATORS} "
    "moderators.",
    "not_on_roster": "Only players on the tournament's roster can be seated or given garnets.",
    "external_id_taken": "Another player of the roster has this external id.",
    "no_such_player": "The roster has no player of this number.",
    "not_enough_garnets": "The player's purse does not have that many garnets.",
    "garnets_not_allowed": f"Garnets are given or taken 1 to {MOST_GARNETS} at a time, no purse is "
    f"filled beyond that, and the reason is 1 to {LONGEST_REASON} printable characters.",
    **STAFF_CODES,
    **REGISTRATION_CODES,
    **stage_commands.CODES,
}
"""A sentence for every code by which a tournament refuses."""


def decide(
    state: Tournament,
    command: Command,
    request: KeyedRequest | None = None,
    by: Actor | None = None,
) -> list[Event]:
    """The events that a command gives; none if it has been executed already. Raises Refused.
    `by` asked for it, under the idempotency key of `request` if there is one. The names among them
    are not blinded yet: that is done when they are recorded (`blinded`).

    The books are checked after every event: Unbalanced is raised, and nothing recorded, if they
    would be wrong.
    """
    events = _DECIDERS[type(command)](state, command)
    if events and isinstance(command, SettleMatch | StageCommand | RuleTournament):
        naming = command.named if isinstance(command, SettleMatch) else None
        events = [*events, *follow_up(state, events, naming)]
    if events and (by or request) is not None:
        who = ("", None) if by is None else (by.key_id, by.by)
        keyed = (None, None) if request is None else (request.key, request.fingerprint)
        first = int(isinstance(command, NewTournament))
        events[first:first] = [RequestReceived(*who, *keyed)]
    check_books(state, events)
    return events


def blinded(events: Iterable[Event], draw: Callable[[], bytes]) -> list[Event]:
    """The events, with a blind of 16 bytes for each name, which `draw` makes from nothing that
    anyone can guess (/docs/evidence-format#records)."""
    return [
        replace(event, blind=draw()) if isinstance(event, PlayerNamed | ModeratorNamed) else event
        for event in events
    ]


def check_books(state: Tournament, events: Iterable[Event]) -> None:
    """Raises Unbalanced if the books would be wrong after any one of the events."""
    balances = dict(state.balances)
    owing = {account for account, balance in balances.items() if balance < 0}
    for event in events:
        if isinstance(event, GarnetsPosted):
            transfer = posting(event)
            ledger.check_posting(transfer)
            ledger.post(balances, transfer)
            if event.reverses is not UNSET:
                owing.add(transfer.debit)
            ledger.check_covered(balances, (transfer.debit, transfer.credit), owing)
    ledger.check(balances, owing)


def _create(state: Tournament, command: NewTournament) -> list[Event]:
    check_name(fault_in(command.name))
    if len(command.moderators) > MOST_MODERATORS:
        raise Refused("roster_full")
    check_name(first_fault(command.moderators))
    if not set(command.garnets) <= set(command.players):
        raise Refused("not_on_roster", "garnets are for players on the roster")
    events: list[Event] = [
        TournamentCreated(command.name, UNSET if command.keys == "shown" else command.keys)
    ]
    players = (NewPlayer(name, command.garnets.get(name, 0)) for name in command.players)
    events += _enter(state, NewPlayers(tuple(players)))
    for number, name in enumerate(command.moderators):
        events += appointed(number, name)
    return events


def entry_faults(state: Tournament, players: Iterable[NewPlayer]) -> Iterator[str | None]:
    """Why each of these players cannot enter, next to those on the roster and those before them: a
    code, or None if they can."""
    players, had = tuple(players), set(state.external_ids.values())
    faults = faults_in((new.name for new in players), names_had(state))
    for number, new, fault in zip(count(len(state.players)), players, faults):
        if fault is not None:
            yield NAME_CODES[fault]
        elif new.external_id in had:
            yield "external_id_taken"
        elif not 0 <= new.garnets <= MOST_GARNETS:
            yield "garnets_not_allowed"
        else:
            yield "roster_full" if number >= MOST_PLAYERS else None
        if new.external_id is not None:
            had.add(new.external_id)


def _enter(state: Tournament, command: NewPlayers) -> list[Event]:
    if state.competition.champions is not None:
        raise Refused("tournament_closed")
    fault = next(filter(None, entry_faults(state, command.players)), None)
    if fault is not None:
        raise Refused(fault)
    newcomers = enumerate(command.players, len(state.players))
    return [event for player, new in newcomers for event in _enter_player(player, new)]


def _enter_player(player: int, new: NewPlayer) -> Iterator[Event]:
    yield PlayerEntered(player, new.rating, new.seed, new.team)
    yield PlayerNamed(player, new.name, UNBLINDED)
    if new.garnets:
        yield GarnetsPosted(player, "house", "player", new.garnets, "entered")
    if new.external_id is not None:
        yield PlayerIdentified(player, new.external_id)


def _add(state: Tournament, command: AddMatch) -> list[Event]:
    if not set(command.seats) <= set(state.players):
        raise Refused("not_on_roster")
    at = command.at
    if at is not None:
        round_ = numbered_round(standing_of(state), at.stage, at.round)
        if round_.status == "withdrawn":
            raise Refused("round_withdrawn")
    players = tuple(state.players.index(name) for name in command.seats)
    events: list[Event] = [MatchAdded(command.match, command.game, players)]
    if at is not None:
        events.append(RoundMatchCreated(at.stage, at.round, at.table, command.match))
    events += (
        MatchGiven(command.match, moderator)
        for moderator in command.moderators
        if moderator in state.in_office and player_of(state, moderator) not in players
    )
    if command.override is not None:
        events.append(_overridden(command.match, command.override))
    for player, garnets in zip(players, command.garnets, strict=False):
        if not garnets:
            continue
        if garnets > state.balances.get(purse(player), 0):
            raise Refused("not_enough_garnets", f"{state.players[player]} does not have that many")
        events.append(GarnetsPosted(player, "player", "match", garnets, "brought", command.match))
    return events


def _override(state: Tournament, command: OverrideLook) -> list[Event]:
    match_in(state, command.match)
    return [_overridden(command.match, command.override)]


def _overridden(match: str, override: Override) -> Event:
    by, key_id = override.actor.by, override.actor.key_id
    return LookOverridden(match, override.looked, override.reason, by, key_id)


def _post(state: Tournament, command: PostGarnets) -> list[Event]:
    if not 1 <= len(command.reason) <= LONGEST_REASON or not command.reason.isprintable():
        raise Refused("garnets_not_allowed", "the reason cannot be read")
    return [by_hand(state, command.player, command.amount, command.reason, command.by)]


def _settle(state: Tournament, command: SettleMatch) -> list[Event]:
    if match_in(state, command.match).settled:
        return []
    over = MatchSettled(command.match, command.result, command.forfeit or UNSET)
    return settle_match(state, over, command.balance, command.payout)


def _stage(state: Tournament, command: StageCommand) -> list[Event]:
    if isinstance(command, AddStage | ChangeStage) and command.settings.moderators != "all":
        for moderator in command.settings.moderators:
            check_moderator(state, moderator)
    return decide_stage(standing_of(state), command)


_DECIDERS: dict[type[Command], Callable[[Tournament, Any], list[Event]]] = {
    NewTournament: _create,
    NewPlayer: lambda state, command: _enter(state, NewPlayers((command,))),
    NewPlayers: _enter,
    AddMatch: _add,
    OverrideLook: _override,
    RenamePlayer: decide_name,
    PostGarnets: _post,
    SettleMatch: _settle,
    **dict.fromkeys(get_args(TournamentRulingCommand), decide_ruling),
    **dict.fromkeys(get_args(CaseCommand), decide_case),
    **dict.fromkeys(get_args(StageCommand), _stage),
    **dict.fromkeys(get_args(StaffCommand), decide_staff),
    **dict.fromkeys(get_args(RegistrationCommand), decide_registration),
}
