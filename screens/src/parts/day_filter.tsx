import { parameter, setParameters } from "../house/address";

/** A filter by a day, in the parameter *name* of the address. */
export function DayFilter({ name, label }: { name: string; label: string }) {
  return (
    <label class="day-filter">
      <span class="soft">{label}</span>
      <input
        class="control"
        type="date"
        value={parameter(name) ?? ""}
        onChange={(event) => setParameters({ [name]: event.currentTarget.value || null, open: null })}
      />
    </label>
  );
}
