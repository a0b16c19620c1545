"""Acts of the audit trail in words: `record.create` of Ada is "created the contact Ada"."""

import re
from typing import Final, NamedTuple


class ActWords(NamedTuple):
    """What an act is called."""

    verb: str
    """In the past tense, with its preposition."""
    noun: str
    """What it was done to, as a reader calls it."""


_NOUNS: Final = {
    "ai": "AI provider",
    "apikey": "API key",
    "connection": "messenger connection",
    "message": "reply",
    "notice": "notices",
    "reply_template": "saved reply",
    "serverkey": "server key",
    "view": "saved view",
}
"""Nouns of tools that readers call otherwise; the others are words as they are."""

_VERBS: Final = {
    "create": "created",
    "create_many": "created",
    "upsert": "saved",
    "upsert_many": "saved",
    "update": "changed",
    "update_many": "changed",
    "delete_many": "deleted",
    "restore_many": "restored",
    "mint": "created",
    "set": "set",
    "run": "ran",
    "roll": "replaced",
    "agent_resume": "gave the agent back",
    "accept_many": "accepted",
}
"""Verbs of tools in the past tense, where that is not the verb and `-ed`."""

_PHRASES: Final = {
    "agent.run_stop": ActWords("stopped", "run of an agent"),
    "agent.set": ActWords("set up", "agent"),
    "ai.model_restrict": ActWords("changed which models may be run", ""),
    "ai.provider_remove": ActWords("removed", "AI provider"),
    "ai.provider_set": ActWords("set up", "AI provider"),
    "approval.ask": ActWords("asked for", "approval"),
    "connection.mint_key": ActWords("created a channel key for", "messenger connection"),
    "connection.revoke_key": ActWords("revoked a channel key of", "messenger connection"),
    "connection.rotate_secret": ActWords("made a new signing secret for", "messenger connection"),
    "file.upload": ActWords("uploaded", "file"),
    "import.cancel": ActWords("cancelled", "import"),
    "import.start": ActWords("worked on", "import"),
    "member.accept": ActWords("joined the organization", ""),
    "member.add": ActWords("added", "member"),
    "member.sign_in_link": ActWords("made a sign-in link for", "member"),
    "message.cancel": ActWords("took back", "reply"),
    "message.reply": ActWords("wrote", "reply"),
    "message.send_again": ActWords("sent again", "reply"),
    "conversation.note": ActWords("wrote a note on", "conversation"),
    "note.create": ActWords("wrote a note on", "record"),
    "notice.set": ActWords("chose what they are told by mail", ""),
    "object.publish": ActWords("changed whether embeds may show", "object"),
    "organization.update": ActWords("changed the organization", ""),
    "organization.create": ActWords("made the organization", ""),
    "organization.plan": ActWords("changed the plan", ""),
    "record.merge": ActWords("merged another record into", "record"),
    "record.revert": ActWords("took back a change of", "record"),
    "submission.attach": ActWords("filed", "submission"),
    "suggestion.accept": ActWords("accepted a suggestion for", "record"),
    "suggestion.dismiss": ActWords("dismissed a suggestion for", "record"),
    "webhook.redeliver": ActWords("sent deliveries again to", "webhook"),
    "webhook.rotate_secret": ActWords("made a new signing secret for", "webhook"),
    "workflow.run": ActWords("ran", "workflow"),
    "workflow.run_cancel": ActWords("cancelled a run of", "workflow"),
}
"""Acts whose words do not follow from verb and noun."""

_ENDS_IN_Y: Final = re.compile(r"[^aeiou]y$")
_VOWEL: Final = re.compile(r"[aeiouAEIO]")


def words_of(action: str) -> ActWords:
    """The words for *action*, a tool's name or what the trail has where no tool did it."""
    phrase = _PHRASES.get(action)
    if phrase is not None:
        return phrase
    noun, _, verb = action.partition(".")
    return ActWords(_past(verb), _NOUNS.get(noun, noun.replace("_", " ")))


def sentence(action: str, *, name: str | None, noun: str | None = None, count: int = 1) -> str:
    """What follows who did it: the *action*, done to *count* things or to the one with *name*, a *noun*.

    *noun* is in the plural where there are several. Without it, it is that of the action.
    """
    words = words_of(action)
    if not words.noun:
        return words.verb
    called = noun or (words.noun if count == 1 else _plural(words.noun))
    if count > 1:
        return f"{words.verb} {count:,} {called}"
    if name is not None:
        return f"{words.verb} the {called} {name}"
    return f"{words.verb} {'an' if _VOWEL.match(called) else 'a'} {called}"


def _plural(noun: str) -> str:
    if noun.endswith("s"):
        return noun
    return f"{noun[:-1]}ies" if _ENDS_IN_Y.search(noun) else f"{noun}s"


def _past(verb: str) -> str:
    irregular = _VERBS.get(verb)
    if irregular is not None:
        return irregular
    plain = verb.replace("_", " ")
    if plain.endswith("e"):
        return f"{plain}d"
    return f"{plain[:-1]}ied" if _ENDS_IN_Y.search(plain) else f"{plain}ed"
