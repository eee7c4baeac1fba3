"""The room on the disk of the embedded store."""

import os
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

MIB = 1024**2

Room = Annotated[int, Meta(ge=1, description="the free room in MiB, a whole number")]

WARN_PART = 20
"""A disk is low only when less than one part in so many is free, however large the limit."""


class DiskLimits(Struct, frozen=True):
    """The free MiB below which the disk counts as `low` and as `full`."""

    low: Room = field(name="ARBITER_DISK_LOW", default=1024)
    full: Room = field(name="ARBITER_DISK_FULL", default=64)


class DiskRoom(Struct, frozen=True):
    """The free bytes of a disk, as far as the service may use them, and all of its bytes."""

    free: int
    total: int

    def value(self, limits: DiskLimits) -> Literal["up", "low", "full"]:
        """How the disk is."""
        if self.free < limits.full * MIB:
            return "full"
        if self.free < min(limits.low * MIB, self.total // WARN_PART):
            return "low"
        return "up"


def disk_room(folder: str) -> DiskRoom:
    """The room on the disk of a folder. Blocks; raises OSError."""
    statistics = os.statvfs(folder)
    return DiskRoom(
        statistics.f_bavail * statistics.f_frsize, statistics.f_blocks * statistics.f_frsize
    )
