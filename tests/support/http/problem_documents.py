"""The documents of problems, as nginx has them too."""

import msgspec
from msgspec.structs import replace

from service.http.errors.problems import Problem, problem


def document(code: str) -> Problem:
    """The problem document of a code, without how long to wait."""
    decoded = msgspec.json.decode(problem(code).content, type=Problem)
    return replace(decoded, retry_after=None)
