"""What holds for all tests."""

from hypothesis import settings

# The same examples in every run and on every machine, however busy it is.
settings.register_profile("svc", deadline=None, derandomize=True)
settings.load_profile("svc")
