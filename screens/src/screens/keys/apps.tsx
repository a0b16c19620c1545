/** Settings › Connected apps: which apps people have allowed, who may allow some, and those entered by hand. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { useAct } from "../../house/acts";
import { dropOnReload } from "../../house/address";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write, writeOnce } from "../../house/tools";
import { apps as words } from "../../messages/en/apps";
import { permissions } from "../../messages/en/permissions";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { ask } from "../../parts/dialog";
import { SwitchField, TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { Icon } from "../../parts/icon";
import { useMaking } from "../../parts/making";
import { Once } from "../../parts/once";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Copy, Foreign } from "../../parts/texts";
import { GrantTable } from "./grant_table";

type MadeApp = Answer<"app.list">["apps"][number];

export default function ConnectedApps() {
  const asked = useAnswer("grant.list", {});
  const people = useAnswer("member.list", { limit: 200 }).answer?.members;
  const making = useMaking(words.create);
  const nameOf = (id: string) => {
    const person = people?.find((one) => one.id === id);
    return person?.name || person?.email || id;
  };
  return (
    <Page
      title={words.title}
      crumbs={[messages.nav.settings, messages.sections.developers]}
      about={words.about}
      actions={making.button}
      wide
    >
      <Address />
      <MembersMay />
      <div class="section">
        <GrantTable
          label={words.title}
          rows={asked.answer?.grants}
          asked={asked}
          person={{ key: "person", label: words.person, phone: "plain", cell: (grant) => <Foreign>{nameOf(grant.personId)}</Foreign> }}
        />
      </div>
      <Made />
      {making.isOpen && <NewApp onClose={making.close} />}
    </Page>
  );
}

export function Address() {
  return (
    <section class="section">
      <h2>{words.address}</h2>
      <Copy text={`${location.origin}/api/v1/mcp`} label={words.address} block />
      <p class="field-hint lead">
        {words.addressHint}{" "}
        <a href="/docs/connected-apps" target="_blank" rel="noopener">
          <Icon name="external-link" /> {words.guide}
        </a>
      </p>
    </section>
  );
}

function MembersMay() {
  const { answer } = useAnswer("organization.get", {});
  const act = useAct(async (membersMayConnectApps: boolean) => {
    const result = await write("organization.update", { membersMayConnectApps });
    if (result.ok) toast(membersMayConnectApps ? words.switchedOn : words.switchedOff);
    return result;
  });
  if (!answer) return null;
  return (
    <div class="section">
      <SwitchField
        label={words.membersMay}
        hint={[say(words.membersHint, { permission: permissions.security }), act.problem?.detail].filter(Boolean).join(" ")}
        pointer="/membersMayConnectApps"
        on={answer.membersMayConnectApps}
        onValue={(on) => void act.run(on)}
        disabled={act.busy}
      />
    </div>
  );
}

/** The apps that were entered by hand. */
function Made() {
  const asked = useAnswer("app.list", {});
  const remove = async ({ id, name }: MadeApp) => {
    const act = () => write("app.remove", { id });
    if (await ask({ title: say(words.removeTitle, { name }), body: words.removeBody, confirm: words.remove, danger: true, act }))
      toast(say(words.removed, { name }));
  };
  return (
    <section class="section">
      <h2>{words.made}</h2>
      <p class="field-hint lead">{words.madeAbout}</p>
      <Table
        label={words.made}
        rows={asked.answer?.apps}
        problem={asked.problem}
        again={() => void asked.query.again()}
        idOf={(app) => app.id}
        nameOf={(app) => app.name}
        empty={<Empty icon="plug" title={words.noneMade} />}
        columns={[
          {
            key: "name",
            label: words.name,
            width: "26%",
            cell: (app) => (
              <strong>
                <Foreign>{app.name}</Foreign>
              </strong>
            ),
          },
          { key: "id", label: words.clientId, width: "34%", phone: "plain", cell: (app) => <code class="soft">{app.clientId}</code> },
          { key: "secret", label: words.clientSecret, phone: "plain", cell: (app) => (app.secret ? words.hasSecret : words.noSecret) },
        ]}
        actions={(app) => (
          <Button small onClick={() => void remove(app)}>
            {words.remove}
          </Button>
        )}
      />
    </section>
  );
}

function NewApp({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [uris, setUris] = useState("");
  const [secret, setSecret] = useState(false);
  const [made, setMade] = useState<Answer<"app.create"> | null>(null);
  const act = useAct(async () => {
    const redirectUris = uris
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    const result = await writeOnce("app.create", { name, redirectUris, secret });
    if (result.ok) {
      setMade(result.answer);
      dropOnReload("new");
    }
    return result;
  });
  if (made)
    return (
      <Once
        title={words.clientId}
        label={made.clientSecret ? words.clientSecret : words.clientId}
        secret={made.clientSecret ?? made.clientId}
        onDone={onClose}
      >
        <p>
          {words.clientId}: <code>{made.clientId}</code>
        </p>
      </Once>
    );
  return (
    <FormDialog title={words.create} act={act} submit={words.enter} onClose={onClose} dirty={name !== "" || uris !== ""}>
      <TextField label={words.name} hint={words.nameHint} pointer="/name" value={name} onValue={setName} max={100} autoFocus />
      <TextField label={words.redirects} hint={words.redirectsHint} pointer="/redirectUris" value={uris} onValue={setUris} lines={3} />
      <SwitchField label={words.secret} hint={words.secretHint} pointer="/secret" on={secret} onValue={setSecret} />
    </FormDialog>
  );
}
