/** The columns of a list, as they are shown. */
import { recordsLater as words } from "../../messages/en/records_later";
import type { Property } from "./values/properties";
import "../../styles/records.css";

export function ColumnPanel({
  properties,
  shown,
  onColumns,
}: {
  properties: readonly Property[];
  shown: readonly string[];
  onColumns: (columns: string[]) => void;
}) {
  const toggle = (slug: string) => onColumns(shown.includes(slug) ? shown.filter((one) => one !== slug) : [...shown, slug]);
  return (
    <fieldset class="column-choices">
      <legend>{words.columnsShown}</legend>
      {properties.map(({ slug, label }) => (
        <label key={slug}>
          <input type="checkbox" checked={shown.includes(slug)} disabled={slug === shown[0]} onChange={() => toggle(slug)} />
          <span>{label}</span>
        </label>
      ))}
      <p class="soft">{words.columnsHint}</p>
    </fieldset>
  );
}
