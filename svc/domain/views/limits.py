"""Limits of views. Docs and contract show these.

Sources: the contract's table of limits; where it is silent, the choice is ours and the line says why.
"""

from typing import Final

VIEWS_MAX: Final = 1_000
"""Saved views of one organization. Ours: some for each person."""
VIEW_INPUT_BYTES_MAX: Final = 8_192
"""What the list of a view is asked, as JSON. Ours: many filters."""
