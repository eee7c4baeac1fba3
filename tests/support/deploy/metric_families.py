"""The metrics that deployed alerts and dashboards name."""

from prometheus_client.metrics_core import Metric

from service.observability.metrics import GAUGES, Metrics
from tests.support.deploy.manifests import DEPLOY, documents

PROMETHEUS = DEPLOY / "prometheus"


(RULES,) = documents(PROMETHEUS / "rules.yml")


ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]


def families() -> dict[str, Metric]:
    """Every metric family that an instance may export, by its name."""
    metrics = Metrics()
    metrics.add_gauges({name: lambda: 0.0 for name in GAUGES})
    return {family.name: family for family in metrics.registry.collect()}


FAMILIES = families()
