/** A provider is added or changed: its address, its key, and the models that it serves. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { ai } from "../../messages/en/ai";
import { messages, say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { TextField } from "../../parts/field";
import { Form } from "../../parts/form";
import "../../styles/ai.css";

const words = ai.providers;

export type Provider = Answer<"ai.provider_list">["providers"][number];

interface Row {
  /** Tells rows apart while they are written. */
  key: number;
  id: string;
  upstream: string;
  input: string;
  output: string;
}

const EMPTY = { id: "", upstream: "", input: "", output: "" };

const rowsOf = (provider: Provider | null): Row[] =>
  provider?.models.map((model, key) => ({
    key,
    id: model.id,
    upstream: model.upstream === model.id ? "" : model.upstream,
    input: model.input ?? "",
    output: model.output ?? "",
  })) ?? [{ key: 0, ...EMPTY }];

export function ProviderDialog({ provider, onClose }: { provider: Provider | null; onClose: () => void }) {
  const [name, setName] = useState(provider?.name ?? "");
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? "");
  const [key, setKey] = useState("");
  const [rows, setRows] = useState(() => rowsOf(provider));
  const change = (at: number, to: Partial<Row>) => setRows(rows.map((row, place) => (place === at ? { ...row, ...to } : row)));
  const cachedOf = (id: string) => provider?.models.find((model) => model.id === id)?.cachedInput;
  const act = useAct(async () => {
    const result = await write("ai.provider_set", {
      name,
      baseUrl: baseUrl.trim(),
      ...(key && { key }),
      models: rows.map(({ id, upstream, input, output }) => {
        const cached = input && output ? cachedOf(id.trim()) : null;
        return {
          id: id.trim(),
          ...(upstream.trim() && { upstream: upstream.trim() }),
          ...(input && { input }),
          ...(output && { output }),
          ...(cached && { cachedInput: cached }),
        };
      }),
    });
    if (result.ok) {
      toast(say(words.saved, { name }));
      onClose();
    }
    return result;
  });
  return (
    <Dialog title={provider?.name ?? words.add} onClose={onClose} wide>
      <Form act={act} dirty="typed">
        {!provider && (
          <TextField label={words.name} hint={words.nameHint} pointer="/name" value={name} onValue={setName} max={200} autoFocus />
        )}
        <TextField
          label={words.address}
          hint={words.addressHint}
          placeholder="https://llm.example.com/v1"
          pointer="/baseUrl"
          value={baseUrl}
          onValue={setBaseUrl}
          type="url"
        />
        <TextField
          label={words.key}
          hint={provider ? say(words.keyStays, { end: provider.keyVisibleEnd }) : words.keyHint}
          pointer="/key"
          value={key}
          onValue={setKey}
          optional={provider !== null}
          mono
        />
        <fieldset class="model-rows">
          <legend>{words.models}</legend>
          {rows.map((row, at) => (
            <ModelRow
              key={row.key}
              of={row}
              at={at}
              onChange={(to) => change(at, to)}
              onRemove={rows.length > 1 ? () => setRows(rows.filter((one) => one !== row)) : undefined}
            />
          ))}
          <div>
            <Button small onClick={() => setRows([...rows, { key: Math.max(...rows.map((row) => row.key)) + 1, ...EMPTY }])}>
              {words.addModel}
            </Button>
          </div>
          <p class="field-hint">
            {words.upstreamHint} {words.prices}
          </p>
        </fieldset>
        <footer>
          <Button onClick={onClose}>{messages.common.cancel}</Button>
          <Button type="submit" look="solid" busy={act.busy}>
            {words.save}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

interface ModelRowProps {
  of: Row;
  at: number;
  onChange: (to: Partial<Row>) => void;
  onRemove: (() => void) | undefined;
}

function ModelRow({ of: row, at, onChange, onRemove }: ModelRowProps) {
  const field = (member: "id" | "upstream" | "input" | "output", label: string) => (
    <TextField label={label} pointer={`/models/${at}/${member}`} value={row[member]} onValue={(to) => onChange({ [member]: to })} />
  );
  return (
    <div class="model-row">
      {field("id", words.modelId)}
      {field("upstream", words.upstream)}
      {field("input", words.input)}
      {field("output", words.output)}
      {onRemove && <Button look="quiet" icon="trash-2" label={say(words.removeModel, { model: row.id })} onClick={onRemove} />}
    </div>
  );
}
