/** Settings › Developers › API keys: make one, see what there is, revoke. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import { to } from "../../house/address";
import { organization } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import { write, writeOnce } from "../../house/tools";
import { keys as words } from "../../messages/en/keys";
import { messages, say } from "../../messages/messages";
import { RadioField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { useMaking } from "../../parts/making";
import { usedColumn } from "./columns";
import { KeyTable } from "./key_table";
import { NewKey } from "./new_key";
import { isFull, Used } from "./used";

export default function ApiKeys() {
  const asked = useAnswer("apikey.list", {});
  const { answer } = asked;
  const roles = useAnswer("role.list", {}).answer?.roles;
  const roleOf = (id: string) => roles?.find((role) => role.id === id)?.name ?? id;
  const making = useMaking(words.api.create, { disabled: isFull(answer) });
  return (
    <Page
      title={words.api.title}
      crumbs={[messages.nav.settings, messages.sections.developers]}
      about={words.api.about}
      actions={making.button}
      wide
    >
      <Used of={answer} hint={words.usedHint} />
      <KeyTable
        words={words.api}
        icon="key-round"
        rows={answer?.apiKeys.filter((key) => key.limitedTo === null)}
        asked={asked}
        hrefOf={(key) => to(`/app/settings/api-keys/${key.id}`)}
        newButton={making.button}
        columns={[
          { key: "role", label: words.role, phone: "plain", cell: (key) => <bdi>{roleOf(key.role)}</bdi> },
          {
            key: "limited",
            label: words.limitedTo,
            width: "20%",
            phone: "plain",
            cell: (key) =>
              key.tools ? <span title={key.tools.join("\n")}>{say(words.someTools, { n: key.tools.length })}</span> : words.allTools,
          },
          usedColumn(),
        ]}
        revokeBy={(id) => write("apikey.revoke", { id })}
      />
      <p class="links">
        <a href="/docs/api" target="_blank" rel="noopener">
          <Icon name="external-link" /> {words.api.reference}
        </a>
        <a href="/api/v1/openapi.json" target="_blank" rel="noopener">
          <Icon name="code-xml" /> {words.api.contract}
        </a>
      </p>
      {making.isOpen && <NewApiKey roleName={roleOf(organization?.role ?? "")} onClose={making.close} />}
    </Page>
  );
}

type ExpiresIn = "30d" | "90d" | "1y";

function NewApiKey({ roleName, onClose }: { roleName: string; onClose: () => void }) {
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
      onClose={onClose}
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
