/** The agent of one messenger: its settings, what a stranger could do by it, and a trial beside them. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { formatCredits, formatRelative } from "../../house/formats";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { agents as words } from "../../messages/en/agents";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { RadioField, SelectField, SwitchField, TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import { later } from "../../parts/later";
import { Trial } from "./trial";
import "../../styles/agents.css";

export type Agent = Answer<"agent.get">;

const MICRO = 1_000_000;
const INSTRUCTIONS_MAX = 16_000;
const ToolsField = later(async () => (await import("./tools_field")).ToolsField);

interface EditorProps {
  connection: string;
  /** Null where none was ever set. */
  agent: Agent | null;
}

interface Draft {
  enabled: boolean;
  instructions: string;
  model: string;
  role: string;
  chosen: boolean;
  tools: string[];
  daily: string;
}

const draftOf = (agent: Agent | null, model: string): Draft => ({
  enabled: agent?.enabled ?? false,
  instructions: agent?.instructions ?? "",
  model: agent?.model ?? model,
  role: agent?.role ?? "viewer",
  chosen: agent?.tools != null,
  tools: [...(agent?.tools ?? [])],
  daily: String((agent?.dailyMicroCredits ?? 10 * MICRO) / MICRO),
});

const microOf = (text: string): number | null =>
  /^\d{1,9}([.,]\d{1,6})?$/.test(text.trim()) ? Math.round(Number(text.replace(",", ".")) * MICRO) : null;

export function Editor({ connection, agent }: EditorProps) {
  const models = useAnswer("ai.model_list", {}).answer?.models.filter((model) => !model.restricted) ?? [];
  const roles = useAnswer("role.list", {}).answer?.roles ?? [];
  const [base, setBase] = useState(() => draftOf(agent, models[0]?.id ?? ""));
  const [draft, setDraft] = useState(base);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const model = draft.model || (models[0]?.id ?? "");
  const dirty = JSON.stringify(draft) !== JSON.stringify(base);
  const daily = microOf(draft.daily);
  const settings = {
    connectionId: connection,
    instructions: draft.instructions,
    model,
    role: draft.role,
    tools: draft.chosen ? draft.tools : null,
  };
  const act = useAct(async () => {
    const result = await write("agent.set", { ...settings, enabled: draft.enabled, dailyMicroCredits: daily ?? 0 });
    if (result.ok) {
      const stored = draftOf(result.answer, "");
      setBase(stored);
      setDraft(stored);
      toast(stored.enabled ? words.saved : words.savedOff);
    }
    return result;
  });
  const listed = models.map(({ id }) => ({ value: id, label: id }));
  if (model && !listed.some((choice) => choice.value === model)) listed.unshift({ value: model, label: model });
  return (
    <div class="agent">
      <div class="agent-form">
        <Form act={act} dirty={dirty} label={words.settings}>
          <SwitchField label={words.enabled} hint={words.enabledHint} on={draft.enabled} onValue={(enabled) => set({ enabled })} />
          <TextField
            label={words.instructions}
            hint={words.instructionsHint}
            placeholder={words.instructionsExample}
            pointer="/instructions"
            value={draft.instructions}
            onValue={(instructions) => set({ instructions })}
            lines={7}
            max={INSTRUCTIONS_MAX}
          />
          <SelectField
            label={words.model}
            hint={listed.length === 0 ? words.noModels : undefined}
            pointer="/model"
            value={model}
            onValue={(to) => set({ model: to })}
            choices={listed}
          />
          <SelectField
            label={words.role}
            hint={words.roleHint}
            pointer="/role"
            value={draft.role}
            onValue={(role) => set({ role })}
            choices={roles.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <RadioField
            label={words.reaches.label}
            hint={draft.chosen ? words.reaches.chosenHint : words.reaches.publicHint}
            pointer="/tools"
            value={draft.chosen ? "chosen" : "public"}
            onValue={(to) => set({ chosen: to === "chosen" })}
            choices={[
              { value: "public", label: words.reaches.public },
              { value: "chosen", label: words.reaches.chosen },
            ]}
          />
          <ToolsField isWanted={draft.chosen} chosen={draft.tools} onChosen={(tools: string[]) => set({ tools })} />
          <TextField
            label={words.daily}
            hint={agent ? `${words.dailyHint} ${say(words.ofDaily, spentOf(agent))}.` : words.dailyHint}
            pointer="/dailyMicroCredits"
            fault={daily === null ? words.notANumber : null}
            value={draft.daily}
            onValue={(to) => set({ daily: to })}
          />
          <div class="form-actions">
            <Button type="submit" look="solid" busy={act.busy} disabled={!dirty || daily === null || model === ""}>
              {words.save}
            </Button>
            {dirty && <Button onClick={() => setDraft(base)}>{messages.common.cancel}</Button>}
          </div>
        </Form>
        <Reach of={agent} dirty={dirty} />
      </div>
      <Trial settings={settings} />
    </div>
  );
}

const spentOf = ({ spentMicroCredits, dailyMicroCredits }: Agent) => ({
  spent: formatCredits(spentMicroCredits),
  most: formatCredits(dailyMicroCredits),
});

/** In words: what a stranger could read and change by writing to it. */
function Reach({ of: agent, dirty }: { of: Agent | null; dirty: boolean }) {
  const members = useAnswer("member.list", { limit: 200 }).answer?.members;
  const who = members?.find((one) => one.id === agent?.setBy)?.name ?? words.somebody;
  return (
    <section class="stack reach" aria-labelledby="reach">
      <h2 id="reach">{words.reach}</h2>
      <p class="soft">{words.reachHint}</p>
      {agent ? (
        <ul>
          {agent.reach.map((line) => (
            <li key={line}>{line.replaceAll("`", "")}</li>
          ))}
        </ul>
      ) : (
        <p>{words.reachNone}</p>
      )}
      {agent && dirty && <p class="field-hint">{words.reachUnsaved}</p>}
      {agent && <p class="field-hint">{say(words.setBy, { who, when: formatRelative(agent.updatedAt) })}</p>}
    </section>
  );
}
