# Made from the asynchronous classes by `make blocking-client`: change those.
"""Rulings, on a match or a tournament."""

from collections.abc import Generator
from typing import Any

from arbiter_client.blocking.resource import Resource
from arbiter_client.directing import Preview, Ruled, Ruling, RulingRow
from arbiter_client.requests import condition, once, only


class Ruleable(Resource):
    """What can be ruled on. A ruling is made in two steps: `preview` says what it would change, and
    `rule` makes it if nothing has happened since. The documentation on rulings has all kinds, and
    who may."""

    def preview(self, ruling: Ruling) -> Preview:
        """What a ruling would change, were it made now."""
        return self._post("rulings", Preview, {**ruling, "preview": True}, {})

    def rule(
        self, ruling: Ruling, *, if_match: Preview | str | None = None, key: str | None = None
    ) -> Ruled:
        """Makes a ruling, once: as it was previewed, or else raises Stale. It may have to wait for
        a second person, who does `second`."""
        headers = {**condition(if_match), **once(key)}
        return self._checked(self._post("rulings", Ruled, ruling, headers))

    def rulings(self) -> Generator[RulingRow, None]:
        """The rulings that the key may see."""
        return self.rows("rulings", "rulings", RulingRow)

    def preview_second(self, ruling: str, **more: Any) -> Preview:
        """What it would change to carry out the pending ruling with this id."""
        body = {**more, "preview": True}
        return self._post(f"rulings/{ruling}/second", Preview, body, {})

    def second(
        self,
        ruling: str,
        *,
        if_match: Preview | str,
        has_looked_reason: str | None = None,
        key: str | None = None,
    ) -> Ruled:
        """Carries out the pending ruling of somebody else, as it was previewed."""
        body, headers = only(has_looked_reason=has_looked_reason), condition(if_match) | once(key)
        made = self._post(f"rulings/{ruling}/second", Ruled, body, headers)
        return self._checked(made)

    def withdraw(self, ruling: str) -> None:
        """Gives up a pending ruling."""
        self._delete(f"rulings/{ruling}")

    def _checked(self, ruled: Ruled) -> Ruled:
        """The answer, once its receipt has been checked, if there are receipts for it."""
        return ruled
