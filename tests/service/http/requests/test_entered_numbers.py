"""A number that no record can contain is malformed: it must never reach the store."""

import msgspec
import pytest

from service.http.matches.matches import EnteredDraw


@pytest.mark.parametrize("number", [2**53, 2**64, -(2**63) - 1, 10**30])
@pytest.mark.parametrize("part", ["{}", "[{}]"])
def test_an_outcome_has_only_whole_numbers_that_every_reader_can_represent(
    number: int, part: str
) -> None:
    entered = part.format(number)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(f'{{"id":"d","outcome":[{entered}]}}', type=EnteredDraw)
