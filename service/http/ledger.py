"""`/v1/tournaments/{id}/ledger`: garnets, shown to organisers and to the player they belong to."""

from typing import Annotated
from uuid import UUID

from litestar import Controller
from litestar.di import NamedDependency
from litestar.response.base import ASGIResponse

from domain.ledger import Account
from domain.tournament_state import Tournament, player_of
from projections.ledger import Posted
from projections.timestamps import rfc3339
from service.auth.grants import Grant
from service.http.access import only
from service.http.dependencies import TOURNAMENT_DEPENDENCIES, Call
from service.http.operation import get
from service.http.parameters import PageLimit, QueryParameters, position
from service.http.problems import Failed
from service.http.responses import json, private_headers
from service.http.tournament_schemas import Balance, Ledger, LedgerEntry


class LedgerQuery(QueryParameters, frozen=True):
    """Which postings."""

    after: Annotated[int, position("Behind this number of a posting")] = 0
    limit: PageLimit = 100


class LedgerController(Controller):
    """The ledger of a tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}/ledger"
    tags = ("tournaments",)
    dependencies = TOURNAMENT_DEPENDENCIES

    @get(
        operation_id="showLedger",
        summary="The ledger of garnets",
        security=only("organiser", "player"),
        answer=Ledger,
        query=LedgerQuery,
    )
    async def show_ledger(
        self,
        call: NamedDependency[Call],
        parameters: NamedDependency[LedgerQuery],
        grant: NamedDependency[Grant],
    ) -> ASGIResponse:
        """Organisers see everything; players, and moderators who also play, see their own."""
        opened = await call.instance.tournaments.current(call.id)
        player = visible_player(grant, call.id, opened.state)
        # Both as of one moment: later postings are on the next page.
        posted = opened.postings_of(player)
        balances = [
            Balance(account.kind, account.player, account.match, garnets)
            for account, garnets in sorted(opened.state.balances.items(), key=_in_order)
            if player is None or account.player == player
        ]
        end = min(parameters.after + parameters.limit, posted)
        postings = await call.instance.lists.postings(call.id, player, parameters.after, end)
        page = Ledger(balances, list(map(_entry, postings)), end if end < posted else None)
        return json(page, 200, private_headers())


def visible_player(grant: Grant, tournament_id: UUID, state: Tournament) -> int | None:
    """The player whose garnets a key shows; None for everybody's. Raises Failed if nobody's.

    A match shows its players' garnets to themselves and to its moderators. Here a moderator sees
    no more than the player that they are, if they are one.
    """
    if grant.role == "organiser":
        return None
    if grant.tournament != tournament_id:
        raise Failed("not_allowed")
    if grant.role == "player":
        return grant.number
    player = player_of(state, grant.number) if grant.number < len(state.moderators) else None
    if player is None:
        raise Failed("not_allowed")
    return player


def _entry(posted: Posted) -> LedgerEntry:
    event = posted.event
    return LedgerEntry(
        posted.seq,
        rfc3339(posted.at),
        event.seat,
        event.debit,
        event.credit,
        event.amount,
        event.reason,
        event.match,
        posted.reverses,
    )


def _in_order(balance: tuple[Account, int]) -> tuple[int, str]:
    """The house first, then each player's purse and what they have brought into matches."""
    account = balance[0]
    return (-1 if account.player is None else account.player, account.match or "")
