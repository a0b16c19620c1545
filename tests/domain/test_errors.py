"""What errors say."""

from svc.domain.errors import Fault, InvalidInput


def test_a_fault_says_where_it_is_unless_it_is_the_whole():
    """What is wrong with all that was asked has no place to be named before it."""
    faults = [
        Fault("", "invalid_value", "give either id or blocks"),
        Fault("/name", "invalid_value", "empty"),
    ]

    assert "give either id or blocks; /name: empty" == str(InvalidInput(faults))
