"""Card numbers: whole values, and inside longer texts."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from svc.domain.forms.card_numbers import REMOVED, is_card_number, without_cards


@pytest.mark.parametrize(
    "value",
    [
        *("4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", " 4111111111111111\n"),
        *("378282246310005", "3782 822463 10005", "4222222222222", "6011000990139424", "5105105105105100"),
        *(
            "6304000000000000000"[:18] + "0",
            "４１１１１１１１１１１１１１１１",
            "4111\u00a01111\u00a01111\u00a01111",
            "4111  1111--1111.1111.",
            "4111 / 1111_1111\u20131111",
            "4111\u200b1111\u20601111\ufeff1111",
        ),
        *(4111111111111111, 378282246310005, 4222222222222, 4111111111111111.0),
    ],
)
def test_a_card_number_is_known_by_its_check_digit(value: str | float) -> None:
    """13 to 19 digits that pass Luhn's check are a card number, as text or as a number."""
    assert is_card_number(value)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            "4111111111111112",
            "4111    1111 1111 1111",
            "4111,1111,1111,1111",
        ),
        *(
            "411111111111",
            "41111111111111111111",
            "+4111111111111111",
            "4111111111111111x",
            "my card 4111111111111111",
        ),
        *(
            "4111 1111 1111 1111 4111 1111 1111 1111",
            "DE89370400440532013000",
            "2026-09-18",
            "1,000,000,000,000,008",
        ),
        *(
            None,
            True,
            False,
            0,
            1,
            -4111111111111111,
            4111111111111112,
            10**12 - 1,
            1e300,
            4111111111111111.5,
        ),
    ],
)
def test_other_values_are_no_card_numbers(value: str | float | None) -> None:
    """A wrong check digit, another length or anything beside the digits makes it no card number."""
    assert not is_card_number(value)


@given(st.integers(10**11, 10**18 - 1), st.sampled_from(["", " ", "-"]), st.integers(1, 4))
def test_exactly_one_check_digit_fits(body: int, separator: str, group: int) -> None:
    """Of the ten last digits one makes a card number, however its digits are grouped."""
    candidates = [f"{body}{check}" for check in range(10)]
    written = [separator.join(c[i : i + group] for i in range(0, len(c), group)) for c in candidates]
    found = [is_card_number(text) for text in written]

    expected = 1 if len(candidates[0]) >= 13 else 0
    assert expected == sum(found)
    assert found == [is_card_number(int(candidate)) for candidate in candidates]


def _with_check_digit(body: str) -> str:
    [check] = [digit for digit in "0123456789" if is_card_number(body + digit)]
    return body + check


numbers = st.from_regex(r"[1-9][0-9]{11,17}", fullmatch=True).map(_with_check_digit)
separators = st.sampled_from([" ", "-", ".", " - ", "\u2013", "\u00a0", "\u200b", "/", "_"])
around = st.text(st.characters(exclude_categories=["Nd", "Cs"]), max_size=20)


def _is_apart(before: str, after: str) -> bool:
    """Whether digits between the two are no part of a word, of a phone number or of an e-mail address."""
    return not re.search(r"[A-Za-z+]$", before) and not re.match(r"[A-Za-z@]", after)


@given(before=around, after=around, number=numbers)
def test_a_card_number_is_cut_out_of_any_text(before: str, after: str, number: str) -> None:
    """In one piece, of every length, and all around it stays."""
    assume(_is_apart(before, after))
    assume(not re.match(r"(19|20)[0-9]{12}([0-9]{3})?$", number))

    assert (before + REMOVED + after, 1) == without_cards(before + number + after)


@given(before=around, after=around, number=numbers, separator=separators)
def test_a_number_grouped_as_on_cards_is_cut_out_of_any_text(
    before: str, after: str, number: str, separator: str
) -> None:
    """Groups of four, or four, six and five, whatever parts them."""
    assume(_is_apart(before, after) and len(number) >= 15)
    sizes = [4, 6, 5] if len(number) == 15 else [4, 4, 4, 4, 3]
    ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    groups = [number[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    written = separator.join(filter(None, groups))

    assert (before + REMOVED + after, 1) == without_cards(before + written + after)


@given(st.from_regex(r"[0-9]{20,40}", fullmatch=True), around, around)
def test_a_longer_number_is_no_card(number: str, before: str, after: str) -> None:
    """Whatever Luhn's check says of a part of it."""
    assert (before + number + after, 0) == without_cards(before + number + after)


@given(number=numbers, wrong=st.integers(1, 9), before=around, after=around)
def test_a_number_with_a_wrong_check_digit_stays(number: str, wrong: int, before: str, after: str) -> None:
    """As order numbers are."""
    other = number[:-1] + str((int(number[-1]) + wrong) % 10)

    assert (before + other + after, 0) == without_cards(before + other + after)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_is_kept_but_for_its_cards(text: str) -> None:
    """What is cut out are numbers, and all else stands as it stood."""
    rest, cut = without_cards(text)

    assert rest.count(REMOVED) == text.count(REMOVED) + cut
    assert cut or rest == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("4111 1111 1111 1111 12/27 123", f"{REMOVED} 12/27 123"),
        ("Visa: 4111-1111-1111-1111, CVC 123.", f"Visa: {REMOVED}, CVC 123."),
        ("4111111111111111;378282246310005", f"{REMOVED};{REMOVED}"),
        ("4111 1111 1111 1111 5500 0055 5555 5559", f"{REMOVED} {REMOVED}"),
        ("2 lamps 4111 1111 1111 1111", f"2 lamps {REMOVED}"),
        ("12 4111 1111 1111 1111", f"12 {REMOVED}"),
        ("3782 822463 10005 0170 1234567", f"{REMOVED} 0170 1234567"),
        ("6304 0000 0000 0000 000 ok", f"{REMOVED} ok"),
        ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", REMOVED),
        ("カード4111111111111111です", f"カード{REMOVED}です"),
        ("４１１１ １１１１ １１１１ １１１１!", f"{REMOVED}!"),
        ("4111\n1111\n1111\n1111\nAda", f"{REMOVED}\nAda"),
    ],
)
def test_cards_are_cut_out_as_people_write_them(text: str, rest: str) -> None:
    """With the date and the code behind them, several of them, over several lines."""
    assert (rest, rest.count(REMOVED)) == without_cards(text)


OTHERS = [
    *(
        "+49 170 1234567",
        "+4911111111111111",
        "00491111111111111",
        "0049 1111 1111 1111",
        "(+4111111111111111)",
    ),
    *("DE89 3704 0044 0532 0130 00", "de89370400440532013000", "GB82 WEST 1234 5698 7654 32"),
    *("2026-09-18 - 2026-09-25", "18.09.2026 / 25.09.2026", "20260918 20260925", "20260918123000"),
    *("a3f4111111111111111", "ORD4111111111111111", "4111111111111111b", "4111111111111111@example.com"),
    *(
        "1234 5678 9012 3456 7890 1234",
        "4111 1111 1111 1111 2222",
        "0.4111111111111111",
        "52.4111111111111111",
    ),
    *("555 1234 555 1234", "030 1234 5678 9012", "1.000.000.000.008", "[removed]", ""),
]


@pytest.mark.parametrize("text", OTHERS)
def test_other_numbers_stay(text: str) -> None:
    """Phone numbers, bank accounts, dates, ids, addresses, fractions: though a part may pass Luhn's check."""
    assert (text, 0) == without_cards(text)
    assert (f"a {text} b", 0) == without_cards(f"a {text} b")


@given(st.integers(0, 10**18 - 1), st.sampled_from(["DE", "FR", "AT"]), st.sampled_from(["", " "]))
def test_a_bank_account_is_never_a_card(account: int, country: str, separator: str) -> None:
    """Every account that an IBAN can name, in groups of four or in one piece."""
    bban = f"{account:018}"
    check = 98 - int(bban + "".join(str(int(letter, 36)) for letter in country) + "00") % 97
    compact = f"{country}{check:02}{bban}"
    text = separator.join(compact[place : place + 4] for place in range(0, len(compact), 4))

    assert (f"IBAN {text}.", 0) == without_cards(f"IBAN {text}.")


def test_a_text_of_nothing_but_digits_takes_steps_by_its_length() -> None:
    """Digits and dashes in all the ways that could send a search back and forth."""
    for part in ("1", "1 ", "1111 ", "1111-", "1-", "12 3-", "4111 1111 1111 1111 "):
        text = (part * 64_000)[:64_000]

        rest, _ = without_cards(text)

        assert len(rest) <= len(text)
