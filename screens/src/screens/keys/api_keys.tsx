/** Settings › Developers › API keys: make one, see what there is, revoke. */
import { useState } from "preact/hooks";
import { parameter, setParameters } from "../../house/address";
import { organization } from "../../house/boot";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { write, writeOnce } from "../../house/tools";
import { keys as words } from "../../messages/en/keys";
import { messages, say } from "../../messages/messages";
import { Page } from "../../frame/page";
import { Button } from "../../parts/button";
import { RadioField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";
import { expiresColumn, nameColumn, startColumn, usedColumn } from "./columns";
import { NewKey } from "./new_key";
import { revoke } from "./revoking";
import { isFull, Used } from "./used";

export default function ApiKeys() {
  const { answer, problem, query } = useAnswer("apikey.list", {});
  const roles = useAnswer("role.list", {}).answer?.roles;
  const roleOf = (id: string) => roles?.find((role) => role.id === id)?.name ?? id;
  const create = () => setParameters({ new: "1" });
  useKeys([{ key: "c", label: words.api.create, run: create }]);
  const newButton = (
    <Button look="solid" icon="plus" onClick={create} disabled={isFull(answer)}>
      {words.api.create}
    </Button>
  );
  return (
    <Page
      title={words.api.title}
      crumbs={[messages.nav.settings, messages.sections.developers]}
      about={words.api.about}
      actions={newButton}
      wide
    >
      <Used of={answer} hint={words.usedHint} />
      <Table
        label={words.api.title}
        rows={answer?.apiKeys.filter((key) => key.limitedTo === null)}
        problem={problem}
        again={() => void query.again()}
        idOf={(key) => key.id}
        nameOf={(key) => key.name}
        empty={
          <Empty icon="key-round" title={words.api.emptyTitle} action={newButton}>
            {words.api.emptyBody}
          </Empty>
        }
        columns={[
          nameColumn(),
          startColumn(),
          { key: "role", label: words.role, phone: "plain", cell: (key) => <bdi>{roleOf(key.role)}</bdi> },
          {
            key: "limited",
            label: words.limitedTo,
            width: "20%",
            phone: "plain",
            cell: (key) => (key.tools ? <span title={key.tools.join("\n")}>{say(words.someTools, { n: key.tools.length })}</span> : words.allTools),
          },
          usedColumn(),
          expiresColumn(),
        ]}
        actions={(key) => (
          <Button small onClick={() => void revoke(key, () => write("apikey.revoke", { id: key.id }))}>
            {words.revoke}
          </Button>
        )}
      />
      <p class="links">
        <a href="/docs/api" target="_blank" rel="noopener">
          <Icon name="external-link" /> {words.api.reference}
        </a>
        <a href="/api/v1/openapi.json" target="_blank" rel="noopener">
          <Icon name="code-xml" /> {words.api.contract}
        </a>
      </p>
      {parameter("new") && <NewApiKey roleName={roleOf(organization?.role ?? "")} />}
    </Page>
  );
}

type ExpiresIn = "30d" | "90d" | "1y";

function NewApiKey({ roleName }: { roleName: string }) {
  const [expiresIn, setExpiresIn] = useState<ExpiresIn>("90d");
  return (
    <NewKey
      title={words.api.create}
      nameHint={words.api.nameHint}
      mint={(name) => writeOnce("apikey.mint", { name, expiresIn })}
      exampleOf={(key) =>
        [
          `curl -sS ${location.origin}/api/v1/tools/record.list \\`,
          `  -H 'Authorization: Bearer ${key}' \\`,
          "  -H 'Content-Type: application/json' \\",
          `  -d '{"objectType": "contact", "limit": 3}'`,
        ].join("\n")
      }
      onClose={() => setParameters({ new: null }, { replace: true })}
    >
      <RadioField
        label={words.api.expiresIn}
        pointer="/expiresIn"
        value={expiresIn}
        onValue={setExpiresIn}
        choices={[
          { value: "30d", label: words.api.days30 },
          { value: "90d", label: words.api.days90 },
          { value: "1y", label: words.api.year },
        ]}
      />
      <p class="field-hint">{say(words.api.reach, { role: roleName })}</p>
    </NewKey>
  );
}
