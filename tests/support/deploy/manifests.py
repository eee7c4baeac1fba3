"""Deployed files as data, and the values that Arbiter's own settings must have in them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct
from msgspec.structs import fields
from prometheus_client.metrics_core import Metric

from service.observability.metrics import GAUGES, Metrics
from service.settings import GROUPS, Settings, read_settings
from tests.support.repository import ROOT

DEPLOY = ROOT / "deploy"

ELSEWHERE = {"ARBITER_DATA", "ARBITER_WORKERS"}
"""Settings that the command line reads itself."""


def documents(path: Path) -> list[Any]:
    return [document for document in yaml.load_all(path.read_text(), yaml.CSafeLoader) if document]


def known_settings() -> set[str]:
    """Every environment variable of ours that the settings read."""
    groups: tuple[type[Struct], ...] = (Settings, *GROUPS.values())
    return {one.encode_name for group in groups for one in fields(group)} | ELSEWHERE


def understood(environment: Mapping[str, str]) -> Settings:
    """The settings that the service reads from an environment; it must ignore none."""
    assert all(isinstance(value, str) for value in environment.values()), "a value is no text"
    ours = {name for name in environment if name.startswith("ARBITER_")}
    assert ours <= known_settings(), ours - known_settings()
    return read_settings(Path(environment.get("ARBITER_DATA", "data")), environment=environment)


def same_but_addresses(workers: Path, old: Iterable[str], new: Iterable[str]) -> bool:
    """Whether a list of workers equals nginx's list except for the addresses."""

    def directives(text: str) -> list[str]:
        return [line for line in text.splitlines() if line and not line.startswith("#")]

    text = (DEPLOY / "nginx" / "workers.conf").read_text()
    for one, other in zip(old, new, strict=True):
        text = text.replace(f"server {one} ", f"server {other} ")
    return directives(workers.read_text()) == directives(text)


BASE, EXAMPLE = DEPLOY / "kubernetes" / "base", DEPLOY / "kubernetes" / "example"
NGINX = DEPLOY / "nginx"
FOLDERS = (NGINX, BASE, EXAMPLE)
KUSTOMIZATIONS = {folder: documents(folder / "kustomization.yaml")[0] for folder in FOLDERS}
RESOURCES: list[Any] = [
    document
    for folder, kustomization in KUSTOMIZATIONS.items()
    for name in kustomization.get("resources", [])
    if (folder / name).is_file()
    for document in documents(folder / name)
]


def found(kind: str, name: str) -> Any:
    (resource,) = (r for r in RESOURCES if r["kind"] == kind and r["metadata"]["name"] == name)
    return resource


WORKER = found("StatefulSet", "arbiter")
PODS = {
    r["metadata"]["name"]: r["spec"]["template"]
    for r in RESOURCES
    if r["kind"] in ("StatefulSet", "Deployment")
}
SPEC = WORKER["spec"]["template"]["spec"]
CONTAINERS = [
    container
    for pod in PODS.values()
    for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]
]


PROMETHEUS = DEPLOY / "prometheus"


(RULES,) = documents(PROMETHEUS / "rules.yml")


ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]


def families() -> dict[str, Metric]:
    """Every metric family that an instance may export, by its name."""
    metrics = Metrics()
    metrics.add_gauges({name: lambda: 0.0 for name in GAUGES})
    return {family.name: family for family in metrics.registry.collect()}


FAMILIES = families()
