"""Metrics as the process has them."""

from service.observability.metrics import Metrics


def value(metrics: Metrics, name: str, **labels: str) -> float:
    """The current value; 0 if it has never been counted."""
    return metrics.registry.get_sample_value(name, labels) or 0.0
