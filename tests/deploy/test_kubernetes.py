"""The manifests for Kubernetes: what they name exists, fits, and does what it should."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from tests.deploy import test_container as image
from tests.deploy.deployed_redis import FROM_ENVIRONMENT, deployed_redis
from tests.deploy.nginx_proxy import PROGRAM, WORKERS, configure, needs_nginx
from tests.deploy.systemd_unit import environment_file
from tests.support.deploy.child_process import answering, child, free_ports
from tests.support.deploy.manifests import (
    BASE,
    CONTAINERS,
    DEPLOY,
    EXAMPLE,
    KUSTOMIZATIONS,
    PODS,
    RESOURCES,
    SPEC,
    WORKER,
    found,
    same_but_addresses,
    understood,
)
from tests.support.repository import ROOT
from tests.support.servers.postgres_server import fresh_database
from tests.support.servers.redis_server import redis_server

SCRIPT = "secrets.sh"
ON_PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


@pytest.fixture
def deployed(tmp_path: Path) -> Path:
    """A copy of `deploy` in which the operator has made their secrets."""
    copied = tmp_path / "deploy"
    made_by_operators = shutil.ignore_patterns("secrets.env", "keys", ".env")
    shutil.copytree(DEPLOY, copied, ignore=made_by_operators)
    folder = copied / "kubernetes" / "example"
    make_secrets(folder, check=True)
    return copied


def make_secrets(folder: Path, *, check: bool) -> subprocess.CompletedProcess[str]:
    env = {"PATH": ON_PATH, "ARBITER_NAME": "play.example.org"}
    return subprocess.run([folder / SCRIPT], env=env, check=check, capture_output=True, text=True)


def named_files() -> Iterator[tuple[Path, str, str]]:
    """Every file that a generator reads: its folder, the key it gets, and its path."""
    for folder, kustomization in KUSTOMIZATIONS.items():
        for generator in [
            *kustomization.get("configMapGenerator", []),
            *kustomization.get("secretGenerator", []),
        ]:
            for named in generator.get("files", []):
                key, _, path = named.rpartition("=")
                yield folder, key or path, path
            for path in generator.get("envs", []):
                yield folder, path, path


def test_everything_named_exists(deployed: Path) -> None:
    for folder, kustomization in KUSTOMIZATIONS.items():
        for name in kustomization.get("resources", []):
            there = folder / name
            assert there.is_file() or (there / "kustomization.yaml").is_file(), there
        listed = {folder / name for name in kustomization.get("resources", [])}
        manifests = {path for path in folder.glob("*.yaml") if path.name != "kustomization.yaml"}
        assert manifests <= listed, "a manifest that nobody applies"
    for folder, _, path in named_files():
        assert (deployed / folder.relative_to(DEPLOY) / path).is_file(), path


def test_secrets_are_made_once_and_for_nobody_else(deployed: Path) -> None:
    folder = deployed / "kubernetes" / "example"
    made = {path: path.read_bytes() for path in folder.rglob("*key*") if path.is_file()}
    made[folder / "secrets.env"] = (folder / "secrets.env").read_bytes()
    assert len(made) == 4
    assert make_secrets(folder, check=False).returncode == 1
    assert {path: path.read_bytes() for path in made} == made
    assert not any(path.stat().st_mode & 0o077 for path in made)


def test_a_worker_runs_on_the_mounted_files(deployed: Path, tmp_path: Path) -> None:
    folder = deployed / "kubernetes" / "example"
    keys = mounted(folder, tmp_path / "mounted")
    before = {path: path.stat().st_mtime_ns for path in [keys, *keys.rglob("*")]}
    (port, figures) = free_ports(2)
    with fresh_database() as database, redis_server() as redis:
        env = image.environment() | environment_file(BASE / "settings.env")
        env |= environment_file(folder / "secrets.env")
        assert env["ARBITER_KEYS"] == mount("keys")["mountPath"]
        assert env["ARBITER_DATA"] == mount("data")["mountPath"]
        here = {
            "ARBITER_KEYS": str(keys), "ARBITER_DATA": str(tmp_path / "data"),
            "ARBITER_REDIS_URL": redis.url, "ARBITER_PORT": str(port),
            "ARBITER_METRICS": f"127.0.0.1:{figures}", "PATH": ON_PATH, "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        env |= {**database, **here}
        understood(env)
        (migrating,), (serving,) = SPEC["initContainers"], SPEC["containers"]
        program = str(Path(sys.executable).with_name("arbiter"))
        made = subprocess.run([program, *migrating["args"]], env=env, cwd=tmp_path, check=False)
        assert made.returncode == 0
        with child([program, *serving["args"]], env, tmp_path / "log", tmp_path) as running:
            answering(port, running, tmp_path / "log")
    # A secret cannot be written to: no one has tried.
    assert {path: path.stat().st_mtime_ns for path in [keys, *keys.rglob("*")]} == before


def mount(name: str) -> Any:
    (container,) = SPEC["containers"]
    (one,) = (each for each in container["volumeMounts"] if each["name"] == name)
    return one


def mounted(folder: Path, where: Path) -> Path:
    """The secret of the signing keys as a pod finds it: links to read-only files."""
    (secret,) = (v["secret"] for v in SPEC["volumes"] if v["name"] == "keys")
    given = {key: folder / path for _, key, path in named_files() if path.startswith("keys/")}
    assert given.keys() == {item["key"] for item in secret["items"]}
    for item in secret["items"]:
        assert given[item["key"]] == folder / "keys" / item["path"]
        there = where / "..data" / item["path"]
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(given[item["key"]], there)
        there.chmod(secret["defaultMode"] | 0o040)
        link = where / item["path"].partition("/")[0]
        if not link.exists():
            link.symlink_to(there.parent)
    return where


def test_probes_use_existing_routes() -> None:
    (serving,) = SPEC["containers"]
    assert serving["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert serving["readinessProbe"]["httpGet"]["path"] == "/readyz"
    for container in CONTAINERS:
        ports = {port["name"] for port in container.get("ports", [])}
        for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
            probe = container.get(kind, {})
            how = probe.get("httpGet") or probe.get("tcpSocket")
            assert how is None or how["port"] in ports
    port = {one["name"]: one["containerPort"] for one in serving["ports"]}
    assert str(port["http"]) == image.environment()["ARBITER_PORT"]
    settings = environment_file(BASE / "settings.env")
    assert settings["ARBITER_METRICS"].endswith(f":{port['metrics']}")
    annotations = WORKER["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(port["metrics"])


def test_nginx_lists_the_workers() -> None:
    count = WORKER["spec"]["replicas"]
    there = [f"arbiter-{number}:8000" for number in range(count)]
    assert same_but_addresses(BASE / "workers.conf", WORKERS, there)
    for number in range(count):
        service = found("Service", f"arbiter-{number}")
        assert service["spec"]["ports"][0]["port"] == 8000


@needs_nginx
def test_nginx_accepts_the_mounted_configuration(tmp_path: Path) -> None:
    pod = PODS["arbiter-nginx"]["spec"]
    (settings,) = (v["projected"] for v in pod["volumes"] if v["name"] == "settings")
    maps = {source["configMap"]["name"] for source in settings["sources"]}
    folder = tmp_path / "nginx"
    plain, secure, *workers = free_ports(5)
    configure(folder, [f"127.0.0.1:{port}" for port in workers], plain, secure, None)
    # The content of the maps and nothing else, with the names of workers as numbers.
    for config in folder.glob("*.conf"):
        config.rename(config.with_suffix(".aside"))
    for where, kustomization in KUSTOMIZATIONS.items():
        for generator in kustomization.get("configMapGenerator", []):
            if generator["name"] in maps:
                for name in generator["files"]:
                    text = (where / name).read_text().replace("/run/", f"{folder}/run/")
                    text = text.replace("/var/log/nginx/", f"{folder}/log/")
                    text = re.sub(r"server arbiter-\d:", "server 127.0.0.1:", text)
                    (folder / name).write_text(text)
    subprocess.run(
        [str(PROGRAM), "-t", "-q", "-c", folder / "nginx.conf", "-e", folder / "log" / "e"],
        check=True,
    )
    (container,) = pod["containers"]
    assert container["command"][:3] == ["nginx", "-c", "/etc/nginx/arbiter/nginx.conf"]
    (port,) = container["ports"]
    assert f"listen {port['containerPort']} " in (folder / "plain.conf").read_text()


def test_redis_answers_nobody_without_its_password(tmp_path: Path) -> None:
    (container,) = PODS["redis"]["spec"]["containers"]
    (given,) = container["env"]
    assert given["name"] == FROM_ENVIRONMENT
    assert given["valueFrom"] == {"secretKeyRef": {"name": "arbiter", "key": "REDIS_PASSWORD"}}
    health = container["readinessProbe"]["exec"]["command"]
    with deployed_redis(tmp_path, container["command"], health) as redis:
        assert redis.healthy()
        assert not redis.healthy("wrong") and not redis.healthy("")
        assert redis.says("", "KEYS", "*").startswith("NOAUTH")


def test_workers_have_the_password_of_redis(deployed: Path) -> None:
    made = environment_file(deployed / "kubernetes" / "example" / "secrets.env")
    url = urlsplit(made["ARBITER_REDIS_URL"])
    assert (url.username, url.password, url.hostname) == ("", made["REDIS_PASSWORD"], "redis")
    assert len(made["REDIS_PASSWORD"]) == 48
    # The later source of an environment counts.
    for container in [*SPEC["initContainers"], *SPEC["containers"]]:
        assert [next(iter(source)) for source in container["envFrom"]] == [
            "configMapRef",
            "secretRef",
        ]


def test_unneeded_privileges_are_dropped() -> None:
    for name, pod in PODS.items():
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in CONTAINERS:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
    (user,) = image.all_of("USER", image.FINAL)
    context = SPEC["securityContext"]
    assert f"{context['runAsUser']}:{context['runAsGroup']}" == user


def test_a_pod_has_time_to_stop() -> None:
    assert SPEC["terminationGracePeriodSeconds"] > 10


def test_every_image_has_a_tag() -> None:
    tagged = {one["name"] for one in KUSTOMIZATIONS[EXAMPLE]["images"] if one.get("newTag")}
    for container in CONTAINERS:
        assert container["image"] in tagged or re.search(r":\d", container["image"])


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kustomize_resolves_every_name(deployed: Path) -> None:
    rendered = subprocess.run(
        ["kubectl", "kustomize", deployed / "kubernetes" / "example"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    made = [document for document in yaml.safe_load_all(rendered) if document]
    names = {(one["kind"], one["metadata"]["name"]) for one in made}
    used = set(references(made))
    assert len(used) == 5
    assert used <= names, used - names


REFERENCES = {
    "configMap": "ConfigMap", "configMapRef": "ConfigMap", "secretRef": "Secret",
    "secretKeyRef": "Secret",
}  # fmt: skip


def references(value: Any) -> Iterator[tuple[str, str]]:
    """Every map and secret that the manifests refer to."""
    if isinstance(value, list):
        for inner in value:
            yield from references(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in REFERENCES:
                yield REFERENCES[key], inner["name"]
            elif key == "secretName":
                yield "Secret", inner
            else:
                yield from references(inner)


def test_the_manifests_match_the_schemas_of_kubernetes() -> None:
    validate = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate is not installed"
    ).validate
    assert len(RESOURCES) > 15
    for resource in RESOURCES:
        validate(resource, "1.31", strict=True)


def test_no_volume_of_a_node_is_unbounded() -> None:
    files = sorted((DEPLOY / "kubernetes").rglob("*.yaml"))
    volumes = [
        line for file in files for line in file.read_text().splitlines() if "emptyDir" in line
    ]
    assert len(volumes) >= 6
    assert all("sizeLimit" in line for line in volumes), volumes
