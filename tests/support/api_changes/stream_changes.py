"""What differs between the messages of two descriptions, and whether it breaks clients."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.api_changes.change import Change
from tests.support.api_changes.operation_changes import gone_and_new
from tests.support.api_changes.schema_changes import SchemaComparison

Part = Mapping[str, Any]


def stream_changes(old: Part, new: Part) -> Iterator[Change]:
    """What has changed of streams and WebSockets. Clients ignore messages that they do not know.
    What a channel is asked with is among the parameters of its operation."""
    before, after = _addresses(old), _addresses(new)
    yield from gone_and_new(before, after, "channel {}")
    messages = old["messages"], new["messages"]
    yield from gone_and_new(*messages, "message {}")
    taken = _received(old)
    compared = {sent: SchemaComparison(old, new, sent=sent) for sent in (True, False)}
    for name in messages[0].keys() & messages[1].keys():
        payloads = messages[0][name]["payload"], messages[1][name]["payload"]
        yield from compared[name in taken].changes(*payloads, f"message {name}")


def _addresses(document: Part) -> dict[str, Part]:
    return {channel["address"]: channel for channel in document["channels"].values()}


def _received(document: Part) -> set[str]:
    """The names of the messages that clients send."""
    return {
        message["$ref"].rsplit("/", 1)[1]
        for operation in document["operations"].values()
        if operation["action"] == "receive"
        for message in operation["messages"]
    }
