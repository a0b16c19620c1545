"""Settings › Developers › Requests, and a key's own page."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import WAIT_SECONDS, Service
from tests.browser.screens.conftest import Watch

ROW: Final = "tbody tr"


def call(service: Service, tool: str, body: Any = None, key: str = "") -> httpx.Response:
    """Call a tool with a key, the demo's own unless another is given."""
    headers = {"authorization": f"Bearer {key or service.facts['apiKey']}"}
    return httpx.post(f"{service.url}/api/v1/tools/{tool}", json=body or {}, headers=headers)


def a_key(page: Page, name: str) -> str:
    """A new API key, made at the screen; it leads to the list."""
    page.goto("/app/settings/api-keys?new=1")
    page.get_by_label("Name", exact=True).fill(name)
    page.keyboard.press("Enter")
    secret = page.get_by_label("Key", exact=True).inner_text()
    page.keyboard.press("Enter")
    return secret


def test_calls_come_to_an_open_page(desk: Page, service: Service) -> None:
    """Within a second or so, without a reload; filters are in the address."""
    desk.goto("/app/settings/requests")
    expect(desk.get_by_role("heading", name="Requests", exact=True)).to_be_visible()
    desk.wait_for_load_state("networkidle")
    for _ in range(2):
        call(service, "webhook.list")
    call(service, "view.list", {"tool": 1})
    newest = desk.locator(ROW).first
    expect(newest).to_contain_text("view.list")
    expect(newest).to_contain_text("validation_failed")
    expect(newest).to_contain_text("Everything")

    desk.get_by_role("link", name="Refused (4xx)").click()
    expect(desk.locator(ROW).filter(has_text="webhook.list")).to_have_count(0)
    expect(desk.locator(ROW).first).to_contain_text("422")
    desk.get_by_role("link", name="All", exact=True).click()
    desk.get_by_label("Tool").select_option("webhook.list")
    expect(desk).to_have_url(f"{service.url}/app/settings/requests?tool=webhook.list")
    expect(desk.locator(ROW)).to_have_count(2)
    desk.get_by_label("Key").select_option(label="Read only")
    expect(desk.get_by_text("No requests")).to_be_visible()
    desk.get_by_role("button", name="Show all").click()
    expect(desk.locator(ROW).first).to_be_visible()


@pytest.mark.parametrize("language", ["curl", "Python", "TypeScript", "MCP"])
def test_a_call_is_copied_and_runs(desk: Page, service: Service, language: str) -> None:
    """What is copied calls the tool as it stands, once the key is in its variable."""
    call(service, "team.list")
    desk.goto("/app/settings/requests?tool=team.list")
    desk.locator(ROW).first.get_by_role("link").click()
    desk.get_by_role("radio", name=language).check()
    text = desk.get_by_role("group", name=language, exact=True).inner_text()
    command = {"Python": [sys.executable, "-"], "TypeScript": ["node", "--input-type=module", "-"]}
    env = {**os.environ, "SVC_API_KEY": service.facts["apiKey"]}
    ran = subprocess.run(
        command.get(language, ["sh", "-s"]),
        input=text,
        env={**env, "PATH": f"{Path(sys.executable).parent}:{env['PATH']}"},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=True,
    )

    assert "Workshop" in ran.stdout or "teams" in ran.stdout
    if language in {"curl", "MCP"}:
        answer = json.loads(ran.stdout)
        assert "teams" in (answer if language == "curl" else answer["result"]["structuredContent"])


def test_a_key_has_a_page_with_its_calls(desk: Page, service: Service, watch: Watch) -> None:
    """It is renamed, narrowed to what it may call, and revoked, which leads back to the list."""
    secret = a_key(desk, "Night shift")
    call(service, "object.list", key=secret)
    call(service, "role.list", key=secret)
    desk.get_by_role("row").filter(has_text="Night shift").get_by_role("link").first.click()
    expect(desk.get_by_role("heading", name="Night shift")).to_be_visible()
    expect(desk.locator(ROW).filter(has_text="object.list")).to_have_count(1)
    expect(desk.locator(ROW)).to_have_count(2)

    desk.get_by_role("button", name="Rename").click()
    desk.get_by_label("Name", exact=True).fill("Day shift")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="Day shift")).to_be_visible()

    desk.get_by_role("button", name="Narrow").click()
    dialog = desk.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Narrow")).to_be_disabled()
    desk.get_by_label("Find a tool").fill("object.")
    dialog.get_by_label("object.list").check()
    dialog.get_by_role("button", name="Narrow").click()
    expect(desk.get_by_text("It calls 1 tool from now on")).to_be_visible()
    expect(desk.locator(".key-tools")).to_have_text("object.list")
    assert [200, 403] == [
        call(service, tool, key=secret).status_code for tool in ("object.list", "role.list")
    ]
    expect(desk.locator(ROW).filter(has_text="forbidden")).to_have_count(1)

    desk.get_by_role("button", name="Revoke").click()
    desk.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(desk).to_have_url(f"{service.url}/app/settings/api-keys")
    expect(desk.get_by_role("row").filter(has_text="Day shift")).to_have_count(0)
    assert 401 == call(service, "object.list", key=secret).status_code
    desk.go_back()
    expect(desk.get_by_role("heading", name="This key is not there any more")).to_be_visible()


def test_a_call_on_a_phone(phone: Page, service: Service) -> None:
    """Its panel covers the list, and closes to where one was."""
    call(service, "notice.get")
    phone.goto("/app/settings/requests?tool=notice.get")
    phone.locator(ROW).first.get_by_role("link").tap()
    expect(phone.get_by_role("heading", name="notice.get")).to_be_visible()
    phone.get_by_role("link", name="Everything").tap()
    expect(phone.get_by_role("heading", name="Everything")).to_be_visible()
    phone.go_back()
    phone.get_by_role("button", name="Close").tap()
    expect(phone).to_have_url(f"{service.url}/app/settings/requests?tool=notice.get")
