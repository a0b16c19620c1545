/** Settings › Members: who is in, with which role; inviting, and a panel in which a member is changed. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { parameter, setParameters, to } from "../../house/address";
import { may, session } from "../../house/boot";
import { formatNumber } from "../../house/formats";
import { useKeys } from "../../house/keys";
import { useList } from "../../house/lists";
import { useAnswer } from "../../house/queries";
import { whichOf } from "../../house/questions";
import { members as words } from "../../messages/en/people";
import { messages } from "../../messages/messages";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Filter } from "../../parts/filter";
import { Empty } from "../../parts/states";
import type { Column } from "../../parts/table/column";
import { Table } from "../../parts/table/table";
import { Tabs } from "../../parts/tabs";
import { Badge, Foreign, RelativeTime } from "../../parts/texts";
import { MEMBERS } from "../../questions";
import { Invitations } from "./invitations";
import { Invite } from "./invite";
import { MemberPanel } from "./member_panel";
import { nameIn } from "./names";
import type { Member } from "./rights";
import { StatusBadge } from "./status_badge";

const PATH = "/app/settings/members";
const NOUNS = ["member", "role", "team", "invitation"];
export default function Members() {
  const shown = parameter("status");
  const open = parameter("open");
  const isInvited = shown === "invited";
  const mayInvite = may("settings");
  const roles = useAnswer("role.list", {}).answer?.roles ?? [];
  const teams = useAnswer("team.list", {}).answer?.teams ?? [];
  const waiting = useAnswer("member.list", { limit: 1 });
  const [inviting, setInviting] = useState(0);
  const create = () => {
    setInviting(inviting + 1);
    setParameters({ new: "1" });
  };
  useKeys(mayInvite ? [{ key: "c", label: words.create, run: create }] : []);
  const count = waiting.answer?.invitations.length ?? 0;
  const inviteButton = mayInvite && (
    <Button look="solid" icon="user-plus" onClick={create}>
      {words.create}
    </Button>
  );
  return (
    <Page
      title={words.title}
      crumbs={[messages.nav.settings]}
      about={words.about}
      actions={inviteButton}
      wide
      panel={open && <MemberPanel key={open} id={open} roles={roles} teams={teams} onClose={() => setParameters({ open: null })} />}
    >
      <div class="filters">
        <Tabs
          name="status"
          label={words.status}
          tabs={[
            { value: "", label: words.all },
            ...(["active", "frozen", "deactivated"] as const).map((value) => ({ value, label: words.statuses[value] })),
            { value: "invited", label: words.invited, ...(count > 0 && { count: formatNumber(count) }) },
          ]}
        />
        {!isInvited && (
          <Filter name="role" label={words.role} any={words.anyRole} choices={roles.map(({ id, name }) => ({ value: id, label: name }))} />
        )}
        {!isInvited && teams.length > 0 && (
          <Filter name="team" label={words.teams} any={words.anyTeam} choices={teams.map(({ id, name }) => ({ value: id, label: name }))} />
        )}
      </div>
      {isInvited ? (
        <Invitations of={waiting} roles={roles} />
      ) : (
        <MemberTable openId={open} roleName={(id) => nameIn(roles, id)} teamName={(id) => nameIn(teams, id)} />
      )}
      {mayInvite && parameter("new") && <Invite key={inviting} roles={roles} teams={teams} />}
    </Page>
  );
}

interface MemberTableProps {
  openId: string | null;
  roleName: (id: string) => string;
  teamName: (id: string) => string;
}

function MemberTable({ openId, roleName, teamName }: MemberTableProps) {
  const which = whichOf(MEMBERS);
  const list = useList("member.list", "members", which, NOUNS);
  const others: Record<string, string | undefined> = {
    status: which.status ?? undefined,
    role: which.role ?? undefined,
    team: which.team ?? undefined,
  };
  const teams: Column<Member> = {
    key: "teams",
    label: words.teams,
    phone: "plain",
    cell: (member) =>
      member.teams.length > 0 ? <Foreign>{member.teams.map(teamName).join(", ")}</Foreign> : <span class="soft">{words.noTeam}</span>,
  };
  const joined: Column<Member> = {
    key: "joined",
    label: words.joined,
    width: "14%",
    phone: "hidden",
    cell: (member) => <RelativeTime at={member.joinedAt} />,
  };
  return (
    <Table
      label={words.title}
      rows={list.rows}
      problem={list.problem}
      again={list.again}
      idOf={(member) => member.id}
      nameOf={(member) => member.name}
      hrefOf={(member) => to(PATH, { ...others, open: member.id })}
      openId={openId}
      hasMore={list.hasMore}
      more={list.more}
      empty={
        <Empty icon="users" title={words.noneTitle}>
          {words.noneBody}
        </Empty>
      }
      columns={[
        { key: "name", label: words.name, width: openId ? "46%" : "34%", cell: (member) => <Who of={member} /> },
        {
          key: "role",
          label: words.role,
          width: openId ? "24%" : "16%",
          phone: "plain",
          cell: (member) => <Foreign>{roleName(member.role)}</Foreign>,
        },
        ...(openId ? [] : [teams]),
        {
          key: "status",
          label: words.status,
          width: openId ? "30%" : "14%",
          phone: "side",
          cell: (member) => <StatusBadge status={member.status} />,
        },
        ...(openId ? [] : [joined]),
      ]}
    />
  );
}

function Who({ of: { id, name, email } }: { of: Member }) {
  return (
    <span class="with-avatar">
      <Avatar name={name || email} />
      <span class="two-lines">
        <span>
          <Foreign>{name || email}</Foreign> {id === session.value?.person.id && <Badge>{words.you}</Badge>}
        </span>
        {name && (
          <span class="soft">
            <Foreign>{email}</Foreign>
          </span>
        )}
      </span>
    </span>
  );
}
