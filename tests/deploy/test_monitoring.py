"""The dashboard, the alerts and the scrape configuration use only metrics that exist."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from prometheus_client.metrics_core import Metric

from service.observability.metrics import Metrics
from tests.support.deploy.manifests import DEPLOY, documents
from tests.support.deploy.metric_families import ALERTS, FAMILIES, PROMETHEUS
from tests.support.deploy.systemd_unit import read
from tests.support.repository import ROOT

DASHBOARD: Any = json.loads((DEPLOY / "grafana" / "arbiter.json").read_text())

UNUSED: set[str] = set()
"""Metrics of ours that are deliberately on no panel and in no alert."""

SELECTED = re.compile(r"\b((?:arbiter|process|python)_[a-z_]+)(?:\{([^}]*)\})?")
ANYWHERE = {"job", "instance", "le"}
"""Labels that are not the service's own."""


def samples_of(family: Metric) -> set[str]:
    """The names of its samples."""
    endings = {
        "counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",),
        "info": ("_info",),
    }  # fmt: skip
    return {family.name + ending for ending in endings[family.type]}


FAMILY_OF = {sample: family.name for family in FAMILIES.values() for sample in samples_of(family)}


def expressions() -> Iterator[tuple[str, str]]:
    """Every query and its location."""
    for rule in ALERTS:
        yield rule["alert"], rule["expr"]
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


def queried() -> Iterator[tuple[str, str, str]]:
    """Location, metric name, and label names."""
    for where, expression in expressions():
        for name, labels in SELECTED.findall(expression):
            yield where, name, labels


def test_every_queried_metric_exists() -> None:
    names = {name for _, name, _ in queried()}
    assert len(names) > 20
    assert names <= FAMILY_OF.keys(), names - FAMILY_OF.keys()


def test_every_metric_of_ours_is_used() -> None:
    used = {FAMILY_OF[name] for _, name, _ in queried()}
    ours = {name for name in FAMILIES if name.startswith("arbiter_")}
    assert ours - used == UNUSED


def test_every_label_exists() -> None:
    labels = {
        "arbiter_requests": {"method", "route", "status"},
        "arbiter_request_seconds": {"method", "route"},
        "arbiter_errors": {"event"},
        "arbiter_build_info": {"version", "python"},
    }
    of_registry = Metrics()
    of_registry.answered("GET", "/", 200, 0.1)
    of_registry.failed("store_failed")
    for family in of_registry.registry.collect():
        exported = {name for sample in family.samples for name in sample.labels} - {"le"}
        if family.name in labels:
            assert exported == labels[family.name]
    for where, name, matchers in queried():
        known = labels.get(FAMILY_OF[name], set()) | ANYWHERE
        assert set(re.findall(r"(\w+)\s*=~?", matchers)) <= known, where


def test_every_selector_names_one_job() -> None:
    for where, name, matchers in queried():
        assert re.search(r'\bjob="(arbiter|\$job)"', matchers), f"{where}: {name}"


def test_every_error_in_an_alert_can_be_logged() -> None:
    source = "".join(path.read_text() for path in (ROOT / "service").rglob("*.py"))
    events = [
        event
        for rule in ALERTS
        for listed in re.findall(r'event=~?"([^"]*)"', rule["expr"])
        for event in listed.split("|")
    ]
    assert events
    for event in events:
        assert f'"{event}"' in source, event


def test_every_alert_says_what_to_do() -> None:
    for rule in ALERTS:
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"].keys() == {"summary", "description"}
    names = [rule["alert"] for rule in ALERTS]
    assert len(set(names)) == len(names)


def test_panels_do_not_overlap() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)

    def cells(panel: Any) -> set[tuple[int, int]]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        return {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }

    for one, other in combinations(panels, 2):
        assert not cells(one) & cells(other), (one["title"], other["title"])
    for panel in panels:
        assert panel["type"] == "row" or panel["description"]


def test_the_workers_of_systemd_are_scraped() -> None:
    (config,) = documents(PROMETHEUS / "prometheus.yml")
    (job,) = config["scrape_configs"]
    assert job["job_name"] == "arbiter"
    units = [read(DEPLOY / "systemd" / "arbiter@.service", str(n)) for n in (1, 2, 3)]
    addresses = [unit.environment()["ARBITER_METRICS"] for unit in units]
    assert job["static_configs"] == [{"targets": addresses}]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_prometheus_accepts_the_rules_and_they_fire() -> None:
    for command in (["check", "config", "prometheus.yml"], ["test", "rules", "rules_test.yml"]):
        said = subprocess.run(
            ["promtool", *command], cwd=PROMETHEUS, capture_output=True, text=True
        )
        assert said.returncode == 0, said.stdout + said.stderr
