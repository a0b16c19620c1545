"""Limits of sites. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import MINUTE_MS

SITES_MAX: Final = 100
"""Sites that one organization tracks. Ours: a list of them is answered whole."""
SITE_LABELS_MAX: Final = 10
"""Labels of a site's domain. Ours: a page view is looked up under so many domains, however long its host."""
VISITS_SHOWN_MAX: Final = 50
"""Latest page views before a submission that are shown with it. Ours."""
VISIT_BODY_BYTES_MAX: Final = 4_096
VISIT_URL_CHARS_MAX: Final = 2_000
VISIT_TITLE_CHARS_MAX: Final = 300
VISITOR_KEY_DAYS: Final = 30
"""Days that a visitor's key is kept; what is older can no longer be linked to a browser."""
VISIT_WINDOW_MS: Final = MINUTE_MS
VISITOR_VISITS_MAX: Final = 60
"""Page views of one visitor at one site within `VISIT_WINDOW_MS`. Ours: faster than a person reads."""
SITE_VISITS_MAX: Final = 6_000
"""Page views of one site within `VISIT_WINDOW_MS`. Ours: 100 a second, then views are not counted."""
