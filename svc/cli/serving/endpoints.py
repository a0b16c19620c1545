"""The URLs of a running service."""

from collections.abc import Sequence
from typing import Final

import msgspec

from svc.config.settings import Address, Secret, Settings

_HTTPS: Final = 443
_LOOPBACK_OF: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104  # compared, not bound


class Endpoints(msgspec.Struct, frozen=True, kw_only=True):
    """The URLs of both listeners, for programs on this machine, and the operator's token."""

    public_urls: tuple[str, ...]
    operator_urls: tuple[str, ...]
    operator_token: Secret

    @property
    def base_url(self) -> str:
        return self.public_urls[0]

    @property
    def operator_url(self) -> str:
        return self.operator_urls[0]


def endpoints(
    settings: Settings, token: Secret, public: Sequence[Address], operator: Sequence[Address]
) -> Endpoints:
    """The endpoints of listeners at the addresses *public* and *operator*."""
    return Endpoints(
        public_urls=public_urls(settings, public),
        operator_urls=tuple(url(address, tls=False) for address in operator),
        operator_token=token,
    )


def public_urls(settings: Settings, public: Sequence[Address]) -> tuple[str, ...]:
    """The URLs of the public listener at the addresses *public*: by its names, where it has certificates."""
    if settings.tls.domain:
        port = "" if public[0].port == _HTTPS else f":{public[0].port}"
        return tuple(f"https://{name}{port}" for name in settings.tls.domain)
    return tuple(url(address, tls=settings.server.tls_certificate is not None) for address in public)


def url(address: Address, *, tls: bool) -> str:
    """The URL of a listener at *address*; its loopback address if it listens on all interfaces."""
    return f"{'https' if tls else 'http'}://{reachable_host(address)}:{address.port}"


def reachable_host(address: Address) -> str:
    """The host of *address* as in a URL, and such that this machine can connect to it."""
    host = address.host
    return _LOOPBACK_OF.get(host) or (f"[{host}]" if ":" in host else host)
