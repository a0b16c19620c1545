/** What every control of a value has in common: its keys, and how it shows a fault. */
import { Icon } from "../../../parts/icon";
import type { Change, Property, Shown } from "./properties";
import "../../../styles/values.css";

/** Where to go on once a value is there: a grid moves its focus, a page closes the field. */
export type Onward = "stay" | "down" | "up" | "next" | "previous";

export interface ValueFieldProps {
  property: Property;
  record: Shown;
  /** What was typed already: it stands in the place of the value. */
  begin?: string | undefined;
  /** Why the service has refused what was saved before. */
  fault?: string | null;
  onSave: (change: Change, onward: Onward) => void;
  onCancel: () => void;
}

/** Shown over what is below, so that the row keeps its height. */
export function FieldFault({ id, text }: { id: string; text: string }) {
  return (
    <span class="value-fault" id={id} role="alert">
      <Icon name="circle-alert" size={14} /> {text}
    </span>
  );
}

interface Keys {
  save: (onward: Onward) => void;
  cancel: () => void;
  /** Of several lines: `Shift Enter` and `Alt Enter` begin a new one. */
  isLong?: boolean;
}

/** What every control of a value does at `Enter`, `Tab` and `Esc`. */
export function editingKeys(event: KeyboardEvent, { save, cancel, isLong = false }: Keys): void {
  if (event.isComposing) return;
  const onward: Onward | null =
    event.key === "Tab" ? (event.shiftKey ? "previous" : "next") : event.key === "Enter" ? (event.shiftKey ? "up" : "down") : null;
  if (event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    cancel();
  } else if (onward && !(isLong && event.key === "Enter" && (event.shiftKey || event.altKey))) {
    event.preventDefault();
    event.stopPropagation();
    save(onward);
  } else {
    event.stopPropagation(); // A letter in a field is none of the grid's keys.
  }
}
