"""What is left of a mail server's words."""

import pytest

from svc.domain.mail.server_words import without_what_is_repeated


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (
            "550 5.1.1 <ada@example.com>: Recipient address rejected",
            "550 5.1.1 …: Recipient address rejected",
        ),
        ("550 No such user ada here", "550 No such user … here"),
        ("552 Mailbox of Ada@Example.com, full (adamant)", "552 Mailbox of … full (adamant)"),
        ('554 "Your invoice" looks like spam', "554 … looks like spam"),
        ("451 4.7.1 Greylisted, try again in 300 seconds", "451 4.7.1 Greylisted, try again in 300 seconds"),
    ],
)
def test_the_reason_stays_and_the_recipient_goes(words: str, left: str) -> None:
    """However the server names them."""
    assert left == without_what_is_repeated(words, "ada@example.com")


def test_without_a_recipient_addresses_go_all_the_same() -> None:
    """As of a sender that is refused."""
    assert "553 … is not yours" == without_what_is_repeated("553 crm@harbour.example is not yours")
