"""The inbox: people are answered, by several at once, over reloads, lost answers and restarts."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from playwright.sync_api import Browser, FilePayload, Page, Route, StorageState, expect

from svc.config.settings import CALLS_PER_MINUTE_MAX
from tests.browser.places import WAIT_SECONDS, Service, service_with_demo, wait_for
from tests.browser.screens.conftest import DESK, Watch, command, type_into_opened, wait_until
from tests.browser.screens.test_every_screen import faults
from tests.forked import Forked

_DOORS: Final = "/api/channels/v1/channel."
_DOT: Final = bytes.fromhex(
    "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b"
)
"""A picture of one point."""


class Messenger:
    """The demo's messenger, as its bridge and the people behind it."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._key = service.facts["pullConnection"]["channelKey"]
        self._count = 0

    def call(self, door: str, **body: Any) -> Any:
        answer = httpx.post(
            self._service.url + _DOORS + door, json=body, headers={"Authorization": f"Bearer {self._key}"}
        )
        assert 200 == answer.status_code, answer.text
        return answer.json()

    def write(self, chat: str, text: str, **told: Any) -> str:
        """A message of a person called *chat* comes in; the id of the conversation."""
        self._count += 1
        said = {"conversationId": chat, "messageId": f"{chat}-{self._count}-{text}", "direction": "in"}
        conversation: str = self.call("message.receive", **said, text=text, sender={"name": chat}, **told)[
            "conversation"
        ]
        return conversation

    def replies(self, chat: str) -> list[str | None]:
        """The texts that were written to *chat*, as they are on disk, the oldest first."""
        return [
            text
            for (text,) in self._service.rows(
                """SELECT messages.text FROM replies JOIN messages ON messages.id = replies.message_id
                   JOIN conversations ON conversations.id = messages.conversation_id
                   WHERE conversations.external_id = ? ORDER BY messages.id""",
                chat,
            )
        ]

    def drafts(self, conversation: str) -> list[str]:
        """The texts that somebody has begun to write there, as they are on disk."""
        asked = "SELECT text FROM conversation_drafts WHERE conversation_id = ?"
        return [text for (text,) in self._service.rows(asked, conversation)]

    def deliver(self, status: str, **told: Any) -> None:
        """Take what waits, and report what became of it."""
        for reply in self.call("outbox.pull")["replies"]:
            self.call("message.status", replyId=reply["replyId"], status=status, **told)


@pytest.fixture
def messenger(service: Service) -> Messenger:
    return Messenger(service)


@pytest.fixture
def second(browser: Browser, service: Service, owner: StorageState, watch: Watch) -> Iterator[Page]:
    """The owner in another browser."""
    context = browser.new_context(
        base_url=service.url, reduced_motion="reduce", viewport=DESK, storage_state=owner
    )
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    context.on("page", watch.on)
    yield context.new_page()
    context.close()


def field(page: Page) -> Any:
    return page.locator("#composer")


def thread(page: Page) -> Any:
    return page.get_by_role("log", name="Messages")


def open_(page: Page, conversation: str) -> None:
    page.goto(f"/app/inbox/{conversation}")
    expect(thread(page)).to_be_visible()
    expect(field(page)).to_be_visible()


def test_a_person_is_answered_by_keys(desk: Page, messenger: Messenger) -> None:
    """`G I`, `J`, Enter, `R`, Ctrl Enter; then what became of the reply, in its place; `E` goes on."""
    messenger.write("Keyed Nora", "Is the lamp ready?")
    latest = messenger.write("Keyed Otto", "Do you repair shades?")
    desk.goto("/app/")
    expect(desk.get_by_role("heading", level=1)).to_be_visible()  # keys are heard from here on
    desk.keyboard.press("g")
    desk.keyboard.press("i")
    expect(desk.get_by_role("heading", name="Inbox", level=1)).to_be_visible()
    expect(desk.get_by_role("link", name="Keyed Otto")).to_be_visible()
    desk.keyboard.press("j")
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(re.compile(latest))
    expect(thread(desk).get_by_text("Do you repair shades?")).to_be_visible()
    desk.keyboard.press("r")
    expect(field(desk)).to_be_focused()
    desk.keyboard.type("We do.")
    desk.keyboard.press("Control+Enter")

    expect(thread(desk).get_by_text("We do.")).to_be_visible()
    expect(thread(desk).get_by_text("Queued")).to_be_visible()
    expect(field(desk)).to_have_value("")
    messenger.deliver("delivered")
    expect(thread(desk).get_by_text("Delivered")).to_be_visible()
    desk.keyboard.press("Escape")
    desk.keyboard.press("e")
    expect(desk.locator("#conversation")).to_have_text("Keyed Nora")
    expect(desk.get_by_role("list").get_by_role("link", name="Keyed Otto")).to_have_count(0)
    desk.keyboard.press("z")
    expect(desk.get_by_role("link", name="Keyed Otto")).to_be_visible()
    assert ["We do."] == messenger.replies("Keyed Otto")


def test_a_message_is_on_the_open_page_after_its_door_answered(desk: Page, messenger: Messenger) -> None:
    """In the conversation and in the list, where another one's line comes to the top."""
    conversation = messenger.write("Live Lene", "First words")
    open_(desk, conversation)
    desk.wait_for_timeout(300)  # the stream opens after the page is drawn
    messenger.write("Live Lene", "And more words")
    expect(thread(desk).get_by_text("And more words")).to_be_visible(timeout=1_000)
    messenger.write("Live Mads", "Somebody else")

    first = desk.locator(".line a").first
    expect(first).to_contain_text("Live Mads", timeout=1_000)
    expect(first).to_contain_text("1 unread message")


def test_what_is_unread_is_counted_in_the_navigation_and_in_the_title(
    desk: Page, messenger: Messenger
) -> None:
    """As it comes, on another screen too; one's own reading takes it away."""
    messenger.write("Counted Cora", "First words")
    desk.goto("/app/forms")
    count = desk.locator(".side").get_by_role("link", name="Inbox").get_by_role("img")
    before = int(count.inner_text())
    conversation = messenger.write("Counted Dan", "Hello")
    expect(count).to_have_text(str(before + 1))
    expect(count).to_have_accessible_name(f"{before + 1} unread")
    expect(desk).to_have_title(f"({before + 1}) Forms · Harbour Lamps")
    desk.goto("/app/settings/organization")
    expect(desk).to_have_title(re.compile(rf"^\({before + 1}\) "))

    open_(desk, conversation)
    expect(count).to_have_text(str(before))
    expect(desk).to_have_title(f"({before}) Counted Dan · Harbour Lamps")


def test_a_draft_is_in_the_second_browser_and_goes_with_its_reply(
    desk: Page, second: Page, messenger: Messenger
) -> None:
    """What is typed in one is in the other, over a reload; once it is sent, both fields are empty, and one
    reply is on its way."""
    conversation = messenger.write("Draft Dora", "How long does it take?")
    open_(desk, conversation)
    field(desk).fill("About six weeks")
    expect(desk.get_by_text("Draft kept", exact=True)).to_be_visible()
    wait_for(lambda: messenger.drafts(conversation), lambda found: found == ["About six weeks"])
    desk.reload()
    expect(field(desk)).to_have_value("About six weeks")
    open_(second, conversation)
    expect(field(second)).to_have_value("About six weeks")
    field(second).press("Control+Enter")
    expect(thread(second).get_by_text("Queued")).to_be_visible()

    expect(field(desk)).to_have_value("")
    expect(thread(desk).get_by_text("About six weeks")).to_be_visible()
    expect(field(second)).to_have_value("")
    assert ["About six weeks"] == messenger.replies("Draft Dora")
    assert [] == messenger.drafts(conversation)


def test_of_two_who_answer_at_once_one_does(
    desk: Page, second: Page, watch: Watch, messenger: Messenger
) -> None:
    """The other is told, and sends it all the same, or has the text back."""
    watch.expected = ["409"]
    conversation = messenger.write("Shared Shirin", "Who answers?")
    second.add_init_script("navigator.locks.request = () => new Promise(() => {})")  # so that no hint comes
    open_(desk, conversation)
    open_(second, conversation)
    field(desk).fill("I do")
    field(desk).press("Control+Enter")
    expect(thread(desk).get_by_text("Queued")).to_be_visible()
    field(second).fill("No, I do")
    field(second).press("Control+Enter")
    expect(thread(second).get_by_text("Somebody has answered meanwhile")).to_be_visible()
    assert ["I do"] == messenger.replies("Shared Shirin")
    thread(second).get_by_role("button", name="Send all the same").click()

    expect(thread(second).get_by_text("Queued")).to_have_count(2)
    expect(thread(second).get_by_text("Somebody has answered meanwhile")).to_have_count(0)
    assert ["I do", "No, I do"] == messenger.replies("Shared Shirin")


def test_one_sees_who_else_is_there_and_writes(
    desk: Page, stranger: Page, service: Service, messenger: Messenger
) -> None:
    """A colleague who comes, types and goes; never what is typed."""
    address = "inbox-ida@harbour-lamps.example"
    command(
        service, "user", "create", address, "--name", "Ida", "--organization", service.facts["organizationId"]
    )
    stranger.goto(command(service, "user", "link", address).split()[-1])
    stranger.get_by_role("button", name="Sign in without a password for now").click()
    expect(stranger.get_by_role("button", name="Ida, account")).to_be_visible()
    conversation = messenger.write("Seen Sigrid", "Hello both")
    open_(desk, conversation)
    open_(stranger, conversation)
    expect(desk.get_by_text("Ida is here, too")).to_be_visible()
    expect(stranger.get_by_text("Maren Holt is here, too")).to_be_visible()
    field(stranger).type("My own words")
    expect(desk.get_by_text("Ida is writing")).to_be_visible()
    stranger.get_by_role("link", name="Home").click()

    expect(desk.get_by_text("Ida is writing")).to_have_count(0)
    expect(desk.get_by_text("My own words")).to_have_count(0)


def test_a_reply_whose_answer_was_lost_is_sent_once(desk: Page, watch: Watch, messenger: Messenger) -> None:
    """The service has it, the page does not know: after a reload it is tried again under the same key."""
    watch.expected = ["ERR_FAILED"]
    conversation = messenger.write("Lost Lars", "Are you there?")
    open_(desk, conversation)

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    desk.route("**/api/tools/message.reply", lose)
    field(desk).fill("We are")
    with desk.expect_event("requestfailed"):
        field(desk).press("Control+Enter")
    assert ["We are"] == messenger.replies("Lost Lars")
    desk.unroute("**/api/tools/message.reply")
    desk.reload()

    expect(thread(desk).get_by_text("We are")).to_have_count(1)
    expect(thread(desk).get_by_text("Queued")).to_be_visible()
    wait_until(desk, "Object.keys(localStorage).every((key) => !key.startsWith('svc-outgoing'))")
    assert ["We are"] == messenger.replies("Lost Lars")


def test_a_reply_is_cancelled_while_it_waits_and_sent_again_after_it_failed(
    desk: Page, messenger: Messenger
) -> None:
    """Cancelled, its text is in the field again; failed, it says why in the bridge's words."""
    conversation = messenger.write("Failing Fay", "Hello?")
    open_(desk, conversation)
    field(desk).fill("Hello, Fay")
    field(desk).press("Control+Enter")
    thread(desk).get_by_role("button", name="Cancel").click()
    expect(thread(desk).get_by_text("Cancelled")).to_be_visible()
    expect(field(desk)).to_have_value("Hello, Fay")
    field(desk).press("Control+Enter")
    expect(thread(desk).get_by_text("Queued")).to_be_visible()
    messenger.deliver("failed", error={"code": "429", "message": "Slow down"})
    expect(thread(desk).get_by_text("The messenger did not take it: Slow down")).to_be_visible()
    thread(desk).get_by_role("button", name="Send again").click()
    expect(thread(desk).get_by_text("Queued")).to_be_visible()
    messenger.deliver("read")

    expect(thread(desk).get_by_text("Read", exact=True)).to_be_visible()
    expect(thread(desk).get_by_role("button", name="Send again")).to_have_count(0)


def test_a_file_goes_along_with_a_reply(desk: Page, messenger: Messenger) -> None:
    """It is uploaded as it is chosen, taken out or sent; a picture is shown, another file is downloaded."""
    conversation = messenger.write("Filed Finn", "Do you have a picture?")
    open_(desk, conversation)
    files: list[FilePayload] = [
        {"name": "dot.gif", "mimeType": "image/gif", "buffer": _DOT},
        {"name": "plan.txt", "mimeType": "text/plain", "buffer": b"Up the stairs"},
        {"name": "mistake.txt", "mimeType": "text/plain", "buffer": b"Not this one"},
    ]
    desk.locator("input[type=file]").set_input_files(files)
    expect(desk.locator(".composer-files li:not([aria-busy])")).to_have_count(3)
    desk.get_by_role("button", name="Remove mistake.txt").click()
    field(desk).fill("Here it is")
    field(desk).press("Control+Enter")
    expect(thread(desk).get_by_role("img", name="dot.gif")).to_be_visible()
    with desk.expect_download() as saved:
        thread(desk).get_by_role("button", name="plan.txt").click()

    assert b"Up the stairs" == Path(saved.value.path()).read_bytes()
    expect(desk.locator(".composer-files")).to_have_count(0)


def test_a_note_is_for_colleagues_and_is_never_sent(desk: Page, messenger: Messenger) -> None:
    """`N`, a member behind `@`, Ctrl Enter: it stands in the conversation, in a colour of its own."""
    conversation = messenger.write("Noted Nils", "May I pay later?")
    open_(desk, conversation)
    desk.keyboard.press("n")
    type_into_opened(desk, "Ask @Mar")
    expect(desk.get_by_role("option", name="Maren Holt")).to_be_visible()
    desk.keyboard.press("Enter")
    expect(field(desk)).to_have_value("Ask @Maren Holt ")
    desk.keyboard.type("first")
    expect(field(desk)).to_have_value("Ask @Maren Holt first")
    desk.keyboard.press("Control+Enter")

    note = thread(desk).locator("[data-by=note]")
    expect(note).to_contain_text("Ask @Maren Holt first")
    expect(note).to_contain_text("Seen by colleagues alone")
    assert [] == messenger.replies("Noted Nils")


def test_a_saved_reply_is_made_and_put_in_with_its_fields_filled(desk: Page, messenger: Messenger) -> None:
    """In its dialog; then by `/` and a few letters."""
    conversation = messenger.write("Saved Siri", "When are you open?")
    open_(desk, conversation)
    desk.get_by_role("button", name="Saved replies").click()
    dialog = desk.get_by_role("dialog")
    dialog.get_by_role("button", name="Create saved reply").click()
    desk.get_by_label("Name", exact=True).fill("Workshop visits")
    desk.get_by_label("Text", exact=True).fill("Ten to six. Yours, {{member.name}}")
    desk.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("Workshop visits")).to_be_visible()
    desk.keyboard.press("Escape")
    field(desk).click()
    desk.keyboard.type("/work")
    expect(desk.get_by_role("option", name="Workshop visits")).to_be_visible()
    desk.keyboard.press("Enter")

    expect(field(desk)).to_have_value("Ten to six. Yours, Maren Holt")


def test_a_snoozed_conversation_leaves_the_list_until_a_message_comes(
    desk: Page, messenger: Messenger
) -> None:
    """`S`, the first choice; it is under Snoozed, and back with the next message."""
    conversation = messenger.write("Snoozed Sven", "I shall think about it")
    open_(desk, conversation)
    desk.keyboard.press("s")
    desk.get_by_role("dialog").get_by_role("button", name="Tomorrow").click()
    expect(desk.get_by_text(re.compile("^Snoozed until"))).to_be_visible()
    lines = desk.locator(".lines")
    expect(lines.get_by_role("link", name="Snoozed Sven")).to_have_count(0)
    desk.get_by_role("navigation", name="Views").get_by_role("link", name="Snoozed").click()
    expect(lines.get_by_role("link", name="Snoozed Sven")).to_be_visible()
    messenger.write("Snoozed Sven", "I thought about it")
    expect(lines).to_have_count(0)
    desk.get_by_role("navigation", name="Views").get_by_role("link", name="All open").click()

    expect(lines.get_by_role("link", name="Snoozed Sven")).to_be_visible()


def test_whom_a_conversation_is_with_is_settled_beside_it(desk: Page, messenger: Messenger) -> None:
    """A phone of one contact and an e-mail of another: a contact is made of what is known."""
    evidence = [
        {"kind": "phone", "value": "+447700900104"},
        {"kind": "email", "value": "grace.okafor@example.com"},
    ]
    messenger.call("conversation.identify", conversationId="Held Hana", evidence=evidence, name="Held Hana")
    conversation = messenger.write("Held Hana", "It is me")
    open_(desk, conversation)
    contact = desk.get_by_role("complementary", name="Contact")
    contact.get_by_role("radio", name="A new contact").check()
    contact.get_by_role("button", name="Attach").click()

    expect(contact.get_by_role("heading", name="Who is this?")).to_have_count(0)
    expect(contact.get_by_role("link", name="Open the contact")).to_be_visible()


def test_the_palette_finds_a_conversation(desk: Page, messenger: Messenger) -> None:
    """By the name of who wrote."""
    conversation = messenger.write("Palette Pia", "Do you deliver?")
    desk.goto("/app/forms")
    expect(desk.locator("h1")).to_be_visible()
    desk.keyboard.press("Control+k")
    type_into_opened(desk, "Palette Pia")
    desk.get_by_role("option", name="Palette Pia").click()

    expect(desk).to_have_url(re.compile(conversation))


def test_a_phone_shows_one_thing_at_a_time(phone: Page, messenger: Messenger) -> None:
    """The list, a conversation, its contact; Back leads the same way."""
    messenger.write("Phoned Pål", "Is it waterproof?")
    phone.goto("/app/inbox")
    phone.get_by_role("link", name="Phoned Pål").tap()
    expect(thread(phone).get_by_text("Is it waterproof?")).to_be_visible()
    expect(phone.get_by_role("heading", name="Inbox", level=1)).to_be_hidden()
    assert 390 == phone.evaluate("document.documentElement.scrollWidth")
    phone.get_by_role("button", name="Contact", exact=True).tap()
    expect(phone.get_by_role("complementary", name="Contact")).to_be_visible()
    phone.go_back()
    expect(phone.get_by_role("complementary", name="Contact")).to_have_count(0)
    phone.get_by_role("link", name="Back to the list").tap()

    expect(phone.get_by_role("heading", name="Inbox", level=1)).to_be_visible()


def test_nothing_of_a_strangers_message_runs_or_is_fetched(desk: Page, messenger: Messenger) -> None:
    """Markup is text; a picture elsewhere is named by its host; an address that is a script is none."""
    conversation = messenger.write(
        "Hostile Hugo",
        "<img src=x onerror=alert(1)>",
        attachments=[
            {"kind": "image", "url": "https://elsewhere.example/pixel.png", "name": "pixel.png"},
            {"kind": "file", "url": "javascript:alert(1)", "name": "bill.html"},
        ],
    )
    open_(desk, conversation)

    expect(thread(desk).get_by_text("<img src=x onerror=alert(1)>")).to_be_visible()
    expect(thread(desk).get_by_role("link", name="elsewhere.example")).to_be_visible()
    expect(thread(desk).get_by_text("bill.html")).to_be_visible()
    expect(thread(desk).locator("img, a[href^='javascript']")).to_have_count(0)
    assert [] == faults(desk)


@contextmanager
def _started(data: Path, port: str) -> Iterator[None]:
    """The service on *port* with what is in *data*; it stops as it should."""
    with data.with_name("again.log").open("w") as stderr:
        environment = {**os.environ, "SVC_TOOLS__CALLS_PER_MINUTE": str(CALLS_PER_MINUTE_MAX)}
        binds = ["--bind", f"127.0.0.1:{port}", "--operator-bind", "127.0.0.1:0"]
        process = Forked("run", "--demo", "--data", str(data), *binds, stderr=stderr, env=environment)
    try:
        assert "ready" in process.stdout.readline()
        yield
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)


def test_a_restart_of_the_service_loses_no_draft_and_sends_nothing_twice(
    browser: Browser, tmp_path: Path
) -> None:
    """What is typed while it is gone is kept once it is back; what was sent meanwhile goes out once."""
    context = browser.new_context(viewport=DESK, reduced_motion="reduce")
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    page = context.new_page()
    with service_with_demo(tmp_path) as service:
        messenger = Messenger(service)
        sent, typed = (messenger.write(name, "Hello") for name in ("Restarted Rut", "Restarted Rolf"))
        page.goto(f"{service.url}/app/sign-in")
        page.get_by_label("E-mail").fill(service.facts["owner"]["email"])
        page.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
        page.keyboard.press("Enter")
        page.wait_for_selector("#title")
        page.goto(f"{service.url}/app/inbox/{sent}")
        expect(thread(page)).to_be_visible()
        field(page).fill("Kept before")
        expect(page.get_by_text("Draft kept", exact=True)).to_be_visible()
    field(page).fill("Written while it was gone")
    field(page).press("Control+Enter")
    expect(thread(page).get_by_text("Sending")).to_be_visible()
    page.get_by_role("link", name="Restarted Rolf").click()
    with _started(tmp_path / "data", service.url.rpartition(":")[2]):
        page.evaluate("window.dispatchEvent(new Event('online'))")
        expect(page.locator("#conversation")).to_have_text("Restarted Rolf")
        field(page).fill("Typed after")
        wait_for(
            lambda: messenger.replies("Restarted Rut"), lambda found: found == ["Written while it was gone"]
        )
        wait_for(lambda: messenger.drafts(typed), lambda found: found == ["Typed after"])
        page.reload()
        expect(field(page)).to_have_value("Typed after")
        assert ["Written while it was gone"] == messenger.replies("Restarted Rut")
    context.close()
