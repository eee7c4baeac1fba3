"""Sealed phases: several seats submit without seeing one another; each one's last valid
submission counts."""

from typing import Generic, TypeVar

from msgspec import Struct

from domain.game import Refused

T = TypeVar("T")


class Invalid(Refused):
    """A submission that belongs to the sealed phase and that its rules find invalid, or late.

    Unlike an action that is refused it has been submitted: it is kept, its sender is told, and it
    displaces nothing.
    """


class Sealed(Struct, Generic[T], frozen=True):
    """What each seat's last valid submission says; None where there is none."""

    standing: tuple[T | None, ...]

    @property
    def all_in(self) -> bool:
        """Whether every seat has submitted."""
        return None not in self.standing

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats that have not submitted."""
        return tuple(seat for seat, said in enumerate(self.standing) if said is None)


def opened(seats: int) -> Sealed[T]:
    """A phase in which nobody has submitted yet."""
    return Sealed((None,) * seats)


def submitted(phase: Sealed[T], seat: int, said: T | None) -> Sealed[T]:
    """The phase after the seat's valid submission, which displaces the one before."""
    standing = phase.standing
    return Sealed((*standing[:seat], said, *standing[seat + 1 :]))
