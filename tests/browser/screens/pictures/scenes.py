"""What there are pictures of: each screen in each state, and what can be open on it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Page

from tests.browser.screens.pictures.stage import TOWN, State

FORM: Final = "frm_01M6C3HM8A1N2FAQK835PV4B2Q"
EMBED: Final = "emb_01M70CDSCABYNEN4WBEV2GYT3D"
_HELD: Final = "sub_01M7X1398A52YRB74RYQ2V32RP"
_FILED: Final = "sub_01M7JQGD8AAJWXP19D9WT73KHW"
_OWN: Final = "sub_01M75VGT8A6HNNB262C79TVF39"
_MEMBER: Final = "usr_01M825WQ8AD158XBBPX9YXN86Z"
_IMPORT: Final = "/app/settings/objects/contact/import"
_AUDIT: Final[str] = TOWN["answers"]['audit.list {"limit":50}']["entries"][2]["id"]

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


def _wait_for_deal(page: Page) -> None:
    page.wait_for_selector(".preview")  # it is asked a moment after the last key


def _press(*keys: str) -> Callable[[Page], None]:
    def press(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return press


def _ask_to_revoke(page: Page) -> None:
    page.get_by_role("button", name="Revoke").first.click()


def _open_account(page: Page) -> None:
    page.get_by_role("button", name="Harbour Lamps, account").click()


def _in(states: Iterable[State], name: str, path: str, height: int = 800) -> list[Scene]:
    return [Scene(name, path, state, height=height) for state in states]


SCENES: Final = (
    *_in(_ALL, "forms", "/app/forms"),
    Scene("form-new", "/app/forms?new=1"),
    *_in(_ALL, "form", f"/app/forms/{FORM}"),
    Scene("form-settings", f"/app/forms/{FORM}?tab=settings", act=_wait_for_deal, height=1500),
    Scene("form-install", f"/app/forms/{FORM}?tab=install"),
    Scene("form-submission", f"/app/forms/{FORM}/{_OWN}"),
    *_in(_ALL, "submissions", "/app/submissions"),
    Scene("submission-held", f"/app/submissions?open={_HELD}"),
    Scene("submission-filed", f"/app/submissions?open={_FILED}"),
    *_in(_ALL, "embeds", "/app/embeds"),
    Scene("embed-new", "/app/embeds?new=1"),
    *_in(_NOT_EMPTY, "embed", f"/app/embeds/{EMBED}", height=1000),
    Scene("embed-block", f"/app/embeds/{EMBED}", act=_open_block, height=1000),
    Scene("embed-install", f"/app/embeds/{EMBED}?tab=install"),
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
    *_in(_NOT_EMPTY, "import", _IMPORT),
    Scene("import-uploading", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBV"),
    Scene("import-columns", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBW", height=1300),
    Scene("import-running", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBX"),
    Scene("import-tried", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBY", height=1800),
    Scene("import-done", f"{_IMPORT}?import=imp_01M82BNNF12SR4V3ACE08GNFBZ"),
    *_in(_NOT_EMPTY, "audit", "/app/settings/audit"),
    Scene("audit-entry", f"/app/settings/audit?open={_AUDIT}"),
    *_in(_ALL, "api-keys", "/app/settings/api-keys"),
    Scene("api-key-new", "/app/settings/api-keys?new=1"),
    Scene("api-key-revoke", "/app/settings/api-keys", act=_ask_to_revoke),
    *_in(_ALL, "server-keys", "/app/settings/server-keys"),
    *_in(_ALL, "gateway-keys", "/app/settings/gateway-keys"),
    *_in(_NOT_EMPTY, "sessions", "/app/account/sessions"),
    Scene("password", "/app/account/password"),
    *_in(_NOT_EMPTY, "notices", "/app/account/notices"),
    Scene("sign-in", "/app/sign-in"),
    Scene("forgot", "/app/forgot"),
    Scene("reset", "/app/reset#token"),
    Scene("prove", "/app/prove#token"),
    Scene("welcome", "/app/welcome#token"),
    Scene("invitation", "/app/invitation#token"),
    Scene("not-found", "/app/nothing/here"),
    Scene("no-right", "/app/forms", is_viewer=True),
    Scene("no-connection", "/app/forms", "cut off"),
    Scene("palette", "/app/forms", act=_press("Control+k")),
    Scene("keys", "/app/forms", act=_press("Shift+?")),
    Scene("account-menu", "/app/forms", act=_open_account),
)
_ON_PHONE: Final = {
    "forms",
    "form",
    "form-settings",
    "submissions",
    "submission-held",
    "embeds",
    "embed",
    "embed-block",
    "members",
    "member",
    "api-keys",
    "api-key-new",
    "object",
    "import-columns",
    "import-tried",
    "sign-in",
}
PHONE_SCENES: Final = tuple(
    Scene(f"phone-{scene.name}", scene.path, act=scene.act, width=390, height=max(844, scene.height))
    for scene in SCENES
    if scene.state == "full" and scene.name in _ON_PHONE
)
