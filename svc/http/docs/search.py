"""Full-text search over the documentation: guides by section, tools, problems.

It uses the ranking of the tool search (`svc.tools.finding.ranking`), so the nearest result comes first even
where no page has all the words.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final, Literal, NamedTuple

from markupsafe import Markup

from svc.domain.records.text_search import words
from svc.http.docs import files, markup
from svc.http.docs.catalogue import GUIDES
from svc.http.problems.causes import CAUSES
from svc.http.problems.problems import CODES, KINDS
from svc.tools.finding.documents import document_of
from svc.tools.finding.ranking import Document, Ranking, stems
from svc.tools.registry import Registry
from svc.tools.schemas import schemas_of

HITS_MAX: Final = 24
"""Results of one search."""
_SNIPPET_CHARS: Final = 220
_CONTEXT_CHARS: Final = 40
"""Text before a hit in a snippet, where its sentence begins too far ahead."""
_WORDS_MAX: Final = 12
_PREFIX_CHARS_MIN: Final = 3
_NEAREST: Final = 3
"""Alternatives for a word that no page has."""
_SIMILARITY_MIN: Final = 0.75
_UNKNOWN_MAX: Final = 3
"""Unknown words of a query that get alternatives: each is compared with every indexed word."""
_IMPORTS: Final = re.compile(r"^(?:import|from) .*$", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W_]+")

_STOP_WORDS: Final = frozenset(words("long last use using work works get make need svc service api"))
_SYNONYMS: Final = {
    "attachment": "attachments file",
    "auth": "key sign authorization",
    "authentication": "key sign authorization",
    "cors": "origin preflight",
    "docker": "configuration environment",
    "gdpr": "personal visits kept",
    "hmac": "signature push",
    "kubernetes": "health configuration",
    "login": "sign session",
    "max": "limit most",
    "maximum": "limit most",
    "oauth": "key token",
    "page": "cursor list",
    "pagination": "cursor list limit",
    "password": "sign account",
    "privacy": "personal kept",
    "quota": "budget limit",
    "retry": "idempotency repeating",
    "size": "bytes body limit",
    "slack": "messenger bridge",
    "sdk": "client kit",
    "throttle": "rate limit budget",
    "throttling": "rate limit budget",
    "upload": "file import",
    "verify": "signature",
}
"""This documentation's words for common search terms. Tools have a vocabulary of their own."""

Kind = Literal["guide", "tool", "problem"]


class Entry(NamedTuple):
    """An indexed page or section."""

    kind: Kind
    address: str
    title: str
    within: str
    """The title of a section's page; empty for a whole page."""
    text: str


class SearchHit(NamedTuple):
    """A result, with the words of the query marked."""

    kind: Kind
    address: str
    title: Markup
    within: str
    snippet: Markup


class Index:
    """The search index. Building it takes some tenths of a second."""

    def __init__(self, registry: Registry) -> None:
        self._entries: dict[str, Entry] = {}
        documents: dict[str, Document] = {}
        for entry, document in (*_sections(), *_tools(registry), *_problems()):
            self._entries[entry.address] = entry
            documents[entry.address] = document
        self._ranking = Ranking(documents)
        self._stems = sorted(
            {stem for document in documents.values() for text in document for stem in stems(text)}
        )

    def find(self, query: str) -> list[SearchHit]:
        """Results for *query*, best first."""
        query_words = words(query)
        significant = [word for word in query_words if word not in _STOP_WORDS] or query_words
        candidates = dict.fromkeys(
            stem for word in significant for stem in stems(f"{word} {_SYNONYMS.get(word, '')}")
        )
        query_stems, unknown = set[str](), 0
        for stem in [*candidates][:_WORDS_MAX]:
            unknown += stem not in self._stems
            if unknown <= _UNKNOWN_MAX:
                query_stems.update(self._expand(stem))
        ranked = self._ranking.rank_stems(sorted(query_stems))[:HITS_MAX]
        return [_hit_of(self._entries[address], query_stems) for address in ranked]

    def _expand(self, stem: str) -> list[str]:
        """*stem* itself if it is indexed; else longer stems, or those with a similar spelling."""
        if stem in self._stems:
            return [stem]
        longer = [
            indexed for indexed in self._stems if len(stem) >= _PREFIX_CHARS_MIN and indexed.startswith(stem)
        ]
        return longer[:_NEAREST] or get_close_matches(stem, self._stems, n=_NEAREST, cutoff=_SIMILARITY_MIN)


def _sections() -> Iterator[tuple[Entry, Document]]:
    for name in files.names():
        page = markup.render(files.text_of(name), name=name)
        guide = GUIDES.get(name)
        for section in page.sections:
            whole = not section.anchor
            address = f"/docs/{name}{'' if whole else f'#{section.anchor}'}"
            entry = Entry(
                "guide", address, section.title or page.title, "" if whole else page.title, section.text
            )
            about = guide.about if guide is not None and whole else page.title
            code = _IMPORTS.sub("", section.code)
            # Decision records rank behind guides: their text has the lower weight of a description.
            text, code = (section.text, code) if guide is not None else ("", section.text)
            yield (
                entry,
                Document(
                    name=section.title if guide is not None else "",
                    noun=page.title if whole else "",
                    verb=about,
                    summary=text,
                    description=code,
                    properties="",
                ),
            )


def _tools(registry: Registry) -> Iterator[tuple[Entry, Document]]:
    for tool in registry.values():
        if tool.deprecated is None:
            entry = Entry("tool", f"/docs/api/{tool.name}", tool.name, "", tool.description)
            yield entry, document_of(tool, schemas_of(tool))


def _problems() -> Iterator[tuple[Entry, Document]]:
    for code in CODES:
        kind, cause = KINDS[code], CAUSES[code]
        text = f"{kind.title}. {cause} {kind.remedy}"
        document = Document(
            name=code, noun=kind.title, verb="", summary=cause, description=kind.remedy, properties=""
        )
        yield Entry("problem", f"/problems/{code}", code, "", text), document


def _hit_of(entry: Entry, query_stems: set[str]) -> SearchHit:
    return SearchHit(
        entry.kind,
        entry.address,
        _marked(entry.title, query_stems),
        entry.within,
        _marked(_snippet(" ".join(entry.text.replace("`", "").split()), query_stems), query_stems),
    )


def _snippet(text: str, query_stems: set[str]) -> str:
    """The part of *text* with the most hits of *query_stems* stems."""
    if len(text) <= _SNIPPET_CHARS:
        return text
    hits = [match.start() for match in _WORD.finditer(text) if _is_hit(match[0], query_stems)]
    if not hits:
        return _cut(text, 0)
    best = max(hits, key=lambda at: sum(at <= hit < at + _SNIPPET_CHARS for hit in hits))
    stop = text.rfind(". ", 0, best)
    start = stop + 2 if stop >= 0 else 0
    if best - start > _SNIPPET_CHARS // 2:
        start = text.rfind(" ", 0, best - _CONTEXT_CHARS) + 1
    return _cut(text, start)


def _cut(text: str, start: int) -> str:
    end = start + _SNIPPET_CHARS
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + 1)
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def _marked(text: str, query_stems: set[str]) -> Markup:
    """*text*, with the words of *query_stems* stems marked."""
    parts, place = [Markup()], 0
    for match in _WORD.finditer(text):
        if _is_hit(match[0], query_stems):
            parts.append(Markup("{}<mark>{}</mark>").format(text[place : match.start()], match[0]))
            place = match.end()
    return Markup().join([*parts, Markup("{}").format(text[place:])])


def _is_hit(word: str, query_stems: set[str]) -> bool:
    return any(stem in query_stems for part in words(word) for stem in stems(part))
