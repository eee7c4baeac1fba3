"""Two matches on a server that differ only in what some readers may not know, compared as sent:
bodies, status lines, header names with their case, order and lengths. Only what two matches must
not share is normalised first: their ids and keys, and times, unless the clock is virtual."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from uuid import UUID, uuid5

from service.http.middleware.caching import content_tag
from tests.support.http.routes import description
from tests.support.servers.live_server import NDJSON, SSE, Answer, Json, Live, LiveMatch

TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

HASHED = re.compile(
    rb'("(?:commit|rules_hash|roster_hash|clients|transcript|key_commit)":)"[A-Za-z0-9+/]{43}="'
)
SALTED = re.compile(rb'"names":\[("[A-Za-z0-9+/]{43}=",?)+\]')
"""Values derived from a match's id and seed, which two matches do not share, by length."""

RETRY = re.compile(rb"retry: \d+\n")
"""The delay after which a reader is to reconnect; it is random."""

RECEIPTED = re.compile(
    rb"(?:((?:created|commitment|seed-committed|nonce|seen) )[A-Za-z0-9+/]{43}="
    rb"|(receipts )[A-Za-z0-9+/]{91}=)\\n"
)
SALT = re.compile(rb'"(salt|blind)":"(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{22}==)"')
KEY_ID = re.compile(rb'("key_id":"|\xa6key_id\xb0|\bkey (?:id )?)[0-9a-f]{16}')
"""The id of the key by which a seat acts, in JSON, as it is stored, and in words; it is random."""
SHORTENED = re.compile(rb"[0-9a-f]{16}(?=\xe2\x80\xa6)")
"""The beginning of a value that two matches do not share, in words."""
STORED = re.compile(rb'"event":"([A-Za-z0-9+/=]*)"')
"""What a receipt binds, its signature and the opening of its commitment; and the submission
with its time."""

OF_A_MATCH = "/v1/matches/{id}"

ODD_READS = ("/view?at=1", "/events?limit=1", "/stream?ticket=x", "/view?nonsense=1")

AHEAD = (1, 2, 8, 32)
"""How far beyond the end of what a reader may know it tries to read."""


@dataclass
class World:
    """One of the two matches, with the streams that its readers follow.

    `stale` is an action of the game that a reader may send with an old `If-Match`, `draw_id` a draw
    of it. With `timed` the server's clock is virtual: then times are compared, too.
    """

    match: LiveMatch
    readers: Sequence[str]
    stale: Json
    draw_id: str
    timed: bool = False
    streams: dict[str, Iterator[bytes]] = field(default_factory=dict)
    streamed: dict[str, int] = field(default_factory=dict)

    def follow(self, stack: ExitStack) -> None:
        """Opens a stream of each form for each reader."""
        for reader, form in product(self.readers, (SSE, NDJSON)):
            player = self.match.audiences()[reader]
            response = stack.enter_context(player.stream({"Accept": form}, after=0))
            self.streams[f"{reader} {form}"] = response.iter_raw()

    def alike(self, sent: bytes) -> bytes:
        """The bytes without what is specific to this one match: its id, and times."""
        same = sent.replace(str(UUID(self.match.id)).encode(), b"ID")
        same = RETRY.sub(b"retry: DELAY\n", same)
        same = SALTED.sub(b'"names":[SALTED]', HASHED.sub(rb"\1HASH", same))
        same = KEY_ID.sub(rb"\1KEY", STORED.sub(without_key, same))
        same = SALT.sub(rb'"\1":"SALT"', RECEIPTED.sub(rb"\1\2HASH", same))
        same = SHORTENED.sub(b"HASH", same)
        if self.timed:
            return same
        return TIME.sub(b"TIME", STORED.sub(lambda m: b"EVENT of %d" % len(m[1]), same))

    def seen(self, answer: Answer) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Everything of an answer that its reader can see; a tag that says only what the body is
        has no value of its own."""
        # A stream that was opened has been closed unread.
        body = answer.content if answer.is_stream_consumed else b""
        values = {b"date": b"DATE", b"etag": answer.headers.get("etag", "").encode()}
        if values[b"etag"].decode() == content_tag(body):
            values[b"etag"] = b"TAG"
        headers = [
            (name, self.alike(values.get(name.lower(), value)))
            for name, value in answer.headers.raw
        ]
        return answer.status_code, headers, self.alike(body)

    def read(self, name: str) -> bytes:
        """What a stream has sent since, up to the last event of its audience, and at the end of the
        match to the end of the stream."""
        audience = name.split()[0]
        view = self.match.audiences()[audience].view().json()
        last, result = view["seq"], view["result"] or {}
        over = view["status"] in ("ended", "void") and result.get("final", True)
        end = b"\n\n" if SSE in name else b"\n"
        has_all = self.streamed.get(name) == last
        received = b"" if has_all else next(self.streams[name])
        while not has_all and not (
            f'"seq":{last},'.encode() in received and received.endswith(end)
        ):
            received += next(self.streams[name])
        self.streamed[name] = last
        return self.alike(received + (b"".join(self.streams[name]) if over else b""))

    def row(self, live: Live) -> bytes:
        """The match's row in the public list, as bytes."""
        page = live.anyone.get("/v1/matches", limit=200).content
        match = re.search(rb'\{"id":"' + self.match.id.encode() + rb'".*?"result":[^}]*\}', page)
        assert match is not None
        return self.alike(match[0])


def without_key(stored: re.Match[bytes]) -> bytes:
    """The stored event without the random id of the key by which it came."""
    event = KEY_ID.sub(rb"\1" + b"0" * 16, b64decode(stored[1]))
    return b'"event":"%b"' % b64encode(event)


def reads() -> list[str]:
    """What follows a match's own address where a GET needs no more than that; HEAD has what GET has
    (`tests/contract/requests/test_head.py`). A stream does not end."""
    paths = [path for path, operations in description()["paths"].items() if "get" in operations]
    ends = [path.removeprefix(OF_A_MATCH) for path in paths if path.startswith(OF_A_MATCH)]
    return [end for end in ends if "{" not in end and end != "/stream"]


def everything(world: World, reader: str) -> Iterator[tuple[str, Answer]]:
    """Each answer the reader can get, by the request."""
    player = world.match.audiences()[reader]
    path, get = player.path, player.client.get
    last = player.view().json()["seq"]
    tag = player.view().headers["etag"]
    for at in (0, last - 1, last, *(last + ahead for ahead in AHEAD)):
        yield f"view {at}", player.view(at=at)
    for audience in (None, "public", "seat:0", "seat:1", "moderator", "seat:99", "x"):
        yield f"view {audience}", player.view(audience)
        yield f"events {audience}", player.events(audience)
        yield f"stream {audience}", player.try_stream(as_=audience, after=last + 1)
    for after, limit in product((0, last - 2, *(last + ahead for ahead in AHEAD)), (1, 3)):
        yield f"page {after} {limit}", player.events(None, after, limit)
    yield "picture", get(f"/m/{world.match.id}/board.svg")
    yield "the same view", player.view(headers={"If-None-Match": tag})
    yield "start", player.start()
    yield "draw", player.draw(world.draw_id, [])
    yield "close", player.close_phase()
    for after, limit in product((0, 1, last - 1), (1, 100)):
        yield f"receipts {after} {limit}", get(f"{path}/receipts", after=after, limit=limit)
    for audience in (None, "public", "seat:0", "seat:1", "moderator"):
        yield f"bundle {audience}", get(f"{path}/bundle", as_=audience)
    yield "checkpoints", player.client.post(f"{path}/checkpoints")
    yield "client seed", player.client.post(f"{path}/client-seeds", {"seed": "late"})
    for kind in ("void", "pause", "resume"):
        asked = {"kind": kind, "reason": "-", "preview": True}
        yield f"preview of {kind}", player.client.post(f"{path}/rulings", asked)
    yield "give up", player.client.send("DELETE", f"{path}/rulings/unknown")
    for rest in (*reads(), *ODD_READS):
        yield f"GET {rest}", get(f"{path}{rest}")
    token = {"token": "unknown"}
    key = {"Idempotency-Key": "drawn-at-random-1"}
    yield "again", player.client.post(f"{path}/again", headers=key)
    yield "unknown token", player.client.post(f"{path}/invitations/accept", token, key)
    for name in ("public", "seat:0", "seat:1", "moderator"):
        guessed = uuid5(UUID(player.match), f"cases of {name}")
        yield f"cases of {name}", get(f"/v1/matches/{guessed}/view")
    yield "nothing", get(f"{path}/nothing")
    yield "stale", player.act(world.stale, {"If-Match": '"seat:0.1"'})
    yield "not understood", player.act({"type": "fly"})


def compare(one: World, other: World, live: Live) -> None:
    """Every answer and every stream of every reader is the same in both worlds."""
    for reader in one.readers:
        pairs = zip(everything(one, reader), everything(other, reader), strict=True)
        for (name, first), (_, second) in pairs:
            assert one.seen(first) == other.seen(second), f"{reader}: {name}"
    assert one.row(live) == other.row(live)
    for name in one.streams:
        assert one.read(name) == other.read(name), name
