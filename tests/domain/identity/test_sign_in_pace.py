"""How fast sign-ins may be tried: by the pair of account and address, and by each alone."""

import pytest

from svc.domain.identity.limits import (
    ACCOUNT_FAILURES_MAX,
    ACCOUNT_SPACING_MS,
    ADDRESS_FAILURES_MAX,
    ADDRESS_SPACING_MS,
    PAIR_FAILURES_MAX,
    SIGN_IN_WINDOW_MS,
)
from svc.domain.identity.sign_in_pace import SignInPace

NOW = 1_800_000_000_000


def guess(pace: SignInPace, until: int, *, accounts: int, addresses: int, every_ms: int) -> int:
    """How many guesses get through from *addresses*, at so many accounts, one *every_ms* until then."""
    let_in = 0
    for number, at in enumerate(range(NOW, until, every_ms)):
        account, address = f"account {number % accounts}", f"address {number % addresses}"
        if pace.next_try_at(account, address, at) is None:
            pace.add(account, address, at)
            let_in += 1
    return let_in


def test_a_pair_is_stopped_and_no_other() -> None:
    """Ten tries, then none until they are a quarter of an hour old; other pairs do not wait."""
    pace = SignInPace()

    assert PAIR_FAILURES_MAX == guess(pace, NOW + SIGN_IN_WINDOW_MS, accounts=1, addresses=1, every_ms=1_000)
    assert NOW + SIGN_IN_WINDOW_MS == pace.next_try_at("account 0", "address 0", NOW + 10_000)
    assert pace.next_try_at("account 0", "address 1", NOW + 10_000) is None
    assert pace.next_try_at("account 1", "address 0", NOW + 10_000) is None
    assert pace.next_try_at("account 0", "address 0", NOW + SIGN_IN_WINDOW_MS) is None


def test_an_account_is_slowed_down_from_however_many_addresses() -> None:
    """Fifty, and then one in thirty seconds."""
    let_in = guess(SignInPace(), NOW + SIGN_IN_WINDOW_MS, accounts=1, addresses=100_000, every_ms=10)

    spaced = SIGN_IN_WINDOW_MS // ACCOUNT_SPACING_MS
    assert ACCOUNT_FAILURES_MAX + spaced - 1 <= let_in <= ACCOUNT_FAILURES_MAX + spaced


def test_an_address_is_slowed_down_at_however_many_accounts() -> None:
    """Two hundred, and then one in five seconds."""
    let_in = guess(SignInPace(), NOW + SIGN_IN_WINDOW_MS, accounts=100_000, addresses=1, every_ms=10)

    spaced = SIGN_IN_WINDOW_MS // ADDRESS_SPACING_MS
    assert ADDRESS_FAILURES_MAX + spaced - 1 <= let_in <= ADDRESS_FAILURES_MAX + spaced


def test_successes_wash_no_failures_away() -> None:
    """Neither a thousand of them, nor those that are tried while failures are spaced."""
    pace = SignInPace()
    guess(pace, NOW + ACCOUNT_FAILURES_MAX, accounts=1, addresses=ACCOUNT_FAILURES_MAX, every_ms=1)
    at = NOW
    for _ in range(SIGN_IN_WINDOW_MS // ACCOUNT_SPACING_MS - 1):
        at += ACCOUNT_SPACING_MS
        for _ in range(30):
            pace.add("account 0", "home", at)
            pace.take_back("account 0", "home", at)
        pace.add("account 0", "elsewhere", at)

        assert at + ACCOUNT_SPACING_MS == pace.next_try_at("account 0", "anywhere", at)


def test_the_pace_is_read_back() -> None:
    """Failures in any order make the pace that they had made."""
    failures = [("a", "b", NOW + number) for number in range(PAIR_FAILURES_MAX)]

    assert NOW + SIGN_IN_WINDOW_MS == SignInPace(reversed(failures)).next_try_at("a", "b", NOW + 100)


@pytest.mark.parametrize("ahead_ms", [0, 1, 10 * SIGN_IN_WINDOW_MS])
def test_a_clock_that_was_ahead_lengthens_no_wait(ahead_ms: int) -> None:
    """A failure of the future counts as one of now."""
    pace = SignInPace(("a", f"address {number}", NOW + ahead_ms) for number in range(ACCOUNT_FAILURES_MAX))

    assert NOW + ACCOUNT_SPACING_MS == pace.next_try_at("a", "another", NOW)


def test_attacks_do_not_add_up() -> None:
    """Names that are no longer tried are forgotten: ten attacks take no more memory than two."""
    pace, largest = SignInPace(), 0
    for attack in range(10):
        for number in range(2_000):
            at = NOW + attack * 2 * SIGN_IN_WINDOW_MS + number
            pace.add(f"account {attack} {number}", f"address {attack} {number}", at)
            largest = max(largest, len(pace))

    assert 2 * 3 * 2_048 >= largest
