"""`svc credits`, and the credits that a new organization starts with."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Svc


def test_credits_are_granted_and_listed(svc: Svc, shop: Path) -> None:
    """In credits, to the last decimal; the newest entry first, and every promise is kept."""
    [home] = [line.split()[0] for line in svc("org", "list").stdout.splitlines()[1:]]
    granted = [
        svc("credits", "grant", home, "12.5", "--note", "Welcome"),
        svc("credits", "grant", home, "0.000001"),
    ]
    listed = svc("credits", "statement")
    named = svc("credits", "statement", home)
    rows = [line.split() for line in listed.stdout.splitlines()]

    assert [(0, "12.5"), (0, "12.500001")] == [(one.exit_code, one.stdout.strip()) for one in granted]
    assert listed.stdout == named.stdout
    assert ["grant", "0.000001", "12.500001", "-"] == rows[1][1:]
    assert ["grant", "12.5", "12.5", "-", "Welcome"] == rows[2][1:]
    assert 0 == svc("check").exit_code


@pytest.mark.parametrize(
    ("args", "exit_code", "said"),
    [
        (("{home}", "0"), 1, "give more than nothing"),
        (("{home}", "-5"), 2, "No such option"),
        (("{home}", "many"), 2, "expected a number of credits"),
        (("{home}", "0.0000001"), 2, "expected at most 6 decimals"),
        (("{home}", "1000000001"), 2, "expected at most 1,000,000,000"),
        (("{home}", "1", "--note", "x" * 501), 1, "at most 500 characters"),
        (("org_1", "1"), 1, "no such organization"),
        ((), 2, "Missing argument"),
    ],
)
def test_a_grant_that_cannot_be_is_refused(
    svc: Svc, shop: Path, args: tuple[str, ...], exit_code: int, said: str
) -> None:
    """In one line, and nothing is in the ledger."""
    [home] = [line.split()[0] for line in svc("org", "list").stdout.splitlines()[1:]]

    refused = svc("credits", "grant", *(arg.format(home=home) for arg in args))

    assert (exit_code, True) == (refused.exit_code, said in refused.output), refused.output
    assert 1 == len(svc("credits", "statement").stdout.splitlines())


def test_a_new_organization_has_the_credits_of_the_configuration(
    svc: Svc, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever command makes it; none without the setting."""
    plain = json.loads(svc("setup", "--name", "A", "--email", "a@example.com", "--json").stdout)
    monkeypatch.setenv("SVC_AI__STARTING_CREDITS", "2.5")
    set_up = json.loads(svc("setup", "--name", "B", "--email", "b@example.com", "--json").stdout)
    created = svc("org", "create", "C").stdout.strip()
    statements = [
        svc("credits", "statement", home).stdout.splitlines()[1:]
        for home in (plain["organizationId"], set_up["organizationId"], created)
    ]

    assert [0, 1, 1] == [len(entries) for entries in statements]
    assert all("2.5" in entry and "Starting credits" in entry for [entry] in statements[1:])
    assert data.exists()


def test_the_service_does_not_start_without_the_key_of_a_provider(
    svc: Svc, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other commands do not need it; nothing is made."""
    table = '[{"name": "p", "base_url": "https://p.example", "key_variable": "NO_SUCH_KEY"}]'
    monkeypatch.setenv("SVC_AI__PROVIDERS", table)

    refused = svc("run")

    assert 2 == refused.exit_code
    assert "'p' takes its key from NO_SUCH_KEY, which is not set" in refused.stderr
    assert not data.exists()
    assert 0 == svc("config").exit_code
