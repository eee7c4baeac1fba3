"""Which pods the manifests for Kubernetes let reach which others."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.deploy.manifests import PODS, RESOURCES, WORKER, found


def test_every_selector_selects_some_pods() -> None:
    everywhere = [pod["metadata"]["labels"] for pod in PODS.values()]
    numbered = [
        {"statefulset.kubernetes.io/pod-name": f"arbiter-{number}"}
        for number in range(WORKER["spec"]["replicas"])
    ]
    for selector in selectors():
        assert any(selector.items() <= labels.items() for labels in [*everywhere, *numbered]), (
            selector
        )


def selectors() -> Iterator[dict[str, str]]:
    """The labels by which anything selects pods."""
    for resource in RESOURCES:
        spec = resource.get("spec", {})
        if resource["kind"] == "Service":
            yield spec["selector"]
        elif resource["kind"] == "NetworkPolicy":
            yield spec["podSelector"]["matchLabels"]
            for rule in [*spec.get("ingress", []), *spec.get("egress", [])]:
                for peer in [*rule.get("from", []), *rule.get("to", [])]:
                    # The name server is a pod of the cluster's own.
                    if "podSelector" in peer and "namespaceSelector" not in peer:
                        yield peer["podSelector"]["matchLabels"]
        elif "selector" in spec:
            yield spec["selector"]["matchLabels"]


def test_only_nginx_reaches_a_worker() -> None:
    rules = found("NetworkPolicy", "arbiter-workers")["spec"]["ingress"]
    by_port = {rule["ports"][0]["port"]: rule["from"] for rule in rules}
    assert by_port.keys() == {8000, 9464}
    nginx = PODS["arbiter-nginx"]["metadata"]["labels"]
    assert by_port[8000] == [{"podSelector": {"matchLabels": nginx}}]
    assert by_port[9464] == [
        {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
    ]


DNS = {
    "to": [
        {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
            "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
        }
    ],
    "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
}


def reached(pod: str) -> list[Any]:
    """The rules for connections that a pod may open; policies for the same pod add up."""
    labels = PODS[pod]["metadata"]["labels"]
    policies = [
        r["spec"]
        for r in RESOURCES
        if r["kind"] == "NetworkPolicy"
        and r["spec"]["podSelector"]["matchLabels"].items() <= labels.items()
    ]
    # Without one policy that names it, everything is allowed.
    assert any("Egress" in policy["policyTypes"] for policy in policies), pod
    return [rule for policy in policies for rule in policy.get("egress", [])]


def one_pod(pod: str, port: int) -> Any:
    """A rule for connections to one kind of pod."""
    selector = {"podSelector": {"matchLabels": PODS[pod]["metadata"]["labels"]}}
    return {"to": [selector], "ports": [{"protocol": "TCP", "port": port}]}


def test_a_worker_reaches_the_name_server_postgresql_and_redis_and_nothing_else() -> None:
    assert reached("arbiter") == [DNS, one_pod("postgres", 5432), one_pod("redis", 6379)]


def test_nginx_reaches_workers_and_the_name_server_and_nothing_else() -> None:
    assert reached("arbiter-nginx") == [DNS, one_pod("arbiter", 8000)]


@pytest.mark.parametrize("pod", ["postgres", "redis"])
def test_what_stores_data_opens_no_connection(pod: str) -> None:
    assert reached(pod) == []


def test_every_pod_has_a_policy() -> None:
    for pod in PODS:
        reached(pod)
