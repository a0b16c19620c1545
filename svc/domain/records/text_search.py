"""Full-text search: the words that a record is indexed under, and the score of a match."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from svc.domain.records.limits import (
    SEARCH_CHARS_MAX,
    SEARCH_PREFIX_CHARS_MIN,
    SEARCH_WORDS_MAX,
    SEARCHED_WORD_CHARS_MAX,
    SEARCHED_WORDS_MAX,
)
from svc.domain.records.sort_keys import fold

_WORD: Final = re.compile(rf"[^\W_]{{1,{SEARCHED_WORD_CHARS_MAX}}}")
"""A word; a longer run of letters counts as several."""
_BETWEEN: Final = "\n"
_WHOLE: Final = 8
_FIRST_PROPERTY: Final = 4
_FIRST_WORD: Final = 2


def words(text: str) -> list[str]:
    """The words of *text*: letters and digits, without case and accents."""
    text = fold(text)
    if not text.isascii():
        text = "".join(
            char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char)
        )
    return _WORD.findall(text)


def texts(slugs: Iterable[str], values: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a record in the properties *slugs*."""
    for slug in slugs:
        value = values.get(slug)
        if isinstance(value, list):
            yield from value
        elif value is not None:
            yield str(value)


def words_of(slugs: Iterable[str], values: Mapping[str, Any]) -> list[str]:
    """The distinct words that a record is indexed under, in the order of the properties."""
    distinct = list(dict.fromkeys(words(_BETWEEN.join(texts(slugs, values)))))
    return distinct[:SEARCHED_WORDS_MAX]


class SearchTerms(NamedTuple):
    """Words that must all match; the last may match as a prefix."""

    words: tuple[str, ...]
    prefix: bool


def sought(query: str) -> SearchTerms:
    """Parse *query*; no words means no matches. It has no operators."""
    distinct = tuple(islice(dict.fromkeys(words(query[:SEARCH_CHARS_MAX])), SEARCH_WORDS_MAX))
    return SearchTerms(distinct, prefix=bool(distinct) and len(distinct[-1]) >= SEARCH_PREFIX_CHARS_MIN)


def fit(looked_for: SearchTerms, slugs: Sequence[str], values: Mapping[str, Any]) -> int | None:
    """The score of a record, higher is better; None when it does not match.

    A whole word counts more than a prefix, a word of the first property more than one
    elsewhere, and the first word of a text more than the others.
    """
    best = dict.fromkeys(looked_for.words, 0)
    for place, slug in enumerate(slugs):
        for text in texts([slug], values):
            for position, word in enumerate(words(text)):
                for wanted in looked_for.words:
                    whole = word == wanted
                    if whole or (
                        looked_for.prefix and wanted == looked_for.words[-1] and word.startswith(wanted)
                    ):
                        points = 1 + _WHOLE * whole + _FIRST_PROPERTY * (place == 0)
                        best[wanted] = max(best[wanted], points + _FIRST_WORD * (position == 0))
    return sum(best.values()) if all(best.values()) else None
