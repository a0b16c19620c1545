"""Where a running service can be reached."""

from collections.abc import Sequence
from typing import Final

import msgspec

from svc.settings import Address, Secret, Settings

_ANYWHERE: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104  # compared, not bound


class Endpoints(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of both listeners, for programs of this machine, and what opens the operator's."""

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
    """The doors at these addresses, with the ports that they are to have or really have."""
    return Endpoints(
        public_urls=tuple(url(one, tls=settings.server.tls_certificate is not None) for one in public),
        operator_urls=tuple(url(one, tls=False) for one in operator),
        operator_token=token,
    )


def url(address: Address, *, tls: bool) -> str:
    """The URL of what listens at *address*; for every address of the machine, its loopback one."""
    return f"{'https' if tls else 'http'}://{reachable_host(address)}:{address.port}"


def reachable_host(address: Address) -> str:
    """The host of *address*, as a URL has it, and one that this machine can connect to."""
    host = address.host
    return _ANYWHERE.get(host) or (f"[{host}]" if ":" in host else host)
