/** One member: role and teams are changed at once, with a way back; freezing, deactivating and letting in again. */

import { useAct } from "../../house/acts";
import { may, organization, session } from "../../house/boot";
import type { Result } from "../../house/problems";
import { useAnswer } from "../../house/queries";
import { type Answer, type Input, write } from "../../house/tools";
import { toastWithUndo } from "../../house/undo";
import { members as words } from "../../messages/en/people";
import { permissions as permissionNames } from "../../messages/en/permissions";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Failure } from "../../parts/failure";
import { SelectField } from "../../parts/field";
import { Panel } from "../../parts/panel";
import { Empty, ErrorBox, Skeleton } from "../../parts/states";
import { DateOf, Foreign } from "../../parts/texts";
import { nameIn } from "./names";
import { type Member, mayGive, type Role } from "./rights";
import { StatusBadge } from "./status_badge";
import { TeamChoice } from "./team_choice";

type Team = Answer<"team.list">["teams"][number];

interface MemberPanelProps {
  id: string;
  roles: readonly Role[];
  teams: readonly Team[];
  onClose: () => void;
}

export function MemberPanel({ id, roles, teams, onClose }: MemberPanelProps) {
  const { answer, problem, query } = useAnswer("member.list", { id });
  const member = answer?.members[0];
  return (
    <Panel title={member ? <Foreign>{member.name || member.email}</Foreign> : ""} of={id} onClose={onClose}>
      {member ? (
        <Shown member={member} roles={roles} teams={teams} />
      ) : answer ? (
        <Empty icon="user" title={words.gone} />
      ) : problem ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : (
        <Skeleton lines={4} height={32} />
      )}
    </Panel>
  );
}

/** A `status` of null stands for deactivated, which has a tool of its own. */
type Change = Pick<Input<"member.update">, "role" | "teams" | "status">;

async function put(id: string, change: Change): Promise<Result<unknown>> {
  return change.status === null ? write("member.deactivate", { id }) : write("member.update", { id, ...change });
}

function Shown({ member, roles, teams }: { member: Member; roles: readonly Role[]; teams: readonly Team[] }) {
  const { id, email, status, homeOrganizationId, joinedAt } = member;
  const name = member.name || email;
  const role = roles.find((found) => found.id === member.role);
  const mayDecide = mayGive(role);
  const isSelf = id === session.value?.person.id;
  const act = useAct(async (change: Change, back: Change, said: string) => {
    const result = await put(id, change);
    if (result.ok) toastWithUndo(said, () => put(id, back));
    return result;
  });
  const setStatus = (next: Change["status"], said: string) =>
    void act.run({ status: next }, { status: status === "deactivated" ? null : status }, said);
  const why = !may("settings") ? say(words.readOnly, { permission: permissionNames.settings }) : role && !mayDecide ? words.above : null;
  return (
    <div class="stack-wide">
      <ErrorBox problem={act.problem} />
      <dl class="facts">
        <dt>{words.email}</dt>
        <dd>
          <Foreign>{email}</Foreign>
        </dd>
        <dt>{words.status}</dt>
        <dd>
          <StatusBadge status={status} />
        </dd>
        <dt>{words.joined}</dt>
        <dd>
          <DateOf at={joinedAt} />
        </dd>
      </dl>
      {homeOrganizationId !== organization?.id && <p class="soft">{words.elsewhere}</p>}
      {why && <p class="preview soft">{why}</p>}
      <SelectField
        label={words.role}
        value={member.role}
        disabled={!mayDecide || act.busy}
        onValue={(next) => void act.run({ role: next }, { role: member.role }, say(words.hasRole, { name, role: nameIn(roles, next) }))}
        choices={roles.map((choice) => ({ value: choice.id, label: choice.name, disabled: choice.id !== member.role && !mayGive(choice) }))}
      />
      {teams.length > 0 && (
        <TeamChoice
          teams={teams}
          chosen={member.teams}
          disabled={!mayDecide}
          onChosen={(next) => void act.run({ teams: [...next] }, { teams: member.teams }, say(words.teamsChanged, { name }))}
        />
      )}
      {mayDecide && !isSelf && (
        <section>
          <h3>{words.access}</h3>
          <div class="stack">
            {status !== "active" && (
              <AccessLine
                label={words.letIn}
                hint={words.letInHint}
                busy={act.busy}
                run={() => setStatus("active", say(words.isIn, { name }))}
              />
            )}
            {status === "active" && (
              <AccessLine
                label={words.freeze}
                hint={words.freezeHint}
                busy={act.busy}
                run={() => setStatus("frozen", say(words.isFrozen, { name }))}
              />
            )}
            {status !== "deactivated" && (
              <AccessLine
                label={words.deactivate}
                hint={words.deactivateHint}
                busy={act.busy}
                danger
                run={() => setStatus(null, say(words.isDeactivated, { name }))}
              />
            )}
          </div>
        </section>
      )}
    </div>
  );
}

function AccessLine({ label, hint, busy, danger, run }: { label: string; hint: string; busy: boolean; danger?: boolean; run: () => void }) {
  return (
    <div class="access">
      <p class="field-hint">{hint}</p>
      <Button small busy={busy} onClick={run} {...(danger && { look: "danger" })}>
        {label}
      </Button>
    </div>
  );
}
