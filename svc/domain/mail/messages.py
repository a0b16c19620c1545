"""The message of a mail: headers, plain text, and HTML that says the same (RFC 5322).

Values that strangers wrote go into headers by the standard library's policy alone, which refuses line breaks
and encodes everything else; and before that they are made one line without control characters.
"""

from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from email.utils import format_datetime
from typing import Final

import msgspec

from svc.domain.locale.times import SECOND_MS
from svc.domain.mail import markup
from svc.domain.mail.letters import Letter
from svc.domain.mail.limits import MAIL_SUBJECT_CHARS_MAX, MAIL_VALUE_CHARS_MAX
from svc.domain.mail.senders import Sender
from svc.domain.text import inert_text

_NAME_CHARS_MAX: Final = 78
_ELLIPSIS: Final = "…"


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What the mail server is given."""

    sender: str
    recipient: str
    message: bytes
    utf8: bool
    """Whether an address is not ASCII, so that the server must know SMTPUTF8 (RFC 6531)."""


def envelope(mail_id: str, written: Letter, sender: Sender, recipient: str, created_at: int) -> Envelope:
    """The mail to *recipient*. Its `Message-ID` is made of *mail_id*, so a repeated one can be recognized."""
    utf8 = not (recipient.isascii() and sender.address.isascii())
    message = EmailMessage((SMTPUTF8 if utf8 else SMTP).clone(cte_type="7bit"))
    message["Message-ID"] = f"<{mail_id.lower()}@{sender.domain}>"
    message["Date"] = format_datetime(datetime.fromtimestamp(created_at // SECOND_MS, UTC))
    message["From"] = _address(sender.address, sender.name)
    message["To"] = _address(recipient)
    if written.reply_to is not None and (utf8 or written.reply_to.isascii()):
        message["Reply-To"] = _address(written.reply_to)
    message["Subject"] = one_line(written.subject, MAIL_SUBJECT_CHARS_MAX)
    # RFC 3834: no vacation notice shall answer it.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_text(written), charset="utf-8")
    message.add_alternative(_html(written), subtype="html", charset="utf-8")
    # The library would make a random one.
    message.set_boundary(f"=_{mail_id}")
    return Envelope(sender=sender.address, recipient=recipient, message=message.as_bytes(), utf8=utf8)


def one_line(text: str, chars_max: int) -> str:
    """*text* on one line, without what would change how the rest is shown, cut to *chars_max*."""
    # In a header, an encoded word (RFC 2047) would be decoded, control characters and all.
    line = " ".join(inert_text(text).split()).replace("=?", "= ?")
    return line if len(line) <= chars_max else line[: chars_max - 1] + _ELLIPSIS


def _address(address: str, name: str = "") -> Address:
    local, _, domain = address.rpartition("@")
    return Address(one_line(name, _NAME_CHARS_MAX), local, domain)


def _value(text: str) -> str:
    text = inert_text(text).replace("\r", "")
    return text if len(text) <= MAIL_VALUE_CHARS_MAX else text[: MAIL_VALUE_CHARS_MAX - 1] + _ELLIPSIS


def _text(written: Letter) -> str:
    parts = [_sentence(sentence) for sentence in written.sentences]
    if written.facts:
        lines = []
        for name, value in written.facts:
            shown = _value(value)
            glue = "\n" if "\n" in shown else " "
            lines.append(f"{_name(name)}:{glue}{shown}")
        parts.append("\n".join(lines))
    if written.link:
        parts.append(f"{written.link_label}:\n{written.link}")
    if written.footer:
        parts.append(f"-- \n{written.footer}")
    return "\n\n".join(parts) + "\n"


def _html(written: Letter) -> str:
    parts = [markup.sentence(_sentence(sentence)) for sentence in written.sentences]
    if written.facts:
        parts.append(markup.facts((_name(name), _value(value)) for name, value in written.facts))
    if written.link:
        parts.append(markup.link(written.link, written.link_label))
    if written.footer:
        parts.append(markup.footer(written.footer))
    return markup.page(one_line(written.subject, MAIL_SUBJECT_CHARS_MAX), parts)


def _sentence(text: str) -> str:
    return one_line(text, MAIL_VALUE_CHARS_MAX)


def _name(text: str) -> str:
    return one_line(text, _NAME_CHARS_MAX)
