"""What there are pictures of: each screen in each state, and what can be open on it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Page

from tests.browser.screens.pictures.stage import TOWN, State

FORM: Final = "frm_01M6C3HM8A1N2FAQK835PV4B2Q"
EMBED: Final = "emb_01M70CDSCABYNEN4WBEV2GYT3D"
WORKFLOW: Final = "wfl_01M7QX2R8A5J3K6T9V1W4Y7Z00"
_RUN: Final = "run_01M83H5T2C7E9G1J3M5P7R9T08"
_HELD: Final = "sub_01M7X1398A52YRB74RYQ2V32RP"
_FILED: Final = "sub_01M7JQGD8AAJWXP19D9WT73KHW"
_DISCARDED: Final = "sub_01M7ZM2B4WC6E0SR2H3Q9VXKTD"
_OWN: Final = "sub_01M75VGT8A6HNNB262C79TVF39"
_MEMBER: Final = "usr_01M825WQ8AD158XBBPX9YXN86Z"
_RECORD: Final = "/app/records/contact/rec_01M6KGE6CA29E6MFYRMH4R5RCA"
_DUPLICATES: Final = "/app/records/contact/duplicates"
_PAIR: Final = "id=rec_01M6KGE6CA29E6MFYRMH4R5RCA&with=rec_01M81VHEY22H14P9DPRKG2X41Y"
_CONNECTION: Final = "con_01M7C3HM8A1N2FAQK835PV4B2B"
WEBHOOK: Final = "/app/settings/webhooks/whk_01M7C3HM8A1N2FAQK835PV4E2A"
_IMPORT: Final = "/app/settings/objects/contact/import"
_CARD: Final = "apr_01M826AAAABBBBCCCCDDDDEE01"
_CHANGE: Final = "apr_01M826AAAABBBBCCCCDDDDEE02"
_REJECTED: Final = "apr_01M826AAAABBBBCCCCDDDDEE05"
_AGENT: Final = "/app/settings/agents?open=con_01M826AAAABBBBCCCCDDDDEE01"
_AGENT_RUN: Final = "agr_01M826AAAABBBBCCCCDDDDEE01"
_GATEWAY_KEY: Final = "/app/settings/gateway-keys/key_01M825WQ8AD158XBBPX9YXN8B7"
_AUDIT: Final[str] = TOWN["answers"]['audit.list {"limit":50}']["entries"][2]["id"]

_CONVERSATION: Final = "/app/inbox/cnv_01M6C3HM8A1N2FAQK835PV4C01"
_TO_IDENTIFY: Final = "/app/inbox/cnv_01M6C3HM8A1N2FAQK835PV4C02"
_KEY: Final = "/app/settings/api-keys/key_01M825WQ8AD158XBBPX9YXN8B5"
_REQUEST: Final[str] = TOWN["answers"]['request.list {"limit":50}']["requests"][1]["id"]

_ALL: Final[tuple[State, ...]] = ("full", "empty", "loading", "failed")
_NOT_EMPTY: Final[tuple[State, ...]] = ("full", "loading", "failed")


@dataclass(frozen=True)
class Scene:
    """A screen in one state, at one width."""

    name: str
    path: str
    state: State = "full"
    act: Callable[[Page], None] | None = None
    """What is done on it before it is looked at."""
    height: int = 800
    width: int = 1280
    is_viewer: bool = False

    def picture(self, theme: str) -> str:
        """The name of its picture."""
        return f"{self.name}-{self.state.replace(' ', '-')}-{theme}"


def _open_block(page: Page) -> None:
    page.locator(".block-open").first.click()
    page.wait_for_selector(".block-fields, .block-body")


def _narrow_key(page: Page) -> None:
    page.get_by_role("button", name="Narrow").click()
    page.wait_for_selector(".tool-choices")


def _wait_for_notices(page: Page) -> None:
    # It is fetched after the list, where the browser can show any.
    if page.evaluate("'Notification' in window"):
        page.wait_for_selector(".inbox-list-head .button", state="attached")


def _wait_for_call(page: Page) -> None:
    page.wait_for_selector(".copy-as")  # it is fetched once the panel is there


def _wait_for_deal(page: Page) -> None:
    page.wait_for_selector(".preview")  # it is asked a moment after the last key


def _press(*keys: str) -> Callable[[Page], None]:
    def press(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return press


def _find(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.wait_for_selector(".palette-input")
    page.keyboard.type("form")
    page.wait_for_selector("[data-group=Submissions]")


def _change_city(page: Page) -> None:
    page.get_by_role("button", name="Change City").click()
    page.get_by_role("textbox", name="City").fill("Canterbury")


def _change_company(page: Page) -> None:
    page.get_by_role("button", name="Change Company").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=listbox]")


def _write_note(page: Page) -> None:
    page.get_by_role("textbox", name="Note").fill("Wants the drawing by Friday.")


def _write_colleagues(page: Page) -> None:
    page.get_by_role("tab", name="Note").click()
    page.get_by_role("textbox").last.fill("@Jonas Pike one long rod is left.")


def _open_saved_replies(page: Page) -> None:
    page.get_by_role("button", name="Saved replies").click()
    page.wait_for_selector(".saved-list")


def _ask_to_merge(page: Page) -> None:
    page.get_by_role("button", name="Merge").click()


def _ask_to_revoke(page: Page) -> None:
    page.get_by_role("button", name="Revoke").first.click()


def _edit_provider(page: Page) -> None:
    page.get_by_role("button", name="Edit").click()


def _make_key(page: Page) -> None:
    page.get_by_label("Name").fill("Till at the door")
    page.keyboard.press("Enter")
    page.locator("summary").click()


def _make_property(page: Page) -> None:
    page.get_by_label("What “Favourite lamp” is for").select_option("+")


def _open_account(page: Page) -> None:
    page.get_by_role("button", name="Maren Holt, account").click()


def _open_filters(page: Page) -> None:
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("button", name="Add filter").click()


def _edit_stage(page: Page) -> None:
    page.locator(".grid-row [data-column='2']").nth(1).click(position={"x": 130, "y": 20})
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=option]")


def _select_two(page: Page) -> None:
    for row in (1, 3):
        page.locator("[data-select]").nth(row).check()


def _push_to_url(page: Page) -> None:
    page.get_by_role("radio", name="Push to a URL").check()


def _connect(page: Page) -> None:
    page.get_by_label("Name").fill("Shop on Telegram")
    page.keyboard.press("Enter")
    page.wait_for_selector(".first-call")


def _wait_for_keys(page: Page) -> None:
    page.wait_for_selector(".key-lines")


def _show_event(page: Page) -> None:
    page.get_by_role("button", name="An example of record.deleted").click()


def _make_webhook(page: Page) -> None:
    page.get_by_label("URL").fill("https://orders.harbour-lamps.example/events")
    page.get_by_role("checkbox", name="record.created").check()
    page.get_by_role("button", name="Create webhook").click()
    page.wait_for_selector(".once-label")


def _wait_for_events(page: Page) -> None:
    page.wait_for_selector(".events")


def _test_webhook(page: Page) -> None:
    page.get_by_role("button", name="Send test").click()
    page.wait_for_selector("dialog")


def _replay(page: Page) -> None:
    page.get_by_role("button", name="More for this webhook").click()
    page.get_by_role("menuitem", name="Send again …").click()
    page.wait_for_selector("dialog")


def _in(
    states: Iterable[State],
    name: str,
    path: str,
    height: int = 800,
    act: Callable[[Page], None] | None = None,
) -> list[Scene]:
    return [Scene(name, path, state, act, height) for state in states]


CONNECTED: Final = ("claude", "chatgpt", "claude-code", "cursor", "vscode")
"""The apps of which the guide shows how they ask."""
SCENES: Final = (
    Scene("allow", "/app/allow?request=asked"),
    *(Scene(f"allow-{app}", f"/app/allow?request={app}") for app in CONNECTED),
    *_in(_ALL, "apps", "/app/settings/apps"),
    *_in(_ALL, "own-apps", "/app/account/apps"),
    *_in(_ALL, "home", "/app/", height=1500),
    *_in(_ALL, "inbox", "/app/inbox", act=_wait_for_notices),
    *_in(_NOT_EMPTY, "conversation", _CONVERSATION, act=_wait_for_notices),
    Scene("conversation-match", _TO_IDENTIFY),
    Scene("conversation-note", _CONVERSATION, act=_write_colleagues),
    Scene("conversation-snooze", _CONVERSATION, act=_press("s")),
    Scene("conversation-contact", f"{_CONVERSATION}?part=contact"),
    Scene("saved-replies", _CONVERSATION, act=_open_saved_replies),
    *_in(_ALL, "records", "/app/records/deal"),
    Scene("records-filter", "/app/records/deal", act=_open_filters),
    Scene("records-edit", "/app/records/deal", act=_edit_stage),
    Scene("records-selected", "/app/records/deal", act=_select_two),
    Scene("records-viewer", "/app/records/deal", is_viewer=True),
    Scene("record-new", "/app/records/deal?new=1", height=1000),
    *_in(_NOT_EMPTY, "board", "/app/records/deal?view=board&by=stage"),
    *_in(_ALL, "forms", "/app/forms"),
    Scene("form-new", "/app/forms?new=1"),
    *_in(_ALL, "form", f"/app/forms/{FORM}"),
    Scene("form-settings", f"/app/forms/{FORM}?tab=settings", act=_wait_for_deal, height=1500),
    Scene("form-install", f"/app/forms/{FORM}?tab=install"),
    Scene("form-submission", f"/app/forms/{FORM}/{_OWN}"),
    *_in(_ALL, "submissions", "/app/submissions"),
    Scene("submission-held", f"/app/submissions?open={_HELD}"),
    Scene("submission-filed", f"/app/submissions?open={_FILED}"),
    Scene("submission-discarded", f"/app/submissions?discarded=true&open={_DISCARDED}"),
    *_in(_ALL, "embeds", "/app/embeds"),
    Scene("embed-new", "/app/embeds?new=1"),
    *_in(_NOT_EMPTY, "embed", f"/app/embeds/{EMBED}", height=1000),
    Scene("embed-block", f"/app/embeds/{EMBED}", act=_open_block, height=1000),
    Scene("embed-install", f"/app/embeds/{EMBED}?tab=install"),
    *_in(_ALL, "workflows", "/app/workflows"),
    Scene("workflow-new", "/app/workflows/new", height=1000),
    *_in(_NOT_EMPTY, "workflow", f"/app/workflows/{WORKFLOW}", height=1300),
    Scene("workflow-step", f"/app/workflows/{WORKFLOW}?step=deal", height=1500),
    Scene("workflow-document", f"/app/workflows/{WORKFLOW}?beside=document", height=1300),
    Scene("workflow-runs", f"/app/workflows/{WORKFLOW}?tab=runs"),
    Scene("workflow-versions", f"/app/workflows/{WORKFLOW}?tab=versions"),
    Scene("workflow-run", f"/app/workflows/{WORKFLOW}/{_RUN}"),
    *_in(_ALL, "record", _RECORD, height=1300),
    Scene("record-property", _RECORD, act=_change_city, height=1300),
    Scene("record-relation", _RECORD, act=_change_company, height=1300),
    Scene("record-note", f"{_RECORD}?kind=notes", act=_write_note, height=1300),
    Scene("record-details", f"{_RECORD}?tab=details"),
    Scene("record-merge", f"{_RECORD}?merge=1"),
    *_in(_ALL, "duplicates", _DUPLICATES),
    Scene("duplicates-pair", f"{_DUPLICATES}?{_PAIR}"),
    Scene("duplicates-merge", f"{_DUPLICATES}?{_PAIR}", act=_ask_to_merge),
    *_in(_NOT_EMPTY, "organization", "/app/settings/organization", height=1100),
    *_in(_NOT_EMPTY, "members", "/app/settings/members"),
    Scene("member", f"/app/settings/members?open={_MEMBER}"),
    Scene("member-new", "/app/settings/members?new=1"),
    *_in(_NOT_EMPTY, "roles", "/app/settings/roles"),
    Scene("role", "/app/settings/roles?open=rol_01M825YS6VEDYQZ1AG31DZS20G"),
    *_in(_ALL, "teams", "/app/settings/teams"),
    Scene("team-new", "/app/settings/teams?new=1"),
    *_in(_ALL, "sites", "/app/settings/sites"),
    Scene("site-new", "/app/settings/sites?new=1"),
    *_in(_NOT_EMPTY, "objects", "/app/settings/objects"),
    Scene("object-new", "/app/settings/objects?new=1"),
    *_in(_NOT_EMPTY, "object", "/app/settings/objects/contact", height=1600),
    Scene("property-new", "/app/settings/objects/deal?new=1"),
    *_in(_ALL, "messengers", "/app/settings/messengers"),
    Scene("messenger-new", "/app/settings/messengers?new=1", act=_push_to_url, height=1000),
    Scene("messenger-guide", "/app/settings/messengers?new=1", act=_connect),
    Scene("messenger", f"/app/settings/messengers?open={_CONNECTION}", act=_wait_for_keys, height=1300),
    *_in(_NOT_EMPTY, "import", _IMPORT),
    Scene("import-uploading", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBV"),
    Scene("import-columns", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBW", height=1300),
    Scene("import-running", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBX"),
    Scene("import-tried", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBY", height=1800),
    Scene("import-done", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBZ"),
    Scene("import-new-property", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBW", act=_make_property),
    *_in(_ALL, "imports", "/app/settings/imports"),
    Scene("import-details", "/app/settings/imports/imp_01M82BNNF12SR4V3ACE08GNFBZ", height=1100),
    Scene("import-undo", "/app/settings/imports/imp_01M82BNNF12SR4V3ACE08GNFBT", height=1600),
    *_in(_NOT_EMPTY, "audit", "/app/settings/audit"),
    Scene("audit-entry", f"/app/settings/audit?open={_AUDIT}"),
    *_in(_ALL, "api-keys", "/app/settings/api-keys"),
    Scene("api-key-new", "/app/settings/api-keys?new=1"),
    Scene("api-key-shown", "/app/settings/api-keys?new=1", act=_make_key),
    Scene("api-key-revoke", "/app/settings/api-keys", act=_ask_to_revoke),
    *_in(_NOT_EMPTY, "api-key", _KEY),
    Scene("api-key-narrow", _KEY, act=_narrow_key),
    *_in(_ALL, "requests", "/app/settings/requests"),
    Scene("request", f"/app/settings/requests?open={_REQUEST}", act=_wait_for_call),
    *_in(_ALL, "webhooks", "/app/settings/webhooks"),
    Scene("webhook-new", "/app/settings/webhooks?new=1", act=_show_event, height=1300),
    Scene("webhook-secret", "/app/settings/webhooks?new=1", act=_make_webhook),
    *_in(_NOT_EMPTY, "webhook", WEBHOOK),
    Scene("webhook-delivery", f"{WEBHOOK}?open=dlv_01M7C3HM8A1N2FAQK835PV4F2A", height=1300),
    Scene("webhook-settings", f"{WEBHOOK}?tab=settings", act=_wait_for_events, height=1800),
    Scene("webhook-test", WEBHOOK, act=_test_webhook),
    Scene("webhook-replay", WEBHOOK, act=_replay),
    *_in(_ALL, "server-keys", "/app/settings/server-keys"),
    *_in(_ALL, "gateway-keys", "/app/settings/gateway-keys"),
    *_in(_NOT_EMPTY, "gateway-key", _GATEWAY_KEY, height=1000),
    *_in(_ALL, "approvals", "/app/approvals"),
    Scene("approvals-card", f"/app/approvals?open={_CARD}", height=1000),
    Scene("approvals-change", f"/app/approvals?open={_CHANGE}", act=_press("r")),
    Scene("approvals-history", f"/app/approvals?ended=true&open={_REJECTED}"),
    *_in(_ALL, "agents", "/app/settings/agents"),
    *_in(_NOT_EMPTY, "agent", _AGENT, height=1700),
    *_in(_ALL, "agent-runs", "/app/settings/agents?tab=runs"),
    Scene("agent-run", f"/app/settings/agents?tab=runs&run={_AGENT_RUN}", height=1100),
    *_in(_NOT_EMPTY, "ai", "/app/settings/ai", height=1100),
    *_in(_ALL, "ai-models", "/app/settings/ai?tab=models"),
    *_in(_ALL, "ai-providers", "/app/settings/ai?tab=providers"),
    Scene("ai-provider", "/app/settings/ai?tab=providers", act=_edit_provider),
    *_in(_ALL, "ai-statement", "/app/settings/ai?tab=statement"),
    *_in(_NOT_EMPTY, "sessions", "/app/account/sessions"),
    Scene("profile", "/app/account/profile"),
    Scene("security", "/app/account/security"),
    *_in(_NOT_EMPTY, "notices", "/app/account/notices"),
    *_in(_ALL, "own-messengers", "/app/account/messengers"),
    Scene("sign-in", "/app/sign-in"),
    Scene("forgot", "/app/forgot"),
    Scene("reset", "/app/reset#reset"),
    Scene("prove", "/app/prove#proof"),
    Scene("prove-address", "/app/prove#address"),
    *_in(_NOT_EMPTY, "welcome", "/app/welcome#signIn"),
    Scene("welcome-gone", "/app/welcome#used"),
    Scene("welcome-first", "/app/welcome#svcn_first"),
    *_in(_NOT_EMPTY, "invitation", "/app/invitation#invitation"),
    Scene("invitation-gone", "/app/invitation#used"),
    Scene("not-found", "/app/nothing/here"),
    Scene("no-right", "/app/forms", is_viewer=True),
    Scene("no-connection", "/app/forms", "cut off"),
    Scene("palette", "/app/forms", act=_press("Control+k")),
    Scene("palette-found", "/app/embeds", act=_find),
    Scene("keys", "/app/forms", act=_press("Shift+?")),
    Scene("account-menu", "/app/forms", act=_open_account),
)
_ON_PHONE: Final = {
    "home",
    "inbox",
    "conversation",
    "conversation-match",
    "conversation-contact",
    "palette-found",
    "records",
    "records-filter",
    "record-new",
    "board",
    "forms",
    "form",
    "form-settings",
    "submissions",
    "submission-held",
    "embeds",
    "embed",
    "embed-block",
    "workflows",
    "workflow",
    "workflow-step",
    "workflow-run",
    "members",
    "member",
    "approvals",
    "approvals-card",
    "agent",
    "agent-run",
    "ai",
    "record",
    "record-details",
    "record-note",
    "record-merge",
    "duplicates",
    "messengers",
    "messenger",
    "messenger-guide",
    "webhooks",
    "webhook",
    "webhook-delivery",
    "webhook-new",
    "api-keys",
    "api-key-new",
    "api-key-shown",
    "api-key",
    "apps",
    "own-apps",
    "allow",
    "requests",
    "request",
    "object",
    "import-columns",
    "import-tried",
    "imports",
    "import-undo",
    "sign-in",
    "invitation",
    "profile",
    "sessions",
}
PHONE_SCENES: Final = tuple(
    Scene(f"phone-{scene.name}", scene.path, act=scene.act, width=390, height=max(844, scene.height))
    for scene in SCENES
    if scene.state == "full" and scene.name in _ON_PHONE
)
