/** Which events are sent: by what they are about, each with what it means and an example of its payload. */
import { useState } from "preact/hooks";
import { EVENT_EXAMPLES } from "../../event_examples";
import type { Input } from "../../house/tools";
import { webhooks as words } from "../../messages/en/webhooks";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { useFormProblem } from "../../parts/form";
import { Copy } from "../../parts/texts";
import "../../styles/webhooks.css";

export type EventType = Input<"webhook.create">["events"][number];
type Group = keyof typeof words.groups;

/** Sent by a test or by a workflow: nobody subscribes to them. */
const NOT_SUBSCRIBED = new Set<string>(["ping", "workflow.call"]);
export const EVENT_TYPES = Object.keys(EVENT_EXAMPLES).filter((type): type is EventType => !NOT_SUBSCRIBED.has(type));

const isGroup = (noun: string): noun is Group => noun in words.groups;

function groupOf(type: EventType): Group {
  const noun = type.slice(0, type.indexOf("."));
  return isGroup(noun) ? noun : "other";
}

const GROUPS = [...new Set(EVENT_TYPES.map(groupOf))].map((group) => ({
  group,
  types: EVENT_TYPES.filter((type) => groupOf(type) === group),
}));

interface EventsProps {
  chosen: readonly string[];
  onChosen: (chosen: EventType[]) => void;
}

export function Events({ chosen, onChosen }: EventsProps) {
  const [open, setOpen] = useState<EventType | null>(null);
  const fault = useFormProblem("/events")?.faults.find(({ pointer }) => pointer.startsWith("/events"));
  const toggle = (type: EventType) => onChosen(EVENT_TYPES.filter((one) => (one === type) !== chosen.includes(one)));
  return (
    <fieldset class="field events">
      <legend>{words.events}</legend>
      {fault && <p class="field-fault">{fault.detail}</p>}
      {GROUPS.map(({ group, types }) => (
        <div key={group} role="group" aria-label={words.groups[group]}>
          <h3>{words.groups[group]}</h3>
          <ul>
            {types.map((type) => (
              <li key={type}>
                <label>
                  <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
                  <span class="two-lines">
                    <code>{type}</code>
                    <span class="soft">{EVENT_EXAMPLES[type].about}</span>
                  </span>
                </label>
                <Button
                  small
                  look="quiet"
                  icon="code-xml"
                  label={say(words.exampleOf, { type })}
                  expanded={open === type}
                  onClick={() => setOpen(open === type ? null : type)}
                />
                {open === type && <Example type={type} />}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </fieldset>
  );
}

/** What is posted of an event of *type*, as the contract has it. */
export function Example({ type }: { type: keyof typeof EVENT_EXAMPLES }) {
  return <Copy text={JSON.stringify(EVENT_EXAMPLES[type].payload, null, 2)} label={say(words.exampleOf, { type })} block />;
}
