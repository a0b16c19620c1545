"""The cause of each problem code, for its page. The part for programs is in `problems`."""

from typing import Final

from svc.domain.grants.limits import GRANTS_MAX, GRANTS_OF_PERSON_MAX
from svc.domain.identity.limits import CONFIRMATION_MS, LIVE_KEYS_MAX
from svc.domain.limits import (
    CALL_WINDOW_MS,
    IDEMPOTENCY_KEY_CHARS_MAX,
    IDEMPOTENCY_LIFE_MS,
    TOOL_BODY_BYTES_MAX,
)
from svc.domain.locale.times import HOUR_MS, SECOND_MS
from svc.http.problems.problems import Code

CAUSES: Final[dict[Code, str]] = {
    "malformed_request": "The head of the request, or the framing of its body, is broken.",
    "malformed_json": "The body is empty, ends too early, or is something else than JSON in UTF-8.",
    "unauthorized": """\
There was no token, or one that opens nothing. An unknown, a revoked and an expired key, a key whose
maker was deactivated, and no key at all are answered in the same way to the byte, so that nobody
learns which keys there are.""",
    "wrong_credentials": "E-mail and password do not fit each other, or the link was used or is too old.",
    "forbidden": """\
We know who asks, and that one may not do this. Usual reasons:

- the key's role, or that of the person who made it, lacks the permission that `detail` names
- the key was made for other tools, or for the AI gateway alone
- the role is one that changes nothing
- of a signed-in person: the request lacks the session's CSRF token""",
    "approval_required": """\
The tool changes what is hard to undo, so it wants a person's yes. An agent asks for it with a card;
a key has nobody to ask, and is always refused.""",
    "confirmation_required": f"""\
The act needs a sign-in that is fresh, of the last {CONFIRMATION_MS // HOUR_MS} hours: it hands out
a secret.""",
    "person_only": "No key and no agent may do this, whatever its role. A person who is signed in may.",
    "plan_required": "The plan does not have this, or the hub that it belongs to is switched off.",
    "unknown_tool": """\
No tool has the name in the address. Names have a dot or an underscore between the noun and what is
done: `record.list` or `record_list`.""",
    "not_found": """\
Nothing is at the address, or what the body names by its id does not exist: never existed, was
deleted, or belongs to another organization. These are not told apart.""",
    "method_not_allowed": "The address takes another method. Tools are called with `POST`, reading ones too.",
    "too_slow": "The body did not come within the time that the server waits for one.",
    "conflict": """\
What was asked fits the rules, but not the state that things are in: a unique value is taken,
something is in use, or it was changed meanwhile. `detail` says what. Of a record that was changed since
`ifVersion`, `conflicts` has each property with your value and the one that is there now.""",
    "key_limit": f"""\
An organization has at most {LIVE_KEYS_MAX} live keys: neither revoked nor expired, and made by
somebody who may have keys. API and gateway keys count together.""",
    "grant_limit": f"""\
A person has at most {GRANTS_OF_PERSON_MAX} live grants of connected apps in an organization, and an
organization {GRANTS_MAX}. One that has ended or expired does not count, nor does that of somebody who may
have none now.""",
    "organization_required": """\
An e-mail address may have an account in each of several organizations. The password was right, and it
is that of more than one of them: `organizations` has where they are at home.""",
    "idempotency_in_progress": """\
The same call under the same `Idempotency-Key` came before, and is not over yet. It is not run
twice.""",
    "gone": """\
A tool was renamed, and the time in which its old name worked as well is over. Or a cursor of
`event.list` is older than the events that are kept, or from before a restore of an older backup.""",
    "body_too_large": f"It has more bytes than the door takes: {TOOL_BODY_BYTES_MAX:,} at the Tool API.",
    "unsupported_media_type": """\
The header `Content-Type` is missing, or names something else than JSON; or `Content-Encoding` says that
the body is compressed, which is not read here.""",
    "validation_failed": f"""\
The body is JSON and not what the tool takes: a field is missing, unknown, of another type or
against a rule, or a name stands twice in one object. `errors` has each fault with a pointer into
the body (RFC 6901). It is also the answer to an `Idempotency-Key` that is not 1 to
{IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters. Nothing was done.""",
    "idempotency_mismatch": f"""\
In the last {IDEMPOTENCY_LIFE_MS // HOUR_MS} hours this `Idempotency-Key` came with something else.
Bodies are compared as they are understood: spaces and the order of fields do not matter.""",
    "rate_limited": f"""\
The budget is spent. For calls of tools it is that of the key, within any
{CALL_WINDOW_MS // SECOND_MS} seconds; the `RateLimit-*` headers of every answer tell what is left.
Sign-ins have limits of their own.""",
    "internal": """\
Something failed that should not have. A write that is answered so may have been done, or not:
repeat it under the same `Idempotency-Key`, and it is done once.""",
    "overloaded": """\
Nothing was done, and the same may work later. `detail` says which it is:

- more came at once than can be done
- a part of the service kept failing, and is left alone for a while
- the service is shutting down
- the data cannot be written: the disk is full or fails. It does not help to ask less, and until the
  operator has made room the answer stays the same. What was answered before is safe""",
}
