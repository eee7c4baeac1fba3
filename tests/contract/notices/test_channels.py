"""E-mail as a channel: reminders that a real mail server receives, and an address that no one is
shown."""

from pathlib import Path

import pytest

from projections.texts.timestamps import instant
from service.setting_types import MailSetting
from service.settings import NoticeSettings
from tests.support.http.match_play import assert_problem
from tests.support.http.smtp_receiver import mail_server
from tests.support.instants import NOON, SECOND
from tests.support.servers.live_server import Live, serving
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import wait_until
from tests.support.worlds_http_grouping_bw import grouping
from tests.support.worlds_sealed_http import Timed

ANN = "ann.with.a.name@example.org"


def test_a_reminder_is_mailed_and_tried_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    clock = VirtualClock(NOON)
    with (
        mail_server() as mails,
        serving(tmp_path, clock, notices=NoticeSettings(smtp=MailSetting(mails.smtp))) as live,
    ):
        timed = Timed(live, clock)
        match = grouping(timed).match
        seat = match.seats[0].client
        made = seat.post("/v1/webhooks", {"url": f"mailto:{ANN}", "seat": 0, "remind": 60})
        assert made.status_code == 201, made.text
        webhook = made.json()
        assert (webhook["kinds"], webhook["secret"]) == (["reminder"], None)
        mails.refusal = "451 later"
        path = f"/v1/webhooks/{webhook['id']}/deliveries"
        wait_until(lambda: seat.get(path).json()["deliveries"] != [])
        timed.pass_time(
            instant(seat.get(path).json()["deliveries"][0]["next_attempt"]) - clock.now()
        )
        wait_until(lambda: seat.get(path).json()["deliveries"][0]["attempt"] == "not sent")
        mails.refusal = None
        timed.pass_time(5 * SECOND)
        wait_until(lambda: mails.received != [], failure=lambda: seat.get(path).text)
        wait_until(lambda: seat.get(path).json()["deliveries"][0]["state"] == "delivered")
        sent = seat.get(path).json()["deliveries"][0]
        ((recipient, mail),) = mails.received
        assert recipient == ANN and mail["From"] == "arbiter@example.org"
        text = mail.get_payload(decode=True)
        assert isinstance(text, bytes) and sent["id"] in text.decode()
        assert mail["Subject"].startswith("Ann, Ben")
        for client in (seat, live.organiser):
            assert "ann.with" not in client.get("/v1/webhooks").text
            assert "ann.with" not in client.get(path).text
        assert "ann.with" not in made.text
        assert seat.send("DELETE", f"/v1/webhooks/{webhook['id']}").status_code == 204
    assert "ann.with" not in "".join(capfd.readouterr())


def test_what_is_not_set_up_or_has_options_is_refused(live: Live) -> None:
    seat = live.started("dollar-prize").seats[0].client
    answer = seat.post("/v1/webhooks", {"url": "mailto:ann@example.org"})
    assert_problem(answer, 422, "channel_not_available")
    assert "ARBITER_SMTP" in answer.json()["detail"]
    answer = seat.post("/v1/webhooks", {"url": "discord://1/x?verify=no"})
    assert_problem(answer, 422, "address_not_allowed")
