/** The models, who serves them, what they cost, and which may be run. */
import { useAct } from "../../house/acts";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { write } from "../../house/tools";
import { ai } from "../../messages/en/ai";
import { say } from "../../messages/messages";
import { SwitchField } from "../../parts/field";
import { Empty, ErrorBox } from "../../parts/states";
import { Table } from "../../parts/table/table";
import { Foreign } from "../../parts/texts";
import { TryModel } from "./try_model";

const words = ai.models;

export function Models() {
  const { answer, problem, query } = useAnswer("ai.model_list", {});
  const models = answer?.models ?? [];
  const permitted = models.filter((model) => !model.restricted).map((model) => model.id);
  // A restriction to all that there are is one still: new models stay off. It shows once one is off.
  const isRestricted = permitted.length < models.length;
  const restrict = useAct(async (only: string[] | null, text: string) => {
    const result = await write("ai.model_restrict", { models: only });
    if (result.ok) toast(text);
    return result;
  });
  const toggle = (id: string, on: boolean) =>
    void restrict.run(
      on ? [...permitted, id] : permitted.filter((one) => one !== id),
      say(on ? words.permitted : words.restricted, { model: id }),
    );
  return (
    <div class="stack-wide">
      <ErrorBox problem={restrict.problem} />
      {isRestricted && (
        <SwitchField
          label={words.only}
          hint={words.onlyHint}
          on
          disabled={restrict.busy}
          onValue={() => void restrict.run(null, words.all)}
        />
      )}
      <Table
        label={ai.tabs.models}
        rows={answer?.models}
        problem={problem}
        again={() => void query.again()}
        idOf={(model) => model.id}
        nameOf={(model) => model.id}
        empty={
          <Empty icon="sparkles" title={words.empty}>
            {words.emptyBody}
          </Empty>
        }
        actions={(model) => (model.restricted ? null : <TryModel model={model.id} />)}
        columns={[
          {
            key: "id",
            label: ai.model,
            width: "26%",
            cell: (model) => (
              <strong>
                <Foreign>{model.id}</Foreign>
              </strong>
            ),
          },
          {
            key: "paid",
            label: words.paidBy,
            width: "22%",
            phone: "plain",
            cell: (model) => (model.paidBy === "organization" ? words.own : words.credits),
          },
          { key: "input", label: words.input, align: "end", cell: (model) => model.input },
          { key: "cached", label: words.cached, align: "end", cell: (model) => model.cachedInput },
          { key: "output", label: words.output, align: "end", cell: (model) => model.output },
          {
            key: "allowed",
            label: words.allowed,
            phone: "side",
            cell: (model) => (
              <input
                type="checkbox"
                // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells its state by itself.
                role="switch"
                class="switch"
                aria-label={`${words.allowed}: ${model.id}`}
                checked={!model.restricted}
                disabled={restrict.busy}
                onChange={(event) => toggle(model.id, event.currentTarget.checked)}
              />
            ),
          },
        ]}
      />
      <p class="field-hint">
        {words.priceHint} {!isRestricted && words.onlyOff}
      </p>
    </div>
  );
}
