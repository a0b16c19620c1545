"""One order at a directory: by RFC 8555 as Pebble checks it, and where the directory misbehaves."""

import threading
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import trio
from msgspec.structs import replace
from structlog.testing import capture_logs

from svc.actors.certificates.acme_order import AcmeOrder, AcmeServer, ask_terms
from svc.actors.certificates.acme_session import GivenUp
from svc.actors.certificates.issuer import Challenges, OrderFailed
from svc.domain.certificates.chains import check_issued
from svc.domain.certificates.renewal import WAIT_MS_MAX
from svc.domain.randomness import SYSTEM
from svc.http.plain_door import plain_app
from svc.http.server import serve
from svc.storage.certificates import Account
from tests.acme_server import Misbehaving, Said, directory_of, misbehaving, problem, signed_up
from tests.pebble import needs_pebble, pebble

NAMES = ["crm.example.com", "www.example.com"]
NOW = 1_800_000_000_000
GOOD = {"/dir": directory_of, "/nonce": lambda _: Said(), "/account": signed_up}


def _order(server: AcmeServer, account: Account | None = None, **more: Any) -> AcmeOrder:
    given: dict[str, Any] = {
        "keep": lambda _: None,
        "answers": Challenges(),
        "now": NOW,
        "given_up": threading.Event(),
    }
    return AcmeOrder(server, NAMES, account, **(given | more))


def _refused(server: Misbehaving, **more: Any) -> OrderFailed:
    with pytest.raises(OrderFailed) as failed:
        _order(AcmeServer(server.directory, None, server.roots), **more).run()
    return failed.value


@needs_pebble
async def test_pebble_issues_and_the_account_is_kept(tmp_path):
    """A fifth of the nonces are refused; the account is used again, and changes its address.

    At first it is one that the directory has lost with its database: it is made again, with its key.
    """
    kept: list[Account] = []
    answers, stop = Challenges(), trio.Event()
    with pebble(tmp_path, PEBBLE_WFE_NONCEREJECT="20") as server:

        async def order(email: str, account: Account | None) -> Any:
            placed = _order(
                AcmeServer(server.directory, email, str(server.roots)),
                account,
                keep=kept.append,
                answers=answers,
            )
            return await trio.to_thread.run_sync(placed.run)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                lambda: serve(
                    plain_app(answers, NAMES, 443, SYSTEM), binds=[f"127.0.0.1:{server.http_port}"], stop=stop
                )
            )
            at = AcmeServer(server.directory, None, str(server.roots))
            url = server.directory.replace("/dir", "/my-account/lost")
            lost = replace(_order(at)._account, url=url, email="a@example.com")
            with capture_logs() as logs:
                issued = await order("a@example.com", lost)
            first = kept[-1]
            await order("b@example.com", first)
            second = kept[-1]
            stop.set()

    validity = check_issued(issued.chain_pem, issued.key, NAMES, NOW)
    assert set(validity.names) == set(NAMES)
    assert [line["event"] for line in logs] == ["the directory has forgotten the account; it is made again"]
    assert [one.url for one in kept] == [None, first.url, first.url]
    assert first.url not in {None, lost.url}
    assert {msgspec.json.encode(one.key) for one in kept} == {msgspec.json.encode(lost.key)}
    assert (first.email, second.email) == ("a@example.com", "b@example.com")
    assert first.terms == "data:text/plain,Do%20what%20thou%20wilt"
    assert "crv" not in repr(first)
    assert answers.answer("any") is None


@pytest.mark.parametrize(
    ("kind", "meant"),
    [
        ("rateLimited", "the directory takes no more orders for now (too many)"),
        ("rejectedIdentifier", "the directory certifies no such name (too many)"),
        ("somethingNew", "the directory refuses the order (too many)"),
    ],
)
def test_a_refusal_is_a_sentence_with_the_wait(kind, meant, tmp_path):
    """The wait is bounded, since no directory may stop renewals for ever."""
    answers = GOOD | {"/order": lambda _: problem(kind, "too many", 429, **{"Retry-After": "3600"})}
    with misbehaving(tmp_path, answers) as server:
        failed = _refused(server)
    assert str(failed) == meant
    assert failed.wait_until == NOW + 3_600_000

    endless = GOOD | {"/order": lambda _: problem(kind, "too many", 429, **{"Retry-After": "9" * 30})}
    with misbehaving(tmp_path, endless) as server:
        assert _refused(server).wait_until == NOW + WAIT_MS_MAX


@pytest.mark.parametrize(
    "said",
    [
        Said(200, b"<html>a portal</html>", type="text/html"),
        Said(200, b"[1, 2]"),
        Said(200, b"{}"),
        Said(200, b'{"newNonce": 7, "newAccount": null}'),
        Said(200, b"\xff\xfe"),
        Said(200, b"[" * 100_000),
        Said(500, b"", type="text/plain"),
        Said(301, b"", {"Location": "http://127.0.0.1:1/"}),
        Said(200, b" " * (1024 * 1024 + 1)),
    ],
)
def test_whatever_a_directory_answers_is_a_sentence(said, tmp_path):
    """It never is another error, and never more than is read."""
    with misbehaving(tmp_path, {"/dir": lambda _: said}) as server:
        why = str(_refused(server))

    assert why.startswith(("the directory answers what", "the directory cannot be reached"))
    assert len(why) < 500


@pytest.mark.parametrize(
    "order",
    [
        b"{}",
        b'{"status": "pending", "authorizations": ["/nowhere"], "finalize": "x", "identifiers": []}',
        b'{"status": "pending", "authorizations": [], "finalize": "not a URL", "identifiers": []}',
        b'{"status": "nonsense"}',
    ],
)
def test_an_order_that_is_none_is_refused(order, tmp_path):
    with misbehaving(tmp_path, GOOD | {"/order": lambda _: Said(201, order)}) as server:
        assert "the directory" in str(_refused(server))


def test_a_clock_that_differs_is_named(tmp_path):
    """The `Date` of the directory's answers tells."""
    date = {"Date": "Mon, 01 Jan 2024 00:00:00 GMT"}
    with misbehaving(
        tmp_path, GOOD | {"/order": lambda _: problem("malformed", "no", 400, **date)}
    ) as server:
        why = str(_refused(server))

    assert "the directory refuses the order (no). This machine's clock is" in why
    assert "ahead of the ACME directory's" in why


def test_a_directory_that_is_not_trusted_or_not_there_is_said(tmp_path):
    with misbehaving(tmp_path, GOOD) as server:
        for roots, why in ((None, "the directory's own certificate is not trusted"), (server.roots, "")):
            asked = AcmeServer(server.directory, None, roots)
            if why:
                with pytest.raises(OrderFailed, match=why):
                    ask_terms(asked, threading.Event())
            else:
                assert ask_terms(asked, threading.Event()).url is None
    with pytest.raises(OrderFailed, match="the directory cannot be reached"):
        ask_terms(asked, threading.Event())


def test_an_order_that_nobody_waits_for_asks_no_more(tmp_path):
    """Its thread ends at the next request."""
    given_up = threading.Event()
    given_up.set()
    with misbehaving(tmp_path, GOOD) as server:
        with pytest.raises(GivenUp):
            _order(AcmeServer(server.directory, None, server.roots), given_up=given_up).run()
        assert server.asked == []


def _known(server: Misbehaving, email: str | None = None) -> Account:
    """An account that an earlier order has made."""
    made: list[Account] = []
    with pytest.raises(OrderFailed):
        _order(AcmeServer(server.directory, email, server.roots), keep=made.append).run()
    server.asked.clear()
    return made[-1]


@pytest.mark.parametrize("email", [None, "changed@example.com"])
def test_where_the_account_is_forgotten_one_is_made_and_the_order_goes_on(tmp_path, email):
    """Also where it is its change of address that the directory does not know the account for."""
    forgotten = [problem("accountDoesNotExist", "no such account", 400)]

    def order(_base: str) -> Said:
        return forgotten.pop() if forgotten else problem("rateLimited", "it went on", 429)

    answers = GOOD | {"/order": lambda _: problem("rateLimited", "first", 429), "/account/1": order}
    with misbehaving(tmp_path, answers) as server:
        kept: list[Account] = []
        account = _known(server)
        answers["/order"] = order
        failed = _refused_by(server, account, email, kept.append)

    assert str(failed) == "the directory takes no more orders for now (it went on)"
    asked = [path for path in server.asked if path not in {"/dir", "/nonce"}]
    assert asked == [*(["/account/1"] if email else ["/order"]), "/account", "/order"]
    assert [one.url for one in kept] == [None, account.url]
    assert {one.key["d"] for one in kept} == {account.key["d"]}
    assert kept[-1].email == email


@pytest.mark.parametrize("known", [True, False])
def test_a_directory_that_forgets_every_account_makes_no_loop(tmp_path, known):
    """One account is made in an order, and the next order follows after the pause of any failure."""
    answers = GOOD | {"/order": lambda _: problem("accountDoesNotExist", "never heard of it", 400)}
    with misbehaving(tmp_path, answers) as server:
        account = _known(server) if known else None
        failed = _refused_by(server, account)

    assert str(failed) == "the directory does not know this service's account (never heard of it)"
    assert server.asked.count("/account") == 1
    assert server.asked.count("/order") == 1 + known


def _refused_by(
    server: Misbehaving,
    account: Account | None,
    email: str | None = None,
    keep: Callable[[Account], None] = lambda _: None,
) -> OrderFailed:
    with pytest.raises(OrderFailed) as failed:
        _order(AcmeServer(server.directory, email, server.roots), account, keep=keep).run()
    return failed.value
