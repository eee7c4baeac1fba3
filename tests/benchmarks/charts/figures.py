"""Figures over size, as they are measured and stored: the median of the rounds, and their
spread."""

import os
import platform
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec
from msgspec import Struct

from service.settings import MIB, Settings
from tests.benchmarks.charts.plan import SHORT, STORES, Plan

FILE = Path(__file__).with_name("figures.json")
PACKAGES = ("eventsourcing", "litestar", "msgspec", "psycopg", "redis", "uvicorn", "uvloop")
LIBRARY = "library"

Over = Literal["matches", "length"]


class Point(Struct, frozen=True, order=True):
    """A figure of a panel, on one of its lines: at this number of open matches, or of events in a
    match."""

    panel: str
    over: Over
    line: str
    size: int
    median: float = 0.0
    low: float = 0.0
    high: float = 0.0


class Where(Struct, frozen=True):
    """Where and how it was measured. `load` is the system's load average when it began; `room` the
    MiB of memory that the service reserves for open matches."""

    date: str
    cores: int
    load: float
    machine: str
    python: str
    sqlite: str
    packages: dict[str, str]
    room: int
    plan: Plan
    how: str


class Figures(Struct, frozen=True):
    """All figures of a run."""

    measured: Where
    points: list[Point]


class Notes:
    """The figures measured so far. `on_point` is called with each new one."""

    def __init__(self, on_point: Callable[[Point], None] = lambda _: None) -> None:
        self.points: list[Point] = []
        self._on_point = on_point

    def add(self, panel: str, over: Over, line: str, size: int, rounds: Sequence[float]) -> None:
        """Records a figure, with one value for each round."""
        point = Point(panel, over, line, size, median(rounds), min(rounds), max(rounds))
        self.points.append(point)
        self._on_point(point)


def wanted(plan: Plan) -> Iterator[tuple[str, Over, str, int]]:
    """Every figure of a run: panel, what it is over, line and size."""
    sizes: tuple[tuple[Over, Sequence[int]], ...] = (
        ("matches", plan.matches),
        ("length", tuple(plan.lengths)),
    )
    for over, some in sizes:
        for size in some:
            for store in STORES:
                for panel in ("acting", "share", "engine", "recording", "following"):
                    yield panel, over, store, size
                if over == "matches" or size <= SHORT:
                    yield "opening", over, store, size
                yield "engine", over, f"{LIBRARY}, {store}", size
            for line in ("p50", "p99"):
                yield "delivery", over, line, size


def where(plan: Plan, how: str) -> Where:
    """This machine, now."""
    return Where(
        datetime.now(UTC).isoformat(timespec="minutes"),
        os.cpu_count() or 1,
        round(os.getloadavg()[0], 1),
        f"{platform.system()} {platform.machine()}",
        platform.python_version(),
        sqlite3.sqlite_version,
        {name: version(name) for name in PACKAGES},
        Settings({}).match_memory // MIB,
        plan,
        how,
    )


def written(figures: Figures) -> bytes:
    """The figures as a file that people can read, too."""
    return msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n"


def digest(figures: Figures) -> str:
    """A digest that identifies these figures."""
    return sha256(written(figures)).hexdigest()


def read(file: Path = FILE) -> Figures:
    """The figures of a file."""
    return msgspec.json.decode(file.read_bytes(), type=Figures)
