"""All that is recorded, by area and title; and recordings as folders and files."""

import lzma
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from tests.oracle.client import Json, Scenario
from tests.oracle.histories import history, played
from tests.oracle.roles import matrix
from tests.oracle.scenarios import games, people, requests, rulings, tournaments
from tests.oracle.service import FEW_REQUESTS, NO_LIMITS, description, served
from tests.oracle.stable import Lines, Names

BASELINE = Path(__file__).with_name("baseline.json.xz")

Units = dict[str, Lines]
Recording = dict[str, Units]
"""Lines by what they are about, by area: `http/rulings/simple`, `history/liars-dice.keys`."""

PLAYED = ("server", "none"), ("manual", "none"), ("server", "rules")
"""How a match of each game is played: who answers draws, and whether deadlines run."""

GAMES = "http/games/"
TITLE = "=== "


def areas(begin: str = "") -> dict[str, Callable[[], Units]]:
    """What can be recorded, each by itself. To know which games there are a service is started,
    unless only areas whose names begin otherwise are wanted."""
    topics = rulings.SCENARIOS | people.SCENARIOS | tournaments.SCENARIOS | requests.SCENARIOS
    matches = _matches() if begin.startswith(GAMES) or GAMES.startswith(begin) else {}
    return {
        "description": described,
        **{f"http/{name}": partial(scenario, name, run) for name, run in topics.items()},
        **{f"{GAMES}{name}": partial(scenario, name, run) for name, run in matches.items()},
        **{f"history/{match.name}": partial(history, match) for match in played()},
        "roles": roles,
    }


def record(begin: str = "") -> Iterator[tuple[str, Units]]:
    """Records the areas whose names begin so, one after another."""
    for name, area in areas(begin).items():
        if name.startswith(begin):
            yield name, area()


def described() -> Units:
    """The description of the API: each operation, and each component."""
    whole, names = description(), Names()
    units = {
        f"{method.upper()} {path}": names.lines(operation)
        for path, operations in whole.pop("paths").items()
        for method, operation in operations.items()
    }
    for kind, components in whole.pop("components").items():
        units |= {f"{kind} {name}": names.lines(one) for name, one in components.items()}
    return units | {"the rest": names.lines(whole)}


def scenario(name: str, run: Callable[[Scenario], object]) -> Units:
    """A scenario on a service of its own."""
    rates = FEW_REQUESTS if name.endswith("limits") else NO_LIMITS
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), rates) as service:
        recorded = Scenario(service, name)
        run(recorded)
    return recorded.units


def roles() -> Units:
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as service:
        return matrix(service)


def _matches() -> dict[str, Callable[[Scenario], object]]:
    """A scenario for each registered game and way to play it."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as service:
        every: list[Json] = service.http.get("/v1/games").json()["games"]
        shown = [service.http.get(f"/v1/games/{game['id']}").json() for game in every]
    return {
        f"{game['id']} {chance} {clock}": partial(
            games.play, game=game, chance=chance, clock=clock, seats=game["seats"][0]
        )
        for game in shown
        for chance, clock in PLAYED
    }


def write(folder: Path, recording: Iterator[tuple[str, Units]]) -> None:
    """Writes a recording, an area a file, to be read by people too."""
    for name, units in recording:
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        parts = [line for title, lines in units.items() for line in (TITLE + title, *lines)]
        path.write_text("".join(f"{line}\n" for line in parts))


def read(source: Path) -> Recording:
    """A recording in a folder, or packed into a file."""
    if source.is_file():
        return msgspec.json.decode(lzma.decompress(source.read_bytes()), type=Recording)
    files = sorted(source.rglob("*.txt"))
    return {str(p.relative_to(source).with_suffix("")): _units(p.read_text()) for p in files}


def pack(recording: Recording, target: Path = BASELINE) -> None:
    """Packs a recording into one file."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 2**27}]
    packed = lzma.compress(msgspec.json.encode(recording, order="sorted"), filters=filters)
    target.write_bytes(packed)


def _units(text: str) -> Units:
    units: Units = {}
    for line in text.splitlines():
        if line.startswith(TITLE):
            lines = units[line.removeprefix(TITLE)] = []
        else:
            lines.append(line)
    return units
