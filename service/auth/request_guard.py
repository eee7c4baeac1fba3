"""What stands between an instance and its clients: rate limits, addresses, and stream tickets."""

import secrets

from service.auth.client_address import ClientAddresses
from service.auth.rate_limiter import Limiter, OpenStreams, Rates, rate
from service.auth.tickets import SECRET_SIZE, Tickets


class RequestGuard:
    """Counts requests and streams, and issues tickets.

    All instances of a service need the same `ticket_secret`. `turned_away` counts the requests
    refused because too many were `under_way`.
    """

    def __init__(
        self,
        rates: Rates | None = None,
        client_addresses: ClientAddresses | None = None,
        ticket_secret: bytes | None = None,
    ) -> None:
        """Raises ValueError with a sentence for the operator when a setting is wrong."""
        self.rates = rates or Rates()
        self.client_addresses = client_addresses or ClientAddresses()
        self.limiter = Limiter()
        self.open_streams = OpenStreams(self.rates.streams)
        self.under_way = self.turned_away = 0
        self.by_key = rate(self.rates.by_key)
        self.by_address = rate(self.rates.by_address)
        self.failures = rate(self.rates.failures)
        self.tickets = Tickets(ticket_secret or secrets.token_bytes(SECRET_SIZE))

    @property
    def requests(self) -> int:
        """The number of requests being answered, not counting streams."""
        return self.under_way - len(self.open_streams)
