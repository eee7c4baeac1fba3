"""Entity tags: an audience, and the number of its last event."""

from projections.disclosure import Viewer, named
from service.http.operation import Header

ETAG = Header("ETag", "The audience and the number of its last event")


def etag(viewer_name: str, seq: int, *, more: bool = False) -> str:
    """The entity tag of an audience's view: the view at a given number never changes. Or that of a
    page of events with the last number `seq`, behind which there are `more`."""
    return f'"{viewer_name}.{seq}{"+" if more else ""}"'


def public_etag(edition: str, seq: int, *, more: bool = False) -> str:
    """The same for the public's addresses, whose answers caches keep for long: it changes with the
    `edition` of the instance, too."""
    return f'"public.{seq}{"+" if more else ""}.{edition}"'


def parse_tags(listed: str | None) -> list[str] | None:
    """The entity tags of an `If-Match` or `If-None-Match` header, weak ones as strong."""
    if listed is None:
        return None
    return [tag.strip().removeprefix("W/") for tag in listed.split(",")]


def expected_positions(if_match: str | None, sender: Viewer) -> frozenset[int] | None:
    """The numbers of the sender's views in which a request may take effect; None for any."""
    expected = parse_tags(if_match)
    if expected is None or "*" in expected:
        return None
    prefix = f'"{named(sender)}.'
    numbers = [tag[len(prefix) : -1] for tag in expected if tag.startswith(prefix)]
    return frozenset(int(n) for n in numbers if n.isascii() and n.isdigit() and len(n) < 16)
