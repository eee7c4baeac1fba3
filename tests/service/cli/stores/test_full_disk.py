"""A full disk is named, and the file that could not be written: what is read is not blamed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cli.store_with_history import Happened, run
from tests.support.faults.small_disk import MIB, SmallDisk, small_disk

ROOMS = [0, 4096, 65_536]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 4 * MIB) as made:
        yield made


def said(text: str) -> str:
    return "".join(text.replace("│", "").split())


@pytest.mark.parametrize("room", ROOMS)
def test_a_backup_names_its_own_disk(
    played: tuple[Path, Happened], disk: SmallDisk, room: int
) -> None:
    disk.fill(leave=room)
    target = disk.folder / "backup"
    done = run("backup", target, "--data", played[0])
    assert done.exit_code == 1
    assert said(f"the disk is full: '{target}'") in said(done.stderr)
    assert [path.name for path in disk.folder.iterdir()] == ["filler"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_sound_backup_is_not_called_damaged(
    intact_backup: Path, disk: SmallDisk, room: int
) -> None:
    folder = disk.folder / "store"
    folder.mkdir()
    disk.fill(leave=room)
    done = run("restore", intact_backup, "--data", folder)
    assert done.exit_code == 1
    assert said("the disk is full") in said(done.stderr) and str(intact_backup) not in done.stderr
    disk.empty()
    assert run("restore", intact_backup, "--data", folder).exit_code == 0


def test_a_bundle_names_its_file(played: tuple[Path, Happened], disk: SmallDisk) -> None:
    disk.fill()
    folder, happened = played
    bundle = disk.folder / "match.arb"
    match = min(happened.matches)
    exported = run("export", match, "--as", "public", "--data", folder, "--out", bundle)
    assert exported.exit_code == 1
    assert said(f"{bundle} cannot be written: No space left on device") in said(exported.stderr)


@pytest.mark.parametrize("before", [None, b"an older bundle"])
@pytest.mark.parametrize("room", ROOMS[:2])
def test_a_bundle_is_there_whole_or_as_it_was(
    played: tuple[Path, Happened], disk: SmallDisk, room: int, before: bytes | None
) -> None:
    folder, happened = played
    bundle = disk.folder / "match.arb"
    if before is not None:
        bundle.write_bytes(before)
    disk.fill(leave=room)
    done = run("export", min(happened.matches), "--data", folder, "--out", bundle)
    assert done.exit_code == 1
    assert said(f"{bundle} cannot be written") in said(done.stderr)
    left = {path.name: path.read_bytes() for path in disk.folder.iterdir() if path.name != "filler"}
    assert left == ({} if before is None else {"match.arb": before})
