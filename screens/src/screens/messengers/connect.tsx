/** Connecting a messenger: what it is called, whose it is, how replies reach its bridge; then how to start that. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { dropOnReload } from "../../house/address";
import { may, session } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import { type Answer, type Input, writeOnce } from "../../house/tools";
import { messengers as words } from "../../messages/en/messengers";
import { RadioField, SelectField, TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { Guide } from "./guide";

type New = Input<"connection.create">;
type AccountKind = NonNullable<NonNullable<New["account"]>["kind"]>;

const KINDS = Object.entries(words.kinds).map(([value, label]) => ({ value: value as New["messenger"], label }));

export function Connect({ isOwn, onClose }: { isOwn: boolean; onClose: () => void }) {
  const [name, setName] = useState("");
  const [messenger, setMessenger] = useState<New["messenger"]>("telegram");
  const [kind, setKind] = useState<AccountKind>(isOwn || !may("channels") ? "member" : "organization");
  const [teamId, setTeamId] = useState("");
  const [delivery, setDelivery] = useState<New["delivery"]>("pull");
  const [url, setUrl] = useState("");
  const [made, setMade] = useState<Answer<"connection.create"> | null>(null);
  const act = useAct(async () => {
    const account = { kind, id: kind === "organization" ? null : kind === "team" ? teamId : (session.value?.person.id ?? null) };
    const result = await writeOnce("connection.create", {
      name,
      messenger,
      account,
      delivery,
      url: delivery === "push" ? url.trim() : null,
    });
    if (result.ok) {
      setMade(result.answer);
      dropOnReload("new");
    }
    return result;
  });
  if (made) return <Guide key="guide" connection={made} channelKey={made.channelKey} signingSecret={made.signingSecret} onDone={onClose} />;
  return (
    <FormDialog title={words.connect} act={act} submit={words.make} onClose={onClose} dirty={name !== ""}>
      <TextField label={words.name} hint={words.nameHint} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
      <SelectField label={words.messenger} pointer="/messenger" value={messenger} onValue={setMessenger} choices={KINDS} />
      {!isOwn && <WhoseAccount kind={kind} onKind={setKind} teamId={teamId} onTeam={setTeamId} />}
      <RadioField
        label={words.delivery}
        hint={words.deliveryHints[delivery]}
        pointer="/delivery"
        value={delivery}
        onValue={setDelivery}
        choices={[
          { value: "pull", label: words.deliveries.pull },
          { value: "push", label: words.deliveries.push },
        ]}
      />
      {delivery === "push" && (
        <TextField label={words.url} pointer="/url" type="url" value={url} onValue={setUrl} placeholder="https://" mono />
      )}
    </FormDialog>
  );
}

interface WhoseProps {
  kind: AccountKind;
  onKind: (kind: AccountKind) => void;
  teamId: string;
  onTeam: (id: string) => void;
}

function WhoseAccount({ kind, onKind, teamId, onTeam }: WhoseProps) {
  const teams = useAnswer("team.list", {}).answer?.teams ?? [];
  const kinds = ["organization", "team", "member"] as const;
  return (
    <>
      <RadioField
        label={words.account}
        hint={words.accountHints[kind]}
        pointer="/account"
        value={kind}
        onValue={onKind}
        choices={kinds.map((value) => ({ value, label: words.accounts[value] }))}
      />
      {kind === "team" && (
        <SelectField
          label={words.team}
          pointer="/account/id"
          hint={teams.length === 0 ? words.noTeams : undefined}
          value={teamId}
          onValue={onTeam}
          choices={[{ value: "", label: words.chooseTeam }, ...teams.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      )}
    </>
  );
}
