"""`Arbiter-Incarnation`: tells a reader that the history of the store has gone back."""

from service.http.operation import Header
from service.instance import Instance

NAME = "Arbiter-Incarnation"

INCARNATION = Header(
    NAME,
    "The incarnation of the store, the same for everybody. If it is not the one before, history "
    "has gone back to a backup: forget what you have of the match, and read it again",
)


def incarnation_header(instance: Instance) -> dict[str, str]:
    """The header of an answer from the instance's store."""
    return {NAME: instance.incarnation}
