/** A property as a field of a form: with its label above, and the fault of its own pointer below. */
import { organization } from "../../../house/boot";
import { records as words } from "../../../messages/en/records";
import { recordsLater as later } from "../../../messages/en/records_later";
import { say } from "../../../messages/messages";
import { Combobox, type Option } from "../../../parts/combobox";
import { SelectField, TextField } from "../../../parts/field";
import { finderOf } from "./finding";
import type { Property } from "./properties";

/** What is filled in: a text as it is typed, a choice, or what was found. */
export type Filled = string | Option | readonly string[] | null;

interface PropertyFieldProps {
  property: Property;
  value: Filled;
  onValue: (value: Filled) => void;
  pointer: string;
  fault?: string | null | undefined;
  autoFocus?: boolean;
}

const TYPES: Partial<Record<Property["type"], "email" | "url">> = { email: "email", url: "url" };

export function PropertyField({ property, value, onValue, pointer, fault = null, autoFocus = false }: PropertyFieldProps) {
  const { label, type, options } = property;
  if (type === "relation" || type === "member") {
    const option = value && typeof value === "object" && "id" in value ? value : null;
    return <Combobox label={label} pointer={pointer} value={option} onValue={onValue} find={finderOf(property) ?? (() => [])} />;
  }
  if (type === "select" || type === "boolean") {
    const choices = type === "boolean" ? [words.yes, words.no] : options;
    return (
      <SelectField
        label={label}
        pointer={pointer}
        value={typeof value === "string" ? value : ""}
        onValue={onValue}
        choices={[{ value: "", label: words.none }, ...choices.map((choice) => ({ value: choice, label: choice }))]}
      />
    );
  }
  if (type === "multi_select") {
    const chosen: readonly string[] = Array.isArray(value) ? value : [];
    return (
      <fieldset class="field">
        <legend>{label}</legend>
        <div class="checks">
          {options.map((option) => (
            <label key={option}>
              <input
                type="checkbox"
                checked={chosen.includes(option)}
                onChange={() => onValue(options.filter((one) => (one === option ? !chosen.includes(one) : chosen.includes(one))))}
              />
              <span>{option}</span>
            </label>
          ))}
        </div>
      </fieldset>
    );
  }
  const hint =
    type === "amount"
      ? say(later.hints.amount, { currency: organization?.currency ?? "" })
      : type === "datetime"
        ? later.hints.datetime
        : type === "date"
          ? later.hints.date
          : type === "duration"
            ? later.hints.duration
            : undefined;
  return (
    <TextField
      label={label}
      pointer={pointer}
      fault={fault}
      value={typeof value === "string" ? value : ""}
      onValue={onValue}
      autoFocus={autoFocus}
      {...(hint && { hint })}
      {...(TYPES[type] && { type: TYPES[type] })}
      {...(type === "long_text" && { lines: 3 })}
    />
  );
}
