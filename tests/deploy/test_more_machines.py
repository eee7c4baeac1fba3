"""PostgreSQL on more than one machine: the examples say what the service needs. Patroni's is what
`tests/faults/test_patroni.py` runs."""

import shutil
import subprocess

import pytest

from tests.support.deploy.manifests import DEPLOY, WORKER, documents

PATRONI = DEPLOY / "patroni"
CLOUDNATIVE = DEPLOY / "kubernetes" / "cloudnative-pg"


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="needs Debian's haproxy")
def test_haproxy_accepts_its_file() -> None:
    command = ["haproxy", "-c", "-f", str(PATRONI / "haproxy.cfg")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_sessions_at_an_old_primary_are_cut() -> None:
    (config,) = documents(PATRONI / "patroni.yml")
    said = (PATRONI / "haproxy.cfg").read_text()
    assert "on-marked-down shutdown-sessions" in said and "GET /primary" in said
    hosts = [host.rpartition(":")[0] for host in config["etcd3"]["hosts"].split(",")]
    port = config["restapi"]["listen"].rpartition(":")[2]
    for host in hosts:
        assert f"{host}:5432 check port {port}" in said


def test_a_silent_patroni_ends_its_machine_before_another_takes_over() -> None:
    (config,) = documents(PATRONI / "patroni.yml")
    assert config["watchdog"]["mode"] == "required"
    dcs = config["bootstrap"]["dcs"]
    assert dcs["loop_wait"] + 2 * dcs["retry_timeout"] <= dcs["ttl"]
    assert config["watchdog"]["safety_margin"] < dcs["ttl"]


def test_what_is_acknowledged_is_on_two_machines() -> None:
    (config,) = documents(PATRONI / "patroni.yml")
    assert config["bootstrap"]["dcs"]["synchronous_mode"]
    cluster, policy = documents(CLOUDNATIVE / "cluster.yaml")
    spec = cluster["spec"]
    assert spec["instances"] > spec["postgresql"]["synchronous"]["number"] > 0
    assert spec["bootstrap"]["initdb"]["encoding"] == "UTF8"
    workers = WORKER["spec"]["template"]["metadata"]["labels"]
    assert policy["spec"]["podSelector"]["matchLabels"].items() <= workers.items()
    (rule,) = policy["spec"]["egress"]
    assert rule["to"] == [
        {"podSelector": {"matchLabels": {"cnpg.io/cluster": cluster["metadata"]["name"]}}}
    ]
