"""Examples of answers that every client reads, for the description."""

from typing import Any

from service.http.schema_form import Schema

AT = "2026-11-21T14:00:00.123456Z"

CREATED = {
    "id": "019a52c0-7d5e-7c1a-9b1e-2f8a7f0c3d11",
    "seats": [
        {"seat": 0, "name": "Ann", "key": "arb_s0_…"},
        {"seat": 1, "name": "Ben", "key": "arb_s1_…"},
    ],
    "moderator_key": "arb_mod_…",
    "note": "arbiter-creation/1\n…",
}
PAGE = {
    "events": [
        {"seq": 5, "public_seq": 4, "at": AT, "type": "match.started.1", "data": {}},
        {
            "seq": 6,
            "public_seq": None,
            "at": AT,
            "type": "dollar-prize.side-chosen.1",
            "data": {"seat": 0, "side": "heads"},
        },
    ],
    "next": 6,
}
RECEIPT = {
    "valid": True,
    "code": None,
    "seat": 0,
    "seq": 8,
    "at": AT,
    "idempotency_key": "ann-1",
    "note": "arbiter-receipt/1\n…",
    "salt": "AAECAwQFBgcICQoLDA0ODw==",
}
PROBLEM = {
    "type": "urn:arbiter:wrong_shape",
    "title": "The body is JSON of the wrong shape: an unknown type, field or value.",
    "status": 400,
    "code": "wrong_shape",
    "errors": [
        {
            "in": "body",
            "code": "unknown_value",
            "detail": "It is none of the values that are allowed.",
            "pointer": "/side",
            "allowed": ["heads", "tails"],
            "did_you_mean": "heads",
        }
    ],
}

ANSWER_EXAMPLES: dict[str, Any] = {
    "CreatedMatch": CREATED,
    "EventPage": PAGE,
    "Receipt": RECEIPT,
    "Problem": PROBLEM,
}
"""Examples by the names of their schemas."""


def with_example(name: str, schema: Schema) -> Schema:
    """The schema of this name with the example that there is of it."""
    example = ANSWER_EXAMPLES.get(name)
    return schema if example is None else {**schema, "examples": [example]}
