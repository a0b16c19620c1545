/** The customer's field names and the contact properties that they are written to. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { faultAt } from "../../house/problems";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { useFormProblem } from "../../parts/form";
import { Icon } from "../../parts/icon";
import { Foreign } from "../../parts/texts";

/** The customer's field, and the contact property. */
type Pair = readonly [own: string, property: string];

type Seen = Answer<"form.get">["fieldsSeen"][number];
const said = words.settings;
/** What a form cannot write: things that are no text of a visitor. */
const NOT_WRITTEN = ["relation", "picture", "member"];

interface MappingProps {
  pairs: readonly Pair[];
  onPairs: (pairs: readonly Pair[]) => void;
  seen: readonly Seen[];
  /** The field that robots fill in: it means nothing. */
  honeypot: string;
}

export function Mapping({ pairs, onPairs, seen, honeypot }: MappingProps) {
  const list = useRef<HTMLFieldSetElement>(null);
  const added = useRef(false);
  // Before the next key: an effect after painting would come when letters have gone elsewhere.
  useLayoutEffect(() => {
    if (!added.current) return;
    added.current = false;
    [...(list.current?.querySelectorAll<HTMLElement>(".mapping-row > input") ?? [])].at(-1)?.focus();
  }, [pairs.length]);
  const properties =
    useAnswer("object.get", { objectType: "contact" }).answer?.properties.filter((property) => !NOT_WRITTEN.includes(property.type)) ?? [];
  const labelOf = (slug: string) => properties.find((property) => property.slug === slug)?.label ?? slug;
  const add = (own: string, property: string) => onPairs([...pairs, [own, property]]);
  const isMapped = (name: string) => pairs.some(([own]) => own === name);
  const proposals = seen.filter(
    (field) => field.property === null && field.proposed !== null && field.name !== honeypot && !isMapped(field.name),
  );
  return (
    <fieldset class="field mapping" ref={list}>
      <legend>{said.fields}</legend>
      <p class="field-hint">{said.fieldsHint}</p>
      {pairs.map((pair, at) => (
        <MappingRow
          key={at}
          pair={pair}
          choices={properties}
          onChange={(changed) => onPairs(pairs.with(at, changed))}
          onRemove={() => onPairs(pairs.toSpliced(at, 1))}
        />
      ))}
      <div>
        <Button
          small
          icon="plus"
          onClick={() => {
            added.current = true;
            add("", properties[0]?.slug ?? "");
          }}
        >
          {said.addField}
        </Button>
      </div>
      {proposals.length > 0 && (
        <div class="proposals">
          <span class="field-hint">{said.seen}</span>
          {proposals.map(({ name, example, proposed }) => (
            <div key={name} class="row">
              <code>
                <Foreign>{name}</Foreign>
              </code>
              {example !== null && example !== "" && (
                <span class="soft proposal-example">
                  <Foreign>{say(said.seenExample, { example: String(example) })}</Foreign>
                </span>
              )}
              <Button small onClick={() => add(name, proposed ?? "")}>
                {say(said.mapTo, { property: labelOf(proposed ?? "") })}
              </Button>
            </div>
          ))}
        </div>
      )}
    </fieldset>
  );
}

interface RowProps {
  pair: Pair;
  choices: readonly { slug: string; label: string }[];
  onChange: (pair: Pair) => void;
  onRemove: () => void;
}

function MappingRow({ pair: [own, property], choices, onChange, onRemove }: RowProps) {
  // A field without a name has no pointer of its own: the service refuses the map that it is in.
  const pointer = own ? `/fieldMap/${own.replaceAll("~", "~0").replaceAll("/", "~1")}` : "/fieldMap";
  const problem = useFormProblem(pointer);
  const fault = own ? faultAt(problem, pointer) : problem?.faults.some((one) => one.pointer === pointer) && said.noName;
  const invalid = fault ? ("true" as const) : undefined;
  return (
    <div class="mapping-row">
      <input
        class="control mono"
        dir="auto"
        aria-label={said.own}
        placeholder={said.own}
        value={own}
        aria-invalid={invalid}
        onInput={(event) => onChange([event.currentTarget.value, property])}
      />
      <Icon name="chevron-right" />
      <div class="select">
        <select
          class="control"
          aria-label={said.property}
          value={property}
          aria-invalid={invalid}
          onChange={(event) => onChange([own, event.currentTarget.value])}
        >
          {!choices.some(({ slug }) => slug === property) && <option value={property}>{property}</option>}
          {choices.map(({ slug, label }) => (
            <option key={slug} value={slug} selected={slug === property}>
              {label}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </div>
      <Button look="quiet" icon="x" label={say(said.removeField, { name: own })} onClick={onRemove} />
      {fault && <p class="field-fault">{fault}</p>}
    </div>
  );
}
