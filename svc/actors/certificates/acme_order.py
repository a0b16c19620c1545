"""One order at an ACME directory (RFC 8555), by certbot's library. Everything here blocks."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import josepy
import requests
import structlog
from acme import challenges, client, crypto_util, errors, messages
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from josepy.jwa import ES256
from josepy.jwk import JWK, JWKEC
from josepy.util import ComparableECKey
from msgspec.structs import replace

from svc.actors.certificates.acme_session import AcmeSession
from svc.actors.certificates.issuer import Challenges, OrderFailed
from svc.domain.certificates.outlook import clock_sentence
from svc.domain.certificates.refusals import meaning, wait_of
from svc.storage.certificates import Account
from svc.version import VERSION

log = structlog.get_logger("svc.actors.certificates.acme_order")

T = TypeVar("T")

POLL_SECONDS: Final = 120
"""How long the directory may take to validate, and again to issue."""
AUTHORIZATIONS_MAX: Final = 100
FORGOTTEN: Final = "accountDoesNotExist"
"""The error of a request by an account that the directory does not have (RFC 8555 section 6.7)."""
NONCE_TRIES: Final = 4
_GARBLED: Final = (
    errors.Error,
    josepy.errors.Error,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    RecursionError,
)
"""What the library raises for an answer that is not what the RFC asks for."""


class AcmeServer(NamedTuple):
    """A directory, and how it is reached."""

    directory: str
    email: str | None
    roots: str | None
    """A PEM file of the authorities that its own certificate is verified with; None for the usual ones."""


class NewCertificate(NamedTuple):
    """A new certificate."""

    key: ec.EllipticCurvePrivateKey
    chain_pem: bytes

    def key_pem(self) -> bytes:
        """The private key, which is stored beside the chain."""
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


class Terms(NamedTuple):
    """What the directory says before anything is ordered."""

    url: str | None
    clock_difference: int | None


def ask_terms(server: AcmeServer, given_up: threading.Event) -> Terms:
    """Ask for the directory's terms, and its time. Raises `OrderFailed` if it cannot be reached."""
    session = AcmeSession(given_up)
    with _failing(session, 0):
        found = client.ClientV2.get_directory(server.directory, _network(server, session))
        return Terms(_terms(found), session.clock_difference)


class AcmeOrder:
    """An order for *names*. The account is made if there is none; *keep* stores what becomes of it."""

    def __init__(
        self,
        server: AcmeServer,
        names: Sequence[str],
        account: Account | None,
        *,
        keep: Callable[[Account], None],
        answers: Challenges,
        now: int,
        given_up: threading.Event,
    ) -> None:
        self._server = server
        self._names = list(names)
        self._keep = keep
        self._answers = answers
        self._now = now
        self._session = AcmeSession(given_up)
        self._account = account or _new_account(server.directory)
        self._key = JWK.from_json(self._account.key)
        self._network = _network(server, self._session, self._key)

    def run(self) -> NewCertificate:
        """Place the order, answer its challenges, and return the certificate. Raises `OrderFailed`."""
        with _failing(self._session, self._now):
            directory = client.ClientV2.get_directory(self._server.directory, self._network)
            acme = client.ClientV2(directory, self._network)
            was_known = self._account.url is not None
            try:
                return self._as_account(acme)
            except messages.Error as error:
                if error.code != FORGOTTEN or not was_known:
                    raise
            # The directory has lost its data, as one for tests does with each start. The key stays, since an
            # account is known by it: a directory that has it still says where it is, and none is made twice
            # (RFC 8555 section 7.3.1). An order makes one account at most, and orders are paced.
            log.warning("the directory has forgotten the account; it is made again", known=self._account.url)
            self._account = replace(self._account, url=None)
            return self._as_account(acme)

    def _as_account(self, acme: client.ClientV2) -> NewCertificate:
        self._sign_up(acme)
        return self._order(acme)

    def _sign_up(self, acme: client.ClientV2) -> None:
        """Have an account with the configured address, and accept the terms with it."""
        account, email = self._account, self._server.email
        network, terms = self._network, _terms(acme.directory)
        registration = messages.NewRegistration.from_data(email=email, terms_of_service_agreed=True)
        if account.url is None:
            self._keep(account)
            network.account = None
            try:
                url = acme.new_account(registration).uri
            except errors.ConflictError as known:
                url = known.location
            self._account = replace(account, url=url, email=email, terms=terms)
            self._keep(self._account)
        network.account = messages.RegistrationResource(body=messages.Registration(), uri=self._account.url)
        if self._account.email != email:
            contact = messages.UpdateRegistration(contact=registration.contact)
            self._network.post(self._account.url, contact, new_nonce_url=acme.directory["newNonce"])
            self._account = replace(self._account, email=email)
            self._keep(self._account)

    def _order(self, acme: client.ClientV2) -> NewCertificate:
        key = ec.generate_private_key(ec.SECP256R1())
        pem = NewCertificate(key, b"").key_pem()
        order = acme.new_order(crypto_util.make_csr(pem, domains=self._names))
        if len(order.authorizations) > AUTHORIZATIONS_MAX:
            raise errors.ClientError("too many authorizations")
        chosen = [
            (authorization, _http01(authorization))
            for authorization in order.authorizations
            if authorization.body.status != messages.STATUS_VALID
        ]
        self._answers.set(
            {
                challenge.chall.encode("token"): challenge.chall.key_authorization(self._key)
                for _, challenge in chosen
            }
        )
        try:
            for _, challenge in chosen:
                acme.answer_challenge(challenge, challenge.response(self._key))
            order = acme.poll_authorizations(order, _deadline())
            if any(one.body.status != messages.STATUS_VALID for one in order.authorizations):
                raise errors.ClientError("an authorization is not valid, and it is not said why")
        finally:
            self._answers.set({})
        order = acme.finalize_order(order, _deadline())
        return NewCertificate(key, order.fullchain_pem.encode())


class _Network(client.ClientNetwork):
    """The library's, which repeats a request once whose nonce is refused; a busy directory may refuse two."""

    def post(self, *args: Any, **kwargs: Any) -> requests.Response:
        for _ in range(NONCE_TRIES - 1):
            try:
                return super().post(*args, **kwargs)
            except messages.Error as error:
                if error.code != "badNonce":
                    raise
        return super().post(*args, **kwargs)


def _new_account(directory: str) -> Account:
    key = JWKEC(key=ComparableECKey(ec.generate_private_key(ec.SECP256R1())))
    return Account(directory=directory, key=key.to_json())


def _network(server: AcmeServer, session: AcmeSession, key: Any = None) -> client.ClientNetwork:
    network = _Network(
        key,
        alg=ES256,
        verify_ssl=server.roots or True,  # type: ignore[arg-type]  # requests takes a file as well
        user_agent=f"svc/{VERSION}",
    )
    network.session.close()
    network.session = session
    return network


def _terms(directory: messages.Directory) -> str | None:
    terms = getattr(getattr(directory, "meta", None), "terms_of_service", None)
    return terms if isinstance(terms, str) else None


def _http01(authorization: messages.AuthorizationResource) -> Any:
    for challenge in authorization.body.challenges:
        if isinstance(challenge.chall, challenges.HTTP01):
            return challenge
    raise errors.ClientError(f"no HTTP-01 challenge for {authorization.body.identifier.value}")


def _deadline() -> datetime:
    return datetime.now() + timedelta(seconds=POLL_SECONDS)  # noqa: DTZ005  # the library compares with local time


@contextmanager
def _failing(session: AcmeSession, now: int) -> Iterator[None]:
    """Raise whatever fails as `OrderFailed`, with the clock's part in it."""
    failed = partial(_failed, session, now)
    try:
        yield
    except messages.Error as error:
        about = error.identifier
        raise failed(meaning(error.code, error.detail, about and about.value)) from error
    except errors.ValidationError as error:
        raise failed("; ".join(_refused(error))) from error
    except errors.IssuanceError as error:
        raise failed(meaning(error.error.code, error.error.detail)) from error
    except errors.TimeoutError as error:
        raise failed(f"the directory was not done within {POLL_SECONDS} seconds") from error
    except requests.exceptions.SSLError as error:
        why = "the directory's own certificate is not trusted (tls.acme_roots names other authorities)"
        raise failed(why) from error
    except requests.RequestException as error:
        raise failed(f"the directory cannot be reached ({_reason(error)})") from error
    except _GARBLED as error:
        raise failed(f"the directory answers what RFC 8555 does not allow ({_reason(error)})") from error


def _failed(session: AcmeSession, now: int, why: str) -> OrderFailed:
    clock = clock_sentence(session.clock_difference)
    return OrderFailed(f"{why}. {clock}" if clock else why, wait_of(session.retry_after, now))


def _refused(error: errors.ValidationError) -> list[str]:
    """A sentence for each name that was not validated."""
    return [
        meaning(challenge.error.code, challenge.error.detail, authorization.body.identifier.value)
        for authorization in error.failed_authzrs
        for challenge in authorization.body.challenges
        if challenge.error is not None
    ]


def _reason(error: BaseException) -> str:
    """The innermost cause of *error*, in its own words, bounded."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return meaning(None, f"{type(error).__name__}: {error}").partition("(")[2].removesuffix(")")
