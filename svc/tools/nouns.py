"""The nouns that tools are about, and the words that people use for them."""

from typing import Final, NamedTuple


class Noun(NamedTuple):
    """The title and description of a group of tools."""

    title: str
    description: str


NOUNS: Final = {
    "tool": Noun("Tools", "Finding the tool for a task, and what it takes and answers."),
    "record": Noun("Records", "Contacts, companies, deals, and the records of objects of your own."),
    "object": Noun("Objects", "The kinds of records that there are, built-in ones and your own."),
    "property": Noun("Properties", "What records of an object have: each with a type and its rules."),
    "note": Noun("Notes", "Texts that people and programs leave at a record."),
    "file": Noun("Files", "Pictures and documents that were uploaded, or came with messages."),
    "suggestion": Noun("Suggestions", "Values for a record that wait to be accepted or dismissed."),
    "import": Noun("Imports", "Files of records, uploaded in parts and read line by line."),
    "export": Noun("Exports", "Records, submissions and the audit trail as files, made by a job."),
    "site": Noun("Sites", "Your websites, to which forms and embeds are bound."),
    "form": Noun("Forms", "Website forms: where their submissions are posted and how they are filed."),
    "submission": Noun("Submissions", "What people sent with a form, and what became of it."),
    "serverkey": Noun("Server keys", "Secrets with which your servers post to forms of other sites."),
    "embed": Noun("Embeds", "Published records on any page: without a key, without personal data."),
    "connection": Noun("Connections", "Messengers that a bridge of yours connects."),
    "conversation": Noun("Conversations", "What is written with people through a messenger."),
    "message": Noun("Messages", "The single messages of a conversation, and the replies to them."),
    "reply_template": Noun("Saved replies", "Texts to answer with, with fields that are filled in."),
    "workflow": Noun("Workflows", "What happens by itself when something else does."),
    "automation": Noun("Automations", "The former name of workflows."),
    "event": Noun("Events", "What happened in the organization, to be read in its order."),
    "webhook": Noun("Webhooks", "Addresses of yours that are told what happens."),
    "ai": Noun("AI", "Models, their providers, and what was used of them."),
    "agent": Noun("Agents", "What answers conversations by itself, within what you let it reach."),
    "approval": Noun("Approvals", "What an agent wants to do and a person has to approve."),
    "view": Noun("Views", "Lists that people save under a name, for themselves or for all."),
    "home": Noun("Home", "What waits, how the last days went, and the latest acts."),
    "organization": Noun("Organization", "Name, country, currency and switches of the organization."),
    "member": Noun("Members", "The people of the organization."),
    "role": Noun("Roles", "Named sets of permissions that members and keys have."),
    "team": Noun("Teams", "Groups of members."),
    "apikey": Noun("API keys", "Secrets with which programs call tools, in the name of who made them."),
    "app": Noun("Apps", "Programs that people connect, entered by hand where they cannot register."),
    "grant": Noun("Grants", "What people have allowed connected apps to do."),
    "caller": Noun("Caller", "Who calls: a key, an app, a person or an agent, and what it may."),
    "request": Noun("Requests", "What keys have called in the last days, and how it was answered."),
    "notice": Noun("Notices", "What a member is told by mail, as they have chosen."),
    "audit": Noun("Audit trail", "Who did what, when, through which door; and what was refused."),
}
"""In the order in which the reference shows them."""

WORDS: Final = {
    "agent": (
        "bot chatbot assistant robot automatic autoresponder answer answers auto reply replies ai model"
        " instructions prompt handover"
    ),
    "organization": (
        "company organisation business firm enterprise account workspace settings currency country region"
        " time zone language locale plan subscription trial name"
    ),
    "home": "dashboard overview summary attention waits waiting todo activity recent news going onboarding",
    "team": "department group squad unit crew division",
    "member": (
        "colleague coworker teammate employee staff team person people user users somebody who works work"
        " account admin administrator owner viewer join joined left allowed role permission"
    ),
    "role": (
        "access level right rights permission permissions privilege privileges allowed able may kinds set"
        " admin"
    ),
    "audit": (
        "log logs trail history activity who anyone did what when changed security compliance action event"
        " account"
    ),
    "app": "apps application client oauth redirect register",
    "grant": (
        "grants app apps connected consent authorization oauth connector claude chatgpt cursor disconnect"
    ),
    "caller": "whoami",
    "apikey": (
        "api key keys token tokens credential secret integration script program app bearer access zapier"
    ),
    "object": (
        "type kind sort thing things table tables entity model schema structure class custom data crm"
        " field fields column columns property properties"
    ),
    "property": "field column attribute option options drop down choice choices value list data",
    "record": (
        "contact contacts company companies deal deals customer customers client clients person people"
        " lead leads prospect prospects entry row item account opportunity phone number mail email address"
        " city stage"
    ),
    "note": "comment remark memo annotation call meeting jot write written wrote",
    "suggestion": (
        "proposal proposed suggested propose change differs differ conflict pending value form file"
    ),
    "site": "website web page domain homepage shop store blog host tracked tracking visits visitors traffic",
    "notice": (
        "notification notify notifications alert alerts email mail mails tell told inform informed subscribe"
        " unsubscribe offline held filed low ending failed"
    ),
    "file": (
        "files upload uploaded document documents picture pictures photo image pdf download link stored size"
    ),
    "import": (
        "upload file files csv spreadsheet excel sheet ndjson bulk load bring migrate rows lines mapping"
        " columns headings progress batch job"
    ),
    "export": (
        "download file files csv spreadsheet excel sheet ndjson bulk dump save extract all rows report job"
    ),
    "view": "saved list filter filters segment smart favourite favorite bookmark preset shared",
    "form": (
        "web sign up signup newsletter enquiry enquiries inquiry contact booking registration survey"
        " field mapping website homepage landing page"
    ),
    "submission": (
        "form enquiry enquiries inquiry entry entries response responses filled fill sent send sender"
        " message answer held queued came person website lead"
    ),
    "serverkey": "server key keys secret backend web shop host posts forms token",
    "tool": "function functions operation action command capability task",
    "embed": "widget block blocks live page pages partner website snippet iframe outside",
    "connection": (
        "messenger messengers bridge bot channel telegram whatsapp viber signal instagram discord account"
        " online offline hooked hook connect connected"
    ),
    "reply_template": (
        "saved canned quick reply replies answer answers response responses snippet snippets macro macros"
        " text texts wording phrase"
    ),
    "conversation": "chat chats thread dialogue talk messenger inbox ticket",
    "message": "chat answer text write wrote say said reply messenger send",
    "workflow": (
        "automation automations automatic automatically automate rule flow trigger whenever step process"
    ),
    "event": "happened happening changes changed feed stream log history poll pull sync since new",
    "webhook": "notification notifications notify endpoint url callback event events server call system push",
    "ai": "language model models llm gpt vendor vendors provider credit credits openai anthropic",
    "request": (
        "call calls api log logs traffic usage http status error errors failed failing debug developer"
        " integration latency duration"
    ),
    "approval": "ok permission consent agent waiting allow request",
}
"""Synonyms by noun, for finding a tool by a plain sentence, and what is meant by a name that is no tool's.

Of nouns that share a word, the first is suggested first.
"""
_FORMER: Final = frozenset({"automation"})
"""Nouns of old names alone, which are not found any more."""

if WORDS.keys() ^ NOUNS.keys() != _FORMER:
    raise TypeError(
        f"not each noun has words, and the reverse: {sorted(WORDS.keys() ^ NOUNS.keys() ^ _FORMER)}"
    )
