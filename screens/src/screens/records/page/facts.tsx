/** What one looks for first: the values by which a record is reached or judged, below its name. */
import { recordPage as words } from "../../../messages/en/record_page";
import { Foreign } from "../../../parts/texts";
import { nameProperty, type Property } from "../values/properties";
import { ValueText } from "../values/value_text";
import { textOf } from "../values/writing";
import type { ObjectDetails, RecordDetails } from "./shapes";
import "../../../styles/record_page.css";

const MOST = 5;
const LONG: readonly Property["type"][] = ["long_text", "picture", "multi_select"];

export function Facts({ record, object }: { record: RecordDetails; object: ObjectDetails }) {
  const name = nameProperty(object.properties)?.slug;
  const known = object.properties.filter(
    (property) => property.slug !== name && !LONG.includes(property.type) && textOf(property, record) !== "",
  );
  return (
    <dl class="record-facts" aria-label={words.facts}>
      <div>
        <dt class="hidden">{words.kind}</dt>
        <dd class="soft">
          <Foreign>{object.label}</Foreign>
        </dd>
      </div>
      {known.slice(0, MOST).map((property) => (
        <div key={property.slug}>
          <dt class="hidden">
            <Foreign>{property.label}</Foreign>
          </dt>
          <dd>
            <ValueText property={property} record={record} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
