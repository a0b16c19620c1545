"""Generated examples are the same in every run, whichever tests run beside."""

from hypothesis.internal.conjecture import providers


def test_no_constants_of_imported_modules_are_drawn():
    """They would depend on what other tests have imported."""
    assert 0 == len(providers._get_local_constants())
