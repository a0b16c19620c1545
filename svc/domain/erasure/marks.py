"""The marks of a person, by which texts about them are found, and what is left of such a text."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

import msgspec

from svc.domain.erasure.limits import MARK_CHARS_MIN, PHONE_DIGITS_MIN

ERASED: Final = "[erased]"
"""What stands in a text where a mark was."""

_PERCENT: Final = r"(?<=%[0-9A-Fa-f][0-9A-Fa-f])"
_ESCAPE: Final = r"(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4})"
"""Before a mark in raw JSON there may be an escape, which ends with a letter."""
_SPACE: Final = r"(?:[\s+,\u00a0]|%20|%2C|\\[nrt]|\\u00a0){1,3}"
_SEPARATOR: Final = r"(?:[\s().\-/\u00a0\u2010-\u2015]|%(?:20|28|29|2F|2D)){0,3}"
_NUMBER_MAX: Final = 10**15
_RUN: Final = re.compile(r"[a-z0-9]{3,}")
_NO_DIGITS: Final = bytes(byte for byte in range(256) if not 48 <= byte <= 57)  # noqa: PLR2004  # 0 to 9
_ID: Final = re.compile(rb"(?:rec|sub|cnv)_[0-9A-HJKMNP-TV-Z]{26}")


class Marks(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """E-mails, phones and names that are one person's, and nobody else's."""

    emails: tuple[str, ...] = ()
    """As contacts have them: in lower case, with an ASCII domain."""
    phones: tuple[str, ...] = ()
    """In E.164."""
    names: tuple[str, ...] = ()
    """Of several words each."""
    lesser: tuple[str, ...] = ()
    """Single words and names that others have, too. They are looked for only in what leads to the person."""


def ids_in(text: bytes) -> set[str]:
    """The ids of records, submissions and conversations in *text*."""
    return {found.decode() for found in _ID.findall(text)}


class Scrubber:
    """Finds marks in texts, and takes them out.

    Case does not matter, nor how a phone number is written, nor the order of two names; in addresses of pages
    marks may be percent-encoded. What only contains a mark, such as a longer e-mail address, is none.
    """

    def __init__(self, marks: Marks, *, linked: bool) -> None:
        """*linked*: whether the texts are of something that leads to the person."""
        patterns = [
            *map(_email, marks.emails),
            *map(_phone, marks.phones),
            *map(_words, marks.names),
            *(_words(word) for word in marks.lesser if linked),
        ]
        self._pattern = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None
        self._points = tuple(point.casefold() for point in (*marks.emails, *marks.phones))
        words = [*(email.partition("@")[0] for email in marks.emails), *marks.names]
        anchors = [_anchor(word) for word in (*words, *(marks.lesser if linked else ()))]
        self._anchors = None if None in anchors else tuple(dict.fromkeys(filter(None, anchors)))
        """What is in every text with a mark that is no phone; None where that cannot be said."""
        self._numbers = tuple(_national(phone).encode() for phone in marks.phones)

    def finds(self, text: str) -> bool:
        """Whether a mark is in *text*, which may be JSON."""
        return self._pattern is not None and self._may_find(text) and self._pattern.search(text) is not None

    def _may_find(self, text: str) -> bool:
        """False only if no mark is in *text*. Most texts have none, and the pattern takes far longer."""
        if self._anchors is None:
            return True
        folded = text.lower()
        if any(anchor in folded for anchor in self._anchors):
            return True
        if not self._numbers:
            return False
        # Percent-encoding puts digits between those of a number.
        digits = text.encode(errors="replace").translate(None, _NO_DIGITS)
        return "%" in text or any(number in digits for number in self._numbers)

    def text(self, text: str) -> str:
        """*text* with `ERASED` for each mark."""
        return text if self._pattern is None else self._pattern.sub(ERASED, text)

    def code(self, code: str) -> str:
        """`ERASED` for a code that a program has made with an e-mail or a phone in it, such as a key."""
        folded = code.casefold()
        return ERASED if any(point in folded for point in self._points) else self.text(code)

    def json(self, value: Any) -> Any:
        """*value* with `ERASED` for each mark in its texts, and for each number that is one."""
        match value:
            case str():
                return self.text(value)
            case bool():
                return value
            case int() if abs(value) < _NUMBER_MAX:
                return ERASED if self.text(str(value)) == ERASED else value
            case list() | tuple():
                return [self.json(item) for item in value]
            case dict():
                return {self.json(name): self.json(item) for name, item in value.items()}
            case _:
                return value


@lru_cache(maxsize=16)
def scrubber(marks: Marks, *, linked: bool) -> Scrubber:
    """The scrubber of *marks*, cached: each unit of an erasure has the same."""
    return Scrubber(marks, linked=linked)


def is_mark(name: str) -> bool:
    """Whether *name* may be looked for everywhere: it has several words, and some length."""
    return len(name) >= MARK_CHARS_MIN and len(name.split()) > 1


def _email(email: str) -> str:
    local, _, domain = email.rpartition("@")
    written = _forms([local], _literal)
    domains = _forms([domain, *_in_unicode(domain)], _literal)
    return rf"(?:(?<![\w.+-])|{_PERCENT}|{_ESCAPE})(?:{written})(?:@|%40)(?:{domains})(?![\w-]|\.\w)"


def _anchor(text: str) -> str | None:
    """The longest run of ASCII letters and digits in *text*, which no encoding changes, in lower case."""
    return max(_RUN.findall(text.lower()), key=len, default=None)


def _national(phone: str) -> str:
    """The digits that every way to write a phone number has, in this order."""
    import phonenumbers  # noqa: PLC0415  # 0.8 MiB, for those alone who erase

    try:
        return phonenumbers.national_significant_number(phonenumbers.parse(phone))
    except phonenumbers.NumberParseException:
        return phone.strip("+")


def _phone(phone: str) -> str:
    import phonenumbers  # noqa: PLC0415  # as above

    try:
        parsed = phonenumbers.parse(phone)
    except phonenumbers.NumberParseException:
        return rf"(?<!\d){re.escape(phone)}(?!\d)"
    national = phonenumbers.national_significant_number(parsed)
    if len(national) < PHONE_DIGITS_MIN:
        return rf"(?<!\d){re.escape(phone)}(?!\d)"
    country = _SEPARATOR.join(str(parsed.country_code))
    trunk = rf"(?:\(0\){_SEPARATOR}|0{_SEPARATOR})?"
    prefix = rf"(?:(?:\+|%2B|00)?{_SEPARATOR}{country}{_SEPARATOR}{trunk}|0{_SEPARATOR})?"
    return rf"(?:(?<![\w+])|{_PERCENT}|{_ESCAPE}){prefix}{_SEPARATOR.join(national)}(?!\d)"


def _words(name: str) -> str:
    words = name.split()
    orders = [words] if len(words) == 1 else [words, [words[-1], *words[:-1]]]
    written = "|".join(_SPACE.join(f"(?:{_forms([word], _literal)})" for word in order) for order in orders)
    return rf"(?:(?<!\w)|{_PERCENT}|{_ESCAPE})(?:{written})(?!\w)"


def _forms(texts: Iterable[str], literal: Callable[[str], Iterator[str]]) -> str:
    return "|".join(dict.fromkeys(form for text in texts for form in literal(text)))


def _literal(text: str) -> Iterator[str]:
    """*text* as it may be written: composed or not, in JSON with escapes, percent-encoded."""
    for composed in dict.fromkeys((text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD")))):
        yield re.escape(composed)
        for escaped in (json.dumps(composed)[1:-1], json.dumps(composed, ensure_ascii=False)[1:-1]):
            yield re.escape(escaped)
        encoded = "".join(
            char if char.isascii() and (char.isalnum() or char in "-._~") else _percent(char)
            for char in composed
        )
        yield re.escape(encoded)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


def _in_unicode(domain: str) -> list[str]:
    try:
        return [domain.encode("ascii").decode("idna")]
    except UnicodeError:
        return []
