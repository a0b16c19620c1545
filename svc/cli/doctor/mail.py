"""The check of the mail server."""

import os
from collections.abc import Iterator

import trio

from svc.actors.mail.configured import check_mail
from svc.cli.doctor.findings import Finding, Install


def mail(install: Install) -> Iterator[Finding]:
    """Whether the mail server answers and takes the sign-in; nothing is sent."""
    found = trio.run(check_mail, install.settings.mail, os.environ)
    if found is None:
        yield Finding("mail", "ok", "No mail server is set: links are shown instead of sent.")
    else:
        sentence = f"{found.detail[:1].upper()}{found.detail[1:]}."
        yield Finding("mail", "ok" if found.ok else "problem", sentence)
