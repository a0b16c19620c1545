"""Durations: ISO 8601 texts of weeks, days of 24 hours, hours, minutes and whole seconds.

Years and months have no length of their own, and fractions and signs are not for what takes time.
"""

import re
from typing import Final

MINUTE_SECONDS: Final = 60
HOUR_SECONDS: Final = 60 * MINUTE_SECONDS
DAY_SECONDS: Final = 24 * HOUR_SECONDS
WEEK_SECONDS: Final = 7 * DAY_SECONDS

_DIGITS: Final = "([0-9]{1,10})"
_ISO: Final = re.compile(
    rf"P(?=[0-9T])(?:{_DIGITS}W)?(?:{_DIGITS}D)?(?:T(?=[0-9])(?:{_DIGITS}H)?(?:{_DIGITS}M)?(?:{_DIGITS}S)?)?"
)
_SECONDS: Final = (WEEK_SECONDS, DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, 1)


def parse_duration(text: str) -> int:
    """The seconds of the duration *text*. Raises `ValueError`."""
    match = _ISO.fullmatch(text)
    if match is None:
        raise ValueError("no duration")
    return sum(int(number) * unit for number, unit in zip(match.groups(), _SECONDS, strict=True) if number)


def iso_duration(seconds: int) -> str:
    """So many *seconds* as `PT…H…M…S`, without parts that are 0; `PT0S` for none."""
    hours, minutes, rest = hours_of(seconds)
    parts = [f"{number}{unit}" for number, unit in ((hours, "H"), (minutes, "M"), (rest, "S")) if number]
    return "PT" + ("".join(parts) or "0S")


def hours_of(seconds: int) -> tuple[int, int, int]:
    """*seconds* as hours, minutes and seconds."""
    minutes, rest = divmod(seconds, MINUTE_SECONDS)
    hours, minutes = divmod(minutes, MINUTE_SECONDS)
    return hours, minutes, rest
