"""What the shell brings along: the answers that the page would ask for, so that it asks for none of them."""

from typing import Final

from playwright.sync_api import Page, expect

from svc.http.screens.assets import built
from tests.browser.places import Service
from tests.browser.screens.conftest import Watch

_PAINTED: Final = "new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"
_QUERIES: Final = (
    "/app/submissions?state=Held",
    "/app/submissions?q=%22Ana%5C%20%3C%2Fb%3E+%C3%84%08%1F%7F%E2%80%A8&state=Filed",
    "/app/submissions?form={form}&open={submission}",
    "/app/submissions?state=Nonsense",
    "/app/forms/{form}/{submission}",
    "/app/forms/{form}?tab=install",
    "/app/embeds/{embed}",
    "/app/records/contact/{contact}",
    "/app/records/contact/{contact}?kind=notes&tab=details",
    "/app/records/contact/duplicates",
    "/app/workflows/{workflow}",
    "/app/workflows/{workflow}?tab=runs",
    "/app/settings/members?status=active&role=owner&open={person}",
    "/app/settings/audit?outcome=done&action=form.create",
    "/app/settings/audit?from=2026-01-01&outcome=done",
    "/app/settings/objects/contact",
    "/app/settings/objects/contact/import",
)
_ASKED: Final = {
    "/app/inbox": {"conversation.list"},  # how many wait in each of its views
    "/app/submissions?state=Nonsense": {"submission.list"},  # which is refused
    "/app/forms/{form}/{submission}": {"submission.counts"},  # the form's own, of 30 days
    "/app/workflows/{workflow}": {"workflow.trigger_list"},  # the draft is judged
    "/app/settings/audit?from=2026-01-01&outcome=done": {"audit.list"},  # days are the time zone's
}
"""Tools of the table that are asked nevertheless."""
_VISITS_MAX: Final = 5
"""The shell leaves out what is not there within a quarter of a second, as on a busy machine now and then."""


def _addresses() -> list[str]:
    paths = [screen.path for screen in built().manifest.screens if screen.calls]
    return [path for path in paths if path != "*" and "{" not in path]


def _tools(path: str) -> set[str]:
    """The tools that the table has for a screen, whatever the query."""
    pattern = path.partition("?")[0]
    screens = built().manifest.screens
    return {call.tool for screen in screens if screen.path in {"*", pattern} for call in screen.calls}


def _things(service: Service) -> dict[str, str]:
    [found] = service.rows(
        """SELECT (SELECT min(form_id) FROM submissions), (SELECT min(id) FROM submissions),
           (SELECT min(contact_id) FROM submissions), (SELECT min(id) FROM embeds),
           (SELECT min(person_id) FROM members WHERE role_id = 'owner'), (SELECT min(id) FROM workflows)"""
    )
    return dict(zip(("form", "submission", "contact", "embed", "person", "workflow"), found, strict=True))


def test_no_screen_asks_for_what_the_shell_has(service: Service, desk: Page, watch: Watch) -> None:
    """At every address, with every filter: shell and page ask by one table, in the same words."""
    watch.expected.append("422")
    desk.add_init_script("navigator.locks.request = () => new Promise(() => {})")  # so that no hint comes
    asked: set[str] = set()
    desk.on("request", lambda one: asked.add(one.url.partition("/app/api/tools/")[2]))

    def asked_at(path: str) -> set[str]:
        asked.clear()
        desk.goto(path.format(**_things(service)))
        desk.wait_for_selector("h1")
        expect(desk.locator(".skeleton")).to_have_count(0)
        desk.evaluate(_PAINTED)
        return asked & _tools(path)

    found = {}
    for path in (*_addresses(), *_QUERIES):
        again = asked_at(path)
        for _ in range(_VISITS_MAX):
            if again <= _ASKED.get(path, set()):
                break
            again &= asked_at(path)
        if again:
            found[path] = again

    assert _ASKED == found
