/** Fewer tools for a key, out of those that it may call now. */
import { useState } from "preact/hooks";
import { useAct } from "../../house/acts";
import { useAnswer } from "../../house/queries";
import { toast } from "../../house/toasts";
import { type Answer, write } from "../../house/tools";
import { keyPage as said } from "../../messages/en/requests";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { FormDialog } from "../../parts/form_dialog";
import { TOOL_LIST } from "../../tool_list";
import "../../styles/requests.css";

type ApiKey = Answer<"apikey.list">["apiKeys"][number];

/** The tools that *key* may call, by its role and what it is narrowed to; the service looks at more, and has the last word. */
function useTools({ role, tools }: ApiKey) {
  const roles = useAnswer("role.list", {}).answer?.roles;
  const permissions: readonly string[] | undefined = roles?.find((one) => one.id === role)?.permissions;
  return TOOL_LIST.filter(
    ({ name, runs, needs }) =>
      runs === "open" && (tools?.includes(name) ?? true) && (needs === null || (permissions?.includes(needs) ?? true)),
  );
}

export function NarrowKey({ of: key, onClose }: { of: ApiKey; onClose: () => void }) {
  const all = useTools(key);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(key.tools ?? []));
  const [text, setText] = useState("");
  const act = useAct(async () => {
    const result = await write("apikey.update", { id: key.id, tools: [...chosen].sort() });
    if (result.ok) {
      toast(say(said.narrowed, { n: chosen.size }));
      onClose();
    }
    return result;
  });
  const choose = (name: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(name);
    else next.delete(name);
    setChosen(next);
  };
  const shown = all.filter(({ name }) => name.includes(text.trim().toLowerCase()));
  const reading = all.filter(({ effect }) => effect === "reads").map(({ name }) => name);
  return (
    <FormDialog title={said.narrowTitle} act={act} submit={said.narrow} onClose={onClose} disabled={chosen.size === 0}>
      <p class="prose">{said.narrowBody}</p>
      <TextField label={said.find} value={text} onValue={setText} autoFocus />
      <div class="row">
        <Button small onClick={() => setChosen(new Set(reading))}>
          {said.reading}
        </Button>
        <Button small onClick={() => setChosen(new Set())}>
          {said.none}
        </Button>
        <span class="soft" role="status">
          {say(said.chosen, { n: chosen.size, all: all.length })}
        </span>
      </div>
      <fieldset class="tool-choices">
        <legend>{said.tools}</legend>
        {shown.map(({ name, effect }) => (
          <label key={name}>
            <input type="checkbox" checked={chosen.has(name)} onChange={(event) => choose(name, event.currentTarget.checked)} />
            <code>{name}</code>
            {effect === "reads" && <span class="soft">{said.readsOnly}</span>}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
