"""`arbiter keys`: names are shown as they were given."""

from pathlib import Path

import pytest

from service.instance import Instance
from service.settings import read_settings
from tests.support.cli.store_with_history import run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a new store."""
    Instance(read_settings(tmp_path, environment={})).store.close()
    return tmp_path


@pytest.mark.parametrize("name", ["[/]", "[red]", "[bold]x[/bold]", ":smile:", "ordinary"])
def test_a_name_is_listed_as_it_was_given(data: Path, name: str) -> None:
    assert run("keys", "new", "--name", name, "--data", data).exit_code == 0
    listed = run("keys", "list", "--data", data)
    assert listed.exit_code == 0, listed.output
    assert listed.output.splitlines()[-1].rstrip().endswith(f" {name}")
