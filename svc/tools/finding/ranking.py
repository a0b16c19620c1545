"""Ranking: which of a few hundred descriptions fit a plain sentence.

BM25F (Robertson, Zaragoza & Taylor, "Simple BM25 Extension to Multiple Weighted Fields", 2004): the
occurrences of a word in each field of a document, weighted by field and normalized by its length, are added
up before they saturate. Words are compared by their stems (Porter 2).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from math import log
from typing import Any, Final, NamedTuple

from svc.domain.records.text_search import words
from svc.tools.finding import vocabulary

_SATURATION: Final = 8.0
"""`k1` of BM25: how soon further occurrences of a word stop counting."""
_WORDS_MAX: Final = 64
"""Words of a sentence that are looked at. Ours: what is longer is no sentence."""


class Field(NamedTuple):
    """The weight of a field, and how far its length is normalized (`b` of BM25, 0 to 1)."""

    weight: float
    length: float


class Document(NamedTuple):
    """What is ranked: the texts of its fields."""

    name: str
    noun: str
    """Synonyms of the noun."""
    verb: str
    """Synonyms of the verb."""
    summary: str
    description: str
    properties: str


_FIELDS: Final = (
    Field(6, 0.3),
    Field(4, 0.3),
    Field(2, 0.3),
    Field(1, 0.5),
    Field(0.4, 0.5),
    Field(0.3, 0.5),
)
"""Of a `Document`, in its order."""


@cache
def _english() -> Any:
    from snowballstemmer import stemmer  # noqa: PLC0415  # 3 MiB of languages, loaded at the first search

    return stemmer("english")


@lru_cache(maxsize=8_192)
def _stem(word: str) -> str:
    return str(_english().stemWord(word))


def stems(text: str) -> list[str]:
    """The stems of the words of *text*, without stop words."""
    return [_stem(word) for word in words(text) if word not in vocabulary.SILENT]


class Ranking:
    """An index of *documents*, by name."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        counted = {name: [Counter(stems(text)) for text in document] for name, document in documents.items()}
        usual = [
            sum(fields[place].total() for fields in counted.values()) / (len(counted) or 1) or 1.0
            for place in range(len(_FIELDS))
        ]
        self._presence: dict[str, dict[str, float]] = {}
        """By stem and document: saturated, weighted occurrences times the inverse document frequency."""
        for name, fields in counted.items():
            for stem in {stem for field in fields for stem in field}:
                self._presence.setdefault(stem, {})[name] = _occurrences(stem, fields, usual)
        for scores in self._presence.values():
            telling = log(1 + (len(counted) - len(scores) + 0.5) / (len(scores) + 0.5))
            for name, occurrences in scores.items():
                scores[name] = telling * occurrences / (_SATURATION + occurrences)

    def rank(self, sentence: str) -> list[str]:
        """The names of the documents that share words with *sentence*, best first."""
        return self.rank_stems(stems(sentence)[:_WORDS_MAX])

    def rank_stems(self, looked_for: Iterable[str]) -> list[str]:
        """`rank`, by stems."""
        scores: dict[str, float] = {}
        for stem in dict.fromkeys(looked_for):
            for name, score in self._presence.get(stem, {}).items():
                scores[name] = scores.get(name, 0.0) + score
        return sorted(scores, key=lambda name: (-scores[name], name))


def _occurrences(stem: str, fields: Iterable[Counter[str]], usual: Iterable[float]) -> float:
    return sum(
        field.weight * counts[stem] / (1 - field.length + field.length * counts.total() / length)
        for field, counts, length in zip(_FIELDS, fields, usual, strict=True)
    )
