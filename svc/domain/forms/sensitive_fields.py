"""Detection, by name, of fields that must not be stored: passwords, one-time codes, card details, secrets.

Names are known in the spellings and languages of `sensitive_names`. A name is read as words, so that
`cardNumber`, `card-number` and `card[number]` are the same two, while `shipping` is no PIN and `discard` no
card. Card numbers are known by their digits: see `card_numbers`.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import accumulate
from typing import Final

from svc.domain.forms import sensitive_names as names
from svc.domain.forms.card_numbers import without_cards

_NAMES_CACHED: Final = 4_096
"""Cached decisions, of at most 64 characters each: more than the fields of an installation's forms."""
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


@lru_cache(_NAMES_CACHED)
def is_sensitive_name(name: str, country: str | None = None) -> bool:
    """Whether a field called *name* holds a password, a one-time code or card details, or is a card number.

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
        or _has_phrase(telling, _PHRASES)
        or _has_phrase(telling, _CARDS, _OTHER_CARDS)
        or "".join(word for word in telling if word not in _FILLERS and not word.isdigit()) in _ALONE
        or (not unspaced.isascii() and _is_sensitive_unspaced(unspaced))
        or without_cards(name)[1]
    )


@lru_cache(_NAMES_CACHED)
def is_secret_name(name: str, country: str | None = None) -> bool:
    """Whether a field called *name* holds a person's identity number, a token, or a program's other secrets.

    *country* is the organization's (ISO 3166 alpha-2): in some languages such a name is an everyday word.
    """
    words = _words(name)
    telling = _telling(words)
    if country in _EVERYDAY_WORDS.get("".join(telling), ()):
        return False
    unspaced = "".join(words)
    return bool(
        not _SECRET_WORDS.isdisjoint(telling)
        or _has_phrase(telling, _SECRETS)
        or _has_phrase(telling, _ID_NUMBERS, _OTHER_IDS)
        or _is_a_secret(telling)
        or "".join(word for word in telling if word not in _FILLERS and not word.isdigit()) in _SECRETS_ALONE
        or (not unspaced.isascii() and _UNSPACED_SECRETS.search(unspaced))
    )


def _words(name: str) -> list[str]:
    """The words of *name* in lower case, without accents, split also at a change of case and at digits."""
    if not name.isascii():
        name = _MARKS.sub("", unicodedata.normalize("NFKD", name))
        name = unicodedata.normalize("NFC", name).translate(_LETTERS)
    return [word.casefold() for word in _WORD.findall(name)]


def _telling(words: list[str]) -> list[str]:
    """*words* without link words, and without the article that Arabic prefixes to a word."""
    return [word.removeprefix(_ARABIC_ARTICLE) for word in words if word not in _LINKS]


def _has_phrase(words: list[str], phrases: frozenset[str], unless: frozenset[str] = frozenset()) -> bool:
    """Whether consecutive *words* are one of *phrases*, with no word of *unless* next to them."""
    for start in range(len(words)):
        for length, phrase in enumerate(accumulate(words[start : start + _PHRASE_WORDS_MAX]), start=1):
            if phrase in phrases and unless.isdisjoint(words[max(0, start - 1) : start + length + 1]):
                return True
    return False


def _is_a_secret(words: list[str]) -> bool:
    """Whether *words* end in a secret's, as in `stripe_token` and `client_secret2`, and not `gift_token`."""
    plain = [word for word in words if not word.isdigit()]
    return bool(plain) and plain[-1] in _LAST_WORDS and _OTHER_SECRETS.isdisjoint(plain[-2:-1])


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
_SECRET_ENTRIES: Final = _entries(names.SECRETS) + _entries(names.IDENTITIES)
_SECRET_WORDS: Final = _joined([entry for entry in _SECRET_ENTRIES if " " not in entry])
_SECRETS: Final = _joined([entry for entry in _SECRET_ENTRIES if " " in entry])
_LAST_WORDS: Final = _joined(_entries(names.LAST_WORDS))
_OTHER_SECRETS: Final = _joined(_entries(names.OTHER_SECRETS))
_SECRETS_ALONE: Final = _joined(_entries(names.SECRETS_ALONE))
_ID_NUMBERS: Final = _joined(_entries(names.ID_NUMBERS))
_OTHER_IDS: Final = _joined(_entries(names.OTHER_IDS))
_EVERYDAY_WORDS: Final = {"dni": frozenset({"PL", "CZ", "SK", "HR", "RS", "BA", "ME", "SI", "BG"})}
"""What is an everyday word where: in Slavic languages `dni` are days, and in Spain an identity number."""
_UNSPACED_SECRETS: Final = _any_of(names.UNSPACED_SECRETS)
_UNSPACED: Final = _any_of(names.UNSPACED)
_UNSPACED_CARDS: Final = _any_of(names.UNSPACED_CARDS)
_UNSPACED_OTHER_CARDS: Final = _any_of(names.UNSPACED_OTHER_CARDS)
