import { parameter, setParameters } from "../house/address";
import type { Choice } from "./field";
import { Icon } from "./icon";

interface FilterProps {
  /** The parameter of the address in which the choice stands. */
  name: string;
  label: string;
  /** What no choice is called: `Any form`. */
  any: string;
  choices: readonly Choice<string>[];
}

/** A filter of a list with many choices; with few, use `Tabs`. */
export function Filter({ name, label, any, choices }: FilterProps) {
  const chosen = parameter(name) ?? "";
  return (
    <div class="select filter">
      <select class="control" aria-label={label} value={chosen} onChange={(event) => setParameters({ [name]: event.currentTarget.value || null, open: null })}>
        <option value="">{any}</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === chosen}>
            {choice.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </div>
  );
}
