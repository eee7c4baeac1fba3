"""The dashboard, the alerts and the scrape configuration use only metrics that exist."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from prometheus_client.metrics_core import Metric

from service.observability.metrics import GAUGES, Metrics
from tests.deploy.systemd_unit import read
from tests.support.deploy.manifests import ALERTS, DEPLOY, FAMILIES, PROMETHEUS, documents
from tests.support.repository import ROOT
from tests.support.web.documentation_pages import headings, text

DASHBOARD: Any = json.loads((DEPLOY / "grafana" / "arbiter.json").read_text())

PAGE = "service/web/docs/alerts.md"

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


def alert_expressions() -> Iterator[tuple[str, str]]:
    """Every query of an alert, and its name."""
    for rule in ALERTS:
        yield rule["alert"], rule["expr"]


def panel_expressions() -> Iterator[tuple[str, str]]:
    """Every query of a panel, and its title."""
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


def expressions() -> Iterator[tuple[str, str]]:
    """Every query and its location."""
    yield from alert_expressions()
    yield from panel_expressions()


def queried() -> Iterator[tuple[str, str, str]]:
    """Location, metric name, and label names."""
    for where, expression in expressions():
        for name, labels in SELECTED.findall(expression):
            yield where, name, labels


def test_every_queried_metric_exists() -> None:
    names = {name for _, name, _ in queried()}
    assert len(names) > 20
    assert names <= FAMILY_OF.keys(), names - FAMILY_OF.keys()


def families_in(queries: Iterable[tuple[str, str]]) -> set[str]:
    """The metric families that are queried."""
    return {
        FAMILY_OF[name] for _, expression in queries for name, _ in SELECTED.findall(expression)
    }


def test_every_metric_of_ours_is_used() -> None:
    ours = {name for name in FAMILIES if name.startswith("arbiter_")}
    assert ours - families_in(expressions()) == UNUSED


def test_every_gauge_has_a_panel() -> None:
    assert {f"arbiter_{name}" for name in GAUGES} <= families_in(panel_expressions())


@pytest.mark.parametrize(
    "gauge",
    [
        "clock_jump_seconds", "away_seconds", "mark_unsynced_seconds", "records_closed",
        "store_works", "disk_free_bytes", "unchecked_seconds", "since_backup_seconds",
        "notice_late_seconds", "since_history_went_back_seconds", "commands_waiting",
    ],
)  # fmt: skip
def test_what_somebody_must_look_at_has_an_alert(gauge: str) -> None:
    assert f"arbiter_{gauge}" in families_in(alert_expressions())


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


def test_every_alert_leads_to_what_it_means_and_what_to_do() -> None:
    """The page has a section for each, in their order, which begins with how urgent it is."""
    title, *sections = text(PAGE).split("\n## ")
    assert title.startswith("# Alerts\n")
    assert [section.split()[0] for section in sections] == [rule["alert"] for rule in ALERTS]
    anchors = {heading.anchor for heading in headings(text(PAGE))}
    for rule, section in zip(ALERTS, sections, strict=True):
        name, severity = rule["alert"], rule["labels"]["severity"]
        assert severity in ("page", "ticket")
        assert section.partition("\n\n")[2].startswith(f"`{severity}`")
        assert rule["annotations"].keys() == {"summary", "runbook_url"}
        address = urlsplit(rule["annotations"]["runbook_url"])
        assert (address.scheme, address.netloc) == ("https", "play.example.org")
        assert (address.path, address.fragment) == ("/docs/alerts", name.lower())
        assert address.fragment in anchors


def test_the_page_of_alerts_names_what_is_logged_and_measured() -> None:
    source = "".join(path.read_text() for path in (ROOT / "service").rglob("*.py"))
    page = text(PAGE)
    for name in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", page):
        if not name.startswith("pg_"):
            assert name in FAMILIES or f'"{name}"' in source, name


def test_the_workers_of_systemd_are_scraped() -> None:
    (config,) = documents(PROMETHEUS / "prometheus.yml")
    (job,) = config["scrape_configs"]
    assert job["job_name"] == "arbiter"
    units = [read(DEPLOY / "systemd" / "arbiter@.service", str(n)) for n in (1, 2, 3)]
    addresses = [unit.environment()["ARBITER_METRICS"] for unit in units]
    assert job["static_configs"] == [{"targets": addresses}]


def test_every_alert_fires_in_a_test() -> None:
    """`promtool` runs them where it is installed."""
    (tests,) = documents(PROMETHEUS / "rules_test.yml")
    fired = [
        name
        for one in tests["tests"]
        for asked in one["promql_expr_test"]
        if asked["exp_samples"]
        for name in re.findall(r'alertname="(\w+)"', asked["expr"])
    ]
    assert sorted(fired) == sorted(rule["alert"] for rule in ALERTS)


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_prometheus_accepts_the_rules_and_they_fire() -> None:
    for command in (["check", "config", "prometheus.yml"], ["test", "rules", "rules_test.yml"]):
        said = subprocess.run(
            ["promtool", *command], cwd=PROMETHEUS, capture_output=True, text=True
        )
        assert said.returncode == 0, said.stdout + said.stderr
