"""What holds for all tests."""

import gc
import os
import sys

from hypothesis import settings

# What Python has compiled is kept, also for the programs that tests start: there are about a hundred, and
# compiling is half of what the start of one costs. Some machines are set to keep nothing.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Until all tests are collected, hardly anything that is made is garbage.
gc.disable()

# The same examples in every run and on every machine, however busy it is.
settings.register_profile("svc", deadline=None, derandomize=True)
settings.load_profile("svc")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a test of another program waits for it, and so leaves a core idle."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_finish() -> None:
    """Look for garbage from here on, and as `svc run` does: never among what was imported or collected.

    That is millions of objects, and to walk over them again and again took a quarter of all the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()
