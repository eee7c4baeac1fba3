"""Records judged again, by the page and by the domain."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from domain.encoding import encode
from domain.events import Event, Record
from domain.rejudging import RecordDiffers, judged
from tests.support.web.verifier_script import Json, page_answers

Records = Sequence[Record[Event]]


def by_page(match: str, every: Iterable[Records]) -> list[Any]:
    """The page's verdict on each record: the state of the match, or the event at which it
    differs."""
    questions = (
        {"ask": "rejudge", "match": match, "states": [encode(one).hex() for one in whole]}
        for whole in every
    )
    answers = page_answers(questions)
    for answer in answers:
        assert answer.error is None, answer
    return [_place(answer.answer) for answer in answers]


def _place(answer: Json) -> Any:
    if "differs" not in answer:
        return answer
    said, number, *_ = answer["differs"].replace(":", "").split()
    assert said == "event"
    return int(number)


def by_domain(match: str, whole: Records) -> Any:
    """The domain's verdict on it."""
    try:
        found = judged(match, whole)
    except RecordDiffers as differs:
        return differs.index
    except KeyError:  # rules that are not known
        return 0
    return {"status": found.status, "result": as_json(found.result)}


def as_json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
