"""`config/prometheus` and `config/grafana`: they ask for metrics that there are, and each alert fires.

The rules are run by Prometheus's own promtool, over series whose names and labels the program gives. Where
promtool is missing, that part is skipped; `make alerts` fails then.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from svc.http.app import public_app
from svc.http.operator.app import operator_app
from svc.http.traffic import Traffic
from svc.telemetry.queue import SpanQueue
from svc.telemetry.spans import Tracer
from tests.backups import Place
from tests.http.asking import client_of
from tests.http.operator.test_metrics import TOKEN
from tests.mailing import live_post_town

CONFIG: Final = Path(__file__).parents[3] / "config"
RULES: Final = CONFIG / "prometheus" / "alerts.yml"
DASHBOARD: Final = CONFIG / "grafana" / "svc.json"
PROMTOOL: Final = os.environ.get("SVC_PROMTOOL") or shutil.which("promtool")
NAME: Final = re.compile(r"\b(?:svc|process)_[a-z_]+")
MATCHERS: Final = re.compile(r"((?:svc|process)_[a-z_]+)(?:\{([^}]*)\})?")
MATCHER: Final = re.compile(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"')
TARGET_LABELS: Final = frozenset({"instance", "job"})
"""Labels that Prometheus itself adds."""


class Case(NamedTuple):
    """Series for an alert, which promtool continues: `0+60x20` is 0, 60, 120, …; `_` is a gap."""

    alert: str
    minutes: int
    """When the alert is looked for."""
    fires: dict[str, str]
    quiet: dict[str, str]
    """The same series in a service that is well."""


def waits(noun: str, fires: int, quiet: int, minutes: int, alert: str) -> Case:
    """An alert on the age of what waits."""
    series = f'svc_waiting_oldest_seconds{{noun="{noun}"}}'
    return Case(alert, minutes, {series: f"{fires}+60x30"}, {series: f"{quiet}x30"})


COMMITS: Final = "svc_store_commit_duration_seconds_bucket"
SLOW: Final = {
    f'{COMMITS}{{le="0.25"}}': "0+1x30",
    f'{COMMITS}{{le="1"}}': "0+100x30",
    f'{COMMITS}{{le="+Inf"}}': "0+100x30",
}
FAST: Final = SLOW | {f'{COMMITS}{{le="0.25"}}': "0+100x30"}

CASES: Final = (
    Case(
        "SvcDataCannotBeWritten",
        1,
        {"svc_store_failing_seconds": "0 31"},
        {"svc_store_failing_seconds": "0x9"},
    ),
    Case(
        "SvcEventLoopStalls",
        5,
        {"svc_event_loop_stall_seconds": "1.5x9"},
        {"svc_event_loop_stall_seconds": "0.01 3 0.01x9"},
    ),
    Case(
        "SvcRequestsFail",
        15,
        {
            'svc_requests_total{door="forms",status="500"}': "0+10x20",
            'svc_requests_total{door="forms",status="200"}': "0+90x20",
        },
        {
            'svc_requests_total{door="forms",status="404"}': "0+90x20",
            'svc_requests_total{door="forms",status="200"}': "0+10x20",
        },
    ),
    Case(
        "SvcActorQuarantined",
        2,
        {'svc_actors_quarantined{kind="Outbox"}': "1x9"},
        {'svc_actors_quarantined{kind="Outbox"}': "0x9"},
    ),
    Case(
        "SvcActorsCrash",
        12,
        {'svc_actor_crashes_total{kind="Filer"}': "0+1x20"},
        {'svc_actor_crashes_total{kind="Filer"}': "0x5 1x20"},
    ),
    Case(
        "SvcMailboxOld",
        3,
        {'svc_actor_mailbox_oldest_seconds{kind="Filer"}': "31+60x9"},
        {'svc_actor_mailbox_oldest_seconds{kind="Filer"}': "2x9"},
    ),
    Case(
        "SvcMessagesRefused",
        15,
        {'svc_actor_refused_total{kind="FormWindow"}': "0+20x20"},
        {'svc_actor_refused_total{kind="FormWindow"}': "3x20"},
    ),
    waits("events", 301, 2, 5, "SvcWorkWaits"),
    waits("agentRuns", 301, 290, 5, "SvcWorkWaits"),
    waits("submissions", 3_601, 600, 7, "SvcSubmissionsWait"),
    waits("imports", 601, 30, 3, "SvcImportStands"),
    waits("replies", 14_401, 3_600, 7, "SvcRepliesWait"),
    waits("deliveries", 21_601, 3_600, 7, "SvcDeliveriesWait"),
    Case(
        "SvcMailsWait",
        8,
        {'svc_waiting_oldest_seconds{noun="mails"}': "1801+60x20", "svc_mail_configured": "1x20"},
        {'svc_waiting_oldest_seconds{noun="mails"}': "1801+60x20", "svc_mail_configured": "0x20"},
    ),
    Case(
        "SvcNothingGoesOut",
        25,
        {
            'svc_attempts_total{to="webhook",outcome="not_reached"}': "0+3x30",
            'svc_attempts_total{to="push",outcome="timed_out"}': "0+1x30",
            'svc_attempts_total{to="push",outcome="accepted"}': "7x30",
        },
        {
            'svc_attempts_total{to="webhook",outcome="not_reached"}': "0+90x30",
            'svc_attempts_total{to="push",outcome="refused"}': "0+1x30",
        },
    ),
    Case(
        "SvcTracesDropped",
        25,
        {'svc_trace_spans_total{outcome="dropped"}': "0+5x30"},
        {'svc_trace_spans_total{outcome="exported"}': "0+500x30"},
    ),
    Case("SvcCommitsSlow", 20, SLOW, FAST),
    Case(
        "SvcSettlementsWait",
        12,
        {"svc_ai_settlements_waiting": "1x20"},
        {"svc_ai_settlements_waiting": "0x20"},
    ),
    Case(
        "SvcFileDescriptorsRunOut",
        8,
        {
            'process_open_fds{instance="a",job="b"}': "900x20",
            'process_max_fds{instance="a",job="b"}': "1000x20",
            'svc_info{instance="a",job="b"}': "1x20",
        },
        # Of another program, which gives the same metrics.
        {
            'process_open_fds{instance="c",job="b"}': "900x20",
            'process_max_fds{instance="c",job="b"}': "1000x20",
            'svc_info{instance="a",job="b"}': "1x20",
        },
    ),
    # promtool's time begins at 0.
    Case(
        "SvcBackupOld",
        3_000,
        {"svc_backup_last_good_timestamp_seconds": "60x4000"},
        {"svc_backup_last_good_timestamp_seconds": "60+3600x4000"},
    ),
)


def rules() -> list[dict[str, Any]]:
    """The rules, in their order."""
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    """The panels of the dashboard that show something."""
    return [panel for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"] if panel["type"] != "row"]


async def test_rules_and_panels_ask_for_what_there_is(autojump_clock, tmp_path):
    """Every metric, every label, and every value of one that is no pattern, is in an answer of `/metrics`."""
    text = await _metrics(tmp_path)
    given: dict[str, set[str]] = {}
    for name, labels in re.findall(r"^([a-z_]+)(?:\{(.*)\})? ", text, re.MULTILINE):
        given.setdefault(name, set()).update(re.findall(r'\w+="[^"]*"', labels))
    asked = [
        (name, matcher)
        for expression in [*_expressions(), *(series for case in CASES for series in case.fires)]
        for name, matchers in MATCHERS.findall(expression)
        for matcher in MATCHER.findall(matchers) or [("", "")]
    ]

    assert len(asked) > 60
    assert [] == sorted({name for name, _ in asked} - given.keys())
    assert [] == sorted(
        {
            f'{name}{{{label}="{value}"}}'
            for name, (label, value) in asked
            if label and label not in TARGET_LABELS and not _is_given(label, value, given[name])
        }
    )


def _is_given(label: str, value: str, given: set[str]) -> bool:
    values = {one.partition("=")[2].strip('"') for one in given if one.startswith(f"{label}=")}
    if label in {"status", "le"}:
        return bool(values)  # which statuses there are is up to what happens
    return set(value.split("|")) <= values


async def _metrics(directory: Path) -> str:
    """What `/metrics` answers of a service in which something of everything has happened."""
    async with live_post_town() as (here, system):
        system.backups = Place(directory).backups()
        system.tracer = Tracer(SpanQueue())
        system.ai.settlements.ended["credits", "answered"] += 1
        traffic = Traffic()
        traffic.streams["ai"] += 1
        async with client_of(public_app(system, traffic=traffic)) as client:
            await client.get("/nothing")
            await client.post("/api/f/s", json={})
            await client.post("/api/ai/v1/chat/completions", json={})
        await here.tell("one")
        async with client_of(operator_app(system, TOKEN, traffic)) as operator:
            answer = await operator.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
        return answer.text


def _expressions() -> Iterable[str]:
    for rule in rules():
        yield rule["expr"]
    for panel in panels():
        for target in panel["targets"]:
            yield target["expr"].replace('instance=~"$instance",', "").replace('{instance=~"$instance"}', "")


def test_each_rule_has_cases() -> None:
    """And says what is the matter, and how bad it is."""
    assert {rule["alert"] for rule in rules()} == {case.alert for case in CASES}
    for rule in rules():
        assert rule["annotations"]["summary"].endswith((".", "none.")), rule["alert"]
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}


@pytest.mark.skipif(
    PROMTOOL is None and os.environ.get("SVC_ALERTS") != "true", reason="promtool comes with Prometheus"
)
def test_each_alert_fires_when_it_should(tmp_path: Path) -> None:
    """And is quiet in a service that is well: all cases, by promtool."""
    assert PROMTOOL is not None, "set SVC_PROMTOOL to Prometheus's promtool, or install it"
    tests = [
        {
            "name": f"{case.alert}, {'fires' if fires else 'quiet'}",
            "interval": "1m",
            "input_series": [
                {"series": series, "values": values}
                for series, values in (case.fires if fires else case.quiet).items()
            ],
            "promql_expr_test": [
                {
                    "expr": f'count(ALERTS{{alertname="{case.alert}",alertstate="firing"}})',
                    "eval_time": f"{case.minutes}m",
                    "exp_samples": [{"labels": "{}", "value": 1}] if fires else [],
                }
            ],
        }
        for case in CASES
        for fires in (True, False)
    ]
    file = tmp_path / "tests.yml"
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
    for what, path in (("check", RULES), ("test", file)):
        ran = subprocess.run(
            [PROMTOOL, what, "rules", path], check=False, capture_output=True, encoding="utf-8"
        )

        assert 0 == ran.returncode, ran.stdout + ran.stderr
