"""The objects of the reference's examples, in the demo's shop.

The examples have made-up ids. `Examples.fill` creates an object for each of them, and returns the real ids to
replace them with. An example that ends or removes something has an object of its own, so every example works,
whichever were pasted before.
"""

from typing import Any, Final

import msgspec

from svc.demo import agents, approvals
from svc.demo.apps import example_apps
from svc.demo.channels import SPARE_BRIDGE_URL
from svc.demo.imports import example_exports, example_imports
from svc.demo.views import example_views
from svc.demo.webhooks import example_webhooks
from svc.domain.channels.connections import Account, Connection, Delivery, Messenger
from svc.domain.channels.messages import InboundMessage, Sender, StatusReport
from svc.domain.identity.callers import Call
from svc.runs.workflows import stepping
from svc.storage.channels import connections, messages
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.connections import NewConnection
from svc.storage.identity import accounts, api_keys, members
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.api_keys import NewKey
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.ai import providers as ai_providers
from svc.tools.ai.providers import OwnModelInput
from svc.tools.channels import connections as connection_tools
from svc.tools.embeds import embeds
from svc.tools.forms import forms, server_keys, submissions
from svc.tools.identity import roles, teams
from svc.tools.inbox import messages as message_tools
from svc.tools.inbox import templates as template_tools
from svc.tools.records import deletions as record_deletions
from svc.tools.records import history as record_history
from svc.tools.records import lists as record_lists
from svc.tools.records import properties, records, suggestions
from svc.tools.sites import sites
from svc.tools.tool import Tool, ToolInput
from svc.tools.workflows import starts as workflow_starts
from svc.tools.workflows import workflow_answers
from svc.tools.workflows import workflows as workflow_tools

ExampleIds = dict[str, dict[str, str]]
"""By tool name, or `*` for all other tools: the demo's id for each made-up id of the examples."""

_ULID: Final = "01K5D3V7Q2M8Z4X6C9B1N0T5R"
_KEY, _PERSON, _ROLE, _TEAM = (f"{prefix}_{_ULID}A" for prefix in ("key", "usr", "rol", "tea"))
_RECORD, _MERGED = f"rec_{_ULID}A", f"rec_{_ULID}K"
_CHANGE: Final = f"chg_{_ULID}G"
_SITE, _FORM, _EMBED, _SUBMISSION = (f"{prefix}_{_ULID}A" for prefix in ("sit", "frm", "emb", "sub"))
_CONNECTION, _CONVERSATION, _MESSAGE = (f"{prefix}_{_ULID}A" for prefix in ("con", "cnv", "msg"))
_TEMPLATE: Final = f"tpl_{_ULID}A"
_WEBHOOK, _DELIVERY = (f"{prefix}_{_ULID}A" for prefix in ("whk", "dlv"))
_WORKFLOW, _RUN = (f"{prefix}_{_ULID}A" for prefix in ("wfl", "run"))
_PROVIDER: Final = f"prv_{_ULID}A"
_APPROVAL: Final = f"apr_{_ULID}A"
_SUGGESTION: Final = f"sug_{_ULID}E"
_NOUNS: Final = ("workflow", "automation")
_WHOLE: Final = Account("organization")
_TOM: Final = {"name": "Tom Reid", "email": "tom@marlowe-reid.example"}


class _NewId(msgspec.Struct):
    """The part of an answer that is used here."""

    id: str


class _Entry(_NewId):
    kind: str


class _Listing(msgspec.Struct):
    entries: list[_Entry] = []
    records: list[_NewId] = []
    suggestions: list[_NewId] = []
    submissions: list[_NewId] = []


class Examples:
    """Creates the objects of the examples, with *call*, which is the owner's."""

    def __init__(self, tx: Tx, call: Call) -> None:
        self._tx = tx
        self._call = call
        self._organization_id = call.caller.organization_id

    def fill(self, *, form_id: str, embed_id: str) -> ExampleIds:
        """Create all objects. *form_id* and *embed_id* are those that the shop's page shows."""
        ids: ExampleIds = {"*": {_FORM: form_id, _EMBED: embed_id}}
        for make in (self._people, self._keys, self._records, self._sites, self._on_pages, self._channels):
            add_ids(ids, make())
        add_ids(ids, example_apps(self._tx, self._call, f"app_{_ULID}A", f"gra_{_ULID}A"))
        add_ids(ids, agents.examples(self._tx, self._call))
        add_ids(ids, example_webhooks(self._tx, self._organization_id, _WEBHOOK, _DELIVERY))
        add_ids(ids, self._workflows(ids["*"][_RECORD]))
        asking = ("*", "approval.approve", "approval.reject")
        cards = approvals.ask(self._tx, self._call, len(asking))
        add_ids(ids, {tool: {_APPROVAL: card} for tool, card in zip(asking, cards, strict=True)})
        add_ids(ids, self._suggestions())
        add_ids(ids, example_imports(self._tx, self._organization_id, f"imp_{_ULID}A"))
        add_ids(ids, example_exports(self._tx, self._call.caller, f"exp_{_ULID}A"))
        add_ids(ids, example_views(self._tx, self._call.caller, f"viw_{_ULID}A"))
        return add_ids(ids, self._submissions())

    def _run(self, tool: Tool[Any, Any], **body: Any) -> bytes:
        kind: type[ToolInput] = tool.request_type
        return execution.write(self._tx, tool, self._call, kind(**body)).body

    def _make(self, tool: Tool[Any, Any], **body: Any) -> str:
        return msgspec.json.decode(self._run(tool, **body), type=_NewId).id

    def _list(self, tool: Tool[Any, Any], **body: Any) -> _Listing:
        result = execution.read(self._tx.conn, self._tx.now, tool, self._call, tool.request_type(**body))
        return msgspec.json.decode(result.body, type=_Listing)

    def _people(self) -> ExampleIds:
        """Two members, of whom one may be deactivated; two roles, and a team."""
        front_desk, fair = (
            self._make(roles.create, name=name, permissions=("records.read", "conversations"))
            for name in ("Season help", "Trade fair")
        )
        team = self._make(teams.create, name="Repairs")
        jonas, ellen = self._member("Jonas Pike", front_desk), self._member("Ellen Marsh", "viewer")
        return {
            "*": {_PERSON: jonas, _ROLE: front_desk, _TEAM: team},
            "member.deactivate": {_PERSON: ellen},
            "role.delete": {_ROLE: fair},
        }

    def _member(self, name: str, role_id: str) -> str:
        email = f"{name.split(maxsplit=1)[0].lower()}@harbour-lamps.example"
        new = NewAccount(email=email, name=name, home_organization_id=self._organization_id)
        person = accounts.create(self._tx, new)
        members.add(self._tx, self._call, person.id, role_id)
        return person.id

    def _keys(self) -> ExampleIds:
        """Keys that may be changed and revoked, and a provider that may be removed."""
        server = self._make(server_keys.mint, name="Old shop server")
        old, renamed, rolled = (
            api_keys.mint(self._tx, self._call, NewKey(name=name, expires_in="30d")).id
            for name in ("Old till", "Stockroom scanner", "Label printer")
        )
        provider = self._make(
            ai_providers.set_one,
            name="Trial of last month",
            base_url="https://llm.example.org/v1",
            key="sk-example-9Wc4q1Zr",
            models=(OwnModelInput(id="trial"),),
        )
        return {
            "serverkey.revoke": {_KEY: server},
            "apikey.revoke": {_KEY: old},
            "apikey.update": {_KEY: renamed},
            "apikey.roll": {_KEY: rolled},
            "ai.provider_remove": {_PROVIDER: provider},
        }

    def _records(self) -> ExampleIds:
        """A contact to keep, and others to delete, restore and merge; properties likewise."""
        known = self._list(record_lists.search, query=_TOM["name"], object_type="contact")
        parted, parting, gone, lost, kept, doubled, moved, like = (
            self._make(records.create, object_type="contact", properties={"name": name, "city": "Hull"})
            for name in (
                "Rosa Marin",
                "Ivo Lind",
                "Bert Voss",
                "Ada Winter",
                "Leah Stone",
                "L. Stone",
                "Nils Hope",
                "Niels Hope",
            )
        )
        self._run(records.update, id=moved, properties={"city": "Grimsby"})
        entries = self._list(record_history.timeline, id=moved).entries
        self._run(record_deletions.delete_many, ids=(gone, lost))
        for slug, label in (("finish", "Finish"), ("old_number", "Old number")):
            self._run(
                properties.create,
                object_type="lamp",
                slug=slug,
                label=label,
                type="select",
                options=("Matt", "Polished"),
            )
        return {
            "*": {_RECORD: known.records[0].id},
            "record.delete": {_RECORD: parted},
            "record.delete_many": {_RECORD: parting},
            "record.restore": {_RECORD: gone},
            "record.restore_many": {_RECORD: lost},
            "record.merge": {_RECORD: kept, _MERGED: doubled},
            "record.distinguish": {_RECORD: moved, _MERGED: like},
            "record.revert": {
                _RECORD: moved,
                _CHANGE: next(entry.id for entry in entries if entry.kind == "updated"),
            },
        }

    def _sites(self) -> ExampleIds:
        moving, ending = (
            self._make(sites.create, domain=f"{name}.harbourlamps.example") for name in ("store", "summer")
        )
        return {"*": {_SITE: moving}, "site.remove": {_SITE: ending}}

    def _on_pages(self) -> ExampleIds:
        """Forms and embeds that no page shows."""
        changed, removed = (
            self._make(forms.create, name=name) for name in ("Lamp of the month", "Enquiry of last year")
        )
        shown, withdrawn = (self._make(embeds.create, name=name) for name in ("Autumn lamps", "Spring offer"))
        form_tools = ("form.update", "form.pause", "form.resume")
        embed_tools = ("embed.update", "embed.pause", "embed.resume")
        return {
            **{name: {_FORM: changed} for name in form_tools},
            **{name: {_EMBED: shown} for name in embed_tools},
            "form.remove": {_FORM: removed},
            "embed.remove": {_EMBED: withdrawn},
        }

    def _channels(self) -> ExampleIds:
        """Further connections, with conversations, a waiting reply and one that failed, and saved replies."""
        shop = self._connect("Shop on Telegram", "telegram", "pull")
        pushed = self._connect("Shop on Signal", "signal", "push")
        ended = self._connect("Shop on Viber", "viber", "pull")
        resting = self._connect("Shop on WhatsApp", "whatsapp", "pull")
        key = channel_keys.mint(self._tx, self._organization_id, shop.id)
        conversation = self._hear(shop, "4102", phone="+441134960199", **_TOM)
        over = self._hear(shop, "4103", name="Eleanor Pryce", email="eleanor.pryce@example.org")
        waiting = self._hear(resting, "4104", name="Yusuf Demir", phone="+447700900108")
        # While the connection is paused, its replies do not expire.
        self._run(connection_tools.pause, id=resting.id)
        failed = self._make(message_tools.reply, conversation_id=waiting, text="We are closed today.")
        report = StatusReport(reply_id=self._reply(failed), status="failed")
        messages.note_status(self._tx, resting.id, report)
        reply = self._make(message_tools.reply, conversation_id=waiting, text="We open again on Tuesday.")
        hours, old = (
            self._make(template_tools.create, name=name, text=template_tools.EXAMPLE.text, shared=True)
            for name in (template_tools.EXAMPLE.name, "Hours in winter")
        )
        return {
            "*": {_CONNECTION: shop.id, _CONVERSATION: conversation, _TEMPLATE: hours},
            "connection.revoke_key": {_CONNECTION: shop.id, _KEY: key.id},
            "connection.test": {_CONNECTION: pushed.id},
            "connection.rotate_secret": {_CONNECTION: pushed.id},
            "connection.remove": {_CONNECTION: ended.id},
            "conversation.close": {_CONVERSATION: over},
            "conversation.reopen": {_CONVERSATION: over},
            "message.cancel": {_MESSAGE: reply},
            "message.send_again": {_MESSAGE: failed},
            "reply_template.delete": {_TEMPLATE: old},
        }

    def _reply(self, message_id: str) -> str:
        """The id, for its bridge, of the reply that a message is."""
        return messages.get(self._tx.conn, self._organization_id, message_id).reply_id or ""

    def _connect(self, name: str, messenger: Messenger, delivery: Delivery) -> Connection:
        url = SPARE_BRIDGE_URL if delivery == "push" else None
        new = NewConnection(name=name, account=_WHOLE, messenger=messenger, delivery=delivery, url=url)
        connection, _ = connections.create(self._tx, self._organization_id, new)
        return connection

    def _hear(self, connection: Connection, conversation: str, **sender: str) -> str:
        """Receive a message from a bridge, and return the id of its conversation."""
        message = InboundMessage(
            conversation_id=conversation,
            message_id="1",
            direction="in",
            sender=Sender(**sender),
            text="Do you repair lamps that you have not made?",
        )
        received = messages.receive(self._tx, self._organization_id, connection.id, message)
        return received.conversation

    def _workflows(self, record_id: str) -> ExampleIds:
        """The workflow of the examples with runs that wait, and others to change and to delete.

        A tool and its old name have one each, so that both examples work.
        """
        kept = self._workflow(workflow_answers.EXAMPLE.name)
        self._run(workflow_tools.enable, id=kept)
        shown, *cancelled = (
            self._make(workflow_starts.start, id=kept, record_id=record_id) for _ in ("", *_NOUNS)
        )
        for _ in workflow_answers.EXAMPLE.steps[:3]:
            stepping.step_due(self._tx, self._organization_id, 1 + len(cancelled))
        ids: ExampleIds = {"*": {_WORKFLOW: kept, _RUN: shown}}
        for noun, run_id in zip(_NOUNS, cancelled, strict=True):
            ids[f"{noun}.run_cancel"] = {_RUN: run_id}
            ids[f"{noun}.update"] = {_WORKFLOW: self._workflow(f"Repair wanted, of an {noun}")}
            ids[f"{noun}.delete"] = {_WORKFLOW: self._workflow(f"Old {noun}")}
        return ids

    def _workflow(self, name: str) -> str:
        example = workflow_answers.EXAMPLE
        return self._make(
            workflow_tools.create,
            name=name,
            trigger=example.trigger,
            conditions=example.conditions,
            steps=example.steps,
        )

    def _suggestions(self) -> ExampleIds:
        """A suggestion of a form, to accept, and one of a messenger, to dismiss."""
        last, first = (suggestion.id for suggestion in self._list(suggestions.list_).suggestions)
        return {"suggestion.accept": {_SUGGESTION: first}, "suggestion.dismiss": {_SUGGESTION: last}}

    def _submissions(self) -> ExampleIds:
        """The submission that is held because it may be from a known contact, and spam."""
        spam, similar = (held.id for held in self._list(submissions.list_some, state="Held").submissions)
        held = submissions.get(self._tx, self._call, submissions.SubmissionById(id=similar))
        return {
            "*": {_SUBMISSION: similar},
            **{name: {_SUBMISSION: spam} for name in ("submission.discard", "submission.restore")},
            "submission.attach": {_SUBMISSION: similar, _RECORD: held.candidates[0].id},
        }


def add_ids(ids: ExampleIds, more: ExampleIds) -> ExampleIds:
    """Add *more* to *ids*, which are returned."""
    for tool, known in more.items():
        ids.setdefault(tool, {}).update(known)
    return ids
