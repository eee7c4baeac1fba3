"""What happens to the registration of a tournament. The tags are the storage format."""

from domain.events import Instant, SealedEvent


class RegistrationOpened(SealedEvent, frozen=True, tag="tournament.registration-opened.1"):
    """Players may enter themselves by the link whose token has this hash, in place of an earlier
    one: as long as there are fewer than `limit`, and until it closes."""

    token: bytes
    limit: int
    closes: Instant | None
    waiting_list: bool


class RegistrationClosed(SealedEvent, frozen=True, tag="tournament.registration-closed.1"):
    """No more players enter themselves."""


class PlayerRegistered(SealedEvent, frozen=True, tag="tournament.player-registered.1"):
    """The player who enters right after this did so by the link, in a request with this hash."""

    request: bytes


class PlayerWaits(SealedEvent, frozen=True, tag="tournament.player-waits.1"):
    """Someone waits for a place, since a request with this hash."""

    name: str
    request: bytes


RegistrationEvent = RegistrationOpened | RegistrationClosed | PlayerRegistered | PlayerWaits
