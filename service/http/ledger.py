"""`/v1/tournaments/{id}/ledger`: garnets, to whom they may be shown."""

from typing import Annotated
from uuid import UUID

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, QueryParameter
from litestar.response.base import ASGIResponse

from domain.ledger import Account
from domain.tournament_state import Tournament, player_of
from projections.instants import rfc3339
from projections.ledger import Posted
from service.access.keys import Grant
from service.http.access import holder
from service.http.problems import AnyRequest, Failed
from service.http.responses import json, only, raises, returns
from service.http.tournament_bodies import Balance, Ledger, LedgerEntry
from service.http.views import LAST
from service.stores import Stores

MOST_POSTINGS = 1_000


def routes(stores: Stores) -> list[HTTPRouteHandler]:
    """The route of the ledger."""

    @get(
        "/v1/tournaments/{tournament_id:uuid}/ledger",
        operation_id="showLedger",
        summary="The ledger of garnets",
        tags=["tournaments"],
        responses={
            **returns(200, Ledger),
            **raises(
                "bad_request", "key_missing", "key_unknown", "not_allowed", "no_such_tournament",
                "try_again",
            ),
        },
    )  # fmt: skip
    async def show_ledger(
        request: AnyRequest,
        tournament_id: FromPath[UUID],
        after: Annotated[
            int, QueryParameter(ge=0, le=LAST, description="Behind this number of a posting")
        ] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=MOST_POSTINGS)] = 100,
    ) -> ASGIResponse:
        """Everything for organisers; for a player, also one who moderates other matches, what is
        his own."""
        arbiter = await stores.of(tournament_id)
        only(request, "after", "limit")
        grant = await holder(arbiter, request)
        opened = await arbiter.tournaments.opened(tournament_id)
        player = reader(grant, tournament_id, opened.state)
        # Both of one moment: what is posted from now on is on the next page.
        balances, posted = _balances(opened.state, player), opened.posted(player)
        upto = min(after + limit, posted)
        postings = await arbiter.lists.postings(tournament_id, player, after, upto)
        page = Ledger(balances, list(map(_entry, postings)), upto if upto < posted else None)
        return json(page, 200, {"Cache-Control": "private, no-cache", "Vary": "Authorization"})

    return [show_ledger]


def reader(grant: Grant, tournament_id: UUID, state: Tournament) -> int | None:
    """Whose garnets a key shows: everybody's (None) or one player's. Raises Failed if nobody's.

    What a player has left of the garnets of a match is for him and that match's moderators, whom
    the match tells; so a moderator sees no more here than the player that he is, if he is one.
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


def _balances(state: Tournament, player: int | None) -> list[Balance]:
    """What is on the accounts of a player, or on all of them."""
    return [
        Balance(account.kind, account.player, account.match, garnets)
        for account, garnets in sorted(state.balances.items(), key=_in_order)
        if player is None or account.player == player
    ]


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
    )


def _in_order(balance: tuple[Account, int]) -> tuple[int, str]:
    """The house first, then each player's purse and what he has brought into matches."""
    account = balance[0]
    return (-1 if account.player is None else account.player, account.match or "")
