"""Absences: the matches of a round that are not over, who has done nothing in them, and the
forfeits that the service rules by itself."""

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from domain.match.commands import Conflict, Start
from domain.match.state import Status
from domain.people import OPERATOR, Actor
from domain.rulings.commands import Rule
from domain.rulings.kinds import RuleResult
from domain.tournament.absences import BY_ITSELF, forfeited, idle
from domain.tournament.competition import MatchTable, PublishedRound
from domain.tournament.state import Tournament, in_place_of
from projections.audience.disclosure import MODERATOR
from service.application.matches.command_queue import AlreadyExists, PreconditionFailed
from service.application.matches.match_service import MatchService
from service.application.tournaments.tournament_service import TournamentService

REASON = "Nothing was done by the end of the round."


class OpenMatch(NamedTuple):
    """A match that is not over, with the number `seq` of its events, and the seats that have done
    nothing in it. `end` is when it should have been over."""

    table: MatchTable
    match: str
    status: Status
    seq: int
    seats: int
    idle: tuple[int, ...]
    end: int | None


class Absences:
    """The absences in rounds."""

    def __init__(self, tournaments: TournamentService, matches: MatchService) -> None:
        self._tournaments = tournaments
        self._matches = matches
        self._judged: dict[str, int] = {}

    async def open_matches(self, state: Tournament, round_: PublishedRound) -> list[OpenMatch]:
        """The matches of a round that are not over."""
        matches = [
            await self.open_match(state, round_, table, last_match(state, table))
            for table in round_.tables
            if table.matches
        ]
        return [match for match in matches if match.status in ("created", "running", "paused")]

    async def open_match(
        self, state: Tournament, round_: PublishedRound, table: MatchTable, match: str
    ) -> OpenMatch:
        """A match as it stands."""
        loaded, projection = await self._matches.sessions.projection(UUID(match), MODERATOR)
        ready = state.competition.ready.get(match, frozenset())
        players = state.matches[match].players
        there = [seat for seat, player in enumerate(players) if player in ready]
        absent, end = idle(loaded.match, there), round_.end_of(table)
        return OpenMatch(
            table=table,
            match=match,
            status=loaded.match.status,
            seq=projection.seq,
            seats=loaded.match.created.seats,
            idle=absent,
            end=end,
        )

    async def start(self, open_match: OpenMatch, by: Actor) -> None:
        """Starts a match that is to be forfeited, if need be."""
        if open_match.status == "created":
            with suppress(Conflict):
                await self._matches.execute(UUID(open_match.match), Start(by), "public")

    async def forfeit_due(self, tournament: UUID) -> None:
        """Rules the forfeits that stages leave to the service, each match once, when it should have
        been over. One that was added only afterwards is left to staff, and one that is paused."""
        loaded, now = await self._tournaments.current(tournament), self._matches.clock.now()
        state = await self._tournaments.now(tournament)
        for round_, table in _left_to_service(state):
            end, match = round_.end_of(table), last_match(state, table)
            late = end is None or not loaded.added[match] < end <= now
            if late or match in state.results or self._judged.get(match) == end:
                continue
            while await self._forfeit(state, round_, table, match):
                continue
            self._judged[match] = end or 0

    async def _forfeit(
        self, state: Tournament, round_: PublishedRound, table: MatchTable, match: str
    ) -> bool:
        """Rules the forfeit of a match if someone has done nothing in it; whether it has to be
        judged again, because something has just been done."""
        open_match = await self.open_match(state, round_, table, match)
        if not open_match.idle or open_match.status not in ("created", "running"):
            return False
        await self.start(open_match, OPERATOR)
        again = await self.open_match(state, round_, table, match)
        if again.status != "running" or again.idle != open_match.idle:
            return again.status == "running"
        ruling = RuleResult(forfeited(again.seats, again.idle), "forfeit")
        rule = Rule(_ruling_id(match), ruling, REASON, OPERATOR, rule=BY_ITSELF)
        try:
            await self._matches.execute(
                UUID(match), rule, MODERATOR, expected=frozenset({again.seq})
            )
        except PreconditionFailed:
            return True
        except (AlreadyExists, Conflict):
            # It was ruled before, and perhaps undone by people since.
            return False
        return False


def last_match(state: Tournament, table: MatchTable) -> str:
    """The match that decides at a table: the last one, or the one that counts in its place."""
    return in_place_of(state.matches, table.matches[-1])


def _left_to_service(state: Tournament) -> Iterator[tuple[PublishedRound, MatchTable]]:
    """The tables with a match in open rounds of stages in which the service rules forfeits."""
    for stage in state.competition.stages:
        if stage.settings.absent == "forfeit":
            for round_ in stage.rounds:
                if round_.status == "published":
                    yield from ((round_, table) for table in round_.tables if table.matches)


def _ruling_id(match: str) -> str:
    """The id of the one ruling that the service makes on a match by itself."""
    return str(UUID(bytes=sha256(f"{match} {BY_ITSELF}".encode()).digest()[:16], version=4))
