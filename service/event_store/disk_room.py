"""The room on the disk of the embedded store."""

import os
from typing import Literal

from msgspec import Struct

WARN_PART = 20
"""A disk is low only when less than one part in so many is free, however large the limit."""


class DiskLimits(Struct, frozen=True):
    """Free bytes below which the disk counts as `low` and as `full`."""

    low: int
    full: int


class DiskRoom(Struct, frozen=True):
    """The free bytes of a disk, as far as the service may use them, and all of its bytes."""

    free: int
    total: int

    def value(self, limits: DiskLimits) -> Literal["up", "low", "full"]:
        """How the disk is."""
        if self.free < limits.full:
            return "full"
        if self.free < min(limits.low, self.total // WARN_PART):
            return "low"
        return "up"


def disk_room(folder: str) -> DiskRoom:
    """The room on the disk of a folder. Blocks; raises OSError."""
    found = os.statvfs(folder)
    return DiskRoom(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)
