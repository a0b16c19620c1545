"""Settings › AI: models tried and restricted, own providers, use, the statement, and a gateway key's page."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch


@pytest.fixture(scope="module")
def gateway(service: Service) -> str:
    """The id of the demo's gateway key, with which a model was called."""
    answer = httpx.post(
        f"{service.url}/api/ai/v1/chat/completions",
        json={"model": "demo-echo", "messages": [{"role": "user", "content": "How much is this?"}]},
        headers={"Authorization": f"Bearer {service.facts['gatewayKey']}"},
    )
    assert 200 == answer.status_code
    [(key_id,)] = service.rows("SELECT DISTINCT key_id FROM ai_calls WHERE key_id LIKE 'key_%'")
    return str(key_id)


def test_a_model_is_tried_in_place(desk: Page, service: Service) -> None:
    """The question is asked for real: the answer, the time and the cost are told, and counted as a trial."""
    desk.goto("/app/settings/ai?tab=models")
    row = desk.get_by_role("row").filter(has_text="demo-echo")
    expect(row).to_contain_text("This service, for credits")
    row.get_by_role("button", name="Try it").click()
    dialog = desk.get_by_role("dialog", name="Try demo-echo")
    dialog.get_by_label("Ask it something").fill("Is the lamp lit?")
    dialog.get_by_role("button", name="Ask", exact=True).click()
    expect(dialog.get_by_role("status")).to_contain_text("Echo: Is the lamp lit?")
    expect(dialog.get_by_role("status")).to_contain_text("credits")
    assert service.rows("SELECT 1 FROM ai_calls WHERE key_id = 'trial' AND ended = 'answered'")


def test_models_are_restricted_and_permitted_again(desk: Page, service: Service) -> None:
    """A switch takes effect at once; one on top lets all be run again."""
    desk.goto("/app/settings/ai?tab=models")
    desk.get_by_role("switch", name="May be run: trial").click()
    expect(desk.get_by_text("trial may not be run any more")).to_be_visible()
    assert [('["demo-echo"]',)] == service.rows("SELECT models FROM ai_restrictions")
    desk.get_by_role("switch", name="Only the models that are switched on below").click()
    expect(desk.get_by_text("All models may be run")).to_be_visible()
    assert [] == service.rows("SELECT models FROM ai_restrictions")


def test_a_provider_is_added_changed_and_removed(desk: Page, service: Service, watch: Watch) -> None:
    """Faults stand at their fields, the key is shown by its end alone, and removing asks."""
    watch.expected = ["422"]
    desk.goto("/app/settings/ai?tab=providers")
    desk.get_by_role("button", name="Add provider").click()
    dialog = desk.get_by_role("dialog", name="Add provider")
    dialog.get_by_label("Name", exact=True).fill("Tidewater")
    dialog.get_by_label("Address").fill("http://127.0.0.1:1/v1")
    dialog.get_by_label("Key", exact=True).fill("sk-tidewater-secret-9Zx4")
    dialog.get_by_label("Model", exact=True).fill("tide-small")
    dialog.get_by_role("button", name="Save provider").click()
    expect(dialog.get_by_label("Address")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Address").fill("https://llm.tidewater.example/v1")
    dialog.get_by_role("button", name="Save provider").click()
    one = desk.locator(".provider").filter(has_text="Tidewater")
    expect(one).to_contain_text("Key ends in 9Zx4")
    expect(desk.get_by_text("sk-tidewater")).to_have_count(0)

    one.get_by_role("button", name="Edit").click()
    dialog = desk.get_by_role("dialog", name="Tidewater")
    dialog.get_by_role("button", name="Add model").click()
    dialog.get_by_label("Model", exact=True).nth(1).fill("tide-large")
    dialog.get_by_label("Price read").nth(1).fill("1.5")
    dialog.get_by_label("Price written").nth(1).fill("6")
    dialog.get_by_role("button", name="Save provider").click()
    expect(one.get_by_role("list", name="Models")).to_contain_text("tide-large")
    expect(one).to_contain_text("Key ends in 9Zx4")

    one.get_by_role("button", name="Remove").click()
    desk.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(one).to_have_count(0)
    assert [] == service.rows("SELECT 1 FROM ai_providers WHERE name = 'Tidewater'")


def test_use_is_shown_by_day_model_and_key(desk: Page, gateway: str, service: Service) -> None:
    """As a chart and as a table; a key leads to its page."""
    desk.goto("/app/settings/ai")
    [(left,)] = service.rows("SELECT balance_after FROM ai_ledger ORDER BY id DESC LIMIT 1")
    expect(desk.get_by_role("region", name="Credits left")).to_contain_text(f"{left / 1_000_000:.2f}")
    expect(desk.get_by_role("img", name="credits taken, by day (UTC)")).to_be_visible()
    desk.get_by_role("button", name="Show as a table").click()
    expect(desk.locator("figure table tbody tr")).to_have_count(1)
    expect(desk.get_by_role("table", name="By model")).to_contain_text("demo-echo")
    desk.get_by_role("table", name="By key").get_by_role("link", name="AI gateway").click()
    expect(desk).to_have_url(f"{service.url}/app/settings/gateway-keys/{gateway}")


def test_the_statement_is_downloaded(desk: Page, gateway: str, service: Service, tmp_path: Path) -> None:
    """A call is one line on the screen; the file has each entry as it is stored."""
    assert gateway
    desk.goto("/app/settings/ai?tab=statement")
    expect(desk.get_by_role("row").filter(has_text="Call of a model").first).to_contain_text("−0.0")
    with desk.expect_download() as downloading:
        desk.get_by_role("button", name="Download").click()
    file = tmp_path / "credits.csv"
    downloading.value.save_as(file)
    head, *rows = file.read_text("utf-8-sig").splitlines()
    assert "id,at,kind,amountMicroCredits,balanceAfterMicroCredits,callId,note" == head
    assert {id_ for (id_,) in service.rows("SELECT id FROM ai_ledger")} == {row.split(",")[0] for row in rows}


def test_a_gateway_key_is_limited_on_its_page(desk: Page, gateway: str, service: Service) -> None:
    """Its budget and its models are stored; what it used this month stands beside its budget."""
    desk.goto("/app/settings/gateway-keys")
    desk.get_by_role("link", name="AI gateway", exact=True).click()
    desk.get_by_role("switch", name="A budget for each month").click()
    desk.get_by_label("Credits a month").fill("nothing")
    expect(desk.get_by_text("Write a number of credits, such as 10")).to_be_visible()
    desk.get_by_label("Credits a month").fill("12,5")
    desk.get_by_role("radio", name="Only these").check()
    desk.get_by_role("checkbox", name="demo-echo").check()
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("AI gateway is saved")).to_be_visible()
    expect(desk.get_by_text("of 12.50 credits this month")).to_be_visible()
    [(budget, models)] = service.rows(
        "SELECT monthly_budget_micro_credits, models FROM api_keys WHERE id = ?", gateway
    )
    assert (12_500_000, '["demo-echo"]') == (budget, models)
    desk.get_by_role("switch", name="A budget for each month").click()
    desk.get_by_role("radio", name="All that may be run").check()
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("credits this month, at list price")).to_be_visible()


def test_ai_on_a_phone(phone: Page, gateway: str) -> None:
    """Nothing is wider than the screen."""
    for tab in ("", "?tab=models", "?tab=providers", "?tab=statement"):
        phone.goto(f"/app/settings/ai{tab}")
        phone.wait_for_selector("#title")
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab
    phone.goto(f"/app/settings/gateway-keys/{gateway}")
    expect(phone.get_by_label("Key name")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
