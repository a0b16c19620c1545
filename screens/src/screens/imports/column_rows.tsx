/** The columns of a file, and what each is for. */
import { useState } from "preact/hooks";
import { faultAt } from "../../house/problems";
import type { Answer } from "../../house/tools";
import { imports as words } from "../../messages/en/imports";
import { say } from "../../messages/messages";
import { Button } from "../../parts/button";
import type { Choice } from "../../parts/field";
import { useFormProblem } from "../../parts/form";
import { Icon } from "../../parts/icon";
import { Foreign } from "../../parts/texts";
import { type Edits, ownOf, samplesOf, targetOf, targets } from "./columns";
import { guessOf, NEW, type NewProperties, type NewProperty, type NewType, TYPES } from "./new_properties";
import type { Import } from "./upload";
import "../../styles/imports.css";

const SHOWN_MAX = 100;
const SAMPLES = 3;
const said = words.map;

interface ColumnsProps {
  object: Answer<"object.get">;
  import: Import;
  edits: Edits;
  onEdits: (edits: Edits) => void;
  wanted: NewProperties;
  onWanted: (wanted: NewProperties) => void;
  by: string;
}

export function Columns({ object, import: import_, edits, onEdits, wanted, onWanted, by }: ColumnsProps) {
  const [isWhole, setWhole] = useState(import_.headings.length <= SHOWN_MAX);
  const choices = targets(object, by);
  const problem = useFormProblem("/columns");
  const faults = problem?.faults.filter(({ pointer }) => pointer === "/columns") ?? [];
  const shown = isWhole || problem?.faults.length ? import_.headings : import_.headings.slice(0, SHOWN_MAX);
  const choose = (heading: string, target: string) => {
    const { [heading]: _, ...others } = wanted;
    if (target === NEW) onWanted({ ...others, [heading]: guessOf(heading, samplesOf(import_, heading)) });
    else if (Object.hasOwn(wanted, heading)) onWanted(others);
    onEdits({ ...edits, columns: { ...edits.columns, [heading]: target === NEW ? "" : target } });
  };
  return (
    <fieldset class="field import-columns">
      <legend class="hidden">{said.columns}</legend>
      {faults.map(({ detail }) => (
        <p key={detail} class="field-fault">
          {detail}
        </p>
      ))}
      {shown.map((heading) => (
        <ColumnRow
          key={heading}
          heading={heading}
          samples={samplesOf(import_, heading).slice(0, SAMPLES)}
          target={targetOf(import_, edits, heading)}
          choices={choices}
          onTarget={(target) => choose(heading, target)}
          wanted={ownOf(wanted, heading)}
          onWanted={(one) => onWanted({ ...wanted, [heading]: one })}
        />
      ))}
      {Object.keys(wanted).length > 0 && <p class="field-hint">{said.newHint}</p>}
      {shown.length < import_.headings.length && (
        <div>
          <Button small onClick={() => setWhole(true)}>
            {say(said.all, { n: import_.headings.length })}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface RowProps {
  heading: string;
  samples: readonly string[];
  target: string;
  choices: readonly Choice<string>[];
  onTarget: (target: string) => void;
  wanted: NewProperty | undefined;
  onWanted: (wanted: NewProperty) => void;
}

function ColumnRow({ heading, samples, target, choices, onTarget, wanted, onWanted }: RowProps) {
  const pointer = `/columns/${heading.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const fault = faultAt(useFormProblem(pointer), pointer);
  const chosen = wanted ? NEW : target;
  const shown = choices.some(({ value }) => value === chosen) ? chosen : "";
  return (
    <div class="import-column" data-out={shown === "" || undefined}>
      <div>
        <strong>
          <Foreign>{heading}</Foreign>
        </strong>
        {samples.map((sample, at) => (
          <span key={at} class="soft">
            <Foreign>{sample}</Foreign>
          </span>
        ))}
      </div>
      <Icon name="chevron-right" />
      <div class="import-target">
        <Select label={say(said.of, { heading })} value={shown} choices={choices} onValue={onTarget} invalid={fault !== null} />
        {wanted && <NewFields heading={heading} wanted={wanted} onWanted={onWanted} />}
      </div>
      {fault && <p class="field-fault">{fault}</p>}
    </div>
  );
}

function NewFields({ heading, wanted, onWanted }: { heading: string; wanted: NewProperty; onWanted: (wanted: NewProperty) => void }) {
  return (
    <div class="import-new">
      <input
        class="control"
        dir="auto"
        aria-label={say(said.newName, { heading })}
        value={wanted.label}
        onInput={(event) => onWanted({ ...wanted, label: event.currentTarget.value })}
      />
      <Select
        label={say(said.newType, { heading })}
        value={wanted.type}
        choices={TYPES.map((value) => ({ value, label: said.types[value] }))}
        onValue={(type) => onWanted({ ...wanted, type })}
      />
    </div>
  );
}

interface SelectProps<V extends string> {
  label: string;
  value: V;
  choices: readonly Choice<V>[];
  onValue: (value: V) => void;
  invalid?: boolean;
}

function Select<V extends string = NewType>({ label, value, choices, onValue, invalid = false }: SelectProps<V>) {
  return (
    <div class="select">
      <select
        class="control"
        aria-label={label}
        value={value}
        aria-invalid={invalid ? "true" : undefined}
        onChange={(event) => onValue(event.currentTarget.value as V)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </div>
  );
}
