"""The audience filter: who may see an event of each kind, and the names of audiences."""

import pytest

from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, name_audience, viewer


@pytest.mark.parametrize(
    ("name", "audience"),
    [
        ("public", PUBLIC_VIEWER),
        ("moderator", MODERATOR),
        ("seat:0", 0),
        ("seat:31", 31),
        ("seat:9999", 9999),
    ],
)
def test_an_audience_has_one_name(name: str, audience: Viewer) -> None:
    assert viewer(name) == audience
    assert name_audience(audience) == name


@pytest.mark.parametrize(
    "name",
    ["", "Public", "seat", "seat:", "seat:-1", "seat:01", "seat:1.0", "seat:²", "0", "seat:x", ":1",
     "chair:1", "team:1", "seat:1:2", "seat:10000", f"seat:{'9' * 5000}"],
)  # fmt: skip
def test_other_values_have_no_audience_name(name: str) -> None:
    assert viewer(name) is None
