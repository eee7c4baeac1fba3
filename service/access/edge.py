"""What stands between an instance and those who ask it."""

import secrets

from service.access.limiting import Rates
from service.access.senders import Senders
from service.access.tickets import SECRET_SIZE, Tickets
from service.http.limiting import Gate
from service.instances.link import Link


class Edge:
    """How requests are measured, and how tickets are given: with a `redis_url` together with the
    other instances, which must have the same `ticket_secret` then; otherwise by this one alone."""

    def __init__(
        self,
        rates: Rates | None = None,
        senders: Senders | None = None,
        ticket_secret: bytes | None = None,
        redis_url: str | None = None,
    ) -> None:
        """Raises ValueError with a sentence for the operator when a setting is wrong."""
        self._link = None if redis_url is None else Link(redis_url)
        self.gate = Gate(rates, senders, self._link)
        self.tickets = Tickets(ticket_secret or secrets.token_bytes(SECRET_SIZE), self._link)

    async def close(self) -> None:
        """Closes its connections."""
        if self._link is not None:
            await self._link.close()
