"""Sealed phases: several seats submit without seeing one another; each seat's last valid submission
counts."""

from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from domain.game import Refused
from domain.match.seats import set_seat

T = TypeVar("T")


class Invalid(Refused):
    """A submission of a sealed phase that its rules find invalid, or late.

    Unlike a refused action it has been submitted: it is stored, its sender is notified, and it
    replaces nothing.
    """


class Sealed(Struct, Generic[T], frozen=True):
    """The content of each seat's last valid submission; None where there is none. A phase that a
    rewind opened again ends by its deadline or by hand, never because all are in: no one can see
    from its end whether anyone has submitted again (/docs/rulings#going-back)."""

    standing: tuple[T | None, ...]
    reopened: bool = False

    @property
    def all_in(self) -> bool:
        """Whether the phase ends because every seat has submitted."""
        return not self.reopened and None not in self.standing


def open_phase(seats: int) -> Sealed[T]:
    """A phase in which no one has submitted yet."""
    return Sealed((None,) * seats)


def submit(phase: Sealed[T], seat: int, submission: T | None) -> Sealed[T]:
    """The phase after the seat's valid submission, which replaces the one before."""
    return replace(phase, standing=set_seat(phase.standing, seat, submission))
