"""`/metrics`: what Prometheus reads."""

import re
from pathlib import Path

import pytest
import trio

from svc.actors.backups.backup_keeper import BACKUP_KEEPER, BackupKeeper
from svc.actors.mail.mailer import Mailer
from svc.actors.mail.smtp_client import MailServerFailed
from svc.actors.system import System
from svc.domain.mail.progress import MailOutcome
from svc.http.operator.app import operator_app
from tests.backups import Place
from tests.http.asking import client_of
from tests.mailing import live_post_town
from tests.town import START, town

TOKEN = "a-token-of-the-operator"
LINE = re.compile(r'([a-z_]+)((?:\{[a-z]+="[^"\\]*"\})?) (\S+)')


async def read(system: System) -> dict[str, float]:
    """Each value by its name and labels, of an answer that keeps to the format."""
    async with client_of(operator_app(system, TOKEN)) as operator:
        answer = await operator.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
        refused = await operator.get("/metrics")
    assert (200, 401) == (answer.status_code, refused.status_code)
    assert "text/plain; version=0.0.4; charset=utf-8" == answer.headers["content-type"]
    assert answer.text.endswith("\n")
    found: dict[str, float] = {}
    known = ""
    for line in answer.text.splitlines():
        if line.startswith("# HELP "):
            continue
        if line.startswith("# TYPE "):
            _, _, known, kind = line.split()
            assert (kind == "counter") == known.endswith("_total")
            continue
        match = LINE.fullmatch(line)
        assert match is not None, line
        assert match[1] == known
        assert match[1] + match[2] not in found
        found[match[1] + match[2]] = float(match[3])
    return found


async def test_mail_is_counted_by_what_became_of_it(autojump_clock):
    """What waits and for how long, and of which class the server's last failure is, while it fails."""
    async with live_post_town() as (here, system):
        here.mails.answers = [
            MailOutcome("deferred", "451 greylisted"),
            MailOutcome("rejected", "550 no such user"),
        ]
        await here.tell("one", "two", "three")
        await trio.sleep(10)
        works = await read(system)
        here.mails.answers = [MailServerFailed("the certificate is not valid: expired", "tls")]
        await here.tell("four")
        await trio.sleep(1)
        here.mails.is_down = True
        await Mailer(system, here.organization.id).wake()
        await trio.sleep(3)
        fails = await read(system)

    assert (1, 1, 1) == tuple(
        works[f'svc_mails_total{{outcome="{outcome}"}}'] for outcome in ("sent", "deferred", "rejected")
    )
    assert (1, 10, 1) == tuple(
        works[f"svc_mails_{name}"] for name in ("waiting", "oldest_waiting_seconds", "deferred")
    )
    assert (1, 1, 1) == tuple(
        works[f"svc_{name}"] for name in ("mail_configured", "mails_sent_last_day", "mails_failed_last_day")
    )
    assert not [name for name in works if name.startswith("svc_mail_server")]
    assert fails['svc_mail_server_failures_total{class="tls"}'] == 1
    assert fails['svc_mail_server_failing{class="tls"}'] == 1
    assert fails["svc_mails_waiting"] == 2


@pytest.mark.parametrize("configured", [True, False])
async def test_backups_are_told_where_they_are_made(autojump_clock, tmp_path: Path, *, configured: bool):
    """When the last good one was made, and its size: 0 for none, so that an alert of its age is raised."""
    place = Place(tmp_path)
    async with town() as here, here.live_system() as system:
        if not configured:
            assert not [name for name in await read(system) if name.startswith("svc_backup")]
            return
        system.backups = place.backups()
        before = await read(system)
        await BackupKeeper(system, BACKUP_KEEPER).start()
        await trio.sleep(60)
        after = await read(system)
        place.directory.rename(tmp_path / "away")
        await trio.sleep(3 * 60 * 60)
        broken = await read(system)

    assert before["svc_backup_last_good_timestamp_seconds"] == 0
    assert after["svc_backup_last_good_timestamp_seconds"] == START / 1_000
    [size] = [path.stat().st_size for path in (tmp_path / "away").iterdir()]
    assert after["svc_backup_last_good_bytes"] == size
    assert (after["svc_backups_kept"], after["svc_backup_failures"]) == (1, 0)
    assert broken["svc_backup_last_good_timestamp_seconds"] == START / 1_000
    assert broken["svc_backup_failures"] == 1
    assert after['svc_actor_crashes_total{kind="BackupKeeper"}'] == 0
    assert after["svc_store_units_total"] > 0


async def test_without_its_store_the_rest_is_told(autojump_clock):
    """Metrics are what tells that it fails."""
    async with live_post_town() as (here, system):
        await here.store.aclose()
        found = await read(system)

    assert found["svc_mail_configured"] == 1
    assert "svc_mails_waiting" not in found


async def test_every_metric_is_documented(autojump_clock, tmp_path: Path):
    """In docs/operator.md."""
    page = (Path(__file__).parents[3] / "docs" / "operator.md").read_text("utf-8")
    async with live_post_town() as (_, system):
        system.backups = Place(tmp_path).backups()
        system.mailing.note_failure(MailServerFailed("it has not answered in time", "timeout"))
        found = await read(system)

    assert [] == [name for name in found if f"`{name.partition('{')[0]}`" not in page]
