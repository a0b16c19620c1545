"""Scalars: single JSON values, as a form's fields have them, and as text."""

Scalar = str | int | float | bool | None


def text_of(value: Scalar) -> str:
    """A value as people write it: `yes` and `no` for booleans, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)
