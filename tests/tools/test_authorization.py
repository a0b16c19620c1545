"""Who may run which tool: every tool, by every role, in every way of calling.

The first table says what each tool needs and who may run it, written by hand and not read from the registry:
a tool without a line fails. The second says what comes of it, by the way of calling.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple, get_args

from svc.actors.identity.organization import Admission
from svc.domain.crypto.keys import digest
from svc.domain.errors import DomainError, Forbidden
from svc.domain.identity.callers import Call, Runs, operator_call
from svc.domain.identity.people import Person
from svc.domain.identity.roles import Permission
from svc.domain.identity.sessions import csrf_token
from svc.domain.locale.times import DAY_MS
from svc.services.tools import calls as tool_calls
from svc.storage import provisioning
from svc.storage.identity import members, organizations, roles, sessions
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import NewOrganization
from svc.storage.store import Tx
from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.people import a_member, a_stored_key, call_of
from tests.tooling import ToolTown, tool_town

TOOLS: Final = """
tool                      needs                         runs

agent.get                 ai                            open
agent.list                ai                            open
agent.run_get             conversations                 open
agent.run_list            conversations                 open
agent.run_stop            conversations                 open
agent.set                 ai                            person
ai.model_list             ai                            open
ai.model_restrict         ai                            person
ai.provider_list          ai                            open
ai.provider_remove        ai                            person
ai.provider_set           ai                            person
ai.statement              ai                            open
ai.usage                  ai                            open
apikey.list               security                      open
apikey.mint               security                      person
apikey.revoke             security                      person
apikey.roll               security                      person
apikey.update             security                      person
app.create                security                      person
app.list                  security                      open
app.remove                security                      person
approval.approve          -                             person
approval.get              -                             open
approval.list             -                             open
approval.reject           -                             person
audit.list                security                      open
caller.get                -                             open
connection.create         channels, own: conversations  person
connection.get            channels, own: conversations  open
connection.list           channels, own: conversations  open
connection.mint_key       channels, own: conversations  person
connection.pause          channels, own: conversations  open
connection.remove         channels, own: conversations  approval
connection.resume         channels, own: conversations  open
connection.revoke_key     channels, own: conversations  person
connection.rotate_secret  channels, own: conversations  person
connection.test           channels, own: conversations  open
connection.update         channels, own: conversations  open
conversation.agent_resume  conversations                 person
conversation.assign       conversations                 open
conversation.close        conversations                 open
conversation.counts       conversations                 open
conversation.draft        conversations                 person
conversation.get          conversations                 open
conversation.list         conversations                 open
conversation.mark_read    conversations                 person
conversation.note         conversations                 open
conversation.reopen       conversations                 open
conversation.snooze       conversations                 open
embed.create              embeds                        open
embed.get                 embeds                        open
embed.list                embeds                        open
embed.pause               embeds                        open
embed.preview             embeds                        open
embed.remove              embeds                        approval
embed.resume              embeds                        open
embed.update              embeds                        open
event.list                webhooks                      open
export.cancel             -                             open
export.get                -                             open
export.list               -                             open
export.start              -                             open
file.discard              -                             open
file.get                  -                             open
file.list                 -                             open
file.remove               -                             approval
form.create               forms                         open
form.get                  forms                         open
form.list                 forms                         open
form.pause                forms                         open
form.remove               forms                         approval
form.resume               forms                         open
form.update               forms                         open
grant.end                 -                             person
grant.list                -                             open
home.get                  -                             open
import.cancel             records.write                 open
import.get                records.write                 open
import.list               records.write                 open
import.start              records.write                 open
import.undo               records.write                 open
member.deactivate         settings                      person
member.invite             settings                      person
member.list               -                             open
member.update             settings                      person
message.cancel            conversations                 open
message.list              conversations                 open
message.reply             conversations                 open
message.send_again        conversations                 open
note.create               records.write                 open
note.list                 records.read                  open
notice.get                -                             person
notice.set                -                             person
object.create             settings                      open
object.get                records.read                  open
object.list               records.read                  open
object.publish            settings                      approval
object.update             settings                      open
organization.get          -                             open
organization.update       settings                      approval
property.create           settings                      open
property.delete           settings                      approval
property.update           settings                      open
record.aggregate          records.read                  open
record.count              records.read                  open
record.create             records.write                 open
record.create_many        records.write                 open
record.delete             records.write                 approval
record.delete_many        records.write                 approval
record.distinguish        records.write                 person
record.duplicates         records.read                  open
record.get                records.read                  open
record.list               records.read                  open
record.merge              records.write                 approval
record.restore            records.write                 open
record.restore_many       records.write                 open
record.revert             records.write                 open
record.search             records.read                  open
record.timeline           records.read                  open
record.update             records.write                 open
record.update_many        records.write                 open
record.upsert             records.write                 open
record.upsert_many        records.write                 open
reply_template.create     conversations                 open
reply_template.delete     conversations                 open
reply_template.list       conversations                 open
reply_template.update     conversations                 open
role.create               settings                      person
role.delete               settings                      person
request.list              -                             open
role.list                 -                             open
role.update               settings                      person
serverkey.list            security                      open
serverkey.mint            security                      person
serverkey.revoke          security                      person
site.create               settings                      open
site.list                 -                             open
site.remove               settings                      approval
site.update               settings                      open
submission.attach         forms                         open
submission.counts         forms                         open
submission.discard        forms                         open
submission.get            forms                         open
submission.list           forms                         open
submission.restore        forms                         open
suggestion.accept         records.write                 open
suggestion.dismiss        records.write                 open
suggestion.list           records.read                  open
team.create               settings                      person
team.list                 -                             open
team.update               settings                      person
tool.describe             -                             open
tool.search               -                             open
view.create               -                             person
view.delete               -                             person
view.list                 -                             open
view.update               -                             person
webhook.create            webhooks                      person
webhook.delete            webhooks                      approval
webhook.delivery_list     webhooks                      open
webhook.get               webhooks                      open
webhook.list              webhooks                      open
webhook.redeliver         webhooks                      open
webhook.rotate_secret     webhooks                      person
webhook.test              webhooks                      open
webhook.update            webhooks                      open
workflow.create           workflows                     open
workflow.delete           workflows                     approval
workflow.disable          workflows                     open
workflow.enable           workflows                     open
workflow.get              workflows                     open
workflow.list             workflows                     open
workflow.run              workflows                     open
workflow.run_cancel       workflows                     open
workflow.run_get          workflows                     open
workflow.run_list         workflows                     open
workflow.trigger_list     workflows                     open
workflow.update           workflows                     open
"""

OUTCOMES: Final = """
called by                 an open tool    one for approval    one for persons

person                    by role         by role             by role
key                       by role         approval_required   person_only
key of a stronger role    by role         approval_required   person_only
key of a weaker role      by weaker       approval_required   person_only
narrowed key              if named        if named            person_only
gateway key               forbidden       forbidden           forbidden
operator                  done            done                done

revoked key               unauthorized    unauthorized        unauthorized
expired key               unauthorized    unauthorized        unauthorized
key of a deactivated      unauthorized    unauthorized        unauthorized
key of a frozen           unauthorized    unauthorized        unauthorized
key of a stranger         unauthorized    unauthorized        unauthorized
deactivated person        forbidden       forbidden           forbidden
frozen person             forbidden       forbidden           forbidden
person of elsewhere       forbidden       forbidden           forbidden
"""

NAMED: Final = frozenset({"organization.get", "organization.update", "record.get", "record.create"})
"""What narrowed keys are narrowed to: tools of both kinds that a key could be for."""

CALLED_BY_ALL: Final = frozenset({"tool.search", "tool.describe", "caller.get"})
"""What the narrowest key may call too: it shows what is public, and the caller itself."""

LEFT_OUT: Final = frozenset({"deactivated person", "frozen person", "person of elsewhere"})
"""Who is refused before it is known what they want, so that no organization's trail can have it."""

Outcome = str
Way = str


class Line(NamedTuple):
    """What a tool needs, what does instead for one's own, and who may run it."""

    needs: Permission | None
    own: Permission | None
    runs: Runs

    @classmethod
    def read(cls, needs: str, runs: str) -> "Line":
        """Of the table's cells."""
        needed, _, own = needs.partition(", own: ")
        return cls(None if needed == "-" else needed, own or None, runs)  # type: ignore[arg-type]  # checked


def lines(table: str) -> Iterator[list[str]]:
    """The cells of a table's rows, which two spaces part."""
    for row in table.strip().splitlines()[2:]:
        if row:
            yield [cell.strip() for cell in row.split("  ") if cell.strip()]


LINES: Final[dict[str, Line]] = {name: Line.read(needs, runs) for name, needs, runs in lines(TOOLS)}
LINES.update(
    {
        name: LINES[tool.deprecated.replacement]
        for name, tool in REGISTRY.items()
        if tool.deprecated and tool.deprecated.replacement in LINES
    }
)
WAYS: Final[dict[Way, dict[Runs, Outcome]]] = {
    way: {"open": first, "approval": second, "person": third} for way, first, second, third in lines(OUTCOMES)
}
BUILTIN: Final[dict[str, frozenset[Permission]]] = {
    "owner": frozenset(get_args(Permission)),
    "admin": frozenset(get_args(Permission)),
    "viewer": frozenset({"records.read"}),
}
ROLES: Final[dict[str, frozenset[Permission]]] = BUILTIN | {
    f"only {one}": frozenset({one}) for one in get_args(Permission)
}
"""What each role permits, by its id or, of a custom one, its name."""


def expected(way: Way, role: str, tool: str) -> Outcome:
    """What the tables say of a call."""
    line = LINES[tool]
    has = ROLES[role]
    match WAYS[way][line.runs]:
        case "by weaker":
            has &= ROLES["viewer"]
        case "if named":
            if tool not in NAMED | CALLED_BY_ALL:
                return "forbidden"
            if line.runs == "approval":
                return "approval_required"
        case "by role":
            pass
        case certain:
            return certain
    return "done" if line.needs is None or has & {line.needs, line.own} else "forbidden"


def noun_of(tool: str) -> str:
    return tool.partition(".")[0]


def test_every_tool_has_its_line() -> None:
    """What is not in the table has not been thought about; of a noun that is there nothing is missing."""
    nouns = {noun_of(name) for name in REGISTRY}

    assert set(REGISTRY) == {name for name in LINES if noun_of(name) in nouns}
    assert {None, *get_args(Permission)} >= {one for line in LINES.values() for one in (line.needs, line.own)}
    assert set(get_args(Runs)) == {line.runs for line in LINES.values()}


def test_only_persons_give_addresses() -> None:
    """Of tools that keys may call, no other member says where an organization's data are sent."""
    addresses = {
        f"{tool.name} {member}"
        for tool in REGISTRY.values()
        if tool.runs == "open" and tool.effect == "writes"
        for member in tool.request_type.__struct_fields__
        if {"url", "address", "endpoint", "redirect"} & set(member.split("_"))
    }

    assert {"connection.update url", "webhook.update url"} == addresses
    assert addresses == {
        f"{tool.name} {member}" for tool in REGISTRY.values() for member in tool.persons_give
    }


def test_the_registry_says_what_the_table_says() -> None:
    """The contract and the reference are made of the registry."""
    said = {one.name: Line(one.needs, one.own, one.runs) for one in REGISTRY.values()}

    assert {name: LINES[name] for name in said} == said


class Crowd:
    """Everybody in a town who calls: of each role, and in each way."""

    def __init__(self, here: ToolTown) -> None:
        self.here = here
        self.secrets: dict[tuple[Way, str], str] = {}
        """Keys, and sessions of people, by the way of calling and the role."""

    async def move_in(self) -> None:
        elsewhere = await self.here.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
        for role in ROLES:
            role_id = role
            if role not in BUILTIN:
                made = await self.here.store.write(roles.create, call_of(self.here.owner), role, ROLES[role])
                role_id = made.id
            await self._settle(role, role_id)
            await self.here.store.write(self._come_from, elsewhere.id, role, role_id)

    async def _settle(self, role: str, role_id: str) -> None:
        """One person who calls, with all their keys, and one for each way of being out."""
        name = role.replace(" ", ".")
        person = await self.here.member(f"in.{name}@example.com", role_id)
        await self.here.store.write(self._give_keys, person, role, role_id)
        deactivated = await self._stopped(f"deactivated.{name}", role, role_id, "deactivated")
        await self.here.store.write(members.deactivate, call_of(self.here.owner), deactivated.id)
        frozen = await self._stopped(f"frozen.{name}", role, role_id, "frozen")
        frost = MemberChanges(status="frozen")
        await self.here.store.write(members.update, call_of(self.here.owner), frozen.id, frost)

    async def _stopped(self, name: str, role: str, role_id: str, how: str) -> Person:
        person = await self.here.member(f"{name}@example.com", role_id)
        await self.here.store.write(self._give_key, f"key of a {how}", role, person, role_id=role_id)
        await self.here.store.write(self._open_session, f"{how} person", role, person)
        return person

    def _come_from(self, tx: Tx, elsewhere: str, role: str, role_id: str) -> None:
        """A member whose home allows them no keys here, and somebody who is no member at all."""
        name = role.replace(" ", ".")
        guest = a_member(tx, self.here.organization.id, f"guest.{name}@example.com", role_id, home=elsewhere)
        place = {"organization_id": self.here.organization.id, "role_id": role_id}
        self._give_key(tx, "key of a stranger", role, guest, **place)
        stranger = a_member(tx, elsewhere, f"elsewhere.{name}@example.com", "owner")
        self._open_session(tx, "person of elsewhere", role, stranger)

    def _give_keys(self, tx: Tx, person: Person, role: str, role_id: str) -> None:
        narrowed = '["' + '","'.join(sorted(NAMED)) + '"]'
        self._open_session(tx, "person", role, person)
        self._give_key(tx, "key", role, person, role_id=role_id)
        self._give_key(tx, "key of a stronger role", role, person, role_id="owner")
        self._give_key(tx, "key of a weaker role", role, person, role_id="viewer")
        self._give_key(tx, "narrowed key", role, person, role_id=role_id, tools=narrowed)
        self._give_key(tx, "gateway key", role, person, role_id=role_id, limited_to="ai.gateway")
        self._give_key(tx, "revoked key", role, person, role_id=role_id, revoked_at=tx.now)
        self._give_key(tx, "expired key", role, person, role_id=role_id, expires_at=tx.now)

    def _give_key(self, tx: Tx, /, way: Way, role: str, person: Person, **changes: Any) -> None:
        secret = f"svck_{way} {role}".replace(" ", "_")
        ends = {"expires_at": tx.now + DAY_MS}
        a_stored_key(tx, person, digest(secret), **(ends | changes))
        self.secrets[way, role] = secret

    def _open_session(self, tx: Tx, way: Way, role: str, person: Person) -> None:
        secret = f"svcs_{way} {role}".replace(" ", "_")
        sessions.create(tx, person.id, digest(secret), "test", None)
        self.secrets[way, role] = secret

    async def admit(self, way: Way, role: str) -> Admission:
        """Let in who calls in that way, as the doors do."""
        secret = self.secrets[way, role]
        if secret.startswith("svck_"):
            return await tool_calls.admit_key(self.here.system, secret)
        return await tool_calls.admit_person(self.here.system, secret, self.here.organization.id)

    async def call_in(self, way: Way, role: str, tool: str) -> tuple[int, str | None]:
        """Call a tool over HTTP with a body that no tool takes; the status, and the problem's code."""
        secret = self.secrets[way, role]
        if secret.startswith("svck_"):
            path, headers = "/api/v1/tools/", {"authorization": f"Bearer {secret}"}
        else:
            self.here.client.cookies.set("svc_session", secret)
            path, headers = "/app/api/tools/", {"x-csrf-token": csrf_token(secret)}
            headers["x-organization-id"] = self.here.organization.id
        answer = await self.here.client.post(path + tool, json=[], headers=headers)
        return answer.status_code, answer.json()["code"]


@asynccontextmanager
async def crowd() -> AsyncIterator[Crowd]:
    async with tool_town() as here:
        everybody = Crowd(here)
        await everybody.move_in()
        yield everybody


async def outcomes(everybody: Crowd, way: Way, role: str) -> dict[str, Outcome]:
    """What comes of calling each tool in that way."""
    if way == "operator":
        call = operator_call(everybody.here.organization.id)
    else:
        try:
            call = Call(caller=(await everybody.admit(way, role)).caller, door="inside")
        except DomainError as refusal:
            return dict.fromkeys(REGISTRY, refusal.code)
    found = {}
    for name in REGISTRY:
        try:
            await tool_calls.find(everybody.here.system, REGISTRY, call, name)
        except Forbidden as refusal:
            found[name] = refusal.code
        else:
            found[name] = "done"
    return found


async def test_who_may_run_which_tool(autojump_clock):
    """All tools, by all roles, in all ways of calling; and each refusal of who was let in is in the trail."""
    refusals = 0
    async with crowd() as everybody:
        wrong = []
        for way in WAYS:
            for role in ROLES:
                for tool, outcome in (await outcomes(everybody, way, role)).items():
                    wanted = expected(way, role, tool)
                    if wanted != outcome:
                        wrong.append((way, role, tool, wanted, outcome))
                    refusals += outcome not in {"done", "unauthorized"} and way not in LEFT_OUT

        assert [] == wrong
        assert refusals == await everybody.here.count(tables.audit, outcome="refused")


async def test_a_closed_organization_lets_nobody_in(autojump_clock):
    """Whoever they are; the operator still gets at what is stored."""
    async with crowd() as everybody:
        await everybody.here.store.write(organizations.close, everybody.here.organization.id)
        found = {way: set((await outcomes(everybody, way, "owner")).values()) for way in WAYS}

        keys = {way: {"unauthorized"} for way in WAYS if "key" in way}
        people = {way: {"forbidden"} for way in WAYS if "person" in way}
        assert keys | people | {"operator": {"done"}} == found


async def test_the_doors_say_so(autojump_clock):
    """Over HTTP, one tool of each kind; a caller that may run it is told that the body is malformed."""
    statuses = {"done": (422, "validation_failed"), "unauthorized": (401, "unauthorized")}
    sample = {line: name for name, line in LINES.items() if name in REGISTRY}
    async with crowd() as everybody:
        wrong = []
        for way in WAYS.keys() - {"operator"}:
            for role in ("owner", "viewer", "only settings"):
                for tool in sample.values():
                    wanted = expected(way, role, tool)
                    answer = await everybody.call_in(way, role, tool)
                    if statuses.get(wanted, (403, wanted)) != answer:
                        wrong.append((way, role, tool, wanted, answer))

        assert [] == wrong
