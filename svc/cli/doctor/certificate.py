"""The check of the certificate: its files, its time, its names, and what an order would meet."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import trio

from svc.cli import certificates
from svc.cli.doctor.findings import Finding, Install, State
from svc.domain.certificates.outlook import warnings
from svc.domain.certificates.renewal import Validity
from svc.domain.errors import InvalidValue
from svc.domain.locale.times import DAY_MS, SECOND_MS, rfc3339

SOON_MS: Final = 14 * DAY_MS
_ABOUT: Final = "certificate"


def certificate(install: Install) -> Iterator[Finding]:
    """Whether there is a certificate for the names, how long it holds, and whether it can be renewed."""
    settings = install.settings
    if settings.server.tls_certificate is not None:
        yield from _of_file(settings.server.tls_certificate, settings.server.tls_key)
    elif settings.tls.domain:
        yield from _by_acme(install)
    elif settings.server.is_public_by_https:
        yield Finding(_ABOUT, "ok", "The service has none: a proxy has it.")
    else:
        yield Finding(_ABOUT, "ok", "The service has none, and is not reached by https.")


def _of_file(chain: Path, key: Path | None) -> Iterator[Finding]:
    from svc.domain.certificates.chains import read_chain  # noqa: PLC0415  # imports much
    from svc.http.server import Certificate, CertificateError, check_certificate  # noqa: PLC0415

    try:
        check_certificate(Certificate(chain, key or chain))
        validity = read_chain(chain.read_bytes())
    except (CertificateError, InvalidValue, OSError) as error:
        yield Finding(_ABOUT, "problem", f"{error}.")
    else:
        yield _time_left(validity, "Put a newer one in its place, and restart the service.")


def _by_acme(install: Install) -> Iterator[Finding]:
    from svc.storage.certificates import CertificateFiles  # noqa: PLC0415

    tls = install.settings.tls
    files = CertificateFiles(certificates.stored(install.directory))
    validity, failures = files.validity(), files.failures()
    if failures is not None:
        yield Finding(
            _ABOUT,
            "problem",
            f"The last {failures.count} orders failed, at {rfc3339(failures.failed_at)}: {failures.why}.",
        )
    if validity is None:
        state: State = "problem" if install.running else "warning"
        yield Finding(_ABOUT, state, "There is none yet: the service orders it when it starts.")
    elif not validity.covers(tls.domain):
        lacking = ", ".join(name for name in tls.domain if name not in validity.names)
        yield Finding(
            _ABOUT, "warning", f"The one that is stored is not for {lacking}: the service orders another."
        )
    else:
        yield _time_left(validity, "It is renewed at two thirds of its life, while the service runs.")
    yield from (Finding(_ABOUT, "problem", sentence) for sentence in trio.run(_seen, install))


async def _seen(install: Install) -> list[str]:
    """What an order would meet now."""
    from svc.cli.certificates import looker  # noqa: PLC0415

    return warnings(await looker(install.settings, install.directory).look())


def _time_left(validity: Validity, remedy: str) -> Finding:
    now = int(time.time() * SECOND_MS)
    until = rfc3339(validity.not_after)
    if now >= validity.not_after:
        return Finding(_ABOUT, "problem", f"It has expired at {until}. {remedy}")
    if now < validity.not_before:
        begins = rfc3339(validity.not_before)
        return Finding(_ABOUT, "problem", f"It only holds from {begins} on: look at the machine's clock.")
    short = min(SOON_MS, (validity.not_after - validity.not_before) // 4)
    state: State = "warning" if validity.not_after - now < short else "ok"
    return Finding(
        _ABOUT, state, f"It is for {', '.join(validity.names) or 'no name'}, until {until}. {remedy}"
    )
