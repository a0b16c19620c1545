/** The order of a list on a phone, where there are no headings. */
import { records as words } from "../../messages/en/records";
import { say } from "../../messages/messages";
import { Icon } from "../../parts/icon";
import type { Property } from "./values/properties";
import type { Sort } from "./which";

export function SortChoice({
  properties,
  sort,
  onSort,
}: {
  properties: readonly Property[];
  sort: readonly Sort[];
  onSort: (sort: Sort[]) => void;
}) {
  const [first] = sort;
  const value = first ? `${first.direction === "desc" ? "-" : ""}${first.property}` : "";
  return (
    <div class="select filter">
      <select
        class="control"
        aria-label={words.order}
        value={value}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          onSort(chosen ? [{ property: chosen.replace(/^-/, ""), direction: chosen.startsWith("-") ? "desc" : "asc" }] : []);
        }}
      >
        <option value="">{words.newest}</option>
        {properties.flatMap(({ slug, label }) =>
          (["", "-"] as const).map((way) => (
            <option key={way + slug} value={way + slug} selected={value === way + slug}>
              {say(way ? words.falling : words.rising, { property: label })}
            </option>
          )),
        )}
      </select>
      <Icon name="chevron-down" />
    </div>
  );
}
