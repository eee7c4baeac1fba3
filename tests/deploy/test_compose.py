"""The compose file: everything it names exists and fits."""

import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.deploy.deployed_redis import FROM_ENVIRONMENT, PASSWORD, deployed_redis
from tests.deploy.nginx_proxy import WORKERS
from tests.support.deploy.manifests import DEPLOY, documents, same_but_addresses, understood

FOLDER = DEPLOY / "compose"
(FILE,) = documents(FOLDER / "compose.yaml")
SERVICES: dict[str, Any] = FILE["services"]
OURS = {name: s for name, s in SERVICES.items() if s["image"] == "arbiter"}
SERVING = {name: s for name, s in OURS.items() if name.startswith("worker-")}
NAMED = re.compile(r"[a-z]+")


def address(service: Any) -> str:
    return str(service["networks"]["inside"]["ipv4_address"])


def filled(value: str) -> str:
    """A value with the operator's variables: their defaults, or something."""
    return re.sub(r"\$\{\w+:([-?])([^}]*)\}", lambda m: m[2] if m[1] == "-" else "x" * 40, value)


def test_everything_named_exists() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        assert set(service["networks"]) <= set(FILE["networks"])
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            found = FILE["volumes"].keys() if NAMED.fullmatch(source) else ()
            assert source in found or (FOLDER / source).exists(), mount
        if "build" in service:
            context = FOLDER / service["build"]["context"]
            assert (context / service["build"]["dockerfile"]).is_file()


def test_a_service_that_must_be_healthy_has_a_health_check() -> None:
    for service in SERVICES.values():
        for name, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                # Ours has it in the image.
                assert "healthcheck" in SERVICES[name] or name in SERVING
            else:
                assert how["condition"] == "service_completed_successfully"
                assert "restart" not in SERVICES[name]


def test_the_tables_are_there_before_workers_start() -> None:
    assert len(SERVING) == 3
    for service in SERVING.values():
        assert service["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
        assert service["environment"]["CREATE_TABLE"] == "no"
        assert "command" not in service
    assert SERVICES["migrate"]["command"] == ["migrate"]


@pytest.mark.parametrize("name", OURS)
def test_the_service_understands_its_settings(name: str) -> None:
    settings = understood({key: filled(value) for key, value in OURS[name]["environment"].items()})
    assert settings.store["POSTGRES_HOST"] in SERVICES
    assert settings.store["POSTGRES_DBNAME"] == SERVICES["postgres"]["environment"]["POSTGRES_DB"]
    assert settings.store["POSTGRES_USER"] == SERVICES["postgres"]["environment"]["POSTGRES_USER"]
    assert settings.redis is not None
    assert urlsplit(settings.redis).hostname in SERVICES
    assert settings.server.trusted == (f"{address(SERVICES['nginx'])}/32",)


def test_nginx_lists_the_workers() -> None:
    (network,) = FILE["networks"]["inside"]["ipam"]["config"]
    workers = [address(service) for service in SERVING.values()]
    for one in [*workers, address(SERVICES["nginx"])]:
        assert ip_address(one) in ip_network(network["subnet"])
    there = [f"{worker}:8000" for worker in workers]
    assert same_but_addresses(FOLDER / "workers.conf", WORKERS, there)
    mounts = SERVICES["nginx"]["volumes"]
    assert "./workers.conf:/etc/nginx/arbiter/workers.conf:ro" in mounts
    assert "../nginx:/etc/nginx/arbiter:ro" in mounts


def test_all_workers_have_the_same_signing_keys() -> None:
    (mounts,) = {tuple(service["volumes"]) for service in OURS.values()}
    assert mounts == ("arbiter:/var/lib/arbiter",)


def test_only_nginx_is_reachable_from_outside() -> None:
    for name, service in SERVICES.items():
        if name != "nginx":
            assert "ports" not in service
        assert service.get("privileged") is None
    (port,) = SERVICES["nginx"]["ports"]
    assert port.startswith("127.0.0.1:")
    assert port.endswith(":80")


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"nginx"}))
def test_what_has_secrets_in_its_memory_leaves_no_core_dump(name: str) -> None:
    assert SERVICES[name]["ulimits"]["core"] == 0


def test_no_secret_is_written_in_it() -> None:
    text = (FOLDER / "compose.yaml").read_text()
    secrets = re.findall(r"(?:PASSWORD|KEY|AUTH): (.*)", text)
    assert len(secrets) == 4
    assert all(re.match(r"\$\{(POSTGRES|REDIS)_PASSWORD:\?|\$\{ARBITER_", s) for s in secrets)
    assert "redis://:${REDIS_PASSWORD:?" in text


def test_the_operator_is_told_to_make_every_secret() -> None:
    text = (FOLDER / "compose.yaml").read_text()
    needed = set(re.findall(r"\$\{(\w+):\?", text))
    for page in (text, (DEPLOY / "README.md").read_text()):
        assert needed <= set(re.findall(r'echo "(\w+)=', page))


def test_redis_answers_nobody_without_its_password(tmp_path: Path) -> None:
    service = SERVICES["redis"]
    command = [word.replace("$$", "$") for word in service["command"]]
    assert not any("$" in word.replace("$$", "") for word in service["command"])
    assert service["environment"].keys() == {FROM_ENVIRONMENT}
    assert service["user"] == "redis"
    kind, health = service["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    with deployed_redis(tmp_path, command, ["sh", "-c", health]) as redis:
        assert redis.healthy()
        assert not redis.healthy("wrong") and not redis.healthy("")
        assert redis.says("", "KEYS", "*").startswith("NOAUTH")
        assert redis.says(PASSWORD, "CONFIG", "GET", "save") == "save"


def test_a_worker_has_the_password_of_redis() -> None:
    given = SERVICES["redis"]["environment"][FROM_ENVIRONMENT]
    for service in OURS.values():
        assert service["environment"]["ARBITER_REDIS_URL"] == f"redis://:{given}@redis:6379/0"


def test_every_container_is_confined() -> None:
    for name, service in SERVICES.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["mem_limit"] and service["pids_limit"], name


def test_the_images_of_others_can_be_pinned() -> None:
    for name in ("postgres", "redis", "nginx"):
        assert SERVICES[name]["image"].startswith(f"${{{name.upper()}_IMAGE:-{name}:")
