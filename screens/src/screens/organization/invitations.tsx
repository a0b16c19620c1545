/** Invitations that wait to be accepted; one can be withdrawn. */
import { may } from "../../house/boot";
import type { Problem } from "../../house/problems";
import type { Query } from "../../house/queries";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { members } from "../../messages/en/people";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { DateOf, Foreign } from "../../parts/texts";
import { nameIn } from "./names";
import { type Invitation, mayGive, type Role } from "./rights";

const words = members.invite;

interface InvitationsProps {
  of: { answer: Answer<"member.list"> | undefined; problem: Problem | null; query: Query<Answer<"member.list">> };
  roles: readonly Role[];
}

export function Invitations({ of: { answer, problem, query }, roles }: InvitationsProps) {
  const people = useAnswer("member.list", { limit: 200 }).answer?.members ?? [];
  return (
    <Table
      label={members.invited}
      rows={answer?.invitations}
      problem={problem}
      again={() => void query.again()}
      idOf={(invitation) => invitation.id}
      nameOf={(invitation) => invitation.email}
      empty={
        <Empty icon="mail" title={words.emptyTitle}>
          {words.emptyBody}
        </Empty>
      }
      columns={[
        {
          key: "email",
          label: members.email,
          width: "36%",
          cell: (invitation) => <strong>{<Foreign>{invitation.email}</Foreign>}</strong>,
        },
        { key: "role", label: members.role, phone: "plain", cell: (invitation) => <Foreign>{nameIn(roles, invitation.role)}</Foreign> },
        {
          key: "by",
          label: words.by,
          cell: ({ invitedBy }) => (invitedBy ? <Foreign>{nameIn(people, invitedBy)}</Foreign> : words.operator),
        },
        { key: "ends", label: words.ends, cell: (invitation) => <DateOf at={invitation.expiresAt} /> },
      ]}
      {...(may("settings") && {
        actions: (invitation: Invitation) =>
          mayGive(roles.find((role) => role.id === invitation.role)) && (
            <Button small onClick={() => void withdraw(invitation)}>
              {words.withdraw}
            </Button>
          ),
      })}
    />
  );
}

async function withdraw({ id, email }: Invitation): Promise<void> {
  const act = () => write("member.deactivate", { id });
  const title = say(words.withdrawTitle, { email });
  if (await ask({ title, body: words.withdrawBody, confirm: words.withdraw, danger: true, act })) toast(say(words.withdrawn, { email }));
}
