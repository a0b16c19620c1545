/** Settings › AI › AI Gateway › Keys: keys that call models and no tool. */
import { Page } from "../../frame/page";
import { to } from "../../house/address";
import { organization } from "../../house/boot";
import { formatCredits } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { type Answer, write, writeOnce } from "../../house/tools";
import { keys as words } from "../../messages/en/keys";
import { messages } from "../../messages/messages";
import { useMaking } from "../../parts/making";
import type { Column } from "../../parts/table/column";
import { usedColumn } from "./columns";
import { KeyTable } from "./key_table";
import { NewKey } from "./new_key";
import { isFull, Used } from "./used";

const budgetColumn: Column<Answer<"apikey.list">["apiKeys"][number]> = {
  key: "budget",
  label: words.gatewayKey.budgetColumn,
  width: "13%",
  phone: "plain",
  cell: ({ monthlyBudgetMicroCredits: budget }) =>
    budget === null ? <span class="soft">{words.gatewayKey.noBudget}</span> : formatCredits(budget),
};

export default function GatewayKeys() {
  const asked = useAnswer("apikey.list", {});
  const { answer } = asked;
  const mayMake = organization?.role === "owner" || organization?.role === "admin";
  const making = useMaking(words.ai.create, { may: mayMake, disabled: isFull(answer) });
  return (
    <Page
      title={words.ai.title}
      crumbs={[messages.nav.settings, messages.sections.ai]}
      about={words.ai.about}
      actions={making.button || <span class="soft">{words.ai.ownersOnly}</span>}
      wide
    >
      <Used of={answer} hint={words.usedHint} />
      <KeyTable
        words={words.ai}
        icon="sparkles"
        rows={answer?.apiKeys.filter((key) => key.limitedTo === "ai.gateway")}
        asked={asked}
        newButton={making.button}
        columns={[{ key: "limited", label: words.limitedTo, cell: () => <code>{words.gateway}</code> }, budgetColumn, usedColumn("14%")]}
        hrefOf={(key) => to(`/app/settings/gateway-keys/${key.id}`)}
        revokeBy={(id) => write("apikey.revoke", { id })}
      />
      {making.isOpen && (
        <NewKey
          title={words.ai.create}
          nameLabel={words.ai.keyName}
          mint={(name) => writeOnce("apikey.mint", { name, limitedTo: "ai.gateway" })}
          exampleOf={(key) => [`curl -sS ${location.origin}/api/ai/v1/models \\`, `  -H 'Authorization: Bearer ${key}'`].join("\n")}
          onClose={making.close}
        >
          <p class="field-hint">{words.ai.fixed}</p>
        </NewKey>
      )}
    </Page>
  );
}
