/** Steps as sentences, with values by their names. */
import type { ComponentChildren } from "preact";
import { conditions } from "../../messages/en/conditions";
import { workflows as words } from "../../messages/en/workflows";
import { say } from "../../messages/messages";
import { Foreign } from "../../parts/texts";
import type { Choices } from "./known";
import type { StepFacts } from "./model";
import { calledBy, isLone, partsOf, pathIn, type Value } from "./scope";
import { durationText } from "./trigger_text";
import "../../styles/workflows.css";

/** A text with its values as chips. */
export function Templated({ text, values }: { text: string; values: readonly Value[] }) {
  return (
    <>
      {partsOf(text).map((part, at) =>
        part.isValue ? (
          <span key={`${at} ${part.text}`} class="value-chip" title={part.text}>
            {calledBy(part.text, values)}
          </span>
        ) : (
          <Foreign key={`${at} ${part.text}`}>{part.text}</Foreign>
        ),
      )}
    </>
  );
}

interface StepProps {
  facts: StepFacts;
  values: readonly Value[];
  choices: Choices;
  /** How a property of the step's record is called. */
  labelOf?: (slug: string) => string;
}

/** What a step does. */
export function StepSentence({ facts, values, choices, labelOf = (slug) => slug }: StepProps): ComponentChildren {
  const said = words.says;
  const textOf = (member: string) => (typeof facts[member] === "string" ? (facts[member] as string) : "");
  const shown = (text: string) => (text ? <Templated text={text} values={values} /> : <span class="missing">{words.nothingSet}</span>);
  const who = (list: readonly { id: string; name: string }[], id: string) =>
    isLone(id) ? (
      shown(id)
    ) : id ? (
      <Foreign>{list.find((one) => one.id === id)?.name ?? id}</Foreign>
    ) : (
      <span class="missing">{words.nobody}</span>
    );
  const given = Object.entries((facts.properties as Record<string, unknown> | undefined) ?? {});
  const pairs = given.map(([slug, value], at) => (
    <span key={slug}>
      {at > 0 && ", "}
      <Foreign>{labelOf(slug)}</Foreign> = {shown(typeof value === "string" ? nameOr(value, choices) : JSON.stringify(value))}
    </span>
  ));
  switch (facts.type) {
    case "create_deal":
      return (
        <>
          {said.create_deal} {shown(textOf("name"))}
          {pairs.length > 0 && <>, {pairs}</>}
        </>
      );
    case "create_record":
      return (
        <>
          {said.create_record} {choices.known?.names.get(textOf("objectType")) ?? textOf("objectType")}
          {pairs.length > 0 && <>, {pairs}</>}
        </>
      );
    case "update_record":
      return (
        <>
          {said.update_record} {pairs.length > 0 ? pairs : <span class="missing">{words.nothingSet}</span>}
          {textOf("record") && (
            <>
              {" "}
              {said.update_of} {shown(asTemplate(textOf("record")))}
            </>
          )}
        </>
      );
    case "add_note":
      return (
        <>
          {said.add_note} {shown(textOf("body"))}
        </>
      );
    case "assign": {
      const whom = facts.teamId === undefined ? who(choices.members, textOf("memberId")) : who(choices.teams, textOf("teamId"));
      const property = textOf("property");
      return (
        <>
          {property ? say(said.assign_record, { property: labelOf(property) }) : said.assign} {whom}
        </>
      );
    }
    case "reply":
      return (
        <>
          {said.reply} {shown(textOf("text"))}
        </>
      );
    case "call_webhook":
      return (
        <>
          {said.call_webhook} {who(choices.webhooks, textOf("webhookId"))}
        </>
      );
    case "wait":
      return <Waits facts={facts} values={values} />;
    case "branch":
      return (
        <>
          {said.branch} <Conditions filters={facts.conditions} values={values} />
        </>
      );
    case "approval":
      return (
        <>
          {said.approval} {shown(textOf("reason"))}
        </>
      );
    case "stop":
      return (
        <>
          {said.stop}
          {textOf("reason") && <>: {shown(textOf("reason"))}</>}
        </>
      );
    default:
      return facts.type;
  }
}

/** A member's name instead of the id. */
const nameOr = (value: string, { members }: Choices) => members.find(({ id }) => id === value)?.name ?? value;

const asTemplate = (text: string) => (text.startsWith("rec_") || isLone(text) ? text : `{{${text}}}`);

function Waits({ facts, values }: Pick<StepProps, "facts" | "values">) {
  const time = durationText(typeof facts.seconds === "number" ? facts.seconds : 0);
  if (typeof facts.until === "string") {
    const path = pathIn(facts.until);
    return (
      <>
        {words.says.waitUntil} {path ? <Templated text={`{{${path}}}`} values={values} /> : <span class="missing">{words.nothingSet}</span>}
      </>
    );
  }
  const event = facts.event;
  const events = words.events as Readonly<Record<string, string>>;
  return typeof event === "string"
    ? say(words.says.waitEvent, { event: events[event] ?? event, time })
    : say(words.says.waitSeconds, { time });
}

/** Filters in a few words. */
export function Conditions({ filters, values }: { filters: unknown; values: readonly Value[] }) {
  const list = Array.isArray(filters) ? (filters as Record<string, unknown>[]) : [];
  const ops = conditions.ops as Readonly<Record<string, string>>;
  const one = ({ property, op, value }: Record<string, unknown>) => {
    const text = Array.isArray(value) ? value.join(", ") : value === undefined || value === null ? "" : String(value);
    return (
      <>
        {calledBy(String(property), values)} {ops[String(op)] ?? String(op)}
        {text && (
          <>
            {" "}
            <Templated text={text} values={values} />
          </>
        )}
      </>
    );
  };
  if (list.length === 0) return <span class="missing">{words.nothingSet}</span>;
  return (
    <>
      {list.map((filter, at) => (
        <span key={JSON.stringify(filter)}>
          {at > 0 && ` ${words.sentences.and} `}
          {Array.isArray(filter.any)
            ? (filter.any as Record<string, unknown>[]).map((inner, n) => (
                <span key={JSON.stringify(inner)}>
                  {n > 0 && " / "}
                  {one(inner)}
                </span>
              ))
            : one(filter)}
        </span>
      ))}
    </>
  );
}
