/** The customer's field names and the contact properties that they are written to. */
import { faultAt } from "../../house/problems";
import { useAnswer } from "../../house/queries";
import type { Answer } from "../../house/tools";
import { forms as words } from "../../messages/en/forms";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import { useFormProblem } from "../../parts/form";
import { Icon } from "../../parts/icon";
import { Foreign } from "../../parts/texts";

export interface MappedField {
  /** Tells rows apart while their names are typed. */
  key: number;
  own: string;
  property: string;
}

type Seen = Answer<"form.get">["fieldsSeen"][number];
const said = words.settings;
/** What a form cannot write: things that are no text of a visitor. */
const NOT_WRITTEN = ["relation", "picture", "member"];

interface MappingProps {
  fields: MappedField[];
  onFields: (fields: MappedField[]) => void;
  seen: readonly Seen[];
}

export function Mapping({ fields, onFields, seen }: MappingProps) {
  const properties = useAnswer("object.get", { objectType: "contact" }).answer?.properties.filter((property) => !NOT_WRITTEN.includes(property.type)) ?? [];
  const labelOf = (slug: string) => properties.find((property) => property.slug === slug)?.label ?? slug;
  const nextKey = Math.max(-1, ...fields.map(({ key }) => key)) + 1;
  const add = (own: string, property: string) => onFields([...fields, { key: nextKey, own, property }]);
  const set = (key: number, change: Partial<MappedField>) => onFields(fields.map((field) => (field.key === key ? { ...field, ...change } : field)));
  const isMapped = (name: string) => fields.some(({ own }) => own === name);
  const proposals = seen.filter((field) => field.property === null && field.proposed !== null && !isMapped(field.name));
  return (
    <fieldset class="field mapping">
      <legend>{said.fields}</legend>
      <p class="field-hint">{said.fieldsHint}</p>
      {fields.map((field) => (
        <MappingRow
          key={field.key}
          field={field}
          choices={properties}
          onChange={(change) => set(field.key, change)}
          onRemove={() => onFields(fields.filter(({ key }) => key !== field.key))}
        />
      ))}
      <div>
        <Button small icon="plus" onClick={() => add("", properties[0]?.slug ?? "")}>
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
  field: MappedField;
  choices: readonly { slug: string; label: string }[];
  onChange: (change: Partial<MappedField>) => void;
  onRemove: () => void;
}

function MappingRow({ field, choices, onChange, onRemove }: RowProps) {
  const pointer = `/fieldMap/${field.own.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const problem = useFormProblem(pointer);
  const fault = field.own ? faultAt(problem, pointer) : null;
  const invalid = fault ? ("true" as const) : undefined;
  return (
    <div class="mapping-row">
      <input
        class="control mono"
        dir="auto"
        aria-label={said.own}
        placeholder={said.own}
        value={field.own}
        aria-invalid={invalid}
        onInput={(event) => onChange({ own: event.currentTarget.value })}
      />
      <Icon name="chevron-right" />
      <div class="select">
        <select class="control" aria-label={said.property} value={field.property} aria-invalid={invalid} onChange={(event) => onChange({ property: event.currentTarget.value })}>
          {!choices.some(({ slug }) => slug === field.property) && <option value={field.property}>{field.property}</option>}
          {choices.map(({ slug, label }) => (
            <option key={slug} value={slug} selected={slug === field.property}>
              {label}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </div>
      <Button look="quiet" icon="x" label={say(said.removeField, { name: field.own })} onClick={onRemove} />
      {fault && <p class="field-fault">{fault}</p>}
    </div>
  );
}
