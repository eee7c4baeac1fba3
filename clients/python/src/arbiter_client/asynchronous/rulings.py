"""Rulings, on a match or a tournament."""

from collections.abc import AsyncGenerator
from typing import Any, ClassVar

from msgspec import Struct

from arbiter_client.answers import Row
from arbiter_client.asynchronous.calls import Resource
from arbiter_client.directing import Preview, Ruled, Ruling, RulingRow
from arbiter_client.requests import condition, once, only


class _Opened(Struct):
    case: str


class Ruleable(Resource):
    """What can be ruled on, and has cases. A ruling is made in two steps: `preview` says what it
    would change, and `rule` makes it if nothing has happened since. The documentation on rulings
    has all kinds, and who may."""

    _party: ClassVar = "seat"
    """What those are who speak in a case."""

    async def preview(self, ruling: Ruling) -> Preview:
        """What a ruling would change, were it made now."""
        return await self._post("rulings", Preview, {**ruling, "preview": True}, {})

    async def rule(
        self, ruling: Ruling, *, if_match: Preview | str | None = None, key: str | None = None
    ) -> Ruled:
        """Makes a ruling, once: as it was previewed, or else raises Stale. It may have to wait for
        a second person, who does `second`."""
        headers = {**condition(if_match), **once(key)}
        return await self._checked(await self._post("rulings", Ruled, ruling, headers))

    def rulings(self, /, **filters: Any) -> AsyncGenerator[RulingRow, None]:
        """The rulings that the key may see. Those of a tournament have behind them those of its
        matches; `kind`, `person`, `match`, `since` and `until` filter them, and `matches="false"`
        leaves the matches out."""
        return self.rows("rulings", "rulings", RulingRow, **filters)

    async def preview_second(self, /, ruling: str, **more: Any) -> Preview:
        """What it would change to carry out the pending ruling with this id."""
        body = {**more, "preview": True}
        return await self._post(f"rulings/{ruling}/second", Preview, body, {})

    async def second(
        self,
        ruling: str,
        *,
        if_match: Preview | str,
        has_looked_reason: str | None = None,
        key: str | None = None,
    ) -> Ruled:
        """Carries out the pending ruling of another person, as it was previewed."""
        body, headers = only(has_looked_reason=has_looked_reason), condition(if_match) | once(key)
        made = await self._post(f"rulings/{ruling}/second", Ruled, body, headers)
        return await self._checked(made)

    async def withdraw(self, ruling: str) -> None:
        """Gives up a pending ruling."""
        await self._delete(f"rulings/{ruling}")

    async def open_case(
        self, says: str, about: int | Row | None = None, about_public: int | None = None
    ) -> str:
        """Opens a case on what went wrong; returns its id. In a match it may be about an event, by
        the key's own number of it or by the public's, in a tournament about a `stage`, a `round`
        and a `player`."""
        body = only(says=says, about=about, about_public=about_public)
        return (await self._post("cases", _Opened, body)).case

    def cases(self, /, **filters: Any) -> AsyncGenerator[Row, None]:
        """The cases that the key may read, without what was said in them. Those of a tournament
        have behind them those of its matches, with the filters of `rulings`, but `kind`."""
        return self.rows("cases", "cases", Row, **filters)

    async def case(self, case: str) -> Row:
        """A case with all that was said in it."""
        return await self.get(f"cases/{case}", Row)

    async def say(self, case: str, says: str, attachment: dict[str, Any] | None = None) -> None:
        """Says something in a case, perhaps about an attachment that is kept elsewhere."""
        body = only(says=says, attachment=attachment)
        await self._post(f"cases/{case}/statements", object, body)

    async def add_party(self, case: str, party: int) -> None:
        """Lets a seat of the match, or a player of the tournament, read a case and speak in it."""
        await self._post(f"cases/{case}/parties", object, {self._party: party})

    async def publish_case(self, case: str) -> None:
        """Shows a case to everyone, as an organiser."""
        await self._post(f"cases/{case}/publish", object)

    async def close_case(self, case: str, note: str) -> None:
        """Closes a case by a note. A ruling closes the one that it names."""
        await self._post(f"cases/{case}/close", object, {"note": note})

    async def appeal(self, case: str, says: str) -> None:
        """Appeals against how a case was closed, as a party, once."""
        await self._post(f"cases/{case}/appeal", object, {"says": says})

    async def _checked(self, ruled: Ruled) -> Ruled:
        """The answer, once its receipt has been checked, if there are receipts for it."""
        return ruled
