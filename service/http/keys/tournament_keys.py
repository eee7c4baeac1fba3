"""`/v1/tournaments/{id}/keys`: the valid keys of a tournament and of its matches."""

from uuid import UUID

from litestar import Controller
from msgspec import Struct
from msgspec.structs import asdict, replace

from domain.tournament.state import Tournament
from projections.fields import Next
from service.application.keys.match_keys import ListedKey
from service.auth.keyring import RingKey
from service.event_store.store_threads import in_store_thread
from service.http.access.guards import DIRECTORS
from service.http.description.routing import get
from service.http.keys.keys import MatchKey, shown_key
from service.http.requests.across import ACROSS, Listed, Rows, TheAcross
from service.http.requests.dependencies import Page, TheActor, TheInstance
from service.http.requests.responses import Answer, private

ROLES = {"p": "player", "m": "moderator", "o": "organiser"}
"""What keys of a tournament are for, by how their slots begin."""


class KeyAcross(MatchKey, frozen=True, kw_only=True):
    """A valid key of one `match` of a tournament; or with null of the tournament itself, with the
    role `player:N`, `moderator:N` or `organiser:N`. All else, as `issued_by`, `theirs_since` and
    `own`, is as in the list of a match."""

    match: str | None


class TournamentKeyList(Struct, frozen=True):
    """Valid keys of a tournament and behind them those of its matches, in the order in which they
    were issued. Keys that have ended count for a page, but are not shown."""

    keys: list[KeyAcross]
    next: Next


class TournamentKeyListController(Controller):
    """The keys across a tournament."""

    path = "/v1/tournaments/{tournament_id:uuid}/keys"
    tags = ("tournaments",)
    dependencies = ACROSS

    @get(summary="The valid keys of a tournament and its matches", guards=[DIRECTORS])
    async def list_tournament_keys(
        self, across: TheAcross, actor: TheActor, instance: TheInstance
    ) -> Answer[TournamentKeyList]:
        """Organisers see the keys of the tournament and of all matches, moderators those of their
        matches. A page may have less than `limit`, and another one follow."""
        match_keys = instance.match_keys

        async def list_rows(match: UUID | None, page: Page) -> Rows[KeyAcross]:
            ring, match_text = match or across.tournament.id, None if match is None else str(match)
            issued, following = page.of(await in_store_thread(instance.keyring.issued, ring))
            if match is not None:
                valid = await match_keys.valid(match, issued)
            else:
                state, last = await across.state(), await in_store_thread(match_keys.uses.of, ring)
                with_names = [_with_name(key, state) for key in issued if not key.ended]
                valid = [ListedKey(key, last.get(key.id)) for key in with_names]
            return [_row_of(row, match_text, actor.key_id) for row in valid], following

        return private(TournamentKeyList(*await across.rows(list_rows, directed=True)))


def _with_name(key: RingKey, state: Tournament) -> RingKey:
    """The key with a name, which the roster has of players."""
    name = key.name or state.players[int(key.slot[1:])] if key.slot[0] == "p" else key.name
    return replace(key, name=name)


def _row_of(key_row: ListedKey, match: str | None, asking: str) -> Listed[KeyAcross]:
    key, key_shown = key_row.key, shown_key(key_row, asking)
    role = key_shown.role if match else f"{ROLES[key.slot[0]]}:{key.slot[1:]}"
    row = KeyAcross(**asdict(replace(key_shown, role=role)), match=match)
    return Listed(row, match, [row.name], key.at, key_row.last_used or key.at)
