"""Every changed byte of a bundle is detected, by the first claim that reads it.

Usually every byte of the small bundles is changed, and of the larger ones bytes at even
distances; in `make long` every byte of all.
"""

from collections.abc import Iterator

import pytest

from projections.audience.disclosure import MODERATOR, Viewer
from projections.evidence.archive import pack
from projections.evidence.verify import verify
from tests.support.effort import times
from tests.support.evidence.forged_bundles import AUDIENCES, SHORT, apart, found, short_bundle
from tests.support.evidence.signed_bundles import trusted

EVERY_BYTE = times("every byte")
MASKS = (0x01, 0x80, 0xFF)
SMALLEST = "grouping-bw"

MOST = 1_000
"""Maximum size of a bundle of which every byte is changed by default."""

MOST_REPACKED = 100
"""Number of bytes of a bundle that are changed by default where its checksums are made to fit."""

EVERY_BUNDLE = pytest.mark.parametrize(
    ("game", "audience"), [(game, audience) for game in SHORT for audience in AUDIENCES]
)


def flipped(content: bytes, place: int, mask: int) -> bytes:
    """The content with some bits of one byte flipped."""
    changed = bytearray(content)
    changed[place] ^= mask
    return bytes(changed)


def places(size: int, most: int) -> range:
    """Where bytes are changed: everywhere, or at even distances if there are more than `most`."""
    return range(0, size, 1 if EVERY_BYTE else max(1, -(-size // most)))


def repacked(game: str, audience: Viewer, most: int) -> Iterator[tuple[str, int, dict[str, bytes]]]:
    """Positions in the parts of a bundle, and the parts."""
    parts = apart(game, audience)
    spread = [(name, place) for name, part in parts.items() for place in range(len(part))]
    for nth in places(len(spread), most):
        yield *spread[nth], parts


@EVERY_BUNDLE
def test_the_honest_bundle_has_no_finding(game: str, audience: Viewer) -> None:
    report = verify(short_bundle(game, audience), trusted())
    assert report.finding is None
    assert report.verdict == ("PASS" if audience == MODERATOR else "SEALED")


@EVERY_BUNDLE
def test_a_changed_byte_is_detected(game: str, audience: Viewer) -> None:
    """The checksums of the zip already detect it."""
    bundle = short_bundle(game, audience)
    for place in places(len(bundle), MOST):
        for mask in MASKS:
            assert found(flipped(bundle, place, mask)) == "container", (place, mask)


@EVERY_BUNDLE
def test_a_changed_byte_is_detected_where_the_checksums_are_made_to_fit(
    game: str, audience: Viewer
) -> None:
    for name, place, parts in repacked(game, audience, MOST_REPACKED):
        for mask in MASKS:
            changed = pack({**parts, name: flipped(parts[name], place, mask)})
            assert found(changed) in ("container", "signatures"), (name, place, mask)


def test_every_single_byte_of_the_smallest_organisers_bundle_is_checked() -> None:
    """With one mask after another, so that it does not take long."""
    changes = repacked(SMALLEST, MODERATOR, 10**6)
    for nth, (name, place, parts) in enumerate(changes):
        changed = pack({**parts, name: flipped(parts[name], place, MASKS[nth % 3])})
        assert found(changed) in ("container", "signatures"), (name, place)


@EVERY_BUNDLE
def test_a_bundle_truncated_anywhere_fails(game: str, audience: Viewer) -> None:
    bundle = short_bundle(game, audience)
    for size in places(len(bundle), MOST):
        assert found(bundle[:size]) == "container", size


@EVERY_BUNDLE
def test_an_additional_byte_anywhere_is_detected(game: str, audience: Viewer) -> None:
    bundle = short_bundle(game, audience)
    for place in places(len(bundle) + 1, MOST_REPACKED):
        for byte in (b"\0", b"\n", b"A"):
            assert found(bundle[:place] + byte + bundle[place:]) == "container", (place, byte)
