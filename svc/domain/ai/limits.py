"""Limits of the AI gateway. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import MINUTE_MS, SECOND_MS

AI_BODY_BYTES_MAX: Final = 10_000_000
AI_BODIES_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bodies of calls under way, and whole answers as they come, together; one organization has half."""
AI_ERROR_BYTES_MAX: Final = 64 * 1024
"""A provider's error that passes as it is. Ours: a larger one is no error that a client expects."""
AI_KEPT_CONNECTIONS_MAX: Final = 100
"""Idle connections to providers. Ours."""
AI_KEPT_CONNECTIONS_PER_ORIGIN_MAX: Final = 20
"""Idle connections to one provider. Ours."""
AI_CHOICES_MAX: Final = 128
"""Answers that one request may ask for, `n`, and that a provider may give."""
AI_MODEL_ID_CHARS_MAX: Final = 200
AI_ATTACHMENT_TOKENS: Final = 4_096
"""Tokens that the upper bound takes for each attachment, instead of the bytes of its data."""
AI_OUTPUT_TOKENS_ASSUMED: Final = 16_384
"""Tokens of a completion that the upper bound takes where the request names no limit and only an own provider
knows the model. Ours: most models stop before."""
AI_TOKENS_MAX: Final = 1_000_000_000
"""Tokens of one side of a call; a usage of more counts as that. Ours: absurd ones must not overflow sums."""
AI_PRICE_CREDITS_MAX: Final = 10_000
"""The largest price, in credits per million tokens. Ours."""
AI_BALANCE_CREDITS_MAX: Final = 1_000_000_000
"""Credits of one organization. Ours: in micro-credits still exact as a double, as clients may parse it."""
AI_EVENT_BYTES_MAX: Final = 1024 * 1024
"""One event of a streamed answer."""
AI_ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
AI_SILENCE_MS: Final = 15 * SECOND_MS
"""After so long without an event, a comment is sent into a stream."""
AI_READ_ON_MS: Final = 10 * SECOND_MS
"""How long an answer that has finished is read on for its usage, where the client left in between."""
AI_READ_ON_BYTES_MAX: Final = 64 * 1024
"""How much of it is read on."""
AI_REST_MS: Final = 5 * SECOND_MS
"""How long a provider that cannot take more is asked last, unless it says how long itself."""
AI_REST_MS_MAX: Final = MINUTE_MS
"""How much of a provider's `Retry-After` it rests."""
AI_PROVIDERS_MAX: Final = 20
"""Own providers of one organization. Ours."""
AI_PROVIDER_MODELS_MAX: Final = 500
"""Models of one own provider. Ours: the largest have some hundreds."""
AI_PROVIDER_KEY_CHARS_MAX: Final = 1_000
AI_KEY_LOOKED_FOR_CHARS_MIN: Final = 20
"""A provider's key is looked for in answers from so many characters on. Ours: those that are given out have
more, and a shorter one may be a word, put where a server of one's own asks for none."""
AI_MODELS_NAMED_MAX: Final = 500
"""Models that a key, or an organization, may be restricted to. Ours."""
AI_NOTE_CHARS_MAX: Final = 500
"""The note of an entry in the ledger. Ours."""
AI_USAGE_ROWS_MAX: Final = 1_000
"""Rows of one report of usage. Ours."""
AI_USAGE_DAYS_MAX: Final = 366
"""Days that one report of usage goes back. Ours."""
AI_SETTLEMENTS_KEPT_MAX: Final = 10_000
"""Settlements of calls that reserved nothing that are kept while the store refuses them. Ours: of the others
there are never more than calls under way."""
AI_TRIAL_CHARS_MAX: Final = 2_000
"""What a model is asked when it is tried at the screen. Ours."""
AI_TRIAL_COMPLETION_TOKENS_MAX: Final = 512
"""How long its answer may be then. Ours."""
