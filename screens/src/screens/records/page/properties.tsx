/** The properties of a record in groups, each edited where it stands. */
import { useState } from "preact/hooks";
import { may } from "../../../house/boot";
import { useKeys } from "../../../house/keys";
import { recordPage } from "../../../messages/en/record_page";
import { messages } from "../../../messages/messages";
import { DateOf } from "../../../parts/texts";
import type { Onward } from "../values/editing";
import type { Property } from "../values/properties";
import { PropertyRow } from "./property_row";
import type { ObjectDetails, RecordDetails } from "./shapes";
import "../../../styles/record_page.css";

const words = recordPage.details;

interface PropertiesProps {
  record: RecordDetails;
  object: ObjectDetails;
  /** Shows them, where they are behind a tab. */
  show: () => void;
}

export function Properties({ record, object, show }: PropertiesProps) {
  const [open, setOpen] = useState<string | null>(null);
  const mayChange = may("records.write");
  const groups = groupsOf(object.properties);
  const order = groups.flatMap(({ properties }) => properties.map(({ slug }) => slug));
  useKeys(
    mayChange
      ? [
          {
            key: "e",
            label: messages.keys.edit,
            run: () => {
              show();
              setOpen(order[0] ?? null);
            },
          },
        ]
      : [],
  );
  const goOn = (slug: string, onward: Onward) => {
    const step = { next: 1, previous: -1, stay: 0, down: 0, up: 0 }[onward];
    setOpen(step === 0 ? null : (order[order.indexOf(slug) + step] ?? null));
    // Where another place has the focus by now, it keeps it.
    if (step === 0 && onward !== "stay") requestAnimationFrame(() => document.getElementById(`edit-${slug}`)?.focus());
  };
  return (
    <section class="record-details" aria-labelledby="details">
      <h2 id="details">{words.title}</h2>
      {groups.map(({ label, properties }) => (
        <div key={label} class="property-group">
          {groups.length > 1 && <h3>{label}</h3>}
          <dl>
            {properties.map((property) => (
              <PropertyRow
                key={property.slug}
                property={property}
                record={record}
                mayChange={mayChange}
                isOpen={open === property.slug}
                onOpen={() => setOpen(property.slug)}
                onDone={(onward) => goOn(property.slug, onward)}
              />
            ))}
          </dl>
        </div>
      ))}
      <dl class="property-times">
        <dt>{words.created}</dt>
        <dd>
          <DateOf at={record.createdAt} />
        </dd>
        <dt>{words.updated}</dt>
        <dd>
          <DateOf at={record.updatedAt} />
        </dd>
      </dl>
    </section>
  );
}

const REACH: readonly Property["type"][] = ["email", "phone"];
const LEADS: readonly Property["type"][] = ["relation", "member"];

/** What a record is, how it is reached, and what it belongs to; in each the order of the object. */
function groupsOf(properties: readonly Property[]): { label: string; properties: Property[] }[] {
  const is = (types: readonly Property["type"][]) => properties.filter(({ type }) => types.includes(type));
  const about = properties.filter(({ type }) => ![...REACH, ...LEADS].includes(type));
  const groups = [
    { label: words.about, properties: about },
    { label: words.reach, properties: is(REACH) },
    { label: words.relations, properties: is(LEADS) },
  ];
  return groups.filter((group) => group.properties.length > 0);
}
