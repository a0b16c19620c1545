/** A value that is edited where it stands: one control for each kind of property. */
import type { TargetedKeyboardEvent } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { localTime } from "../../../house/days";
import { records as words } from "../../../messages/en/records";
import { Chooser } from "./chooser";
import { editingKeys, FieldFault, type Onward, type ValueFieldProps } from "./editing";
import { finderOf } from "./finding";
import type { Property, Shown } from "./properties";
import { read } from "./reading";
import { typedText } from "./writing";
import "../../../styles/values.css";

/** `Enter` saves and goes down, `Tab` to the next, `Esc` keeps what was there; leaving the field saves as well. */
export function ValueField(props: ValueFieldProps) {
  const { property } = props;
  if (property.type === "boolean") return <YesNo {...props} />;
  return finderOf(property) ? <Chooser {...props} /> : <Typed {...props} />;
}

const TYPES: Partial<Record<Property["type"], string>> = {
  date: "date",
  datetime: "datetime-local",
  email: "email",
  phone: "tel",
  url: "url",
};

function Typed({ property, record, begin, fault = null, onSave, onCancel }: ValueFieldProps) {
  const stored = storedText(property, record);
  const [text, setText] = useState(begin ?? stored);
  const [own, setOwn] = useState<string | null>(null);
  const control = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const isDone = useRef(false);
  const id = useId();
  useLayoutEffect(() => {
    const field = control.current;
    field?.focus();
    if (begin === undefined) field?.select?.();
  }, []);
  const save = (onward: Onward) => {
    if (isDone.current) return;
    if (text === stored) return cancel();
    const found = read(property, text);
    if (!found.ok) {
      setOwn(found.fault);
      return;
    }
    isDone.current = true;
    onSave({ values: found.values, texts: {} }, onward);
  };
  const cancel = () => {
    isDone.current = true;
    onCancel();
  };
  const said = own ?? fault;
  const isLong = property.type === "long_text";
  const shared = {
    ref: control,
    class: "control value-control",
    value: text,
    dir: "auto" as const,
    autoComplete: "off" as const,
    "aria-label": property.label,
    "aria-invalid": said ? ("true" as const) : undefined,
    "aria-describedby": said ? `${id}-fault` : undefined,
    onKeyDown: (event: TargetedKeyboardEvent<HTMLElement>) => editingKeys(event, { save, cancel, isLong }),
    onBlur: () => save("stay"),
  };
  const typed = (value: string) => {
    setText(value);
    setOwn(null);
  };
  return (
    <span class="value-field">
      {isLong ? (
        <textarea {...shared} rows={5} onInput={(event) => typed(event.currentTarget.value)} />
      ) : (
        <input
          {...shared}
          type={(TYPES[property.type] ?? "text") as "text"}
          inputMode={property.type === "number" ? "decimal" : undefined}
          onInput={(event) => typed(event.currentTarget.value)}
        />
      )}
      {said && <FieldFault id={`${id}-fault`} text={said} />}
    </span>
  );
}

function storedText(property: Property, record: Shown): string {
  const text = typedText(property, record);
  return property.type === "datetime" && text ? localTime(text) : text;
}

/** Nothing, yes or no. */
function YesNo({ property, record, fault = null, onSave, onCancel }: ValueFieldProps) {
  const value = record.properties[property.slug];
  const control = useRef<HTMLSelectElement>(null);
  const isDone = useRef(false);
  const id = useId();
  useLayoutEffect(() => control.current?.focus(), []);
  const save = (onward: Onward) => {
    if (isDone.current) return;
    isDone.current = true;
    const chosen = control.current?.value ?? "";
    const now = chosen === "" ? null : chosen === "true";
    if (now === (value ?? null)) onCancel();
    else onSave({ values: { [property.slug]: now }, texts: {} }, onward);
  };
  const cancel = () => {
    isDone.current = true;
    onCancel();
  };
  return (
    <span class="value-field">
      <select
        ref={control}
        class="control value-control"
        aria-label={property.label}
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={fault ? `${id}-fault` : undefined}
        onChange={() => save("stay")}
        onBlur={() => save("stay")}
        onKeyDown={(event) => editingKeys(event, { save, cancel })}
      >
        <option value="" selected={value === undefined || value === null}>
          {words.none}
        </option>
        <option value="true" selected={value === true}>
          {words.yes}
        </option>
        <option value="false" selected={value === false}>
          {words.no}
        </option>
      </select>
      {fault && <FieldFault id={`${id}-fault`} text={fault} />}
    </span>
  );
}
