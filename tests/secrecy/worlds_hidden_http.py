"""What is done in one of two matches over HTTP, and hidden from seat 0 and the public. What returns
a text has opened the case with that id."""

from collections.abc import Callable
from dataclasses import replace

from tests.support.http.case_client import appeal, close, do, opened, say
from tests.support.http.invitations import accept, invited, revoke, token_of
from tests.support.http.match_keys import end, issued, renew
from tests.support.http.rewind_client import numbers
from tests.support.http.ruling_client import ZOE, previewed, rule, ruled, second, withdraw
from tests.support.servers.live_server import Answer, Json, LiveMatch
from tests.support.worlds_http import World

Hidden = Callable[[LiveMatch], object]

SEALED: Json = {"to": "sealed", "text": "It stands.", "severity": "uphold"}


# Cases.


def case_of_another_seat(match: LiveMatch) -> str:
    return opened(match.seats[1], about=3)


def case_of_a_moderator(match: LiveMatch) -> str:
    case = opened(match.moderator)
    assert do(match.organiser, case, "parties", {"seat": 1}).status_code == 204
    return case


def closed_and_appealed(match: LiveMatch) -> str:
    case = opened(match.seats[1])
    assert close(match.moderator, case).status_code == 204
    assert appeal(match.seats[1], case).status_code == 204
    assert say(match.seats[1], case, "It was the wrong coin.").status_code == 201
    return case


def closed_by_a_sealed_note(match: LiveMatch) -> str:
    case = opened(match.seats[1])
    assert rule(match.moderator, "note", **SEALED, case=case).status_code == 201
    return case


def named_by_a_pending_ruling(match: LiveMatch) -> str:
    case = opened(match.organiser)
    ruled(match.moderator, "void", case=case)
    return case


CASES: list[Hidden] = [
    case_of_another_seat, case_of_a_moderator, closed_and_appealed, closed_by_a_sealed_note,
    named_by_a_pending_ruling,
]  # fmt: skip


# Rulings.


def pending(match: LiveMatch) -> None:
    """Proposed twice, and one of the two withdrawn."""
    ruled(match.moderator, "void")
    withdraw(match.organiser, ruled(match.organiser, "void")["ruling"])


def notes(match: LiveMatch) -> None:
    for to in ("seat:1", "sealed"):
        note: Json = {"to": to, "text": "They whisper.", "severity": "warning"}
        assert rule(match.moderator, "note", **note).status_code == 201


def previews(match: LiveMatch) -> None:
    for kind in ("void", "pause"):
        previewed(match.moderator, kind)


def refused_rulings(match: LiveMatch) -> None:
    for player in (match.moderator, match.seats[1]):
        rule(player, "resume")
        rule(player, "void")
        withdraw(player, "none")


RULINGS: list[Hidden] = [pending, notes, previews, refused_rulings]


def rewind_of(match: LiveMatch) -> Json:
    """A rewind of the choice of a side, which waits for a second person."""
    asked = ruled(
        match.moderator, "rewind", before=numbers(match, "dollar-prize.side-chosen.1")[-1]
    )
    assert asked["status"] == "pending"
    return asked


def rewind_withdrawn(match: LiveMatch) -> None:
    withdraw(match.organiser, rewind_of(match)["ruling"])


# Keys, invitations and names.


def more_keys(match: LiveMatch) -> None:
    """The second seat and the moderators have more keys, one of which has ended."""
    for role, name in (("seat:1", "Ben"), ("seat:1", "Bea"), ("moderator", "Mo")):
        made = issued(match, {"role": role, "name": name})
    end(match.organiser, made["id"])


def replacement(match: LiveMatch) -> None:
    """Proposed and withdrawn, after keys for the seat have been issued."""
    more_keys(match)
    withdraw(match.organiser, ruled(match.organiser, "replace_seat", **ZOE)["ruling"])


def renewals(match: LiveMatch) -> None:
    """A moderator and the second seat make keys their own: refused, done, and repeated."""
    for role, name in (("moderator", "Mo"), ("seat:1", "Bea")):
        key = issued(match, {"role": role, "name": name})["key"]
        client = replace(match.organiser.client, key=key)
        for request, status in (("1", 400), ("drawn-at-random-1", 201), ("drawn-at-random-1", 200)):
            assert renew(client, request).status_code == status
        assert renew(client, "drawn-at-random-2").status_code == 401


def invitations(match: LiveMatch) -> None:
    """Open ones to every seat, one that was revoked, and one that was accepted."""
    for number in range(4):
        invited(match, number % 2)
    revoke(match.organiser, invited(match, 1)["id"])
    token = token_of(invited(match, 1))
    assert accept(match.anyone.client, match.id, token).status_code == 201


KEYS: list[Hidden] = [replacement, renewals, invitations]


def keys_of_others(match: LiveMatch, turn: int) -> None:
    """An organiser issues keys to seat 1 and to another moderator, and now and then ends one; and
    invites seat 1, which accepts or not."""
    for body in ({"role": "seat:1", "name": "Ben"}, {"role": "moderator", "name": "Mo"}):
        made = issued(match, body)
        if turn % 2:
            end(match.organiser, made["id"])
    invitation = invited(match, 1)
    if turn % 2:
        assert revoke(match.organiser, invitation["id"]).status_code == 204
    else:
        assert accept(match.anyone.client, match.id, token_of(invitation)).status_code == 201


def refused_names(match: LiveMatch) -> None:
    """Of moderators who play, and of successors who moderate."""
    issued(match, {"role": "moderator", "name": "Mo"})
    keys = f"{match.anyone.path}/keys"
    for name in ("BEN", "An\u200bn", "\u202e"):
        answer = match.organiser.client.post(keys, {"role": "moderator", "name": name})
        assert answer.status_code in (403, 422)
        answer = rule(match.organiser, "replace_seat", preview=True, seat=1, name="mo")
        assert answer.status_code == 403


def second_refused(match: LiveMatch) -> None:
    """A ruling waits, and is not seconded by keys that may be of one hand."""
    waiting = ruled(match.organiser, "void")["ruling"]
    key = issued(match, {"role": "moderator", "name": "Mo"})["key"]
    mo = replace(match.moderator, client=replace(match.moderator.client, key=key))
    for player in (match.moderator, mo):
        assert second(player, waiting, preview=True).status_code == 403


REFUSALS: list[Hidden] = [refused_names, second_refused]


def confirmations(match: LiveMatch) -> None:
    """Those that are refused, and a look at one that would not be."""
    for player in (match.moderator, match.seats[1]):
        assert rule(player, "confirm").status_code == 403
    previewed(match.organiser, "confirm")


# 12 Chips.

ROUND: list[tuple[int, str, int]] = [
    (0, "play", 12), (1, "play", 4), (0, "take", 4), (1, "take", 12),
    (0, "play", 11), (1, "play", 3), (0, "take", 11), (1, "take", 3),
    (0, "play", 9), (1, "play", 3), (0, "take", 9), (1, "take", 3),
    (0, "play", 5), (1, "play", 3), (0, "take", 5),
]  # fmt: skip
"""A round up to the action that ends it and lays all hands open."""


def act(world: World, seat: int, kind: str, chip: int) -> Answer:
    answer = world.match.seats[seat].act({"type": kind, "chip": chip})
    assert answer.status_code == 201, answer.text
    return answer
