"""The notices of a log, and the table of those who asked for them."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from service.notices.log_reader import NoticeReader
from service.notices.webhook_table import WebhookTable, open_webhooks
from tests.support.http.webhook_receiver import Receiver, receiving
from tests.support.instance.index_log import Log


@pytest.fixture
def table(log: Log) -> Iterator[WebhookTable]:
    with closing(open_webhooks(log.store)) as table:
        yield table


@pytest.fixture
def reader(log: Log, table: WebhookTable) -> NoticeReader:
    return NoticeReader(log.store.recorder, log.index, table)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver
