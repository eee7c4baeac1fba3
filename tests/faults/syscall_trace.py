"""A service under strace, and what its system calls show about an answer."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.faults.server_process import PATIENCE
from tests.support.http import local_http
from tests.support.servers.instance_settings import ORGANISER_KEY

STARTS = 5


CALLS = "fdatasync,fsync,read,recvfrom,recvmsg,write,writev,sendto,sendmsg"


STRACE = ("strace", "--follow-forks", "--decode-fds=path", "--string-limit=32", f"--trace={CALLS}")


LINE = re.compile(r"(?P<thread>\d+) +(?P<text>.*)")


BEGUN = re.compile(r"(?P<call>\w+)\((?P<file>\d+<[^>]*>|\"[^\"]*\")")


RESUMED = re.compile(r"<\.\.\. (?P<call>\w+) resumed>")


class Moment(NamedTuple):
    """A system call in the trace, from the line on which it begins to the line on which it ends."""

    call: str
    file: str
    text: str
    begins: int
    ends: int


def moments(trace: Path) -> Iterator[Moment]:
    """The calls of all threads, in the order in which they end."""
    unfinished: dict[str, Moment] = {}
    for number, line in enumerate(trace.read_text().splitlines()):
        found = LINE.match(line)
        assert found is not None, line
        thread, text = found["thread"], found["text"]
        if RESUMED.match(text):
            if thread in unfinished:
                begun = unfinished.pop(thread)
                yield begun._replace(text=begun.text + text, ends=number)
        elif began := BEGUN.match(text):
            moment = Moment(began["call"], began["file"], text, number, number)
            if text.endswith("<unfinished ...>"):
                unfinished[thread] = moment
            else:
                yield moment


def answered(
    trace: Path, log: str = "-wal>", method: str = "POST", status: int = 201
) -> tuple[int, int]:
    """How many requests by this method were answered with this status, and how many of these
    answers were sent without a sync of the write-ahead log that had begun after the request was
    received. The log is a file with `log` in its name."""
    received: dict[str, int] = {}
    synced, answers, unsafe = -1, 0, 0
    for moment in moments(trace):
        if moment.call in ("fdatasync", "fsync") and log in moment.file:
            assert moment.text.endswith("= 0"), moment.text
            synced = max(synced, moment.begins)
        elif f"{method} /v1" in moment.text:
            received[moment.file] = moment.ends
        elif f"HTTP/1.1 {status}" in moment.text and moment.file in received:
            answers += 1
            unsafe += synced < received.pop(moment.file)
    return answers, unsafe


def starts_matches(url: str) -> int:
    """Creates and starts matches one by one; returns how many answers with 201 that took."""
    headers = {"Authorization": f"Bearer {ORGANISER_KEY}"}
    new = {"game": "dollar-prize", "seats": ["Ann", "Ben"]}
    with local_http.client(url, headers=headers, timeout=PATIENCE) as client:
        for _ in range(STARTS):
            made = client.post("/v1/matches", json=new)
            assert made.status_code == 201
            path = f"/v1/matches/{made.json()['id']}"
            assert client.post(f"{path}/start").status_code == 201
            key = {"Authorization": f"Bearer {made.json()['seats'][0]['key']}"}
            chosen = {"type": "choose_side", "side": "heads"}
            assert client.post(f"{path}/actions", json=chosen, headers=key).status_code == 201
    return 3 * STARTS


@pytest.fixture(name="strace", autouse=True)
def strace_there() -> None:
    """CI must have strace; elsewhere this promise goes unchecked without it."""
    if shutil.which("strace") is None:
        assert "CI" not in os.environ, "CI needs strace"
        pytest.skip("needs strace (Debian: apt-get install strace)")
