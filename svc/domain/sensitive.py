"""Fields that must never be kept: passwords, one-time codes and card details.

A field is sensitive by its name, in the spellings and languages of `sensitive_names`, or by its
value when that is a card number. A name is read as words, so that `cardNumber`, `card-number`
and `card[number]` are the same two, while `shipping` is no PIN and `discard` no card.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import accumulate
from typing import Final

from svc.domain import sensitive_names as names
from svc.domain.forms import Scalar

_NAMES_CACHED: Final = 4_096
"""Decisions kept, of at most 64 characters each: what an honest installation's forms ask for."""
_PHRASE_WORDS_MAX: Final = 5

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
# Accents of European scripts and vowel signs of Arabic; in Japanese a mark makes another letter.
_MARKS: Final = re.compile("[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0640]")
_LETTERS: Final = str.maketrans(
    {
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ı": "i",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
    }
    | {"ß": "ss", "ة": "ه", "ى": "ي"}
)
_ARABIC_ARTICLE: Final = "ال"

_PARTS: Final = r"[\s.\u00ad\u200b-\u200f\u2060\ufeff\u2010-\u2015/_-]"
"""What people and programs put between digits: spaces, dots, dashes, slashes, and what nobody sees."""
_CARD: Final = re.compile(rf"{_PARTS}*\d(?:{_PARTS}{{0,3}}\d){{12,18}}{_PARTS}*")
_CARD_MIN: Final = 10**12
_CARD_END: Final = 10**19
_DOUBLED: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
"""A digit twice, and the digits of that added up."""


@lru_cache(_NAMES_CACHED)
def is_sensitive_name(name: str, country: str | None = None) -> bool:
    """Whether a field called *name* holds a password, a one-time code or card details.

    *country* is the organization's (ISO 3166 alpha-2): in India a `pincode` is a postal code.
    """
    words = _words(name)
    telling = _telling(words)
    if country == "IN" and "".join(telling) == "pincode":
        return False
    unspaced = "".join(words)
    return bool(
        _STEMS.search(" ".join(words))
        or not _WORDS.isdisjoint(telling)
        or _has_phrase(telling)
        or "".join(word for word in telling if word not in _FILLERS and not word.isdigit()) in _ALONE
        or (not unspaced.isascii() and _is_sensitive_unspaced(unspaced))
    )


def is_card_number(value: Scalar) -> bool:
    """Whether *value* is a card number: 13 to 19 digits that pass Luhn's check, and nothing else.

    In a string up to three spaces, dots, dashes, slashes or invisible characters may part the digits.
    """
    if isinstance(value, str):
        return bool(_CARD.fullmatch(value)) and _passes_luhn(
            [int(char) for char in value if char.isdecimal()]
        )
    if isinstance(value, float) and not value.is_integer():
        return False
    if value is None or not _CARD_MIN <= value < _CARD_END:
        return False
    return _passes_luhn([int(char) for char in str(int(value))])


def _passes_luhn(digits: list[int]) -> bool:
    """Luhn's check (ISO/IEC 7812-1, annex B): from the right, every second digit counts twice."""
    return (sum(digits[-1::-2]) + sum(_DOUBLED[digit] for digit in digits[-2::-2])) % 10 == 0


def _words(name: str) -> list[str]:
    """The words of *name* in lower case, without accents, parted also by a change of case and by digits."""
    if not name.isascii():
        name = _MARKS.sub("", unicodedata.normalize("NFKD", name))
        name = unicodedata.normalize("NFC", name).translate(_LETTERS)
    return [word.casefold() for word in _WORD.findall(name)]


def _telling(words: list[str]) -> list[str]:
    """*words* without those that only link them, and without the article that Arabic writes onto a word."""
    return [word.removeprefix(_ARABIC_ARTICLE) for word in words if word not in _LINKS]


def _has_phrase(words: list[str]) -> bool:
    for start in range(len(words)):
        for length, phrase in enumerate(accumulate(words[start : start + _PHRASE_WORDS_MAX]), start=1):
            if phrase in _PHRASES:
                return True
            if phrase in _CARDS and _OTHER_CARDS.isdisjoint(words[max(0, start - 1) : start + length + 1]):
                return True
    return False


def _is_sensitive_unspaced(name: str) -> bool:
    return bool(
        _UNSPACED.search(name) or (_UNSPACED_CARDS.search(name) and not _UNSPACED_OTHER_CARDS.search(name))
    )


def _entries(table: str) -> list[str]:
    return [entry.strip() for line in table.splitlines() for entry in line.split(",") if entry.strip()]


def _joined(entries: list[str]) -> frozenset[str]:
    """Each of *entries* written as one word, with the small words in it and without."""
    split = [_words(entry) for entry in entries]
    return frozenset(
        "".join(words) for every in split for words in (_telling(every), _telling(["".join(every)]))
    )


def _any_of(table: str) -> re.Pattern[str]:
    return re.compile("|".join(re.escape("".join(_words(entry))) for entry in _entries(table)))


_LINKS: Final = frozenset(_entries(names.LINKS))
_FILLERS: Final = frozenset(_entries(names.FILLERS))
_STEMS: Final = _any_of(names.STEMS)
_WORDS: Final = _joined([entry for entry in _entries(names.NAMES) if " " not in entry])
_PHRASES: Final = _joined([entry for entry in _entries(names.NAMES) if " " in entry])
_CARDS: Final = _joined(_entries(names.CARDS))
_OTHER_CARDS: Final = _joined(_entries(names.OTHER_CARDS))
_ALONE: Final = _joined(_entries(names.ALONE))
_UNSPACED: Final = _any_of(names.UNSPACED)
_UNSPACED_CARDS: Final = _any_of(names.UNSPACED_CARDS)
_UNSPACED_OTHER_CARDS: Final = _any_of(names.UNSPACED_OTHER_CARDS)
