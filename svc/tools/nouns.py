"""The nouns that tools are about, in the order in which the reference shows them."""

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
    "site": Noun("Sites", "Your websites, to which forms and embeds are bound."),
    "form": Noun("Forms", "Website forms: where their submissions are posted and how they are filed."),
    "submission": Noun("Submissions", "What people sent with a form, and what became of it."),
    "serverkey": Noun("Server keys", "Secrets with which your servers post to forms of other sites."),
    "embed": Noun("Embeds", "Published records on any page: without a key, without personal data."),
    "connection": Noun("Connections", "Messengers that a bridge of yours connects."),
    "conversation": Noun("Conversations", "What is written with people through a messenger."),
    "message": Noun("Messages", "The single messages of a conversation, and the replies to them."),
    "workflow": Noun("Workflows", "What happens by itself when something else does."),
    "automation": Noun("Automations", "The former name of workflows."),
    "event": Noun("Events", "What happened in the organization, to be read in its order."),
    "webhook": Noun("Webhooks", "Addresses of yours that are told what happens."),
    "ai": Noun("AI", "Models, their providers, and what was used of them."),
    "agent": Noun("Agents", "What answers conversations by itself, within what you let it reach."),
    "approval": Noun("Approvals", "What an agent wants to do and a person has to approve."),
    "view": Noun("Views", "Lists that people save under a name, for themselves or for all."),
    "organization": Noun("Organization", "Name, country, currency and switches of the organization."),
    "member": Noun("Members", "The people of the organization."),
    "role": Noun("Roles", "Named sets of permissions that members and keys have."),
    "team": Noun("Teams", "Groups of members."),
    "apikey": Noun("API keys", "Secrets with which programs call tools, in the name of who made them."),
    "notice": Noun("Notices", "What a member is told by mail, as they have chosen."),
    "audit": Noun("Audit trail", "Who did what, when, through which door; and what was refused."),
}
