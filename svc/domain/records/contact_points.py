"""Normal forms of e-mail addresses and phone numbers, so that equal ones compare equal.

E-mail: trimmed, lower case, the domain in ASCII. Phone: E.164, by the numbering plans that
`phonenumbers` carries.
"""

import re
import unicodedata
from typing import Final, NamedTuple

from svc.domain.errors import InvalidValue
from svc.domain.identity.limits import EMAIL_CHARS_MAX
from svc.domain.net.hosts import ascii_host
from svc.domain.records.limits import PHONE_CHARS_MAX

# Text copied from chats and contact lists has marks of width and writing direction in it.
_INVISIBLE: Final = dict.fromkeys(
    (0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
_ATOM: Final = r"[a-z0-9!#$%&'*+/=?^_`{|}~\u00a1-\U0010ffff-]+"
_LOCAL_PART: Final = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_LOCAL_PART_BYTES_MAX: Final = 64
_TOP_LEVEL_CHARS_MIN: Final = 2

_PHONE: Final = re.compile(
    r"(?P<number>[+(\s]*\d[\d\s()./\u2010-\u2015\u2212-]*?)"
    r"(?:\s*[,;]?\s*(?:ext(?:ension|n)?|x|доб(?:авочный)?|poste|int(?:erno)?|dw|#)\s*[.:=]?\s*(?P<extension>\d{1,7}))?",
    re.IGNORECASE,
)
_E164_CHARS_MAX: Final = 16
"""A plus and 15 digits (ITU-T E.164 §6); some numbering plans of the library go beyond."""
_INTERNATIONAL_PREFIX: Final = "00"


class Phone(NamedTuple):
    """A phone number in E.164, and the extension behind it, which E.164 has no place for."""

    number: str
    extension: str | None


def normalise_email(text: str) -> str:
    """The e-mail address that *text* is: lower case, its domain in ASCII, 254 characters at most.

    The local part may be Unicode (RFC 6531), in its compatible composed form; quoted local
    parts, addresses in brackets and domains without a dot are rejected, as no real mailbox has
    one.

    Raises `InvalidValue` if it is not such an address.
    """
    # Lower case can come apart into a letter and a mark, hence the second look.
    address = _visible(_visible(text).lower())
    local, _, domain = address.rpartition("@")
    if len(address) > EMAIL_CHARS_MAX or not _LOCAL_PART.fullmatch(local):
        raise InvalidValue("must be an e-mail address such as ada@example.com")
    host = ascii_host(domain)
    if (
        not local.isprintable()
        or len(local.encode()) > _LOCAL_PART_BYTES_MAX
        or len(local) + 1 + len(host) > EMAIL_CHARS_MAX
        or "." not in host
        or len(host) - host.rindex(".") <= _TOP_LEVEL_CHARS_MIN
    ):
        raise InvalidValue("must be an e-mail address such as ada@example.com")
    return f"{local}@{host}"


def normalise_phone(value: str | int, country: str | None) -> str:
    """The phone number that *value* is, in E.164, as `parse_phone` reads it.

    Raises `InvalidValue` if it is not a phone number.
    """
    return parse_phone(value, country).number


def parse_phone(value: str | int, country: str | None) -> Phone:
    """The phone number and extension that *value* is, as dialled from *country* (ISO 3166 alpha-2).

    A number is taken when the numbering plan of its country has numbers of that length: plans
    gain ranges faster than anyone updates a library, and a refused number is a lost enquiry.
    Letters are refused (they would read as the digits of a keypad), save those that announce an
    extension.

    Raises `InvalidValue` if it is not a phone number.
    """
    text = _visible(str(value))
    match = _PHONE.fullmatch(text) if len(text) <= PHONE_CHARS_MAX else None
    if match is None:
        raise InvalidValue("must be a phone number such as +44 20 7946 0958")
    written = match["number"]
    number = _dialled(written, country)
    if number is None and written.startswith(_INTERNATIONAL_PREFIX):
        # Much of the world writes 00 for the plus, whatever the country dialled from uses.
        number = _dialled("+" + written.removeprefix(_INTERNATIONAL_PREFIX), None)
    if number is None:
        raise InvalidValue("must be a phone number such as +44 20 7946 0958")
    return Phone(number, match["extension"])


def _dialled(text: str, country: str | None) -> str | None:
    import phonenumbers  # noqa: PLC0415  # 0.8 MiB, from the first number on

    try:
        number: phonenumbers.PhoneNumber = phonenumbers.parse(text, country)
    except phonenumbers.NumberParseException:
        return None
    if phonenumbers.is_possible_number_with_reason(number) != phonenumbers.ValidationResult.IS_POSSIBLE:
        return None
    e164 = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return e164 if len(e164) <= _E164_CHARS_MAX else None


def _visible(text: str) -> str:
    """*text* trimmed, with full-width and other compatible characters in their plain form."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
    return text.strip()


def is_assigned(phone: str) -> bool:
    """Whether *phone* (E.164) lies in a range that its country has given out, which fewer numbers do."""
    import phonenumbers  # noqa: PLC0415  # as above

    return phonenumbers.is_valid_number(phonenumbers.parse(phone))
