"""The `Age` of lists: they say how old they are while they cannot follow the log."""

from service.http.headers import answer_header

AGE = answer_header(
    "Age",
    "Only while nothing can be recorded: for how many seconds the list has not followed the log",
)


def age_headers(age: int | None) -> dict[str, str]:
    """The header (RFC 9111, 5.1); none for a list with everything on record."""
    return {} if age is None else {AGE.name: str(age)}
