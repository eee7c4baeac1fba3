"""Which history an answer is of: entity tags, which are an audience, the number of its last event,
in how many of its events a name is withheld, and the edition of the instance; and the incarnation
of the store."""

from service.event_store.integrity.incarnation import same_history
from service.http.requests.headers import INCARNATION
from service.instance import Instance


def incarnation_header(instance: Instance) -> dict[str, str]:
    """The header of an answer from the instance's store."""
    return {INCARNATION.name: instance.incarnation}


def etag(viewer_name: str, seq: int, edition: str, withheld: int = 0, *, more: bool = False) -> str:
    """The entity tag of an audience's view: in one `edition` the view at a given number changes
    only when another name in the audience's events is `withheld`. Or that of a page of events with
    the last number `seq`, after which there are `more`."""
    return f'"{viewer_name}.{seq}{"+" if more else ""}.{withheld}_{edition}"'


def parse_tags(listed: str | None) -> list[str] | None:
    """The entity tags of an `If-Match` or `If-None-Match` header, weak ones as strong."""
    if listed is None:
        return None
    return [tag.strip().removeprefix("W/") for tag in listed.split(",")]


def expected_numbers(if_match: str | None, name: str, edition: str) -> frozenset[int] | None:
    """The numbers with which a request may take effect, of the tags that begin with this name, such
    as that of the sender's views; None for any.

    A tag of a history that is gone fits none. One without an edition, `"seat:0.12"`, is taken as
    one of today's.
    """
    expected = parse_tags(if_match)
    if expected is None or "*" in expected:
        return None
    prefix = f'"{name}.'
    found = [tag[len(prefix) : -1].partition(".") for tag in expected if tag.startswith(prefix)]
    return frozenset(
        int(number)
        for number, _, seen in found
        if number.isascii() and number.isdigit() and len(number) < 16
        if not seen or same_history(seen, edition)
    )
