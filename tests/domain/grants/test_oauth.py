"""The pure rules of OAuth: which redirects are taken and fit, PKCE, scopes, resources, parameters."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.grants import oauth
from svc.domain.grants.limits import REDIRECT_URI_CHARS_MAX, REDIRECT_URIS_MAX
from svc.domain.grants.oauth import OAuthRefusal

LOOPBACKS = ("localhost", "127.0.0.1", "[::1]")
TAKEN = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://app.example:8443/callback?tenant=1",
    "https://[2001:db8::1]/callback",
    "http://localhost",
    "http://localhost/callback",
    "http://127.0.0.1:33418/",
    "http://[::1]:1/callback?a=b",
    "cursor://anysphere.cursor-retrieval/oauth/user-abc/callback",
    "com.example.app:/callback",
    "vscode://vscode.github-authentication/did-authenticate",
    "https://app.example/a%2Fb",
]
REFUSED = [
    "",
    "https://",
    "https:/app.example/",
    "http://app.example/callback",
    "http://localhost.evil.example/callback",
    "http://localhost@evil.example/callback",
    "http://127.0.0.1.evil.example/",
    "http://127.0.0.2/callback",
    "http://localhost:123456/",
    "http://LOCALHOST/callback",
    "http://0/callback",
    "https://user@app.example/",
    "https://user:pass@app.example/",
    "https://app.example\\@evil.example/",
    "https://app.example%2F@evil.example/",
    "https://app.example%2Fevil/",
    "https://app.example/callback#fragment",
    "https://app.example/call back",
    "https://app.example/\u202ecallback",
    "https://äpp.example/",
    "https://app.example:port/",
    "javascript:alert(1)",
    "javascript://app.example/%0aalert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://app.example/1",
    "view-source:https://app.example/",
    "intent://scan/#Intent",
    "//app.example/callback",
    "/callback",
    "cursor:",
    "cursor://",
    "JavaScript:alert(1)",
    "https://app.example/" + "x" * REDIRECT_URI_CHARS_MAX,
]

ports = st.integers(0, 65_535)
paths = st.from_regex(r"(/[a-z0-9._~-]{1,8}){0,3}", fullmatch=True)
texts = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S")), max_size=30)


@pytest.mark.parametrize("uri", TAKEN)
def test_a_redirect_is_taken(uri: str) -> None:
    """https anywhere; http on this device; a scheme of the app's own. It fits itself."""
    assert oauth.redirect_host(uri)
    assert oauth.redirect_fits([uri], uri)


@pytest.mark.parametrize("uri", REFUSED)
def test_a_redirect_is_refused(uri: str) -> None:
    """Look-alikes of this device, users, fragments, what runs code, and what two readers read differently."""
    assert oauth.redirect_host(uri) is None
    assert not oauth.redirect_fits([uri], uri)


@given(st.sampled_from(LOOPBACKS), ports, ports, paths)
def test_any_port_of_a_loopback_address_fits(host: str, one: int, other: int, path: str) -> None:
    """With one, with another, and without."""
    uris = [f"http://{host}{port}{path}" for port in ("", f":{one}", f":{other}")]

    assert all(oauth.redirect_fits([registered], asked) for registered in uris for asked in uris)


@given(st.sampled_from(LOOPBACKS), st.sampled_from(LOOPBACKS), ports, paths, paths)
def test_loopback_names_and_paths_are_each_for_itself(
    one: str, other: str, port: int, path: str, other_path: str
) -> None:
    """`localhost` is not `127.0.0.1`, and the path counts."""
    fits = oauth.redirect_fits([f"http://{one}{path}"], f"http://{other}:{port}{other_path}")

    assert fits == ((one, path) == (other, other_path))


@given(ports, paths)
def test_the_port_of_https_counts(port: int, path: str) -> None:
    """It is another server's."""
    assert not oauth.redirect_fits([f"https://app.example{path}"], f"https://app.example:{port}{path}")


@given(st.sampled_from(TAKEN), texts)
def test_what_fits_nothing_else_is_compared_as_it_stands(uri: str, more: str) -> None:
    """An address with more at its end is another, but for the port of one without a path."""
    if more and not (uri == "http://localhost" and more[0] == ":"):
        assert not oauth.redirect_fits([uri], uri + more)


def test_a_refused_redirect_does_not_refuse_the_others() -> None:
    """Until none is left, or there are too many."""
    assert ("cursor://cb",) == oauth.usable_redirects(["javascript:1", "cursor://cb", "cursor://cb"])
    for uris in ([], ["javascript:1"], [f"cursor://{n}" for n in range(REDIRECT_URIS_MAX + 1)]):
        with pytest.raises(OAuthRefusal) as caught:
            oauth.usable_redirects(uris)
        assert "invalid_redirect_uri" == caught.value.error


@given(texts, st.sampled_from(TAKEN))
def test_an_answer_stands_in_the_query_of_the_redirect(state: str, uri: str) -> None:
    """Beside what was there, and exactly as it was sent; what is None is not there."""
    answer = oauth.answer_address(uri, code="svcx_1", state=state, error=None)
    told = parse_qs(urlsplit(answer).query, keep_blank_values=True)

    assert answer.startswith(uri)
    assert (["svcx_1"], [state], False) == (told["code"], told["state"], "error" in told)
    assert parse_qs(urlsplit(uri).query).items() <= told.items()


@given(st.from_regex(r"[A-Za-z0-9._~-]{43,128}", fullmatch=True), texts)
def test_a_challenge_is_met_by_its_verifier_alone(verifier: str, other: str) -> None:
    """And has the form of a challenge."""
    challenge = oauth.challenge_of(verifier)

    assert oauth.is_challenge(challenge)
    assert oauth.verifier_fits(verifier, challenge)
    assert not oauth.verifier_fits(other, challenge)
    assert not oauth.verifier_fits(verifier, oauth.challenge_of(other))


@pytest.mark.parametrize("verifier", ["", "a" * 42, "a" * 129, "a" * 42 + "=", "a" * 43 + "\n", "ä" * 43])
def test_a_malformed_verifier_meets_no_challenge(verifier: str) -> None:
    """Not even its own."""
    assert not oauth.verifier_fits(verifier, oauth.challenge_of(verifier))


def test_the_example_of_the_rfc() -> None:
    """RFC 7636, appendix B."""
    assert "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" == oauth.challenge_of(
        "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )


@pytest.mark.parametrize(
    ("asked", "scope"),
    [
        (None, "tools"),
        ("", "tools"),
        ("openid offline_access", "tools"),
        ("tools", "tools"),
        ("tools.read", "tools.read"),
        ("offline_access tools.read", "tools.read"),
        ("tools.read tools", "tools"),
        ("Tools.read", "tools"),
    ],
)
def test_scopes(asked: str | None, scope: str) -> None:
    """Unknown ones are left out; none means `tools`."""
    assert scope == oauth.scope_of(asked)


def test_a_resource_names_a_door() -> None:
    """By its whole address, with or without a slash at the end; without one it is the small door."""
    base = "https://crm.example"

    assert "mcp" == oauth.door_of(None, [base])
    assert "mcp" == oauth.door_of(f"{base}/api/v1/mcp", [base])
    assert "mcp_full" == oauth.door_of(f"{base}/api/v1/mcp/full/", [base])
    for other in (
        base,
        "",
        f"{base}/api/v1/mcp/other",
        "https://evil.example/api/v1/mcp",
        f"{base}//api/v1/mcp",
    ):
        with pytest.raises(OAuthRefusal) as caught:
            oauth.door_of(other, [base])
        assert "invalid_target" == caught.value.error


def test_a_parameter_comes_once() -> None:
    """Unknown ones may come as they like, and an empty one is none."""
    assert {"a": "1"} == oauth.one_each([("x", "1"), ("a", "1"), ("x", "2"), ("b", "")], ["a", "b"])
    with pytest.raises(OAuthRefusal):
        oauth.one_each([("a", "1"), ("a", "1")], ["a"])
