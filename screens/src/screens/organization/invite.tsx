/** Inviting: an address and a role; then the link, which is shown once. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { dropOnReload, setParameters } from "../../house/address";
import { sendsMail } from "../../house/boot";
import { formatDate } from "../../house/formats";
import { type Answer, writeOnce } from "../../house/tools";
import { members } from "../../messages/en/people";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { SelectField, TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { Copy } from "../../parts/texts";
import { mayGive, type Role } from "./rights";
import { TeamChoice } from "./team_choice";

const words = members.invite;

interface InviteProps {
  roles: readonly Role[];
  teams: readonly { id: string; name: string }[];
}

export function Invite({ roles, teams }: InviteProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("viewer");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [made, setMade] = useState<Answer<"member.invite"> | null>(null);
  const close = () => setParameters({ new: null }, { replace: true });
  const act = useAct(async () => {
    const result = await writeOnce("member.invite", { email: email.trim(), role, teams: [...chosen] });
    if (result.ok) {
      setMade(result.answer);
      dropOnReload("new");
    }
    return result;
  });
  if (made) {
    // A dialog of its own, which takes the focus anew.
    return (
      <Dialog key="link" title={words.onceTitle} onClose={close} stays wide>
        <p class="prose">
          {say(made.mailed ? words.onceMailed : words.onceBody, { email: email.trim(), date: formatDate(made.expiresAt) })}
        </p>
        <Copy text={made.link} label={words.link} />
        <footer>
          <Button look="solid" onClick={close} autoFocus>
            {words.done}
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <FormDialog title={words.title} act={act} submit={words.make} onClose={close} dirty={email !== ""}>
      <TextField label={members.email} hint={words.emailHint} pointer="/email" type="email" value={email} onValue={setEmail} autoFocus />
      <SelectField
        label={members.role}
        hint={words.roleHint}
        pointer="/role"
        value={role}
        onValue={setRole}
        choices={roles.map((choice) => ({ value: choice.id, label: choice.name, disabled: !mayGive(choice) }))}
      />
      {teams.length > 0 && <TeamChoice teams={teams} chosen={chosen} onChosen={setChosen} />}
      <p class="field-hint">{sendsMail ? words.mailed : words.noMail}</p>
    </FormDialog>
  );
}
