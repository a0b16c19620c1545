/** One gateway key: what it may spend and run, and what it used. */
import { useState } from "preact/hooks";
import { Page } from "../../frame/page";
import type { ScreenProps } from "../../frame/screen";
import { useAct } from "../../house/acts";
import { go, to } from "../../house/address";
import { may } from "../../house/boot";
import { formatCredits, formatDate } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { keys as words } from "../../messages/en/keys";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Failure } from "../../parts/failure";
import { RadioField, SwitchField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { Empty, Skeleton } from "../../parts/states";
import { Badge, RelativeTime } from "../../parts/texts";
import { firstDay, UsageByDay } from "../../parts/usage";
import { revoke } from "./revoking";

const said = words.gatewayKey;
const PATH = "/app/settings/gateway-keys";
const MICRO = 1_000_000;
const DAYS = 30;

type Key = Answer<"apikey.list">["apiKeys"][number];

export default function GatewayKey({ params }: ScreenProps) {
  const { answer, problem, query } = useAnswer("apikey.list", {});
  const key = answer?.apiKeys.find((one) => one.id === params.key && one.limitedTo === "ai.gateway");
  const crumbs = [messages.nav.settings, messages.sections.ai, { label: words.ai.title, href: to(PATH) }];
  if (!key) {
    return (
      <Page title={words.ai.title} crumbs={crumbs}>
        {problem && !answer ? (
          <Failure problem={problem} again={() => void query.again()} />
        ) : answer ? (
          <Empty icon="key-round" title={said.gone} />
        ) : (
          <Skeleton head="page" />
        )}
      </Page>
    );
  }
  const remove = async () => {
    let isRevoked = false;
    await revoke(key, async () => {
      const result = await write("apikey.revoke", { id: key.id });
      isRevoked = result.ok;
      return result;
    });
    if (isRevoked) void go(to(PATH));
  };
  return (
    <Page title={key.name} crumbs={crumbs} actions={<Button onClick={() => void remove()}>{words.revoke}</Button>}>
      <div class="stack-wide">
        <Facts of={key} />
        <Limits key={key.id} of={key} />
        {may("ai") && <UseOfKey of={key} />}
      </div>
    </Page>
  );
}

function Facts({ of: key }: { of: Key }) {
  return (
    <dl class="facts">
      <dt>{words.visibleStart}</dt>
      <dd>
        <code>{key.visibleStart}…</code> {key.stoppedBecause && <Badge kind="warn">{words.stops[key.stoppedBecause]}</Badge>}
      </dd>
      <dt>{words.lastUsed}</dt>
      <dd>
        <RelativeTime at={key.lastUsedAt} />
      </dd>
      <dt>{words.expires}</dt>
      <dd>{formatDate(key.expiresAt)}</dd>
    </dl>
  );
}

interface Draft {
  name: string;
  hasBudget: boolean;
  budget: string;
  isNarrowed: boolean;
  models: readonly string[];
}

const draftOf = (key: Key): Draft => ({
  name: key.name,
  hasBudget: key.monthlyBudgetMicroCredits !== null,
  budget: key.monthlyBudgetMicroCredits === null ? "10" : String(key.monthlyBudgetMicroCredits / MICRO),
  isNarrowed: key.models !== null,
  models: key.models ?? [],
});

const microOf = (text: string): number | null =>
  /^\d{1,9}([.,]\d{1,6})?$/.test(text.trim()) ? Math.round(Number(text.replace(",", ".")) * MICRO) : null;

/** Its name, its budget of a month, and the models that it may name. */
function Limits({ of: key }: { of: Key }) {
  const [base, setBase] = useState(() => draftOf(key));
  const [draft, setDraft] = useState(base);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const budget = draft.hasBudget ? microOf(draft.budget) : 0;
  const dirty = JSON.stringify(draft) !== JSON.stringify(base);
  const act = useAct(async () => {
    const result = await write("apikey.update", {
      id: key.id,
      name: draft.name,
      monthlyBudgetMicroCredits: draft.hasBudget ? budget : null,
      models: draft.isNarrowed ? [...draft.models] : null,
    });
    if (result.ok) {
      const stored = draftOf(result.answer);
      setBase(stored);
      setDraft(stored);
      toast(say(said.saved, { name: stored.name }));
    }
    return result;
  });
  return (
    <Form act={act} dirty={dirty} label={said.limits}>
      <TextField label={words.ai.keyName} pointer="/name" value={draft.name} onValue={(name) => set({ name })} max={200} />
      <SwitchField label={said.budget} hint={said.budgetHint} on={draft.hasBudget} onValue={(hasBudget) => set({ hasBudget })} />
      {draft.hasBudget && (
        <TextField
          label={said.amount}
          pointer="/monthlyBudgetMicroCredits"
          fault={budget === null ? said.notANumber : null}
          value={draft.budget}
          onValue={(to) => set({ budget: to })}
        />
      )}
      <RadioField
        label={said.models}
        pointer="/models"
        value={draft.isNarrowed ? "some" : "all"}
        onValue={(to) => set({ isNarrowed: to === "some" })}
        choices={[
          { value: "all", label: said.allModels },
          { value: "some", label: said.someModels },
        ]}
      />
      {draft.isNarrowed && may("ai") && <ModelChoice chosen={draft.models} onChosen={(models) => set({ models })} />}
      <div class="form-actions">
        <Button
          type="submit"
          look="solid"
          busy={act.busy}
          disabled={!dirty || budget === null || (draft.isNarrowed && draft.models.length === 0)}
        >
          {messages.common.save}
        </Button>
        {dirty && <Button onClick={() => setDraft(base)}>{messages.common.cancel}</Button>}
      </div>
    </Form>
  );
}

function ModelChoice({ chosen, onChosen }: { chosen: readonly string[]; onChosen: (chosen: string[]) => void }) {
  const listed = useAnswer("ai.model_list", {}).answer?.models.map((model) => model.id) ?? [];
  const all = [...new Set([...listed, ...chosen])];
  return (
    <div class="checks">
      {all.map((id) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={() => onChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])}
          />
          <bdi>{id}</bdi>
        </label>
      ))}
    </div>
  );
}

function UseOfKey({ of: key }: { of: Key }) {
  const from = firstDay(DAYS);
  const month = `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`;
  const byDay = useAnswer("ai.usage", { from, by: ["day"], keyId: key.id }).answer;
  const used = useAnswer("ai.usage", { from: month, keyId: key.id }).answer?.total.costMicroCredits;
  const budget = key.monthlyBudgetMicroCredits;
  return (
    <section class="stack">
      <h2>{said.use}</h2>
      {used !== undefined && (
        <p class="used">
          {budget !== null && <meter min={0} max={Math.max(1, budget)} high={budget * 0.8} value={used} aria-hidden="true" />}
          {budget === null
            ? say(said.usedThisMonth, { used: formatCredits(used) })
            : say(said.usedOfBudget, { used: formatCredits(used), most: formatCredits(budget) })}
        </p>
      )}
      {byDay && <UsageByDay rows={byDay.rows} from={from} measure="cost" />}
    </section>
  );
}
