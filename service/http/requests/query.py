"""The query of a request."""

from litestar.connection import ASGIConnection
from litestar.datastructures import MultiDict
from litestar.types import Scope


def query_of(scope: Scope) -> MultiDict[str]:
    """The parameters in a request's address, in order. They are parsed once a request: the
    framework keeps them in the request's state."""
    return ASGIConnection(scope).query_params
