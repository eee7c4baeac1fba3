"""Judges a tournament again: every input, decided once more on what stood before it, must give the
events on the record, as far as they can be read."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from domain.chance import generator
from domain.events import Event, Numbered, stored_name
from domain.game import Refused
from domain.match.commands import Conflict
from domain.proof.input_events import NO_NAMES, Given, NamedIn
from domain.proof.tournament_differences import NotFollowing, Part, part_of, require_same
from domain.proof.tournament_inputs import command_of
from domain.proof.tournament_rulings import LIFE, NO_MATCHES, Matches, effect_again, ruling_again
from domain.tournament.commands import Command
from domain.tournament.competition import stage_of
from domain.tournament.decide import decide
from domain.tournament.events import (
    GarnetsPosted,
    MatchSettled,
    RequestReceived,
    TournamentCreated,
    TournamentRuled,
    TournamentRulingEvent,
)
from domain.tournament.fold import fold
from domain.tournament.following import lapsed
from domain.tournament.formats import FORMATS
from domain.tournament.history import inputs_of
from domain.tournament.ledger import Unbalanced
from domain.tournament.lots import GAME, RULES_VERSION
from domain.tournament.open_stages import needs
from domain.tournament.settling import settlement_of
from domain.tournament.stage_decide import planned_history
from domain.tournament.stage_events import (
    CheckInClosed,
    LotsCommitted,
    LotsDrawn,
    RoundMatchCreated,
    RoundPublished,
)
from domain.tournament.state import NOTHING_YET, Tournament, standing_of


class TournamentJudge:
    """A tournament as far as it has been judged, by what `sees` says can be read. `faults` has the
    first thing of each part that does not follow, `unjudged` why something could not be judged,
    `judged` how many events of each kind were, `stuck` why it did not go on."""

    def __init__(
        self,
        tournament: str,
        sees: Callable[[Event], bool],
        most_redrafted: int | None = None,
        namings: NamedIn = NO_NAMES,
        matches: Matches = NO_MATCHES,
    ) -> None:
        """Rounds of more than `most_redrafted` players are not drafted again: some take long.
        `namings` is whom the games of its matches have named, `matches` are those whose whole
        record is known."""
        self._namings, self._matches = namings, matches
        self.state = NOTHING_YET
        self.faults: dict[Part, str] = {}
        self.unjudged: dict[Part, str] = {}
        self.judged = Counter[type[Event]]()
        self.stuck: str | None = None
        self._tournament = tournament
        self._sees, self._most = sees, most_redrafted
        self._whole = sees(RequestReceived(""))

    def take(self, batch: Sequence[Numbered]) -> None:
        """Judges what can be read of the next input and what follows from it, each by its index."""
        if self.stuck is not None:
            return
        inputs = [entry for entry in batch if not isinstance(entry.event, RequestReceived)]
        try:
            if inputs:
                self._judge(inputs)
        except NotFollowing as fault:
            self.faults.setdefault(fault.part, str(fault))
        except Exception as error:  # noqa: BLE001  what is no tournament may make any rules stumble
            self._stop(inputs[0], error)
            return
        try:
            self.state = fold(self.state, [entry.event for entry in batch])
        except Exception as error:  # noqa: BLE001  the same
            self._stop(batch[0], error)
        self.judged.update(type(entry.event) for entry in inputs)

    def _stop(self, at: Numbered, error: Exception) -> None:
        """Nothing can be judged from here on; what did not follow before it may be the cause."""
        self.stuck = f"event {at.number} cannot be judged: {type(error).__name__}"
        if not self.faults:
            self.faults[part_of(at.event)] = self.stuck

    def _judge(self, batch: Sequence[Numbered]) -> None:
        first, at = batch[0].event, batch[0].record.at
        events = [entry.event for entry in batch]
        if isinstance(first, TournamentRulingEvent):
            self._ruling(batch)
            return
        if isinstance(first, CheckInClosed):
            self._compare(
                [entry.event for entry in lapsed(self.state, at) if entry.at == at], batch
            )
            return
        context = Given(self._tournament, self.state, events, at, self._namings)
        command = self._command(context, batch[0].number)
        if command is None:
            self._leave("rules", f"event {batch[0].number}, {stored_name(type(first))}")
            return
        try:
            due = decide(self.state, command)
        except (Refused, Conflict) as refused:
            raise NotFollowing(
                part_of(first), batch[0].number, f"it is refused: {refused.code}"
            ) from None
        except Unbalanced as error:
            raise NotFollowing("postings", batch[0].number, str(error)) from None
        self._compare([*due, *_following_commitment(events)], batch)
        after = fold(self.state, events)
        for entry in batch:
            self._look(entry, after)

    def _command(self, context: Given, index: int) -> Command | None:
        """The command that an input was: of a match whose record is known, what its end gives."""
        match context.first:
            case MatchSettled(match) if match in self._matches:
                settles = settlement_of(*self._matches[match])
                if settles is None:
                    raise NotFollowing("results", index, "its match is not over")
                return settles
        return command_of(context)

    def _compare(self, due: Iterable[Event], batch: Sequence[Numbered]) -> None:
        """Raises NotFollowing unless these are the events that were due, as far as they can be
        read."""
        due_events = [event for event in due if self._judges(event)]
        require_same(due_events, [entry for entry in batch if self._judges(entry.event)])

    def _judges(self, event: Event) -> bool:
        """Whether an event can be judged by one who sees it: how much someone inherits follows from
        the garnets of another player."""
        inherits = isinstance(event, GarnetsPosted) and event.reason == "inherited"
        return self._sees(event) and (self._whole or not inherits)

    def _look(self, entry: Numbered, after: Tournament) -> None:
        """What deciding again does not say of an event; `after` its batch the tournament is so."""
        index = entry.number
        match entry.event:
            case RoundPublished() as event:
                self._pairing(index, event)
            case LotsCommitted() as event:
                self._commitment(index, event, after)
            case LotsDrawn() as event:
                self._seed(index, event)
            case RoundMatchCreated() as event:
                self._table(index, event)

    def _pairing(self, index: int, event: RoundPublished) -> None:
        """The round, drafted again from what stood before."""
        history = planned_history(standing_of(self.state), event.stage, event.show)
        if inputs_of(history) != event.inputs:
            raise NotFollowing("pairings", index, "it was computed from something else")
        if event.by_hand is not None:
            return
        if self._most is not None and len(history.entrants) > self._most:
            self._leave("pairings", f"rounds of more than {self._most} players")
            return
        form = FORMATS[history.stage.format]
        try:
            draft = form.draft(history)
        except Refused as refused:
            raise NotFollowing("pairings", index, f"there is no draft: {refused.code}") from None
        if (draft.method, draft.version) != (event.method, event.version):
            if draft.method != event.method:
                raise NotFollowing("pairings", index, "its method is not that of its format")
            self._leave("pairings", f"this version is not here: {event.method} {event.version}")
            return
        due_pairings = [
            (pairing.table, pairing.players, pairing.because) for pairing in draft.pairings
        ]
        pairings = [(pairing.table, pairing.players, pairing.because) for pairing in event.pairings]
        if (due_pairings, draft.byes) != (pairings, event.byes):
            raise NotFollowing("pairings", index, "its method gives other pairings")

    def _commitment(self, index: int, event: LotsCommitted, after: Tournament) -> None:
        if b"" in after.blinds.values():
            self._leave("lots", "a name is withheld, of which the hash of the roster is made")
            return
        roster = [(after.blinds[player], name) for player, name in enumerate(after.players)]
        before = self.state.competition.lots
        due = (
            0 if before is None else before.epoch + 1,
            generator.SCHEME,
            generator.rules_hash(GAME, RULES_VERSION, "{}"),
            generator.roster_hash(roster),
        )
        if due != (event.epoch, event.scheme, event.rules_hash, event.roster_hash):
            raise NotFollowing("lots", index, "it commits to another roster, scheme or epoch")

    def _seed(self, index: int, event: LotsDrawn) -> None:
        commitment = self.state.competition.lots
        assert commitment is not None, "the draw was decided again"
        if generator.commit(self._tournament, event.epoch, event.seed) != commitment.commit:
            raise NotFollowing("lots", index, "the seed is not the one that was committed to")

    def _table(self, index: int, event: RoundMatchCreated) -> None:
        """A match of a table that needs one, of its players."""
        now = standing_of(self.state)
        try:
            round_ = stage_of(now.competition, event.stage).rounds[event.round - 1]
            table = round_.tables[event.table - 1]
        except IndexError:
            raise NotFollowing("pairings", index, "there is no such table") from None
        if round_.status != "published" or needs(now, event.stage, round_, table) != "match":
            raise NotFollowing("pairings", index, "the table needs no match")

    def _ruling(self, batch: Sequence[Numbered]) -> None:
        """A ruling, proposed, withdrawn, lapsed or carried out, decided once more; for those who
        are not told all of it, its effect alone."""
        if self._whole:
            self._compare(ruling_again(self.state, self._matches, batch), batch)
            return
        state = self.state
        for place, entry in enumerate(batch):
            if not isinstance(entry.event, LIFE):
                order = [entry.event for entry in batch[:place]]
                due = effect_again(state, self._matches, order, batch[place:])
                if due is None:
                    self._leave("rules", f"event {entry.number}, {stored_name(type(entry.event))}")
                else:
                    self._compare(due, batch[place:])
                return
            state = fold(state, [entry.event])
        if any(isinstance(entry.event, TournamentRuled) for entry in batch):
            raise NotFollowing("rules", batch[-1].number, "nothing follows from the ruling")

    def _leave(self, part: Part, why: str) -> None:
        """Notes that something is not judged."""
        self.unjudged.setdefault(part, why)


def _following_commitment(events: Sequence[Event]) -> Sequence[Event]:
    """The commitment behind a creation, which the service adds."""
    last = events[-1:] if isinstance(events[0], TournamentCreated) else ()
    return [event for event in last if isinstance(event, LotsCommitted)]
