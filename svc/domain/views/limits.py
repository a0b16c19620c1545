"""Limits of views. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

VIEWS_MAX: Final = 1_000
"""Saved views of one organization. Ours: some for each person."""
VIEW_INPUT_BYTES_MAX: Final = 8_192
"""What the list of a view is asked, as JSON. Ours: many filters."""
