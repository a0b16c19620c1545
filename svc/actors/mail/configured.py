"""The mail server of the configuration, and whether it can be used."""

from collections.abc import Mapping

import msgspec

from svc.actors.mail.smtp import SmtpServer
from svc.actors.mail.smtp_client import MailServerFailed
from svc.config.checks import ConfigError
from svc.config.loading import mail_password
from svc.config.mail import MailSettings


def mail_server_of(settings: MailSettings, environ: Mapping[str, str]) -> SmtpServer | None:
    """The mail server of the configuration; None where there is none. Raises `ConfigError`."""
    if settings.server is None:
        return None
    try:
        return SmtpServer(settings, mail_password(settings, environ))
    except OSError as error:
        raise ConfigError(f"mail.ca_file: {settings.ca_file} cannot be used: {error}") from error


class MailCheck(msgspec.Struct, frozen=True):
    """Whether the mail server can be used, and if not, why."""

    ok: bool
    detail: str


async def check_mail(settings: MailSettings, environ: Mapping[str, str]) -> MailCheck | None:
    """Connect to the mail server and sign in, without sending anything; None where there is none."""
    try:
        server = mail_server_of(settings, environ)
        if server is None:
            return None
        async with server.session():
            where = f"{settings.server}:{settings.actual_port}"
            return MailCheck(ok=True, detail=f"the mail server {where} can be used")
    except (ConfigError, MailServerFailed) as error:
        return MailCheck(ok=False, detail=f"the mail server {settings.server} cannot be used: {error}")
