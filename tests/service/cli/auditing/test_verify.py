"""`arbiter verify`, `export` and `keys`: their output and their exit status."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.cli.auditing.verify import MISUSED
from tests.support.evidence.signed_bundles import (
    KEYS,
    RECEIPTS,
    SIGNER,
    bundled,
    checkpoint_of,
    log_of,
    played,
)

STRANGE = "arbiter/log+084dfafe+ATMmeiSba9OWYb3BsDMW3yR6dsxFLBHzdcWEWbiv6E7G"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of each kind, the keys, and a saved checkpoint and receipt."""
    where = tmp_path_factory.mktemp("bundles")
    records = played("dollar-prize").records
    log = log_of(records)
    (where / "all.arb").write_bytes(bundled(log))
    (where / "public.arb").write_bytes(bundled(log, "public"))
    (where / "keys").write_text("".join(f"{key}\n" for key in KEYS))
    early = log_of(records[:20])
    (where / "checkpoint").write_text(SIGNER.sign(checkpoint_of(early)))
    (where / "receipt").write_text(RECEIPTS.sign(next(log.receipts())))
    other = log_of(played("dollar-prize", "2").records)
    strange = RECEIPTS.sign(next(other.receipts(0)))
    (where / "other.json").write_text(json.dumps({"receipts": [{"note": strange}]}))
    return where


def test_a_valid_bundle_passes(folder: Path) -> None:
    result = run("verify", folder / "all.arb", "--key", folder / "keys")
    assert result.exit_code == 0
    assert "PASS" in result.output and "SEALED" not in result.output


def test_a_partly_sealed_bundle_reports_how_much_is_sealed(folder: Path) -> None:
    result = run("verify", folder / "public.arb", "--key", folder / "keys")
    assert result.exit_code == 2
    assert "SEALED" in result.output and "sealed" in result.output


def test_the_failed_claim_is_named(folder: Path) -> None:
    result = run("verify", folder / "all.arb", "--key", STRANGE)
    assert result.exit_code == 1
    assert "First: signatures: no given key of a log has signed the manifest" in result.output


def test_a_report_for_programs(folder: Path) -> None:
    result = run("verify", folder / "all.arb", "--key", folder / "keys", "--json")
    report = json.loads(result.output)
    assert report["verdict"] == "PASS" and report["finding"] is None
    assert [claim["claim"] for claim in report["claims"]] == [
        "container", "signatures", "log", "checkpoints", "openings", "receipts", "chance",
        "rules", "result",
    ]  # fmt: skip


def test_keys_may_be_given_one_by_one_or_as_the_service_lists_them(
    folder: Path, tmp_path: Path
) -> None:
    listed = tmp_path / "keys.json"
    listed.write_text(json.dumps({"keys": [{"key": str(key)} for key in KEYS]}))
    for keys in (["--key", KEYS[0], "--key", KEYS[1]], ["--key", listed]):
        assert run("verify", folder / "all.arb", *keys).exit_code == 0


def test_with_the_key_of_logs_alone_receipts_are_not_judged(folder: Path) -> None:
    result = run("verify", folder / "all.arb", "--key", KEYS[0], "--json")
    report = {claim["claim"]: claim["status"] for claim in json.loads(result.output)["claims"]}
    assert result.exit_code == 2 and report["receipts"] == "SEALED"


def test_a_bundle_is_compared_with_what_was_saved_of_the_match(folder: Path) -> None:
    keys = ("--key", folder / "keys")
    kept = ("--checkpoint", folder / "checkpoint", "--receipt", folder / "receipt")
    assert run("verify", folder / "all.arb", *keys, *kept).exit_code == 0


def test_a_receipt_that_is_not_honoured_is_named(folder: Path) -> None:
    kept = ("--receipt", folder / "other.json")
    result = run("verify", folder / "all.arb", "--key", folder / "keys", *kept)
    assert result.exit_code == 1
    assert "First: receipts:" in result.output and "dropped" in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("all.arb",),
        ("all.arb", "--key", "nonsense"),
        ("all.arb", "--key", "too-long-for-a-path" * 60),
        ("missing.arb", "--key", str(KEYS[0])),
        ("all.arb", "--no-such-option"),
        ("all.arb", "--key", "no/such/file"),
        ("all.arb", "--key", str(KEYS[0]), "--receipt", "keys.json"),
    ],
)
def test_a_usage_error_is_no_verdict(
    folder: Path, arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "keys.json").write_text("{}")
    monkeypatch.chdir(folder)
    assert run("verify", *arguments).exit_code == MISUSED


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace watches for sockets")
def test_it_opens_no_socket(folder: Path) -> None:
    trace = folder / "trace"
    strace = ["strace", "-f", "-qq", "-e", "trace=%network", "-o", str(trace)]
    verify = ["verify", str(folder / "all.arb"), "--key", str(folder / "keys")]
    subprocess.run(
        [*strace, sys.executable, "-m", "service.cli", *verify],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert trace.read_text() == ""
    opening = "import socket; socket.socket().close()"
    subprocess.run([*strace, sys.executable, "-c", opening], timeout=60, check=True)
    assert "socket(" in trace.read_text(), "it would have been seen"
