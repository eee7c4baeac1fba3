"""Names that change or are withheld (/docs/tournaments#names). A player's new name is that of their
seats in all matches that are not over. A name is withheld of a player in a tournament and its
matches, of anyone else in a match.

The rows that hold a withheld name are replaced (`domain.proof.withholding`), the tournament's own
last, so that a withholding that was interrupted can be asked for again. A list of the streams that
were changed tells all instances what to read again.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from uuid import UUID

from eventsourcing.persistence import IntegrityError, StoredEvent

from domain.game import Refused
from domain.match.commands import Conflict, RenameSeat
from domain.match.seat_holders import holders, tenure
from domain.match.state import Match
from domain.names import is_of
from domain.proof.withheld_rows import rows_without
from domain.proof.withholding import shown_name
from domain.rulings.events import RulingOrdered, RulingProposed
from domain.rulings.kinds import ReplaceSeat
from domain.tournament.commands import MOST_PLAYERS
from domain.tournament.state import Added, Tournament, names_of
from service.application.matches.match_service import MatchService
from service.application.matches.match_sessions import MatchSessions
from service.application.tournaments.tournament_service import TournamentService
from service.auth.keys import Keyring
from service.event_store.secret_store import SecretStore
from service.event_store.store import Store
from service.event_store.store_threads import in_store_thread
from service.event_store.stream_ids import TOURNAMENT
from service.observability import logs

LIST = UUID("6172622d-6e61-f6d6-8000-000000000000")
"""The stream that lists the changed streams, next to the keys."""

TOPIC = "names.withheld.1"
REFRESH_SECONDS = 1.0

Rename = Callable[[UUID, Collection[str], str], None]
"""Has a name shown in place of others where they stand next to the log of a match or tournament.
Blocks."""


class WithheldNames:
    """Withholds names in one store; `places` are those that have names next to the log, the index
    before what is made by it."""

    def __init__(
        self,
        store: Store,
        sessions: MatchSessions,
        tournaments: TournamentService,
        keyring: Keyring,
        places: Sequence[Rename],
    ) -> None:
        self._store = store
        self._secrets = SecretStore(store.secrets)
        self._sessions = sessions
        self._tournaments = tournaments
        self._keyring = keyring
        self._places = places
        self._position = 0

    async def of_player(self, tournament: UUID, player: int) -> None:
        """Withholds every name that a player has had until now. Raises UnknownTournament, Refused
        (`no_such_player`, `name_taken` if another player is called like what is shown instead) and
        StoreUnavailable."""
        state = (await self._tournaments.current(tournament)).state
        if not 0 <= player < len(state.players):
            raise Refused("no_such_player")
        placeholder = shown_name(player)
        names = [name for name in names_of(state, player) if name != placeholder]
        others = (name for number, name in state.named if number != player)
        if is_of(placeholder, others):
            raise Refused("name_taken", f"another player is called {placeholder}")
        if not names:
            return
        await self._in_matches(state, names, placeholder)
        async with self._tournaments.rewriting(tournament):
            await self._in_stream(tournament, names, placeholder)
        # A match that was created meanwhile has the name, too.
        await self._in_matches(
            (await self._tournaments.current(tournament)).state, names, placeholder
        )

    async def of_seat(self, match_id: UUID, seat: int) -> None:
        """Withholds every name that a seat of a match has had or was to have until now; in a
        tournament those of people who are no players. Raises UnknownMatch, Refused
        (`no_such_seat`), Conflict (`seat_name_taken`, `of_tournament`) and StoreUnavailable."""
        match = (await self._sessions.current(match_id)).match
        if not 0 <= seat < match.created.seats:
            raise Refused("no_such_seat")
        placeholder, players = shown_name(seat), list[str]()
        if match.created.tournament is not None:
            state = (await self._tournaments.current(UUID(match.created.tournament))).state
            # Behind the numbers of all players: it is none of theirs.
            placeholder, players = (
                shown_name(MOST_PLAYERS + seat),
                [name for _, name in state.named],
            )
        names_had = [name for number, name in match.names if number == seat]
        names_had += await in_store_thread(self._proposed_names, match_id, seat)
        had = [had_name for had_name in names_had if not is_of(had_name, players)]
        if not had:
            raise Conflict("of_tournament")
        if is_of(placeholder, (name for number, name in match.names if number != seat)):
            raise Conflict("seat_name_taken")
        names = [name for name in had if name != placeholder]
        if names:
            await self._in_stream(match_id, names, placeholder)

    def _proposed_names(self, match_id: UUID, seat: int) -> list[str]:
        """The names of those who were to take over the seat. Blocks."""
        events = (record.event for record in self._store.read(match_id))
        rulings = (
            event.ruling for event in events if isinstance(event, RulingProposed | RulingOrdered)
        )
        return [
            ruling.name
            for ruling in rulings
            if isinstance(ruling, ReplaceSeat) and ruling.seat == seat
        ]

    async def run(self) -> None:
        """Follows what other instances have withheld, for as long as the service runs."""
        while True:
            try:
                await self.refresh()
            except Exception as error:  # noqa: BLE001  it is tried again
                logs.failure("not_done", error, what="WithheldNames.run")
            await asyncio.sleep(REFRESH_SECONDS)

    async def refresh(self) -> None:
        """Forgets what was read of streams that have changed since."""
        select = partial(self._store.keyrings.select_events, LIST, gt=self._position)
        for row in await in_store_thread(select):
            stream = UUID(bytes=row.state)
            if stream.version == TOURNAMENT:
                self._tournaments.forget(stream)
            else:
                self._sessions.invalidate(stream)
            self._position = row.originator_version
            self._keyring.read_again()

    async def _in_matches(
        self, state: Tournament, names: Collection[str], placeholder: str
    ) -> None:
        for match in state.matches:
            await self._in_stream(UUID(match), names, placeholder)

    async def _in_stream(self, stream: UUID, names: Collection[str], placeholder: str) -> None:
        if await in_store_thread(self._replace, stream, names, placeholder):
            await self.refresh()

    def _replace(self, stream: UUID, names: Collection[str], placeholder: str) -> bool:
        """Replaces the rows of a stream that hold a name; whether there were any. Blocks."""
        key = self._secrets.read(stream).log_key
        rows = rows_without(str(stream), self._store.states(stream), key, names, placeholder)
        versions = {index + 1: state for index, state in rows.items()}
        # Once before: without these rows an interrupted request does not know the names any more.
        self._rename(stream, names, placeholder)
        if versions:
            self._list(stream)
            self._store.recorder.replace_states(stream, versions)
            self._list(stream)
            # And once more what was made of the rows meanwhile.
            self._rename(stream, names, placeholder)
        return bool(versions)

    def _rename(self, stream: UUID, names: Collection[str], placeholder: str) -> None:
        for rename in self._places:
            rename(stream, names, placeholder)

    def _list(self, stream: UUID) -> None:
        recorder = self._store.keyrings
        while True:
            rows: Sequence[StoredEvent] = recorder.select_events(LIST)
            with suppress(IntegrityError):
                recorder.insert_events([StoredEvent(LIST, len(rows) + 1, TOPIC, stream.bytes)])
                return


class SeatNames:
    """Gives seats the names that their players have now. `follow` may be called again at any time:
    nothing is done twice."""

    def __init__(self, matches: MatchService) -> None:
        self._matches = matches
        self._followed: dict[UUID, int] = {}

    async def follow(self, tournament: UUID, state: Tournament) -> None:
        """Names the seats of the tournament's matches as its record says, once after each new
        name. Matches that are created later have the new names. Raises StoreUnavailable."""
        if self._followed.get(tournament, len(state.players)) == len(state.named):
            return
        names = Counter(player for player, _ in state.named)
        renamed_players = {player for player, had in names.items() if had > 1}
        for match, entry in state.matches.items():
            if not entry.settled and not renamed_players.isdisjoint(entry.players):
                await self._name(UUID(match), state, entry)
        self._followed[tournament] = len(state.named)

    async def _name(self, match_id: UUID, state: Tournament, entry: Added) -> None:
        match = (await self._matches.sessions.current(match_id)).match
        for seat, player in enumerate(entry.players):
            name = state.players[player]
            if tenure(match, seat) or holders(match)[seat] == name or _is_taken(match, seat, name):
                continue
            with suppress(Conflict):  # The match is over, or someone else has the seat.
                await self._matches.execute(match_id, RenameSeat(seat, name), "public")


def _is_taken(match: Match, seat: int, name: str) -> bool:
    """Whether someone else in the match has or had the name: who has taken over another seat, or
    moderates by a key of the match. Then the seat keeps the old one."""
    others = (other for number, other in match.names if number != seat)
    return is_of(name, (*others, *match.keys.moderators))
