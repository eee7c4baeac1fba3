"""A systemd unit file, as far as it says how a program is run."""

import shlex
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple


class Unit(NamedTuple):
    """The content by section and name; a name may have several values."""

    settings: dict[str, dict[str, list[str]]]
    instance: str

    def all(self, name: str, section: str = "Service") -> list[str]:
        """The values of a setting, with the instance's number filled in."""
        values = self.settings[section].get(name, [])
        return [value.replace("%i", self.instance) for value in values]

    def one(self, name: str, section: str = "Service") -> str:
        (value,) = self.all(name, section)
        return value

    def command(self, name: str = "ExecStart") -> list[str]:
        return shlex.split(self.one(name))

    def environment(self) -> dict[str, str]:
        """The environment that it sets itself; files are added to that."""
        words = [word for line in self.all("Environment") for word in shlex.split(line)]
        return dict(word.split("=", 1) for word in words)


def read(path: Path, instance: str = "") -> Unit:
    settings: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    section = ""
    for line in path.read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            name, value = line.split("=", 1)
            settings[section][name].append(value)
    return Unit(settings, instance)


def environment_file(path: Path) -> dict[str, str]:
    """The environment that a file named by EnvironmentFile sets."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)
