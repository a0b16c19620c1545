/** A choice of tools, found by a part of their names. */
import { useState } from "preact/hooks";
import { keyPage as said } from "../../messages/en/requests";
import { say } from "../../messages/messages";
import { TextField } from "../../parts/field";
import { TOOL_LIST } from "../../tool_list";
import "../../styles/requests.css";

interface ToolChoicesProps {
  onlyReads: boolean;
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
}

export function ToolChoices({ onlyReads, chosen, onChosen }: ToolChoicesProps) {
  const [text, setText] = useState("");
  const all = TOOL_LIST.filter(({ runs, effect }) => runs === "open" && (effect === "reads" || !onlyReads));
  const shown = all.filter(({ name }) => name.includes(text.trim().toLowerCase()));
  const choose = (name: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(name);
    else next.delete(name);
    onChosen(next);
  };
  return (
    <>
      <TextField label={said.find} value={text} onValue={setText} />
      <span class="soft" role="status">
        {say(said.chosen, { n: chosen.size, all: all.length })}
      </span>
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
    </>
  );
}
