"""Registration: players enter themselves, by a link (/docs/tournaments#registration).

Who registers when the tournament is full waits on a list, if there is one, and moves up by sending
the same once more: the first of the list have the places that are free.
"""

import hmac
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from domain.events import Event, Instant
from domain.game import Refused
from domain.tournament.events import (
    PlayerEntered,
    PlayerNamed,
    PlayerRegistered,
    PlayerWaits,
    RegistrationClosed,
    RegistrationOpened,
)
from domain.tournament.staff import UNBLINDED, check_newcomer
from domain.tournament.state import Tournament, names_had

CODES = {
    "registration_closed": "Registration is closed.",
    "no_such_registration": "This link is not that of the registration.",
}


class OpenRegistration(Struct, frozen=True):
    """Players may enter themselves by the link with the token that has this hash, until an instant
    or for good, as long as there are no more than `limit` in all; more wait on the list if there is
    one."""

    token: bytes
    limit: int
    closes: Instant | None
    waiting_list: bool
    at: Instant


class CloseRegistration(Struct, frozen=True):
    """No more players enter themselves."""


class Register(Struct, frozen=True):
    """Someone enters by the link with the token that has this hash. `request` tells them from
    others who use the same name."""

    name: str
    token: bytes
    request: bytes
    at: Instant


RegistrationCommand = OpenRegistration | CloseRegistration | Register


def decide_registration(state: Tournament, command: RegistrationCommand) -> list[Event]:
    """The events that a command on the registration gives. Raises Refused."""
    if state.competition.champions is not None:
        raise Refused("tournament_closed")
    return _DECIDERS[type(command)](state, command)


def _open(state: Tournament, command: OpenRegistration) -> list[Event]:
    if command.closes is not None and command.closes <= command.at:
        raise Refused("registration_closed", "it would be closed already")
    return [RegistrationOpened(command.token, command.limit, command.closes, command.waiting_list)]


def _close(state: Tournament, command: CloseRegistration) -> list[Event]:
    return [] if state.registration is None else [RegistrationClosed()]


def _register(state: Tournament, command: Register) -> list[Event]:
    registration = state.registration
    if registration is None or (
        registration.closes is not None and registration.closes <= command.at
    ):
        raise Refused("registration_closed")
    if not hmac.compare_digest(registration.token, command.token):
        raise Refused("no_such_registration")
    if command.request in state.registered:
        return []
    waits = command.request in state.waiting
    if not waits:
        names = (*names_had(state), *state.waiting.values())
        check_newcomer(names, command.name, room=True)
    if place_of(state, command.request) < _free(state, registration.limit):
        return _enter_player(state, command)
    if waits:
        return []
    if not registration.waiting_list:
        raise Refused("roster_full")
    return [PlayerWaits(command.name, command.request)]


def place_of(state: Tournament, request: bytes) -> int:
    """The place on the waiting list of who sent this request, from 0, or of who comes next."""
    waiting = list(state.waiting)
    return waiting.index(request) if request in state.waiting else len(waiting)


def _free(state: Tournament, limit: int) -> int:
    people = state.competition.people.values()
    return limit - sum(not person.out for person in people)


def _enter_player(state: Tournament, command: Register) -> list[Event]:
    player = len(state.players)
    return [
        PlayerRegistered(command.request),
        PlayerEntered(player),
        PlayerNamed(player, command.name, UNBLINDED),
    ]


_DECIDERS: Mapping[type[RegistrationCommand], Callable[[Tournament, Any], list[Event]]] = {
    OpenRegistration: _open,
    CloseRegistration: _close,
    Register: _register,
}
