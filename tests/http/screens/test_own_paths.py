"""Where a sign-in may lead: hostile values of `next` are dropped."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.identity.limits import NEXT_PATH_CHARS_MAX
from svc.http.screens.own_paths import own_path

OWN = [
    "/app/",
    "/app/forms",
    "/app/forms/frm_1/sub_2",
    "/app/records/deal/rec_01K5?org=org_1&sort=-amount&q=a%20b%2Fc",
    "/app/inbox?next=//evil.example",
    "/app/records/caf%C3%A9",
]
HOSTILE = [
    "",
    "/",
    "/docs",
    "app/forms",
    "//evil.example",
    "//evil.example/app/",
    "/\\evil.example",
    "/app/\\evil.example",
    "/app//evil.example",
    "/app/%2f%2fevil.example",
    "/app/%5cevil.example",
    "/app/../docs",
    "/app/%2e%2e/docs",
    "/app/.%2E/docs",
    "/app/./forms",
    "/app/forms/..",
    "/app",
    "/application/forms",
    "https://evil.example/app/",
    "http:/app/",
    "javascript:alert(1)",
    "data:text/html,x",
    "/app/forms#top",
    "/app/forms\n",
    "/app/\r\nSet-Cookie: a=b",
    "/app/%0d%0aSet-Cookie",
    "/app/%00",
    "\t/app/",
    " /app/",
    "/app/forms\u2028",
    "/app/caf\u00e9",
    "/app/api",
    "/app/api/sign-out",
    "/app/%61pi/sign-out",
    "/app/static/app.js",
    "/app/sign-in",
    "/app/sign-in/",
    "/app/sign%2Din?next=/app/sign-in",
    "/app/welcome",
    "/app/invitation",
    "/app/reset",
    "/app/" + "a" * NEXT_PATH_CHARS_MAX,
    "/app/<script>",
    '/app/"onload=',
]


@pytest.mark.parametrize("path", OWN)
def test_own_paths_stay_as_they_are(path):
    """With their query, letter by letter."""
    assert path == own_path(path)


@pytest.mark.parametrize("path", HOSTILE)
def test_everything_else_is_dropped(path):
    """Other hosts, other schemes, doors that are no screens, and the ways in themselves."""
    assert own_path(path) is None


def test_none_is_none():
    """A sign-in without `next` leads to the first screen."""
    assert own_path(None) is None


@given(st.text(alphabet="/\\.%2eEfF5c:#?@abpi-\t\n é", max_size=40))
def test_what_is_let_through_stays_on_the_service(tail):
    """However it is put together: a browser resolves it to a screen of the same origin."""
    path = own_path(f"/app/{tail}")
    if path is not None:
        resolved = urlsplit(urljoin("https://svc.example/app/sign-in", path))

        assert ("https", "svc.example") == resolved[:2]
        assert resolved.path.startswith("/app/")
        assert not resolved.path.startswith(("/app/api/", "/app/static/"))
