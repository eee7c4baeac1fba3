"""Rulings, on a match or a tournament."""

from collections.abc import AsyncGenerator
from typing import Any

from arbiter_client.asynchronous.calls import Resource
from arbiter_client.directing import Preview, Ruled, Ruling, RulingRow
from arbiter_client.requests import condition, once, only


class Ruleable(Resource):
    """What can be ruled on. A ruling is made in two steps: `preview` says what it would change, and
    `rule` makes it if nothing has happened since. The documentation on rulings has all kinds, and
    who may."""

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

    def rulings(self) -> AsyncGenerator[RulingRow, None]:
        """The rulings that the key may see."""
        return self.rows("rulings", "rulings", RulingRow)

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

    async def _checked(self, ruled: Ruled) -> Ruled:
        """The answer, once its receipt has been checked, if there are receipts for it."""
        return ruled
