"""Detection of payment card numbers: 13 to 19 digits that pass Luhn's check, as a value or in a text."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from svc.domain.scalars import Scalar

REMOVED: Final = "[removed]"
"""The replacement of a card number in a text."""

CARD_DIGITS_MIN: Final = 13
"""A shorter text has no card number in it."""
_DIGITS_MAX: Final = 19
_PARTS: Final = r"[\s.\u00ad\u200b-\u200f\u2060\ufeff\u2010-\u2015/_-]"
"""Separators between digits: spaces, dots, dashes, slashes, and invisible characters."""
_CARD: Final = re.compile(rf"{_PARTS}*\d(?:{_PARTS}{{0,3}}\d){{12,18}}{_PARTS}*")
_CARD_MIN: Final = 10 ** (CARD_DIGITS_MIN - 1)
_CARD_END: Final = 10**_DIGITS_MAX
_DOUBLED: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
"""A digit twice, and the digits of that added up."""

# Possessive, so that a text of nothing but digits and dashes does not backtrack.
_RUN: Final = re.compile(rf"\d++(?:{_PARTS}{{1,3}}+\d++)*+")
_WHOLE_CHARS_MAX: Final = _DIGITS_MAX + 3 * (_DIGITS_MAX - 1)
_LIKELY: Final = re.compile(
    rf"\d{{13}}|(?<!\d)\d{{4}}{_PARTS}{{1,3}}(?:\d{{6}}|\d{{4}}{_PARTS}{{1,3}}\d{{4}}(?!\d))"
)
"""A cheap test that every card number in a longer run passes, and most other runs fail."""
_GROUP: Final = re.compile(r"\d+")
_FOUR: Final = 4
_FIRST_GROUP: Final = range(4, 7)
_NEXT_GROUP: Final = range(3, 7)
_DATE_AND_TIME: Final = re.compile(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?:\d{3})?"
)
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
_IBAN_HEAD_CHARS: Final = 4
_IBAN_REST_CHARS_MIN: Final = 11

_Span = tuple[int, int]


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


def without_cards(text: str) -> tuple[str, int]:
    """*text* with `[removed]` in place of card numbers, and their number.

    Inside a text more digits stand beside one another than on a card, so a card number is one that stands
    free and is written in one piece or grouped as cards are. Phone numbers with a plus or a zero in front,
    dates, bank accounts (IBAN) and longer numbers are none, whatever Luhn's check says of a part of them.
    """
    spans = [
        span
        for run in _RUN.finditer(text)
        if CARD_DIGITS_MIN <= run.end() - run.start() <= _WHOLE_CHARS_MAX or _LIKELY.search(text, *run.span())
        for span in _cards_in(text, [group.span() for group in _GROUP.finditer(text, *run.span())])
    ]
    if spans:
        accounts = list(_accounts_in(text))
        spans = [span for span in spans if not any(begin <= span[0] < end for begin, end in accounts)]
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], REMOVED]
        at = end
    return "".join([*parts, text[at:]]) if spans else text, len(spans)


def _cards_in(text: str, groups: Sequence[_Span]) -> Iterator[_Span]:
    """The spans of card numbers among these *groups* of digits, which only separators part."""
    if _is_grouped([end - start for start, end in groups]) and _is_card(text, groups):
        yield groups[0][0], groups[-1][1]
        return
    place = 0
    while place < len(groups):
        taken = _fours(text, groups, place)
        cards = [groups[place : place + 1]] if taken == 0 else _blocks(text, groups, place, taken)
        if taken == 1:
            taken, cards = _amex_or_diners(text, groups, place)
        if cards and all(_is_card(text, card) for card in cards) and not _is_fraction(text, groups, place):
            yield from ((card[0][0], card[-1][1]) for card in cards)
        place += max(1, taken)


def _is_grouped(sizes: Sequence[int]) -> bool:
    """Whether groups of these sizes, which nothing stands beside, may be a card's: no date's are, say."""
    if len(sizes) == 1 or set(sizes) == {1}:
        return True
    return sizes[0] in _FIRST_GROUP and set(sizes[1:-1]) <= set(_NEXT_GROUP)


def _fours(text: str, groups: Sequence[_Span], place: int) -> int:
    """How many groups of four digits stand from *place* on, all parted alike."""
    parted = None
    at = place
    while at < len(groups) and groups[at][1] - groups[at][0] == _FOUR:
        if at > place:
            between = text[groups[at - 1][1] : groups[at][0]]
            parted = parted or between
            if between != parted:
                break
        at += 1
    return at - place


def _blocks(text: str, groups: Sequence[_Span], place: int, fours: int) -> list[Sequence[_Span]]:
    """The numbers of four times four digits that so many groups are; none where it is a longer number."""
    if fours % _FOUR:
        return []
    blocks = [groups[at : at + _FOUR] for at in range(place, place + fours, _FOUR)]
    longer = groups[place + fours - _FOUR : place + fours + 1]
    if len(longer) > _FOUR and longer[-1][1] - longer[-1][0] < _FOUR and _is_card(text, longer):
        blocks[-1] = longer  # of 17 to 19 digits
    return blocks


def _amex_or_diners(text: str, groups: Sequence[_Span], place: int) -> tuple[int, list[Sequence[_Span]]]:
    card = groups[place : place + 3]
    fits = tuple(end - start for start, end in card) in {(4, 6, 5), (4, 6, 4)} and _is_card(text, card)
    return (3, [card]) if fits else (1, [])


def _is_fraction(text: str, groups: Sequence[_Span], place: int) -> bool:
    """Whether the digits at *place* are those behind a decimal point."""
    return place > 0 and text[groups[place - 1][1] : groups[place][0]] == "."


def _is_card(text: str, groups: Sequence[_Span]) -> bool:
    """Whether these groups stand free, with the digits of a card number."""
    start, end = groups[0][0], groups[-1][1]
    if not CARD_DIGITS_MIN <= sum(end - start for start, end in groups) <= _DIGITS_MAX:
        return False
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if _is_latin(before) or _is_latin(after) or before == "+" or after == "@":
        return False
    digits = [int(char) for start, end in groups for char in text[start:end]]
    return digits[0] > 0 and _passes_luhn(digits) and not _DATE_AND_TIME.fullmatch("".join(map(str, digits)))


def _is_latin(char: str) -> bool:
    """Whether *char* is a letter that digits make one word with; in Japanese, say, words are not parted."""
    return char.isascii() and char.isalpha()


def _accounts_in(text: str) -> Iterator[_Span]:
    """The spans of IBANs in *text*, by the check digits of ISO 7064 MOD 97-10."""
    for match in _IBAN.finditer(text):
        # The text after an IBAN may look like more of it, so each length is tried: the longest valid wins.
        head = _base_36(match[0][:_IBAN_HEAD_CHARS])
        remainder, end = 0, None
        chars = ((place, text[place]) for place in range(match.start() + _IBAN_HEAD_CHARS, match.end()))
        for many, (place, char) in enumerate((pair for pair in chars if pair[1].isalnum()), start=1):
            remainder = int(f"{remainder}{_base_36(char)}") % 97
            if many >= _IBAN_REST_CHARS_MIN and int(f"{remainder}{head}") % 97 == 1:
                end = place + 1
        if end is not None:
            yield match.start(), end


def _base_36(chars: str) -> str:
    """Letters as the numbers from 10 to 35, digits as they are."""
    return "".join(str(int(char, 36)) for char in chars)


def _passes_luhn(digits: list[int]) -> bool:
    """Luhn's check (ISO/IEC 7812-1, annex B): from the right, every second digit counts twice."""
    return (sum(digits[-1::-2]) + sum(_DOUBLED[digit] for digit in digits[-2::-2])) % 10 == 0
