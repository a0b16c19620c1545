"""Coming in: sign-in, the one-time link, invitations, and one's own sessions and password."""

from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch, command


def test_a_link_to_a_screen_leads_there_after_the_sign_in(
    stranger: Page, service: Service, watch: Watch
) -> None:
    """By keys alone; a wrong password is told at once, and the e-mail stays."""
    watch.expected = ["401"]
    stranger.goto("/app/settings/server-keys?new=1")
    expect(stranger).to_have_url(f"{service.url}/app/sign-in?next=%2Fapp%2Fsettings%2Fserver-keys%3Fnew%3D1")
    expect(stranger.get_by_label("E-mail")).to_be_focused()
    stranger.keyboard.type(service.facts["owner"]["email"])
    stranger.keyboard.press("Tab")
    stranger.keyboard.type("wrong")
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_role("alert")).to_be_focused()
    expect(stranger.get_by_label("E-mail")).to_have_value(service.facts["owner"]["email"])
    stranger.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    stranger.keyboard.press("Enter")

    expect(stranger.get_by_role("dialog", name="New server key")).to_be_visible()
    expect(stranger).to_have_url(f"{service.url}/app/settings/server-keys?new=1")


def test_no_link_leads_elsewhere_after_the_sign_in(stranger: Page, service: Service) -> None:
    """A `next` of another site is dropped."""
    stranger.goto("/app/sign-in?next=https://elsewhere.example/app/")
    stranger.get_by_label("E-mail").fill(service.facts["owner"]["email"])
    stranger.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    stranger.keyboard.press("Enter")

    expect(stranger.get_by_role("heading", name="Waiting for you")).to_be_visible()
    assert stranger.url.startswith(service.url)


def test_a_session_that_ends_elsewhere_leads_to_the_sign_in(
    desk: Page, browser: Browser, service: Service, watch: Watch
) -> None:
    """Ending all other sessions ends the page of another browser within a moment, and it can come back."""
    watch.expected = ["401", "403"]
    other = browser.new_context(base_url=service.url).new_page()
    other.goto("/app/sign-in?next=/app/settings/api-keys")
    other.get_by_label("E-mail").fill(service.facts["owner"]["email"])
    other.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    other.keyboard.press("Enter")
    expect(other.get_by_role("heading", name="API keys")).to_be_visible()
    desk.goto("/app/account/sessions")
    expect(desk.get_by_text("This browser")).to_have_count(1)
    expect(desk.get_by_role("row").filter(has_text="This browser")).to_contain_text("127.0.0.1")
    desk.get_by_role("button", name="End all others").click()
    desk.get_by_role("dialog").get_by_role("button", name="End all others").click()
    expect(desk.get_by_role("row")).to_have_count(2)

    other.wait_for_url("**/app/sign-in?next=%2Fapp%2Fsettings%2Fapi-keys")
    other.context.close()


def test_the_link_of_a_new_owner(stranger: Page, service: Service, watch: Watch) -> None:
    """It says whom it signs in; the secret leaves the address; looking uses nothing up; it works once."""
    watch.expected = ["404", "422"]
    home = ("--organization", service.facts["organizationId"])
    command(service, "user", "create", "first@harbour-lamps.example", "--name", "first", *home)
    link = command(service, "user", "link", "first@harbour-lamps.example").split()[-1]
    stranger.goto(link)
    expect(stranger.get_by_label("Your name")).to_have_value("first")
    expect(stranger.get_by_role("heading", name="Welcome, first")).to_be_visible()
    expect(
        stranger.get_by_text("signs you in to Harbour Lamps as first@harbour-lamps.example")
    ).to_be_visible()
    assert "#" not in stranger.url
    stranger.get_by_label("Your name").fill("typed before")
    stranger.goto(link)  # again, in the same tab: it differs after `#` alone
    expect(stranger.get_by_label("Your name")).to_have_value("first")
    stranger.get_by_label("New password").fill("short")
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_label("New password")).to_have_attribute("aria-invalid", "true")
    stranger.get_by_label("Your name").fill("Ida Holm")
    stranger.get_by_label("New password").fill("ten lamps at the harbour")
    stranger.keyboard.press("Enter")
    stranger.get_by_role("button", name="Ida Holm, account").click()
    expect(stranger.get_by_role("menu")).to_contain_text("Ida Holm")
    again = stranger.context.browser
    assert again is not None
    page = again.new_page()
    page.goto(link)
    expect(page.get_by_role("heading", name="This link does not work any more")).to_be_visible()
    page.close()


def test_an_invitation_of_a_new_person(
    stranger: Page, owner: StorageState, browser: Browser, service: Service, watch: Watch
) -> None:
    """It says who invites to what; a new person is in with the rights that were given, and no more.

    Then it says at once that it was used.
    """
    watch.expected = ["404"]
    context = browser.new_context(base_url=service.url, storage_state=owner)
    csrf = context.request.get("/app/api/session").json()["csrfToken"]
    made = context.request.post(
        "/app/api/tools/member.invite",
        data={"email": "new@harbour-lamps.example", "role": "viewer"},
        headers={"X-CSRF-Token": csrf},
    ).json()
    context.close()
    stranger.goto(f"/app/invitation#{made['token']}")
    expect(stranger.get_by_role("heading", name="Join Harbour Lamps")).to_be_visible()
    expect(stranger.get_by_text("Maren Holt invites you, as Viewer.")).to_be_visible()
    expect(stranger.get_by_text("new@harbour-lamps.example")).to_be_visible()
    assert "#" not in stranger.url
    stranger.get_by_label("Your name").fill("Bo Lind")
    stranger.get_by_label("New password").fill("another ten lamps")
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_role("button", name="Bo Lind, account")).to_be_visible()
    expect(stranger.get_by_role("link", name="API keys")).to_have_count(0)
    stranger.goto("/app/settings/api-keys")

    expect(stranger.get_by_role("heading", name="Your role does not include this")).to_be_visible()
    expect(stranger.get_by_text("Sign-in and API keys")).to_be_visible()
    stranger.goto(f"/app/invitation#{made['token']}")
    expect(stranger.get_by_role("heading", name="This invitation does not work any more")).to_be_visible()
    expect(stranger.get_by_role("textbox")).to_have_count(0)


def test_a_second_organization_is_joined_and_switched_to(
    stranger: Page, browser: Browser, service: Service
) -> None:
    """A person with an account signs in at the invitation and joins; every link keeps the organization."""
    museum = command(service, "org", "create", "Lamp Museum", "--locale", "de_DE").split()[0]
    command(service, "user", "create", "curator@museum.example", "--organization", museum)
    link = command(service, "user", "link", "curator@museum.example").split()[-1]
    curator = browser.new_context(base_url=service.url)
    opened = curator.request.post("/app/api/sign-in-link", data={"token": link.partition("#")[2]}).json()
    made = curator.request.post(
        "/app/api/tools/member.invite",
        data={"email": "maren@harbour-lamps.example", "role": "admin"},
        headers={"X-CSRF-Token": opened["csrfToken"]},
    ).json()
    curator.close()
    stranger.goto(f"/app/invitation#{made['token']}")
    stranger.get_by_role("button", name="Sign in with an account that you have").click()
    stranger.get_by_label("E-mail").fill(service.facts["owner"]["email"])
    stranger.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_text("curator@museum.example invites you, as Admin.")).to_be_visible()
    stranger.get_by_role("button", name="Join", exact=True).click()
    expect(stranger.get_by_role("button", name="Lamp Museum, change organization")).to_be_visible()
    stranger.get_by_role("link", name="Submissions").click()
    expect(stranger).to_have_url(f"{service.url}/app/submissions?org={museum}")
    stranger.get_by_role("button", name="Lamp Museum, change organization").click()
    stranger.get_by_role("menuitemradio", name="Harbour Lamps").click()

    expect(stranger.get_by_role("button", name="Harbour Lamps, change organization")).to_be_visible()
    assert "org=" not in stranger.url


def test_the_old_address_of_a_screen_leads_on(desk: Page, service: Service) -> None:
    """A bookmark of the password's screen still leads to where it is changed."""
    desk.goto("/app/account/password")

    expect(desk).to_have_url(f"{service.url}/app/account/security")
    expect(desk.get_by_label("New password")).to_be_visible()
