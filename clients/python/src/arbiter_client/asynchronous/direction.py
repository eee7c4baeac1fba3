"""What moderators and organisers do with a match, and read of it."""

from collections.abc import AsyncGenerator

from arbiter_client.answers import Event, Invitation, NewKey, Row
from arbiter_client.asynchronous.rulings import Ruleable
from arbiter_client.directing import Ruled, Ruling
from arbiter_client.requests import only

PAGE = 1_000
TIMELINE_PAGE = 10_000


class Directed(Ruleable):
    """A match, as those who run it see it. A `Row` is what the API answers, as it stands."""

    async def ready(self) -> None:
        """Is ready for a match of a tournament's round, as a seat: it starts when all are."""
        await self._post("ready", object)

    async def ask(self, ruling: Ruling, *, key: str | None = None) -> Ruled:
        """Asks for a `result`, a `pause`, a `resume` or a `void`, as a seat: it is pending until
        all other seats consent and a moderator seconds it, if the match has one. `withdraw` gives
        it up."""
        asked = {**ruling, "ask_seats": True}
        return await self.rule(asked, if_match=await self.preview(asked), key=key)

    async def consent(self, ruling: str) -> Ruled:
        """Consents to a pending ruling, as a seat that was asked."""
        return await self._post(f"rulings/{ruling}/consent", Ruled)

    async def invite(self, seat: int, expires_in: int | None = None) -> Invitation:
        """A link by which someone gets a key to the seat, as an organiser. It is good for so many
        seconds, by default for a week."""
        return await self._post("invitations", Invitation, only(seat=seat, expires_in=expires_in))

    async def new_key(self, role: str, name: str | None = None) -> NewKey:
        """One more key, for a `moderator` or for `seat:N`, as an organiser."""
        return await self._post("keys", NewKey, only(role=role, name=name))

    def issued_keys(self) -> AsyncGenerator[Row, None]:
        """The valid keys of the match."""
        return self.rows("keys", "keys", Row)

    async def end_key(self, key_id: str) -> None:
        """Ends a key, with its open streams."""
        await self._delete(f"keys/{key_id}")

    def events(self, after: int = 0, as_: str | None = None) -> AsyncGenerator[Event, None]:
        """The events of an audience up to now, after a number. `follow` goes on."""
        return self.rows("events", "events", Event, after=after, as_=as_, limit=PAGE)

    def timeline(self, as_: str | None = None) -> AsyncGenerator[Row, None]:
        """The events of an audience up to now, with what followed from what."""
        return self.rows("timeline", "lines", Row, as_=as_, limit=TIMELINE_PAGE)

    def reads(self) -> AsyncGenerator[Row, None]:
        """Who has read what of the match."""
        return self.rows("reads", "reads", Row, limit=PAGE)

    async def bundle(self, as_: str | None = None) -> bytes:
        """All that proves the match to a stranger, for `arbiter verify`: once it is over, or for
        its moderators."""
        return await self.get("bundle", bytes, as_=as_)

    async def checkpoint(self) -> Row:
        """The signed length and root of the log, once the match is over."""
        return await self.get("checkpoint", Row)

    async def notation(self) -> str:
        """The moves of the match as text, once everyone may read them."""
        return (await self.get("notation", bytes)).decode(errors="replace")
