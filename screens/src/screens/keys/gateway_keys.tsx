/** Settings › AI › AI Gateway › Keys: keys that call models and no tool. */
import { parameter, setParameters } from "../../house/address";
import { organization } from "../../house/boot";
import { useKeys } from "../../house/keys";
import { useAnswer } from "../../house/queries";
import { write, writeOnce } from "../../house/tools";
import { keys as words } from "../../messages/en/keys";
import { messages } from "../../messages/messages";
import { Page } from "../../frame/page";
import { Button } from "../../parts/button";
import { Empty } from "../../parts/states";
import { Table } from "../../parts/table";
import { expiresColumn, nameColumn, startColumn, usedColumn } from "./columns";
import { NewKey } from "./new_key";
import { revoke } from "./revoking";
import { isFull, Used } from "./used";

export default function GatewayKeys() {
  const { answer, problem, query } = useAnswer("apikey.list", {});
  const mayMake = organization?.role === "owner" || organization?.role === "admin";
  const create = () => setParameters({ new: "1" });
  useKeys(mayMake ? [{ key: "c", label: words.ai.create, run: create }] : []);
  const newButton = mayMake ? (
    <Button look="solid" icon="plus" onClick={create} disabled={isFull(answer)}>
      {words.ai.create}
    </Button>
  ) : (
    <span class="soft">{words.ai.ownersOnly}</span>
  );
  return (
    <Page title={words.ai.title} crumbs={[messages.nav.settings, messages.sections.ai]} about={words.ai.about} actions={newButton} wide>
      <Used of={answer} hint={words.usedHint} />
      <Table
        label={words.ai.title}
        rows={answer?.apiKeys.filter((key) => key.limitedTo === "ai.gateway")}
        problem={problem}
        again={() => void query.again()}
        idOf={(key) => key.id}
        nameOf={(key) => key.name}
        empty={
          <Empty icon="sparkles" title={words.ai.emptyTitle} action={mayMake ? newButton : undefined}>
            {words.ai.emptyBody}
          </Empty>
        }
        columns={[
          nameColumn(),
          startColumn(),
          { key: "limited", label: words.limitedTo, cell: () => <code>{words.gateway}</code> },
          usedColumn(),
          expiresColumn(),
        ]}
        actions={(key) => (
          <Button small onClick={() => void revoke(key, () => write("apikey.revoke", { id: key.id }))}>
            {words.revoke}
          </Button>
        )}
      />
      {parameter("new") && (
        <NewKey
          title={words.ai.create}
          nameLabel={words.ai.keyName}
          mint={(name) => writeOnce("apikey.mint", { name, limitedTo: "ai.gateway" })}
          exampleOf={(key) =>
            [
              `curl -sS ${location.origin}/api/ai/v1/models \\`,
              `  -H 'Authorization: Bearer ${key}'`,
            ].join("\n")
          }
          onClose={() => setParameters({ new: null }, { replace: true })}
        >
          <p class="field-hint">{words.ai.fixed}</p>
        </NewKey>
      )}
    </Page>
  );
}
