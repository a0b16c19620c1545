/** The tools that an agent may call, found by words and ticked; what waits for an approval says so. */
import { useState } from "preact/hooks";
import { agents as words } from "../../messages/en/agents";
import { say } from "../../messages/messages";
import { memberLabel } from "../../parts/readable";
import { Badge } from "../../parts/texts";
import { TOOL_LIST, type ToolFacts } from "../../tool_list";
import "../../styles/agents.css";

export const TOOLS_MAX = 30;
/** It answers by a tool of its own. */
const ANSWERING = ["message.reply", "message.cancel"];
const OFFERED = TOOL_LIST.filter((tool) => tool.runs !== "person" && !ANSWERING.includes(tool.name));
const KINDS = { reads: "plain", writes: "accent", approval: "warn" } as const;

const kindOf = (tool: ToolFacts) => (tool.runs === "approval" ? "approval" : tool.effect);

interface ToolsFieldProps {
  chosen: readonly string[];
  onChosen: (chosen: string[]) => void;
}

export function ToolsField({ chosen, onChosen }: ToolsFieldProps) {
  const [text, setText] = useState("");
  const wanted = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = OFFERED.filter((tool) => {
    const said = `${tool.name} ${tool.summary}`.toLocaleLowerCase();
    return wanted.every((word) => said.includes(word));
  });
  // What was chosen before stands first, and does not move while one chooses.
  const [first] = useState(() => new Set(chosen));
  const groupOf = (tool: ToolFacts) => (first.has(tool.name) ? words.chosen : memberLabel(tool.group));
  const groups = [...new Set([...(first.size > 0 ? [words.chosen] : []), ...found.map(groupOf)])];
  const toggle = (name: string) => onChosen(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  return (
    <div class="tool-field">
      <div class="tool-head">
        <input
          class="control"
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
        <span class="soft">{say(words.chosenCount, { n: chosen.length, most: TOOLS_MAX })}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <div class="tool-list" tabIndex={0} role="group" aria-label={words.mayUse}>
        {found.length === 0 && <p class="soft">{words.noTool}</p>}
        {groups.map((group) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {found
              .filter((tool) => groupOf(tool) === group)
              .map((tool) => (
                <Tool
                  key={tool.name}
                  of={tool}
                  on={chosen.includes(tool.name)}
                  disabled={chosen.length >= TOOLS_MAX && !chosen.includes(tool.name)}
                  toggle={() => toggle(tool.name)}
                />
              ))}
          </fieldset>
        ))}
      </div>
    </div>
  );
}

function Tool({ of: tool, on, disabled, toggle }: { of: ToolFacts; on: boolean; disabled: boolean; toggle: () => void }) {
  const kind = kindOf(tool);
  return (
    <label class="tool-choice">
      <input type="checkbox" checked={on} disabled={disabled} onChange={toggle} />
      <span class="two-lines">
        <span>{tool.summary.replaceAll("`", "")}</span>
        <code class="soft">{tool.name}</code>
      </span>
      <Badge kind={KINDS[kind]}>{words.kinds[kind]}</Badge>
    </label>
  );
}
