"""Who may do what: every route, for every kind of key, at matches in every state."""

import asyncio
import re

from tests.oracle.service import Service
from tests.oracle.stable import Lines
from tests.support.roles.asgi_requests import Reply
from tests.support.roles.role_cells import Cell, expected, requests
from tests.support.roles.role_table import RoleTable, role_table

PARAMETER = re.compile(r"\{\w+\}")
"""A parameter in a path; its name says nothing to clients."""


def matrix(service: Service) -> dict[str, Lines]:
    """The answers to all cells of each route: status and code, by place and audience and holder."""
    table = role_table(service.live)
    return asyncio.run_coroutine_threadsafe(_matrix(table), service.live.loop).result()


async def _matrix(table: RoleTable) -> dict[str, Lines]:
    routes = sorted(table.routes, key=lambda route: (route.path, route.method))
    return {
        PARAMETER.sub("{}", route.name): [await _answered(table, c) for c in table.cells(route)]
        for route in routes
    }


async def _answered(table: RoleTable, cell: Cell) -> str:
    sent = requests(cell, expected(cell), every=True)
    replies = [await table.comparison.reply(request) for request in sent]
    said = sorted({f"{reply.status} {_code(reply)}".strip() for reply in replies})
    where = f"{cell.place.name}/{cell.asked or 'no audience'}/{cell.holder.name}"
    return f"{where.replace(' ', '-')} {', '.join(said)}"


def _code(reply: Reply) -> str:
    """The code of a problem; pages for people have none."""
    return "(page)" if reply.body.startswith(b"<!doctype") else reply.code or ""
