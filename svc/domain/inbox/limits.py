"""Limits of inboxes. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS

CONVERSATION_SEARCH_CHARS_MIN: Final = 2
CONVERSATION_SEARCH_CHARS_MAX: Final = 200
SEARCHED_CONTACTS_MAX: Final = 500
"""Contacts with the words of a search whose conversations are looked up. Ours."""
SEARCHED_CONVERSATIONS_MAX: Final = 10_000
"""Conversations in whose messages a search looks, the latest first. Ours: names and addresses are looked for
in all of them."""
SEARCHED_MESSAGES_MAX: Final = 200
"""Messages of each of them in which it looks, the newest first. Ours."""
LAST_WORDS_CHARS_MAX: Final = 200
"""Of the last message, in a list."""
UNREAD_MAX: Final = 99
"""Unread messages of a conversation are counted up to this. Ours: more say nothing more."""
UNREAD_EXAMINED_MAX: Final = 200
"""Messages of a conversation among which unread ones are counted, the newest first. Ours: a list counts them
for each of its lines."""
UNREAD_CONVERSATIONS_EXAMINED_MAX: Final = 500
"""Open conversations of a member among which those with unread messages are counted, those that came up last
first, and as many that nobody looks after. Ours: every page of the screens asks for the count."""
CONVERSATION_NOTE_CHARS_MAX: Final = 10_000
MENTIONS_MAX: Final = 20
DRAFT_CHARS_MAX: Final = 16_000
DRAFT_LIFE_MS: Final = 30 * DAY_MS
"""After it was last saved."""
TEMPLATE_NAME_CHARS_MAX: Final = 100
TEMPLATE_CHARS_MAX: Final = 4_000
TEMPLATES_MAX: Final = 500
"""Saved replies of one organization, shared ones and those of its members."""
PRESENCE_SECONDS: Final = 30
"""How long somebody counts as looking at a conversation after their page last said so. Ours."""
PRESENCES_MAX: Final = 10_000
"""Open pages of conversations that the installation remembers at once. Ours: some for each member."""
