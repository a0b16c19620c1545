"""Checks of the limits on open files, of the ports, and of what a reverse proxy says."""

import errno
import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Final

from svc.cli.descriptors import may_be_open, needed_for
from svc.cli.doctor.findings import Finding, Install
from svc.config.settings import Address
from svc.domain.net.client_addresses import parse_networks

_PRIVILEGED: Final = 1_024
_CONNECT_SECONDS: Final = 2


def file_limits(install: Install) -> Iterator[Finding]:
    """Whether as many files may be open as there may be connections."""
    needed = needed_for(install.settings.server)
    allowed = may_be_open(needed)
    if allowed < needed:
        yield Finding(
            "file limits",
            "problem",
            f"{allowed} files may be open, and server.connections_max needs {needed}: set"
            f" LimitNOFILE={needed} in the systemd unit, or lower server.connections_max.",
        )
    else:
        yield Finding("file limits", "ok", f"As many files may be open as are needed ({needed}).")


def ports(install: Install) -> Iterator[Finding]:
    """Whether the addresses can be listened on, or the service listens there."""
    for key, bind in _binds(install):
        if bind.port == 0:
            continue
        if install.running:
            says = None if _answers(bind) else f"The service runs, and nothing listens on {bind} ({key})."
        else:
            says = _why_not_bound(key, bind)
        if says is not None:
            yield Finding("ports", "problem", says)
        else:
            yield Finding("ports", "ok", f"{bind} ({key}) {'is served' if install.running else 'is free'}.")


def _binds(install: Install) -> list[tuple[str, Address]]:
    """Addresses by key: those that the running service has noted, or else those of the settings."""
    if install.service is not None and install.service.listening:
        return [(key, Address(one)) for key, found in install.service.listening.items() for one in found]
    settings = install.settings
    binds = [("server.bind", bind) for bind in settings.server.bind]
    binds += [("operator.bind", bind) for bind in settings.operator.bind]
    if settings.tls.domain:
        binds += [("tls.http_bind", bind) for bind in settings.tls.http_bind]
    return binds


def proxy_headers(install: Install) -> Iterator[Finding]:
    """Whether what says where requests come from is believed, and of the right ones alone."""
    server = install.settings.server
    everybody = [str(one) for one in parse_networks(server.trusted_proxies) if one.prefixlen == 0]
    by_https = server.is_public_by_https
    own_tls = server.tls_certificate is not None or bool(install.settings.tls.domain)
    if everybody:
        yield Finding(
            "proxy headers",
            "problem",
            f"server.trusted_proxies has {everybody[0]}, so every client can claim any address: name the"
            " proxies.",
        )
    elif by_https and not own_tls and not server.trusted_proxies:
        yield Finding(
            "proxy headers",
            "problem",
            "server.public_url is https, and the service has no TLS of its own: set server.trusted_proxies to"
            " the address of the proxy, or all clients count as one and cookies are not secure.",
        )
    elif server.trusted_proxies and not own_tls and not by_https:
        yield Finding(
            "proxy headers",
            "warning",
            "server.trusted_proxies is set, and server.public_url is not https: links lead past the proxy.",
        )
    else:
        via = f"the proxies {', '.join(server.trusted_proxies)}" if server.trusted_proxies else "no proxy"
        yield Finding(
            "proxy headers", "ok", f"Clients' addresses are taken from the connection, and from {via}."
        )


def _answers(bind: Address) -> bool:
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(bind.host, bind.host)  # noqa: S104  # compared
    try:
        socket.create_connection((host, bind.port), timeout=_CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def _why_not_bound(key: str, bind: Address) -> str | None:
    try:
        found = socket.getaddrinfo(
            bind.host or None, bind.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, kind, protocol, _, address in found:
            with closing(socket.socket(family, kind, protocol)) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
                probe.listen(1)
    except OSError as error:
        if error.errno == errno.EAFNOSUPPORT:
            return None  # no IPv6 on this machine, which nobody named
        if error.errno == errno.EADDRINUSE:
            return f"Another program listens on {bind} ({key}): stop it, or choose another address."
        if error.errno in {errno.EACCES, errno.EPERM} and bind.port < _PRIVILEGED:
            return (
                f"This user may not listen on {bind} ({key}): ports below {_PRIVILEGED} need"
                " AmbientCapabilities=CAP_NET_BIND_SERVICE in the systemd unit."
            )
        return f"{bind} ({key}) cannot be listened on: {error.strerror or error}."
    return None
