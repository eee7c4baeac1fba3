"""Everything that the operators' page names exists."""

import re

from tests.support.deploy.manifests import ALERTS, DEPLOY, FAMILIES, known_settings
from tests.support.repository import ROOT

PAGE = (DEPLOY / "README.md").read_text()


def headings(page: str) -> set[str]:
    """The anchors of a page's headings."""
    found = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)]+)\)", PAGE)
    assert len(links) > 10
    for link in links:
        path, _, anchor = link.partition("#")
        if not link.startswith("http"):
            target = DEPLOY / (path or "README.md")
            assert target.exists(), link
            assert not anchor or anchor in headings(target.read_text()), link


def test_files_in_commands_exist() -> None:
    paths = re.findall(r"(?<![\w/])deploy/[\w./*@-]*\w", PAGE)
    assert len(set(paths)) >= 8
    for path in paths:
        assert list(ROOT.glob(path.rstrip("."))), path


def test_settings_exist() -> None:
    named = set(re.findall(r"\bARBITER_[A-Z_]+", PAGE))
    assert len(named) > 5
    assert named <= known_settings(), named - known_settings()


def test_metrics_and_alerts_exist() -> None:
    alerts = set(re.findall(r"\bArbiter[A-Z]\w+", PAGE))
    assert alerts
    assert alerts <= {rule["alert"] for rule in ALERTS}
    figures = {name.removesuffix("_total") for name in re.findall(r"`(arbiter_[a-z_]+)`", PAGE)}
    figures -= {"arbiter_arbiter", "arbiter_postgres"}  # volumes
    assert figures
    assert figures <= set(FAMILIES), figures - set(FAMILIES)
