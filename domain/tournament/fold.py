"""What the events of a tournament make of it: the fold of its state."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.cases.match_events import (
    RecordedCases,
    TournamentCaseClosed,
    TournamentCaseEvent,
    after_case_event,
    after_directed,
)
from domain.events import PUBLIC, Event
from domain.people import Actor
from domain.rulings.kinds import AnyRuling
from domain.rulings.state import Rulings, match_of
from domain.rulings.state import fold_rulings as rulings_after
from domain.tournament import ledger
from domain.tournament.competition_fold import competition_after
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchGiven,
    MatchReplaced,
    MatchSettled,
    MatchTaken,
    ModeratorNamed,
    ModeratorRemoved,
    OrganiserAppointed,
    OrganiserRemoved,
    PlayerEntered,
    PlayerIdentified,
    PlayerNamed,
    PlayerRegistered,
    PlayerWaits,
    RegistrationClosed,
    RegistrationEvent,
    RegistrationOpened,
    RequestReceived,
    StaffEvent,
    TournamentCreated,
    TournamentDirected,
    TournamentRulingLapsed,
    TournamentRulingOrdered,
    TournamentRulingProposed,
    TournamentRulingWithdrawn,
)
from domain.tournament.ledger import Account, AccountKind, Posting
from domain.tournament.stage_events import (
    ImmuneNamed,
    RoundClosed,
    RoundPublished,
    StageClosed,
    StageEvent,
)
from domain.tournament.state import Accounted, Added, Asked, Tournament, results_of


class _Draft(dict[str, Any]):
    """The parts of a tournament that events change, each copied once when it is first asked for,
    however many events change it. Copied for every event, a long record would take time quadratic
    in its length."""

    def __init__(self, before: Tournament) -> None:
        self.before = before

    def __missing__(self, part: str) -> Any:
        value = getattr(self.before, part)
        if isinstance(value, tuple | Mapping):
            value = list(value) if isinstance(value, tuple) else dict(value)
        self[part] = value
        return value


def fold(state: Tournament, events: Iterable[Event]) -> Tournament:
    """The tournament after all of `events`; never refuses, and leaves `state` unchanged."""
    draft = _Draft(state)
    for event in events:
        _take(draft, event)
    parts = {part: tuple(v) if isinstance(v, list) else v for part, v in draft.items()}
    return replace(state, **parts)


def _take(draft: _Draft, event: Event) -> None:
    draft["version"] += event.audience == PUBLIC
    match event:
        case TournamentCreated(name, keys):
            draft["name"], draft["keys"] = name, keys or "shown"
        case PlayerNamed() | PlayerIdentified() | ModeratorNamed():
            _identify(draft, event)
        case MatchAdded(match, game, players):
            draft["matches"][match] = Added(players, game=game)
        case MatchSettled(match, result) | MatchCorrected(match, result):
            forfeit = isinstance(event, MatchSettled) and event.forfeit is True
            corrected = isinstance(event, MatchCorrected)
            parts = {"result": result, "forfeit": forfeit, "corrected": corrected}
            _change(draft, match, settled=True, **parts)
        case GarnetsPosted():
            _post(draft, event)
        case RequestReceived():
            _receive(draft, event)
        case _ if isinstance(event, MatchGiven | StaffEvent):
            _appoint(draft, event)
        case _ if isinstance(event, PlayerEntered | StageEvent):
            _compete(draft, event)
        case _:
            (_register if isinstance(event, RegistrationEvent) else _rule)(draft, event)


def _receive(draft: _Draft, event: RequestReceived) -> None:
    """The first request is that of the maker: no one is on the roster before it."""
    if event.key is not None and event.fingerprint is not None:
        draft["requests"][event.key] = Asked(event.fingerprint, len(draft["players"]))
    if draft["maker"] is None and not draft["players"]:
        draft["maker"] = Actor(event.by, event.key_id)


def _register(draft: _Draft, event: Event) -> None:
    """Someone enters by the link or waits, or the registration opens or closes."""
    match event:
        case RegistrationOpened():
            draft["registration"] = event
        case RegistrationClosed():
            draft["registration"] = None
        case PlayerWaits(name, request):
            draft["waiting"][request] = name
        case PlayerRegistered(request):
            draft["registered"][request] = len(draft["players"])
            draft["waiting"].pop(request, None)


def _appoint(draft: _Draft, event: MatchGiven | StaffEvent) -> None:
    """Someone has joined or left the staff, or has other matches."""
    match event:
        case OrganiserAppointed(_, name):
            draft["organisers"].append(name)
        case OrganiserRemoved(organiser):
            draft["dismissed"] |= {organiser}
        case ModeratorRemoved(moderator):
            draft["removed"] |= {moderator}
        case MatchGiven(match, moderator):
            moderators = draft["matches"][match].moderators
            _change(draft, match, moderators=(*moderators, moderator))
        case MatchTaken(match, moderator):
            moderators = draft["matches"][match].moderators
            _change(
                draft, match, moderators=tuple(other for other in moderators if other != moderator)
            )


def _identify(draft: _Draft, event: PlayerNamed | PlayerIdentified | ModeratorNamed) -> None:
    """Who someone is."""
    match event:
        case PlayerNamed(player, name, blind):
            _name(draft, "players", player, name)
            draft["named"].append((player, name))
            draft["blinds"][player] = blind
        case PlayerIdentified(player, external_id):
            draft["external_ids"][player] = external_id
        case ModeratorNamed(moderator, name):
            _name(draft, "moderators", moderator, name)


def _name(draft: _Draft, people: str, number: int, name: str) -> None:
    """The person with this number, the next one or an earlier one, has this name from here on."""
    names = draft[people]
    names[number : number + 1] = [name]


def _change(draft: _Draft, match: str, **parts: Any) -> None:
    """Something has happened to a match here."""
    matches = draft["matches"]
    matches[match] = replace(matches[match], version=matches[match].version + 1, **parts)


def _compete(draft: _Draft, event: PlayerEntered | StageEvent) -> None:
    """A stage, or what a player is in it. Results matter where a round is closed, where something
    follows from them, and where the main match of a show is over."""
    counts = isinstance(event, RoundClosed | RoundPublished | StageClosed | ImmuneNamed)
    results = results_of(draft["matches"]) if counts else {}
    draft["competition"] = competition_after(draft["competition"], event, results)


def _rule(draft: _Draft, event: Event) -> None:
    """A ruling: what is proposed, ordered or given up has happened to its match, too, or to the
    tournament."""
    before: Rulings = draft["rulings"]
    draft["rulings"] = rulings_after(before, event)
    match event:
        case TournamentRulingProposed(_, ruling) | TournamentRulingOrdered(_, ruling):
            _ruled_on(draft, ruling)
        case TournamentRulingWithdrawn(ruling_id) | TournamentRulingLapsed(ruling_id):
            _ruled_on(draft, before.ruling_of(ruling_id))
        case MatchReplaced(match, by):
            _change(draft, match, replaced_by=by)
        case TournamentDirected():
            draft["cases"] = after_directed(tuple(draft["cases"]), Actor.of(event).person)
        case _ if isinstance(event, TournamentCaseEvent):
            draft["cases"] = _after_case(draft, event)


def _after_case(draft: _Draft, event: TournamentCaseEvent) -> RecordedCases:
    ruling = event.ruling if isinstance(event, TournamentCaseClosed) else None
    return after_case_event(tuple(draft["cases"]), event, draft["rulings"].people(ruling))


def _ruled_on(draft: _Draft, ruling: AnyRuling | None) -> None:
    match = match_of(ruling)
    if match is None:
        draft["version"] += 1
    else:
        _change(draft, match)


def _post(draft: _Draft, event: GarnetsPosted) -> None:
    """Moves garnets; a posting after the settlement of its match is one of it, or reverses one."""
    ledger.post(draft["balances"], posting(event))
    numbers = draft["posted"]
    number = numbers[event.seat] = numbers.get(event.seat, 0) + 1
    matches = draft["matches"]
    entry = None if event.match is None else matches[event.match]
    if entry is None or not entry.settled:
        return
    reversed_ = (event.seat, event.reverses)
    standing = (
        accounted
        for accounted in entry.accounted
        if (accounted.posting.seat, accounted.number) != reversed_
    )
    own = () if event.reverses is not UNSET else (Accounted(number, event),)
    matches[event.match] = replace(entry, accounted=(*standing, *own))


def posting(event: GarnetsPosted) -> Posting:
    """The posting of an event, with its accounts in full."""
    return Posting(_account(event.debit, event), _account(event.credit, event), event.amount)


def _account(kind: AccountKind, event: GarnetsPosted) -> Account:
    if kind == "house":
        return ledger.HOUSE
    return Account(kind, event.seat, event.match if kind == "match" else None)
