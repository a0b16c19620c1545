"""The limit of open files, and how many connections fit into it."""

import resource
from typing import Final

import structlog
from msgspec.structs import replace

from svc.config.settings import ServerSettings
from svc.domain.net.limits import OUTGOING_CONNECTIONS_MAX
from svc.http.server import default_share

log = structlog.get_logger("svc.service")

OWN_FILES: Final = 400
"""File descriptors besides those of public connections: for operators, rejected connections, the database
and the log."""
_CONNECTIONS_PART: Final = 3
"""Where there are not as many: connections get one part in so many."""


def needed_for(server: ServerSettings) -> int:
    """How many files may have to be open at once."""
    return server.connections_max + OWN_FILES


def may_be_open(files: int) -> int:
    """How many of so many *files* the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return files if hard == resource.RLIM_INFINITY else min(files, hard)


def fitted(server: ServerSettings) -> ServerSettings:
    """Raise the limit of open files as far as allowed; *server* with the connections that fit into it.

    An address may have as many of those as before, or all: where there is one proxy, it has them all.
    """
    needed = needed_for(server)
    # Requests to other servers are rarely that many, but where they are, they are not to lack descriptors.
    allowed = may_be_open(needed + server.connections_max // 2 + OUTGOING_CONNECTIONS_MAX)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed >= needed:
        return server
    connections = max(1, allowed // _CONNECTIONS_PART, allowed - OWN_FILES)
    log.warning(
        "fewer files may be open than server.connections_max needs, so there may be fewer connections",
        may=allowed,
        needs=needed,
        connections=connections,
    )
    waiting = server.waiting_per_address_max or default_share(server.connections_max)
    return replace(server, connections_max=connections, waiting_per_address_max=waiting)
