"""Files that commands write are their owner's alone: bundles, backups and stores have hidden
things in them."""

import asyncio
import stat
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner, Result

from projections.audience.disclosure import MODERATOR
from service.cli import main
from service.instance import Instance
from tests.support.cli.store_with_history import act, begun
from tests.support.instance.service_instance import settings
from tests.support.instants import NOON
from tests.support.tables.directing import START
from tests.support.virtual_clock import VirtualClock


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def match(data: Path) -> UUID:
    """A match that is played, in a store in the folder."""
    return asyncio.run(play(data / "arbiter.db"))


async def play(database: Path) -> UUID:
    database.parent.mkdir(mode=0o700)
    instance = Instance(settings(database), VirtualClock(NOON))
    async with instance.running():
        made = await begun(instance)
        await instance.matches.execute(made.id, START, MODERATOR)
        await act(instance, made.id)
        return made.id


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done


def is_private(path: Path) -> bool:
    return stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("audience", ["public", "seat:0", "moderator"])
def test_an_exported_bundle(data: Path, match: UUID, tmp_path: Path, audience: str) -> None:
    target = tmp_path / "match.arb"
    run("export", match, "--as", audience, "--out", target, "--data", data)
    assert is_private(target)


def test_a_bundle_over_a_file_that_others_may_read(data: Path, match: UUID, tmp_path: Path) -> None:
    target = tmp_path / "match.arb"
    target.write_bytes(b"an older one, which is longer" * 100_000)
    target.chmod(0o644)
    run("export", match, "--as", "moderator", "--out", target, "--data", data)
    assert is_private(target)
    assert not target.read_bytes().endswith(b"longer")


def test_a_bundle_by_way_of_a_link_and_into_what_is_no_file(
    data: Path, match: UUID, tmp_path: Path
) -> None:
    link, target = tmp_path / "link.arb", tmp_path / "match.arb"
    link.symlink_to(target)
    run("export", match, "--out", link, "--data", data)
    run("export", match, "--out", "/dev/null", "--data", data)
    assert link.is_symlink() and is_private(target)
    assert Path("/dev/null").is_char_device()


@pytest.mark.usefixtures("match")
def test_whatever_else_is_written(data: Path, tmp_path: Path) -> None:
    run("backup", tmp_path / "store.backup", "--data", data)
    run("restore", tmp_path / "store.backup", "--data", tmp_path / "restored")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    others = {path.name for path in written if not is_private(path)}
    assert len(written) > 5
    assert others <= {"verifiers"}, "public keys are for everybody"
