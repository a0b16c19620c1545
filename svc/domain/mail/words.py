"""The words of all mails, by language. A second language is a table with the keys of `ENGLISH`.

A message is a text with `{names}`, or one for each plural form of its language (CLDR), chosen by `{n}`. Each
is a whole sentence or label, since languages order words differently.
"""

import re
from collections.abc import Mapping
from typing import Final

from babel import Locale
from babel.numbers import format_decimal

from svc.domain.locale.locales import locale_of

Message = str | Mapping[str, str]
Words = Mapping[str, Message]

DEFAULT_LANGUAGE: Final = "en"
_NAME: Final = re.compile(r"\{([a-z_]+)\}")

ENGLISH: Final[Words] = {
    "notices": "You have asked for these notices. Choose which ones: {link}",
    "invitation.subject": "Invitation to {organization}",
    "invitation.by": "{person} has invited you to join {organization} as {role}.",
    "invitation.by_nobody": "You are invited to join {organization} as {role}.",
    "invitation.how": (
        "With the link you make an account, or join with the one that you have. It works once, until {until}."
        " Keep it to yourself: the link alone lets people in."
    ),
    "invitation.link": "Accept the invitation",
    "invitation.footer": "If you do not know what this is about, you need do nothing.",
    "reset.subject": "A new password for {organization}",
    "reset.what": "A new password was asked for, for your account at {organization} ({email}).",
    "reset.how": (
        "With the link you choose one. It works once, until {until}; the account's sessions end with it."
    ),
    "reset.link": "Choose a new password",
    "reset.footer": "If it was not you who asked, you need do nothing: the password stays as it is.",
    "proof.subject": "Is this your e-mail address?",
    "proof.what": "An account at {organization} has the address {email}.",
    "proof.how": "If it is yours, show that with the link. It works once, until {until}.",
    "proof.link": "This is my address",
    "proof.footer": "If the account is not yours, do not open the link.",
    "address.subject": "Your new e-mail address",
    "address.what": "{email} was given as the new address of an account at {organization}.",
    "address.how": "If it is your account, confirm the address with the link. It works once, until {until}.",
    "address.link": "Use this address",
    "address.footer": "If the account is not yours, do not open the link: nothing changes then.",
    "asked.subject": "A new e-mail address was asked for",
    "asked.what": (
        "Somebody who is signed in to your account at {organization} asked for {email} to become its address."
        " Nothing has changed yet."
    ),
    "asked.how": (
        "If it was not you, change your password now: that ends the request, and every other session."
    ),
    "asked.link": "Change your password",
    "changed.subject": "The e-mail address of your account has changed",
    "changed.what": "Your account at {organization} has the address {email} now. You sign in with that one.",
    "changed.how": "If it was not you who changed it, write to an Owner of the organization at once.",
    "submission.somebody": "a visitor",
    "submission.link": "Open the submission",
    "submission.received": "Received",
    "submission.more": {"one": "{n} more field", "other": "{n} more fields"},
    "filed.subject": "{form}: {sender}",
    "filed.what": "{sender} has sent the form {form}. The submission was filed.",
    "filed.reply": "A reply to this mail goes to {email}.",
    "held.subject": "Held: a submission of {form}",
    "held.what": "A submission of the form {form} is held: {why}.",
    "held.how": "It is filed once a member says who sent it.",
    "held.for.several": "several contacts have this e-mail address or phone number",
    "held.for.conflict": "its e-mail address and its phone number are those of different contacts",
    "held.for.similar": "a contact is similar, and nothing shows that it is the same person",
    "held.for.spam": "it filled in the field that people never see",
    "held.for.unreadable": "a part of it cannot be read",
    "held.for.error": "it could not be filed",
    "mentioned.subject": "{person} mentioned you in a note",
    "mentioned.what": "{person} mentioned you in a note on a conversation:",
    "mentioned.note": "“{text}”",
    "mentioned.link": "Open the conversation",
    "offline.subject": "Offline: the bridge of {connection}",
    "offline.what": "The bridge of the connection {connection} reports that it is offline, since {since}.",
    "offline.what_and_why": (
        "The bridge of the connection {connection} reports that it is offline, since {since}. It gives the"
        " reason {why}."
    ),
    "offline.how": "Replies wait until it is online again. You are told at most once an hour.",
    "offline.link": "How bridges work",
    "disabled.subject": "Disabled: the webhook {webhook}",
    "disabled.what": "The webhook {webhook} was disabled at {at}: {why}.",
    "disabled.how": "Events make no deliveries for it until it is active again.",
    "disabled.for.gone": "its receiver answered 410, which says that it is gone",
    "disabled.for.failing": "for five days, nothing could be delivered to it",
    "disabled.link": "How to send again what was missed",
    "credits.subject": "Few credits are left: {left}",
    "credits.what": (
        "{organization} has {left} credits left for the AI gateway, less than a fifth of what there was after"
        " the last grant."
    ),
    "credits.how": "Without credits, calls of models that the service pays for are refused.",
    "credits.link": "What calls cost",
    "key.subject": "The key {key} ends soon",
    "key.what": "The key {key} expires at {until}.",
    "key.how": ("Programs that use it are refused from then on: make another one, and put it in its place."),
    "key.link": "Open the keys",
    "backup.subject": "A backup has failed",
    "backup.what": "A backup has failed at {at}: {why}",
    "backup.how": (
        "Backups are made on the machine that the service runs on. Ask the people who operate it."
    ),
}

WORDS: Final[dict[str, Words]] = {DEFAULT_LANGUAGE: ENGLISH}
"""By the language of a locale; a mail in another one is in English."""


def say(locale: str, key: str, /, n: int = 0, **values: str) -> str:
    """The message *key* in the language of *locale*, with its `{names}` filled in by *values*.

    What is filled in is not looked through for names again: it may be what a stranger wrote. `{n}` is written
    as the locale does.
    """
    own = locale_of(locale)
    language = own.language if own.language in WORDS else DEFAULT_LANGUAGE
    message = WORDS[language][key]
    if not isinstance(message, str):
        form = Locale.parse(language).plural_form(n)
        message = message.get(form, message["other"])
    filled = {"n": format_decimal(n, locale=own), **values}
    return _NAME.sub(lambda name: filled[name[1]], message)


def has(key: str) -> bool:
    """Whether there is a message *key*, for what may be of a later version."""
    return key in ENGLISH
