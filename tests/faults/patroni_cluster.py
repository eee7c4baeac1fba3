"""Three nodes of PostgreSQL under Patroni and an etcd, on ports of this machine, and perhaps an
haproxy that leads to the primary.

etcd is Debian's `etcd-server`, haproxy its `haproxy`; `make .venv/patroni.ready` installs Patroni.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import psycopg
import yaml

from tests.support.deploy.child_process import free_ports
from tests.support.deploy.manifests import DEPLOY, documents
from tests.support.repository import ROOT
from tests.support.servers.orphan_guard import OrphanGuard
from tests.support.servers.postgres_server import (
    MODULE,
    SUPERUSER,
    connect,
    postgres_program,
    suspend,
    system_user,
)
from tests.support.waiting import wait_until

PATRONI = ROOT / ".venv" / "patroni" / "bin" / "patroni"
ETCD = shutil.which("etcd")
HAPROXY = shutil.which("haproxy")

NODES = 3
LOCALHOST = "127.0.0.1"
PACE = 0.25
PATIENCE = 60.0
"""Seconds after which a cluster that is not whole has failed."""


class Daemon:
    """A program with a folder of its own, as a machine that can fail."""

    def __init__(self, folder: Path, command: Sequence[str | Path]) -> None:
        self.folder = folder
        self._command = command
        self._running: tuple[subprocess.Popen[bytes], OrphanGuard] | None = None
        folder.mkdir()
        if user := system_user():
            shutil.chown(folder, user)

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            started = subprocess.Popen(
                self._command,
                stdout=log,
                stderr=log,
                user=system_user(),
                cwd=self.folder,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
                start_new_session=True,
            )
        end = (
            'exec 2>&-; kill -9 "$0" $(head -n 1 "$1"/data/postmaster.pid); sleep 1;'
            ' rm -rf "$1"; rmdir "${1%/*}"'
        )
        self._running = started, OrphanGuard(started.pid, end, self.folder)

    def freeze(self) -> None:
        """It stands still, and its kernel still answers."""
        for process in self._processes():
            suspend(process)

    def thaw(self) -> None:
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                process.resume()

    def kill(self) -> None:
        """kill -9 of everything, as when a machine loses its power."""
        if self._running is not None:
            started, guard = self._running
            guard.dismiss()
            self.freeze()
            for process in self._processes():
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            started.wait(PATIENCE)
            self._running = None

    def _processes(self) -> list[psutil.Process]:
        """Those that run, each before those that it has started. PostgreSQL is no child of
        Patroni."""
        assert self._running is not None, "it does not run"
        found = [psutil.Process(self._running[0].pid)]
        with suppress(OSError, psutil.NoSuchProcess):
            main = (self.folder / "data" / "postmaster.pid").read_text().split()[0]
            found.append(psutil.Process(int(main)))
        return found + [child for main in found for child in main.children(recursive=True)]


class Cluster:
    """The nodes by number, from 0. Unless it is `strict`, the primary goes on alone when no standby
    is there. The service is given the hosts of all nodes, or the address of an `haproxy`."""

    def __init__(self, folder: Path, strict: bool, haproxy: bool) -> None:
        *ports, dcs, peers, self._proxied = free_ports(2 * NODES + 3)
        self._apis, self._ports = ports[:NODES], ports[NODES:]
        client, peer = f"http://{LOCALHOST}:{dcs}", f"http://{LOCALHOST}:{peers}"
        self.etcd = Daemon(folder / "etcd", [
            ETCD or "etcd", "--name", "default", "--data-dir", folder / "etcd" / "dcs",
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"default={peer}",
        ])  # fmt: skip
        self.nodes = [self._node(folder / f"node{n}", n, dcs, strict) for n in range(NODES)]
        self.proxies = [self._proxy(folder / "haproxy")] if haproxy else []
        self.commits: list[float] = []
        """When a plain commit succeeded, in monotonic seconds."""
        self._ended = Event()

    def start(self) -> None:
        """Returns when all nodes are there."""
        for daemon in (self.etcd, *self.nodes, *self.proxies):
            daemon.start()
        wait_until(self.whole, PATIENCE, self._logs)
        for node in range(NODES):
            Thread(target=self._commit, args=(node,), daemon=True).start()

    def kill(self) -> None:
        self._ended.set()
        for daemon in (*self.proxies, *self.nodes, self.etcd):
            daemon.kill()

    def primary(self) -> int:
        """The node that leads, when there is one."""
        wait_until(lambda: self._role("leader") is not None, PATIENCE, self._logs)
        found = self._role("leader")
        return self.primary() if found is None else found

    def standby(self) -> int:
        """The node that commits wait for, when there is one."""
        wait_until(lambda: self._role("sync_standby") is not None, PATIENCE, self._logs)
        found = self._role("sync_standby")
        return self.standby() if found is None else found

    def whole(self) -> bool:
        """Whether one leads, one is waited for, and one more follows."""
        states = [(one["role"], one["state"]) for one in self._members()]
        wanted = [("leader", "running"), ("replica", "streaming"), ("sync_standby", "streaming")]
        return sorted(states) == wanted

    def switch_over(self) -> None:
        """The primary and the standby change their places."""
        old = self.primary()
        body = {"leader": f"node{old}", "candidate": f"node{self.standby()}"}
        url = f"http://{LOCALHOST}:{self._apis[old]}/switchover"
        httpx.post(url, json=body, timeout=PATIENCE).raise_for_status()

    def environment(self, *nodes: int) -> dict[str, str]:
        """The settings of the service with these hosts, by default all, or what leads to one."""
        ports = [str(self._ports[node]) for node in nodes or range(NODES)]
        if self.proxies and not nodes:
            ports = [str(self._proxied)]
        return {
            "PERSISTENCE_MODULE": MODULE,
            "POSTGRES_DBNAME": SUPERUSER,
            "POSTGRES_HOST": ",".join(LOCALHOST for _ in ports),
            "POSTGRES_PORT": ",".join(ports),
            "POSTGRES_USER": SUPERUSER,
            "POSTGRES_PASSWORD": "",
        }

    def _commit(self, node: int) -> None:
        """Commits on a node again and again, where that is possible."""
        while not self._ended.wait(PACE):
            with suppress(psycopg.Error), connect(self.environment(node)) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS committed (at float)")
                connection.execute("INSERT INTO committed VALUES (%s)", (time.monotonic(),))
                self.commits.append(time.monotonic())

    def _node(self, folder: Path, number: int, dcs: int, strict: bool) -> Daemon:
        file = folder / "patroni.yml"
        made = Daemon(folder, [PATRONI, file])
        host = f"{LOCALHOST}:{self._ports[number]}"
        (config,) = documents(DEPLOY / "patroni" / "patroni.yml")
        config |= {
            "name": folder.name,
            "restapi": {"listen": f"{LOCALHOST}:{self._apis[number]}"},
            "etcd3": {"host": f"{LOCALHOST}:{dcs}"},
            "watchdog": {"mode": "off"},  # it would end this machine
        }
        config["bootstrap"]["dcs"]["synchronous_mode_strict"] = strict
        config["postgresql"] |= {
            "listen": host,
            "connect_address": host,
            "data_dir": str(folder / "data"),
            "bin_dir": str(postgres_program("postgres").parent),
            "pg_hba": [f"host {of} all {LOCALHOST}/32 trust" for of in ("all", "replication")],
        }
        config["postgresql"]["parameters"]["unix_socket_directories"] = str(folder)
        file.write_text(yaml.safe_dump(config))
        return made

    def _proxy(self, folder: Path) -> Daemon:
        file = folder / "haproxy.cfg"
        made = Daemon(folder, [HAPROXY or "haproxy", "-db", "-f", file])
        config = (DEPLOY / "patroni" / "haproxy.cfg").read_text()
        config = config.replace(f"bind {LOCALHOST}:5432", f"bind {LOCALHOST}:{self._proxied}")
        for number, (api, port) in enumerate(zip(self._apis, self._ports, strict=True), 1):
            config = config.replace(
                f"10.0.0.{number}:5432 check port 8008", f"{LOCALHOST}:{port} check port {api}"
            )
        file.write_text(config)
        return made

    def _role(self, role: str) -> int | None:
        """The node that runs in this role."""
        for one in self._members():
            if one["role"] == role and one["state"] in ("running", "streaming"):
                return int(one["name"].removeprefix("node"))
        return None

    def _members(self) -> list[dict[str, Any]]:
        """What the first node that answers says of all."""
        for port in self._apis:
            with suppress(httpx.TransportError, KeyError):
                answer = httpx.get(f"http://{LOCALHOST}:{port}/cluster", timeout=1.0)
                members: list[dict[str, Any]] = answer.json()["members"]
                return members
        return []

    def _logs(self) -> str:
        return "\n".join((node.folder / "log").read_text()[-2_000:] for node in self.nodes)


@contextmanager
def cluster(strict: bool, haproxy: bool = False) -> Iterator[Cluster]:
    """A cluster that is whole; it is gone when the context exits."""
    with ExitStack() as held:
        folder = Path(tempfile.mkdtemp(prefix="patroni-"))
        held.callback(shutil.rmtree, folder)
        folder.chmod(0o755)
        made = Cluster(folder, strict, haproxy)
        held.callback(made.kill)
        made.start()
        yield made
